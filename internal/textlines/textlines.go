// Package textlines reads small files of lines, of text or of JSON, and says what
// is wrong with them in the words of the file.
package textlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// longest bounds one line, in bytes.
const longest = 64 << 20

// open opens a file and unpacks it if it starts with the magic number of gzip
// or zstd. The caller calls done.
func open(path string) (r io.Reader, done func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	closeFile := func() { _ = f.Close() }
	buffered := bufio.NewReaderSize(f, 1<<16)
	z, err := Unpack(buffered)
	if err != nil {
		closeFile()
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	if z == nil {
		return buffered, closeFile, nil
	}
	return z, func() { _ = z.Close(); closeFile() }, nil
}

// Unpack returns a reader of what gzip or zstd has packed; nil where the content
// begins like neither.
func Unpack(r *bufio.Reader) (io.ReadCloser, error) {
	magic, err := r.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b, 8}):
		return gzip.NewReader(r)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	}
	return nil, nil
}

// Object decodes a line that holds one JSON object, a what. Its error is in the
// words of the file, not of the program.
func Object(line []byte, v any, what string) error {
	err := json.Unmarshal(line, v)
	if err == nil {
		return nil
	}
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return fmt.Errorf("%w: no JSON object that is a %s", err, what)
	}
	if kind.Field == "" {
		return fmt.Errorf("a %s is a JSON object, and this is not: %s", what, kind.Value)
	}
	return fmt.Errorf("field %q of a %s cannot be a %s", kind.Field, what, kind.Value)
}

// Each calls fn with every line of a file that is not blank, without its line
// end, and its number from 1. The file may be compressed by gzip or zstd and
// begin with a byte order mark. Errors name file and line.
func Each(path string, fn func(number int, line []byte) error) error {
	r, done, err := open(path)
	if err != nil {
		return err
	}
	defer done()
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), longest)
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimRight(lines.Bytes(), "\r")
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 {
			continue
		}
		if err := fn(number, line); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d MiB", longest>>20)
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %w", path, number+1, err)
	}
	return nil
}
