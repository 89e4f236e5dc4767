package redis

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// Texts lie compressed where that is shorter: a byte that says so, then the text.
const (
	plain      = 0
	compressed = 1
	worth      = 128 // bytes from which on it is tried
	maxText    = 512 << 20
)

var (
	zip, _   = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	unzip, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxText))
)

func shrink(text []byte) []byte {
	if len(text) >= worth {
		if z := zip.EncodeAll(text, []byte{compressed}); len(z) <= len(text) {
			return z
		}
	}
	return append([]byte{plain}, text...)
}

func expand(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, nil
	}
	switch b[0] {
	case plain:
		return b[1:], nil
	case compressed:
		return unzip.DecodeAll(b[1:], nil)
	}
	return nil, fmt.Errorf("text of unknown form %d", b[0])
}
