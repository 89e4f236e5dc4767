package simhash

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format is a file format of fingerprints.
type Format string

const (
	// Text is a fingerprint in hex a line, with "id TAB" before it or
	// without. Ids are any text without a tab; where there is none, the id is the number of the
	// line from 0. Empty lines count but hold nothing.
	Text Format = "text"
	// Binary is little-endian 64-bit numbers and nothing else; ids are
	// their numbers from 0.
	Binary Format = "binary"
)

// List is fingerprints with their ids.
type List struct {
	Fingerprints []uint64
	ids          []string // nil while every id is the position
}

// Len returns the number of fingerprints.
func (l *List) Len() int { return len(l.Fingerprints) }

// ID returns the id at a position.
func (l *List) ID(i int) string {
	if l.ids != nil {
		return l.ids[i]
	}
	return strconv.Itoa(i)
}

// AddID appends a fingerprint with an id.
func (l *List) AddID(id string, fp uint64) { l.add(fp, 0, id, true) }

// add keeps no ids while all are positions.
func (l *List) add(fp, line uint64, id string, named bool) {
	n := len(l.Fingerprints)
	if l.ids == nil && (named || line != uint64(n)) {
		l.ids = make([]string, n, n+1)
		for i := range l.ids {
			l.ids[i] = strconv.Itoa(i)
		}
	}
	l.Fingerprints = append(l.Fingerprints, fp)
	if l.ids == nil {
		return
	}
	if !named {
		id = strconv.FormatUint(line, 10)
	}
	l.ids = append(l.ids, id)
}

// ErrSyntax is wrapped by the errors of Read that are the file's fault.
var ErrSyntax = errors.New("not a list of fingerprints")

// maxLine is the longest line of a text file.
const maxLine = 1 << 20

// Read reads a whole file of fingerprints. Errors name the line, from 1, or
// the byte offset of a binary file, and the reason. size is how many bytes r
// has, by which memory is taken at once; below 0: it is not known.
func Read(r io.Reader, format Format, size int64) (*List, error) {
	switch format {
	case Text:
		return readText(r, size)
	case Binary:
		return readBinary(r, size)
	}
	return nil, fmt.Errorf("format %q: want text or binary", format)
}

func readText(r io.Reader, size int64) (*List, error) {
	const shortest = 17 // bytes of a line, mostly; what room is left over is never touched
	l := &List{Fingerprints: make([]uint64, 0, max(size, 0)/shortest+1)}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), maxLine)
	line := uint64(0)
	for ; in.Scan(); line++ {
		text := strings.TrimSuffix(in.Text(), "\r")
		if text == "" {
			continue
		}
		id, digits, named := strings.Cut(text, "\t")
		if !named {
			digits = text
		}
		fp, err := ParseHex(digits)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line+1, err)
		}
		l.add(fp, line, id, named)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	return l, nil
}

// ParseHex reads a fingerprint of 1 to 16 hex digits, with 0x before them or
// without.
func ParseHex(s string) (uint64, error) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	fp, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) > 16 {
		return 0, fmt.Errorf("%w: %.40q is not 1 to 16 hex digits", ErrSyntax, s)
	}
	return fp, nil
}

func readBinary(r io.Reader, size int64) (*List, error) {
	l := &List{Fingerprints: make([]uint64, 0, max(size, 0)/8)}
	buf := make([]byte, 64<<10)
	for at := 0; ; {
		n, err := io.ReadFull(r, buf)
		for i := 0; i+8 <= n; i += 8 {
			l.Fingerprints = append(l.Fingerprints, binary.LittleEndian.Uint64(buf[i:]))
		}
		at += n
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if at%8 != 0 {
				return nil, fmt.Errorf("offset %d: %w: %d bytes left of a number of 8", at-at%8, ErrSyntax, at%8)
			}
			return l, nil
		case err != nil:
			return nil, fmt.Errorf("offset %d: %w", at, err)
		}
	}
}
