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
	// Text has one fingerprint in hex per line, optionally with "id TAB" before it. An id is any text without a tab.
	// Without one, the id is the line number from 0. Empty lines are skipped, but count as lines.
	Text Format = "text"
	// Binary consists of little-endian 64-bit numbers. The ids are their numbers from 0.
	Binary Format = "binary"
)

// List is a list of fingerprints with their ids.
type List struct {
	Fingerprints []uint64
	ids          []string // nil as long as every id equals the position
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

// add adds a fingerprint. It stores no ids as long as all equal the positions.
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

// ErrSyntax is wrapped by errors of Read about invalid content.
var ErrSyntax = errors.New("not a list of fingerprints")

// maxLine limits a line of a text file, in bytes.
const maxLine = 1 << 20

// Read reads a file of fingerprints. Errors name the line, from 1, or the byte offset in a binary file. size is the number
// of bytes in r, for allocating memory at once, or negative if unknown.
func Read(r io.Reader, format Format, size int64) (*List, error) {
	switch format {
	case Text:
		return readText(r, size)
	case Binary:
		return readBinary(r, size)
	}
	return nil, fmt.Errorf("format %q: invalid (want text or binary)", format)
}

func readText(r io.Reader, size int64) (*List, error) {
	const shortest = 17 // usual length of a line in bytes; memory that is reserved but not used is never touched
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

// ParseHex parses a fingerprint of 1 to 16 hex digits, optionally after 0x.
func ParseHex(s string) (uint64, error) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	fp, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) > 16 {
		return 0, fmt.Errorf("%w: %.40q: invalid (want 1 to 16 hex digits)", ErrSyntax, s)
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
				return nil, fmt.Errorf("offset %d: %w: truncated number (%d of 8 bytes)", at-at%8, ErrSyntax, at%8)
			}
			return l, nil
		case err != nil:
			return nil, fmt.Errorf("offset %d: %w", at, err)
		}
	}
}
