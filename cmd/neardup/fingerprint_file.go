package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/simhash"
)

// fingerprintList is a file of fingerprints in memory.
type fingerprintList struct {
	*simhash.List
	path string
	spec string // what made them, where the file says it
}

// readFingerprints reads a file, "-" being standard input. Its format is told
// by its name (.bin), else by its content. Errors name file and line.
func readFingerprints(a *app, path string, isBinary bool) (fingerprintList, error) {
	l := fingerprintList{path: path}
	var in io.Reader = a.stdin
	size := int64(-1)
	if path != corpus.Stdin {
		f, err := os.Open(path)
		if err != nil {
			return l, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		in = f
	}
	name := strings.ToLower(path)
	plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	isBinary = isBinary || strings.HasSuffix(plain, ".bin")
	buf := bufio.NewReaderSize(in, 256<<10)
	if !isBinary || plain != name { // any number may begin like a compressed file
		open, err := textlines.Unpack(buf)
		if err != nil {
			return l, fmt.Errorf("%s: %w", path, err)
		}
		if open != nil {
			defer open.Close()
			buf, size = bufio.NewReaderSize(open, 256<<10), -1
		}
	}
	if err := l.read(buf, size, isBinary); err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// read reads all of r; size is that of an uncompressed file, -1 if unknown.
func (l *fingerprintList) read(r *bufio.Reader, size int64, isBinary bool) (err error) {
	if mark, _ := r.Peek(3); !isBinary && string(mark) == "\ufeff" {
		_, _ = r.Discard(3)
	}
	start, err := r.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case isBinary || looksBinary(start):
		l.List, err = simhash.Read(r, simhash.Binary, size)
	case bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("{")):
		err = l.readJSON(r)
	default:
		l.List, err = simhash.Read(r, simhash.Text, size)
	}
	return err
}

// looksBinary reports whether the beginning of a file is no text.
func looksBinary(start []byte) bool {
	for _, b := range start {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' {
			return true
		}
	}
	for cut := 0; cut < utf8.UTFMax && cut <= len(start); cut++ { // a rune may be cut
		if utf8.Valid(start[:len(start)-cut]) {
			return false
		}
	}
	return true
}

// readJSON reads what neardup fingerprint prints: all of one spec. Texts with
// too few features are left out.
func (l *fingerprintList) readJSON(r io.Reader) error {
	l.List = &simhash.List{}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), 1<<20)
	line := 1
	for ; in.Scan(); line++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		if err := l.addJSON(in.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return nil
}

func (l *fingerprintList) addJSON(line []byte) error {
	var v struct {
		ID          *string `json:"id"`
		Fingerprint *string `json:"fingerprint"`
		Spec        string  `json:"spec"`
		Few         bool    `json:"few"`
	}
	if err := textlines.Object(line, &v, "fingerprint"); err != nil {
		return fmt.Errorf("%w: %w", simhash.ErrSyntax, err)
	}
	if v.ID == nil || v.Fingerprint == nil {
		return fmt.Errorf("%w: no id or no fingerprint", simhash.ErrSyntax)
	}
	if l.Len() == 0 && l.spec == "" {
		l.spec = v.Spec
	}
	if v.Spec != l.spec {
		return fmt.Errorf("%w: made by %q, those before by %q", neardup.ErrUnlike, v.Spec, l.spec)
	}
	if v.Few {
		return nil
	}
	fp, err := simhash.ParseHex(*v.Fingerprint)
	if err != nil {
		return err
	}
	l.AddID(*v.ID, fp)
	return nil
}

// alike returns an error if two files say that unlike things made them.
func (l *fingerprintList) alike(o fingerprintList) error {
	if l.spec == "" || o.spec == "" || l.spec == o.spec {
		return nil
	}
	return fmt.Errorf("%w: %s has %q, %s has %q", neardup.ErrUnlike, l.path, l.spec, o.path, o.spec)
}
