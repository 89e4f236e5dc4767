package corpus

import (
	"errors"
	"io"

	"golang.org/x/text/encoding"
)

// A browser reads no web archives, no charsets with tables (see package text) and writes no files, so it does without
// what is large: brotli, which imports net/http, the tables, and compressors.

var errLarge = errors.New("not in this program")

func newBrotli(io.Reader) (io.Reader, error) { return nil, errLarge }

func iso2022JP() *encoding.Decoder { return encoding.Replacement.NewDecoder() }

func (f *AtomicFile) compress() error { return errLarge }

func (f *AtomicFile) member() error { return errLarge }
