package corpus

import "bytes"

var newline = []byte{'\n'}

// csvState is the state of a scan inside a field.
type csvState uint8

const (
	fieldStart csvState = iota
	inPlain
	inQuotes
	quoteSeen // a quote inside quotes, which is the end or the first of two
)

// csvScan finds the end of a row in a growing window.
type csvScan struct {
	delimiter byte
	state     csvState
	at        int  // bytes scanned so far
	bad       bool // a quoted field continues after its closing quote
	any       bool // some field is quoted
}

// advance scans the rest of w. If the row ends in w, it returns the length of the row.
func (s *csvScan) advance(w []byte) (int, bool) {
	for s.at < len(w) {
		if s.state == inQuotes {
			i := bytes.IndexByte(w[s.at:], '"')
			if i < 0 {
				s.at = len(w)
				return 0, false
			}
			s.at += i + 1
			s.state = quoteSeen
			continue
		}
		c := w[s.at]
		s.at++
		switch {
		case c == '\n':
			return s.at, true
		case c == s.delimiter:
			s.state = fieldStart
		case c == '"' && s.state != inPlain:
			s.state, s.any = inQuotes, true
		case s.state == quoteSeen && c != '\r':
			s.bad = true
			return 0, false
		case s.state == fieldStart:
			s.state = inPlain
		}
	}
	return 0, false
}

// split appends the fields of a row to dst.
func (d dialect) split(dst [][]byte, row []byte) [][]byte {
	row = trimEnd(row)
	return d.fields(dst, row, d.quotes == quoted || (d.quotes == fits && d.fits(row)))
}

// fits reports whether every quoted field of a row ends with its closing quote.
func (d dialect) fits(row []byte) bool {
	scan := csvScan{delimiter: d.delimiter}
	for !scan.bad && scan.at < len(row) {
		scan.advance(row)
	}
	return !scan.bad && scan.state != inQuotes
}

// fields appends the fields of a row, some of which may be quoted, to dst. Fields with doubled quotes are
// copied, others are slices of the row.
func (d dialect) fields(dst [][]byte, row []byte, quoted bool) [][]byte {
	for {
		if quoted && len(row) > 0 && row[0] == '"' {
			var field []byte
			field, row = cutQuoted(row)
			dst = append(dst, field)
			if len(row) == 0 {
				return dst
			}
			row = row[1:]
			continue
		}
		field, rest, more := bytes.Cut(row, []byte{d.delimiter})
		dst = append(dst, field)
		if !more {
			return dst
		}
		row = rest
	}
}

// cutQuoted splits the quoted field off the front of row. A delimiter or nothing follows it.
func cutQuoted(row []byte) (field, rest []byte) {
	row = row[1:]
	from, doubled := 0, false
	for {
		i := bytes.IndexByte(row[from:], '"')
		if i < 0 {
			return row, nil
		}
		i += from
		if i+1 < len(row) && row[i+1] == '"' {
			from, doubled = i+2, true
			continue
		}
		field = row[:i:i]
		if doubled {
			field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
		}
		return field, row[i+1:]
	}
}
