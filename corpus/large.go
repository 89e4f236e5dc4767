//go:build !js

package corpus

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

func newBrotli(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }

func iso2022JP() *encoding.Decoder { return japanese.ISO2022JP.NewDecoder() }

// compress adds the compressor that the name selects.
func (f *AtomicFile) compress() error {
	switch strings.ToLower(filepath.Ext(f.path)) {
	case ".gz":
		f.pack = gzip.NewWriter(f.buf)
	case ".zst", ".zstd":
		z, err := zstd.NewWriter(f.buf, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		f.pack = z
	default:
		return nil
	}
	f.top = f.pack
	return nil
}

// member ends a gzip member and begins the next.
func (f *AtomicFile) member() error {
	z, ok := f.pack.(*gzip.Writer)
	if !ok {
		return nil
	}
	if err := z.Close(); err != nil {
		return err
	}
	z.Reset(f.buf)
	return nil
}
