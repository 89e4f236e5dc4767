package corpus

import (
	"errors"
	"fmt"
)

// Item is one record in the form of its file. It stays valid after further calls of Next. Raw is a slice of a block that is
// never overwritten, so an item keeps that block in memory (256 KiB, or the record if it is larger).
type Item struct {
	// File is the input as the caller named it, or "-" for standard input.
	File string
	// Line is the number, from 1, of the line on which the record begins (JSONL, CSV, TSV, Lines). For other formats it is
	// the number of the row or record (Parquet, Arrow, WARC). It is 1 for a file that is one document.
	Line int64
	// Raw is the record, decompressed, including its line end if it has one. If the file is UTF-16, Raw is UTF-8.
	Raw []byte

	in       *input
	replaced bool // Raw has another text than the file
}

// RejectError describes a record, or the rest of a file, that cannot be read. The caller records it and calls Next again.
// Its JSON form is a line of the rejects file.
type RejectError struct {
	File   string `json:"file"`
	Line   int64  `json:"line,omitempty"` // 0 if it concerns the whole file
	Reason string `json:"reason"`
	Err    error  `json:"-"` // the cause, or nil

	// damaged means that an unknown number of further records of the file is lost.
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

// reject returns a RejectError about this item.
func (it *Item) reject(err error) *RejectError {
	return &RejectError{File: it.File, Line: it.Line, Reason: err.Error(), Err: err}
}
