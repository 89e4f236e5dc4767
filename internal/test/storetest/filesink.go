package storetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/neardup/neardup/docid"
)

// FileSink is a sink of one tenant that appends a line to a file for each delivery. Its cursor is the last whole line, so
// rows and cursor always agree.
type FileSink struct {
	f    *os.File
	last uint64
	// Fail, if not nil, may return an error before (0) and after (1) deliveries are written.
	Fail func(when int) error
}

// Line is a line of a FileSink.
type Line struct {
	Seq                 uint64
	Kind                docid.Kind
	NID, DocID, Article string
	Text                bool // the delivery had an article
}

// OpenFileSink opens a file and cuts off an incomplete last line.
func OpenFileSink(path string) (*FileSink, error) {
	lines, whole, err := ReadLines(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open sink: %w", err)
	}
	_, err = f.Seek(whole, 0)
	if err := errors.Join(err, f.Truncate(whole)); err != nil {
		return nil, errors.Join(fmt.Errorf("open sink: %w", err), f.Close())
	}
	s := &FileSink{f: f}
	if len(lines) > 0 {
		s.last = lines[len(lines)-1].Seq
	}
	return s, nil
}

// ReadLines reads the whole lines of a sink, and returns their total length. A missing file counts as empty.
func ReadLines(path string) (lines []Line, whole int64, err error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, 0, fmt.Errorf("read sink: %w", err)
	}
	for b := range bytes.Lines(data) {
		var l Line
		if !bytes.HasSuffix(b, []byte("\n")) || json.Unmarshal(b, &l) != nil {
			break
		}
		lines, whole = append(lines, l), whole+int64(len(b))
	}
	return lines, whole, nil
}

// Cursor returns the number of the last line's change.
func (s *FileSink) Cursor(context.Context, string) (uint64, error) { return s.last, nil }

// Apply appends lines and syncs the file.
func (s *FileSink) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	if err := s.fail(0); err != nil {
		return err
	}
	w := bufio.NewWriter(s.f)
	for _, d := range ds {
		l := Line{Seq: d.Seq, Kind: d.Kind, NID: d.NID, DocID: d.DocID, Text: d.Article != nil}
		if d.Article != nil {
			l.Article = d.Article.Text
		}
		if err := json.NewEncoder(w).Encode(l); err != nil {
			return fmt.Errorf("write sink: %w", err)
		}
	}
	if err := errors.Join(w.Flush(), s.f.Sync()); err != nil {
		return fmt.Errorf("write sink: %w", err)
	}
	if len(ds) > 0 {
		s.last = ds[len(ds)-1].Seq
	}
	return s.fail(1)
}

func (s *FileSink) fail(when int) error {
	if s.Fail == nil {
		return nil
	}
	return s.Fail(when)
}

// Close closes the file.
func (s *FileSink) Close() error { return s.f.Close() }
