// Package textlines reads small files of text or JSON lines, and describes errors in terms of the file.
package textlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// longest limits a line, in bytes.
const longest = 64 << 20

// open opens a file, and decompresses it if it begins like gzip or zstd. The caller must call done.
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

// Unpack returns a reader of content compressed by gzip or zstd. It returns nil for content in another
// format.
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

// Object decodes a line with one JSON object. Errors call the object what, and describe the problem in terms of the file.
func Object(line []byte, v any, what string) error {
	err := json.Unmarshal(line, v)
	if err == nil {
		return nil
	}
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return fmt.Errorf("not a JSON object (want a %s): %w", what, malformed(line, err))
	}
	if kind.Field == "" {
		return fmt.Errorf("not a JSON object (want a %s): %s", what, kind.Value)
	}
	return fmt.Errorf("field %q of a %s: invalid type %s", kind.Field, what, kind.Value)
}

// expected maps the places where encoding/json fails to what JSON needs there.
var expected = []struct{ where, what string }{
	{"beginning of value", "a value"}, {"key string", "a key in quotes"}, {"object key:value pair", "a comma or }"},
	{"after object key", "a colon"}, {"after array element", "a comma or ]"}, {"after top-level value", "the end"},
	{"escape", "a JSON escape"}, {"string literal", "no control character within a string"},
	{"literal true", "true"}, {"literal false", "false"}, {"literal null", "null"},
	{"numeric literal", "a digit"}, {"decimal point", "a digit"}, {"exponent", "a digit"},
}

// malformed converts a JSON syntax error into one that states the position and what was expected. It returns other errors
// unchanged.
func malformed(data []byte, err error) error {
	var bad *json.SyntaxError
	if !errors.As(err, &bad) {
		return err
	}
	at := min(max(int(bad.Offset)-1, 0), len(data))
	if !strings.HasPrefix(bad.Error(), "invalid character") {
		at = len(data)
	}
	before := data[:at]
	place := fmt.Sprintf("column %d", utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])+1)
	if bytes.IndexByte(data, '\n') >= 0 {
		place = fmt.Sprintf("line %d, %s", bytes.Count(before, []byte("\n"))+1, place)
	}
	if at == len(data) {
		return fmt.Errorf("%s: truncated", place)
	}
	is, _ := utf8.DecodeRune(data[at:])
	for _, e := range expected {
		if strings.Contains(bad.Error(), e.where) {
			return fmt.Errorf("%s: unexpected %[3]q (want %[2]s)", place, e.what, string(is))
		}
	}
	return fmt.Errorf("%s: unexpected %q", place, string(is))
}

// Each calls fn with every non-blank line of a file, as Lines does. The file may be compressed by gzip or
// zstd.
func Each(path string, fn func(number int, line []byte) error) error {
	r, done, err := open(path)
	if err != nil {
		return err
	}
	defer done()
	return Lines(path, r, fn)
}

// Lines calls fn with every non-blank line of r, without the line end, and with its number from 1. It ignores
// a byte order mark at the start. Errors begin with name:number.
func Lines(name string, r io.Reader, fn func(number int, line []byte) error) error {
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
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d MiB", longest>>20)
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %w", name, number+1, err)
	}
	return nil
}
