package eval

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

// maxLine bounds one line of an input, in bytes.
const maxLine = 64 << 20

// open opens a file and unpacks it if it starts with the magic number of gzip
// or zstd. The caller calls done.
func open(path string) (r io.Reader, done func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	closeFile := func() { _ = f.Close() }
	buffered := bufio.NewReaderSize(f, 1<<16)
	magic, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		closeFile()
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(buffered)
		if err != nil {
			closeFile()
			return nil, nil, fmt.Errorf("read %s as gzip: %w", path, err)
		}
		return z, closeFile, nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1))
		if err != nil {
			closeFile()
			return nil, nil, fmt.Errorf("read %s as zstd: %w", path, err)
		}
		return z, func() { z.Close(); closeFile() }, nil
	}
	return buffered, closeFile, nil
}

// readable says what is wrong with a line of JSON in the words of the file, not
// of the program.
func readable(err error, what string) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return fmt.Errorf("%w: no JSON object that is a %s", err, what)
	}
	if kind.Field == "" {
		return fmt.Errorf("a %s is a JSON object, not a %s", what, kind.Value)
	}
	return fmt.Errorf("field %q of a %s cannot be a %s", kind.Field, what, kind.Value)
}

// eachLine calls fn with every line that is not blank, without its line end,
// and its number from 1. Errors of fn are given file and line.
func eachLine(path string, fn func(number int, line []byte) error) error {
	r, done, err := open(path)
	if err != nil {
		return err
	}
	defer done()
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), maxLine)
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
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, number+1, err)
	}
	return nil
}
