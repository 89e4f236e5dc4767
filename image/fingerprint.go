package image

import (
	"fmt"
	"strconv"
	"strings"
)

// Fingerprint is the compared form of a picture.
type Fingerprint struct {
	// Hashes holds the hashes of Turned. If only the first is known, the others are 0.
	Hashes  [Turns]Hash
	Quality int
	// Width and Height are the size of the picture in its orientation, or 0 if unknown.
	Width, Height int
	// File is the SHA-256 of the file in hexadecimal digits, or "" if unknown.
	File string
}

// String returns the text that represents a picture as a document, in words of name:value. Equal files have the same text,
// and different files different ones.
func (f Fingerprint) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pdq:%v quality:%d", f.Hashes[0], f.Quality)
	if f.Width > 0 {
		fmt.Fprintf(&b, " size:%dx%d", f.Width, f.Height)
	}
	if f.File != "" {
		b.WriteString(" file:" + f.File)
	}
	if f.known() == Turns {
		b.WriteString(" turned:")
		for i, h := range f.Hashes[1:] {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(h.String())
		}
	}
	return b.String()
}

func (f *Fingerprint) known() int {
	if f.Hashes[1] == (Hash{}) {
		return 1
	}
	return Turns
}

// Parse parses the output of String. Only the hash is required; the quality is 100 by default.
func Parse(s string) (Fingerprint, error) {
	f := Fingerprint{Quality: 100}
	hashed := false
	for word := range strings.FieldsSeq(s) {
		name, value, _ := strings.Cut(word, ":")
		var err error
		switch name {
		case "pdq":
			f.Hashes[0], err = ParseHash(value)
			hashed = err == nil
		case "quality":
			f.Quality, err = strconv.Atoi(value)
			if err == nil && (f.Quality < 0 || f.Quality > 100) {
				err = fmt.Errorf("quality %d: out of range (want 0 to 100)", f.Quality)
			}
		case "size":
			width, height, _ := strings.Cut(value, "x")
			f.Width, err = strconv.Atoi(width)
			if err == nil {
				f.Height, err = strconv.Atoi(height)
			}
		case "file":
			f.File = value
		case "turned":
			err = f.parseTurned(value)
		default:
			err = fmt.Errorf("unknown part %.20q", name)
		}
		if err != nil {
			return Fingerprint{}, fmt.Errorf("fingerprint: %w", err)
		}
	}
	if !hashed {
		return Fingerprint{}, fmt.Errorf("invalid fingerprint %.40q (want pdq:HASH)", s)
	}
	return f, nil
}

func (f *Fingerprint) parseTurned(list string) (err error) {
	hashes := strings.Split(list, ",")
	if len(hashes) != Turns-1 {
		return fmt.Errorf("%d hashes of the turned picture (want %d)", len(hashes), Turns-1)
	}
	for i, h := range hashes {
		f.Hashes[i+1], err = ParseHash(h)
		if err != nil {
			return err
		}
	}
	return nil
}
