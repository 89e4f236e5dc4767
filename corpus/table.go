package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// tableFrames yields the rows of CSV and TSV without the header.
type tableFrames struct {
	b     *blocks
	limit int64
	line  int64 // lines read so far
	in    *input
}

func newTableFrames(in *input, s *stream, fields Fields, opt Options) (*tableFrames, error) {
	first, err := s.look(len(utf8Mark))
	if err != nil {
		return nil, err
	}
	in.mark = bytes.HasPrefix(first, utf8Mark)
	t := &tableFrames{b: newBlocks(utf8Stream(s)), limit: opt.MaxDocument, in: in}
	if in.format == XLSX {
		opt.Charset, opt.Delimiter = "", ','
	}
	in.charset, err = sniff(t.b, opt.Charset)
	if err != nil {
		return nil, err
	}
	t.b.fill(sniffed)
	told, err := t.separator()
	if err != nil {
		return nil, err
	}
	opt.Delimiter = cmp.Or(opt.Delimiter, told)
	head := t.b.window()
	in.dialect = dialectOf(in.format, readable(head[:min(len(head), sniffed)], in.charset), opt.Delimiter, fields)
	if numbered(fields) {
		in.columns, err = findColumns(fields, nil)
		return t, err
	}
	raw, _, err := t.next()
	if err == io.EOF {
		return t, nil
	}
	if bad := (*RejectError)(nil); errors.As(err, &bad) {
		return nil, fmt.Errorf("the header cannot be read: %s", bad.Reason)
	}
	if err != nil {
		return nil, fmt.Errorf("the header cannot be read: %w", err)
	}
	in.header = raw
	names := in.dialect.split(nil, raw)
	in.dialect.cells = len(names)
	var columns []Column
	for i, name := range names {
		if s, err := decodeText(name, in.charset); err == nil {
			names[i] = []byte(s)
		}
		in.names = append(in.names, string(names[i]))
		columns = append(columns, Column{Name: string(bytes.TrimSpace(names[i]))})
	}
	in.columns, err = findColumns(fields.Among(columns), names)
	if err != nil && bytes.IndexByte(raw, 0) >= 0 {
		err = fmt.Errorf("%w; the file has zero bytes (want --format 'csv charset=utf-16le' for UTF-16 without a mark)", err)
	}
	return t, err
}

// separator reads a first line "sep=;", which tells Excel the delimiter, and returns the delimiter. Without such a line it
// returns 0.
func (t *tableFrames) separator() (byte, error) {
	line, _, _ := bytes.Cut(t.b.window(), newline)
	line = bytes.ToLower(bytes.Trim(trimEnd(line), `"`))
	told, is := bytes.CutPrefix(line, []byte("sep="))
	if !is || len(told) != 1 {
		return 0, nil
	}
	raw, err := t.b.line(t.limit)
	t.line++
	t.in.separator = bytes.Clone(raw)
	return told[0], err
}

// numbered reports whether the text field is a column number, so there is no header.
func numbered(f Fields) bool {
	name := f.Text.Name
	if name == "" {
		name = f.HTML.Name
	}
	n, err := strconv.Atoi(name)
	return err == nil && n > 0
}

// findColumns returns for each of Fields.All, except Others, its column in the header, or -1. It prefers an exact match to
// one in another case. Without a header, names is nil and the fields are column numbers.
func findColumns(f Fields, names [][]byte) (columns []int, err error) {
	var missing []string
	var twice error
	find := func(field Field) int {
		if field.Name == "" {
			return -1
		}
		if n, err := strconv.Atoi(field.Name); names == nil && err == nil && n > 0 {
			return n - 1
		}
		at := -1
		for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
			for i, name := range names {
				if !same(string(bytes.TrimSpace(name)), field.Name) {
					continue
				}
				if at >= 0 {
					twice = Twice(field.Name)
				}
				at = i
			}
			if at >= 0 {
				break
			}
		}
		if at < 0 && field.Required {
			missing = append(missing, strconv.Quote(field.Name))
		}
		return at
	}
	for i, field := range f.All() {
		if i < fieldOthers {
			columns = append(columns, find(field))
		} else if names != nil {
			find(Field{Name: field.Name})
		}
	}
	if twice != nil || missing == nil {
		return columns, twice
	}
	if names == nil {
		return nil, fmt.Errorf("%w %s: not a number (want numbers, like the text column)", ErrField, strings.Join(missing, ", "))
	}
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(string(name)))
	}
	return nil, fmt.Errorf("%w %s (want one of %s, or the number of a column, from 1)", ErrField,
		strings.Join(missing, ", "), strings.Join(quoted, ", "))
}

// next returns the next row. A quoted field of CSV may contain line ends.
func (t *tableFrames) next() ([]byte, int64, error) {
	for {
		at := t.line + 1
		take := t.row
		if t.in.dialect.quotes == literal {
			take = t.plain
		}
		raw, err := take()
		var bad *RejectError
		switch {
		case errors.As(err, &bad):
			bad.Line = at
			return nil, 0, bad
		case err == errTooLong:
			return nil, 0, tooLong(at, t.limit)
		case err != nil:
			return nil, at, err
		}
		if len(trimEnd(raw)) > 0 {
			return raw, at, nil
		}
	}
}

// row returns a row with quoted cells. If the quotes do not match, it rejects a row of CSV, and reads a line of TSV
// literally.
func (t *tableFrames) row() ([]byte, error) {
	d := t.in.dialect
	scan := csvScan{delimiter: d.delimiter}
	for {
		w := t.b.window()
		n, done := scan.advance(w)
		lines := int64(bytes.Count(w[:n], newline))
		if t.in.format == XLSX {
			lines = 1
		}
		// The closing quote may be the opening quote of a later row.
		swallowed := done && d.quotes == fits && lines > 1 && len(d.fields(nil, trimEnd(w[:n]), true)) != max(d.cells, 1)
		long, reason := int64(len(w)) > t.limit+2, ""
		switch {
		case done && !swallowed:
			t.line += lines
			raw := t.b.take(n)
			if int64(n) > t.limit+2 {
				return nil, errTooLong
			}
			return raw, nil
		case scan.bad:
			reason = "a quote ends before the field (want a comma after it)"
		case long && (scan.state == inQuotes || scan.state == quoteSeen):
			reason = fmt.Sprintf("quoted field: too long, or not closed (want at most %d bytes)", t.limit)
		case long:
			reason = fmt.Sprintf("document: too long (want at most %d bytes)", t.limit)
		case !swallowed && t.b.more():
			continue
		case d.quotes == fits:
		case t.b.err != io.EOF:
			return nil, t.b.err
		case scan.state == inQuotes:
			reason = "quoted field: not closed"
		case len(w) == 0:
			return nil, io.EOF
		default: // the last row may lack a line end
			t.line++
			return t.b.take(len(w)), nil
		}
		if d.quotes == fits {
			return t.plain()
		}
		return nil, t.dropLine(reason)
	}
}

// plain returns a line.
func (t *tableFrames) plain() ([]byte, error) {
	t.line++
	return t.b.line(t.limit)
}

// dropLine drops only the first line of a bad row, so that a stray quote does not lose the lines after it.
func (t *tableFrames) dropLine(reason string) error {
	if _, err := t.plain(); err != nil && err != errTooLong {
		return err
	}
	return &RejectError{Reason: reason}
}
