package corpus

import (
	"errors"
	"fmt"
)

// Item is one record in the form of its file. It stays valid after further calls of Next. Raw is a slice of a
// block that is not overwritten, so an item holds that block (256 KiB, or the record if it is larger).
type Item struct {
	// File is the input as named by the caller, "-" for standard input.
	File string
	// Line is the number, from 1, of the line on which the record begins (JSONL, CSV, TSV, lines), or of the
	// row or record (Parquet, Arrow, WARC). It is 1 for a file that is one document.
	Line int64
	// Raw is the record, with its line end where it has one, decompressed
	// and in UTF-8 where the file is UTF-16.
	Raw []byte

	in       *input
	replaced bool // Raw is a replaced text, not the file's
}

// RejectError is one record, or the rest of one file, that cannot be read. The
// caller notes it and calls Next again. Its JSON form is a line of the rejects
// file.
type RejectError struct {
	File   string `json:"file"`
	Line   int64  `json:"line,omitempty"` // 0 when the whole file is meant
	Reason string `json:"reason"`
	Err    error  `json:"-"` // the cause, where there is one

	// damaged means that an unknown number of further records is lost.
	damaged bool
}

// Error returns "file:line: reason".
func (e *RejectError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// Unwrap returns the cause.
func (e *RejectError) Unwrap() error { return e.Err }

// Rejected returns the RejectError that an error is or wraps, or nil.
func Rejected(err error) *RejectError {
	one, _ := errors.AsType[*RejectError](err)
	return one
}

// reject makes the RejectError of this item.
func (it *Item) reject(err error) *RejectError {
	return &RejectError{File: it.File, Line: it.Line, Reason: err.Error(), Err: err}
}
