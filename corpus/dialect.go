package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A dialect describes how the cells of a table are separated.
type dialect struct {
	delimiter byte
	quotes    quoting
	cells     int // cells of the header, or 0 without a header
}

// quoting is the meaning of a quote at the start of a cell.
type quoting uint8

const (
	literal quoting = iota // the quote is part of the text
	quoted                 // the cell is quoted
	fits                   // the cell is quoted if it also ends with a quote
)

// delimiters lists the delimiters that are tried if the header does not determine one.
const delimiters = ",\t;|"

// ParseDelimiter parses the delimiter between the cells of a table: one ASCII character, or "tab".
func ParseDelimiter(s string) (byte, error) {
	switch strings.ToLower(s) {
	case "tab", `\t`:
		return '\t', nil
	}
	if len(s) != 1 || s[0] >= 0x80 || (s[0] < ' ' && s[0] != '\t') || s[0] == '"' {
		return 0, fmt.Errorf("invalid delimiter %q (want one character, or tab)", s)
	}
	return s[0], nil
}

// dialectOf determines the dialect of a table from its beginning.
func dialectOf(f Format, head []byte, delimiter byte, fields Fields) dialect {
	d := dialect{',', quoted, 0}
	if f == TSV {
		d = dialect{'\t', literal, 0}
	}
	if delimiter != 0 {
		d.delimiter = delimiter
	} else if f == CSV && !numbered(fields) {
		d.delimiter = cmp.Or(headed(head, fields), widest(head))
	}
	if f == TSV && looksQuoted(head, d.delimiter) {
		d.quotes = fits
	}
	return d
}

// headed returns the delimiter that makes the first line a header with the wanted text field. It returns 0 if there is
// none. head is UTF-8.
func headed(head []byte, fields Fields) byte {
	line, _, _ := bytes.Cut(head, newline)
	for _, want := range []string{cmp.Or(fields.Text.Name, fields.HTML.Name), fields.Text.Alias} {
		for _, c := range []byte(delimiters) {
			cells := dialect{delimiter: c, quotes: quoted}.split(nil, line)
			named := func(cell []byte) bool { return strings.EqualFold(string(bytes.TrimSpace(cell)), want) }
			if want != "" && len(cells) > 1 && slices.ContainsFunc(cells, named) {
				return c
			}
		}
	}
	return 0
}

// widest returns the delimiter that gives the first line the most cells. It is for a message about a header without the
// wanted text field.
func widest(head []byte) byte {
	line, _, _ := bytes.Cut(head, newline)
	return slices.MaxFunc([]byte(delimiters), func(a, b byte) int {
		return bytes.Count(line, []byte{a}) - bytes.Count(line, []byte{b})
	})
}

// looksQuoted reports whether most cells that begin with a quote also end with one, so that the quotes are not part of the
// text.
func looksQuoted(head []byte, delimiter byte) bool {
	good, bad := 0, 0
	for len(head) > 0 {
		scan := csvScan{delimiter: delimiter}
		n, done := scan.advance(head)
		if !done && !scan.bad {
			break // the head ends within this row
		}
		if scan.bad {
			bad++
			n = bytes.IndexByte(head, '\n') + 1
			if n == 0 {
				break
			}
		} else if scan.any {
			good++
		}
		head = head[n:]
	}
	return good > bad
}

// looksLikeTable returns the delimiter that splits each of the first lines into the same number of cells. There must be at
// least three, or the delimiter must be rare in texts. It returns 0 if there is none.
func looksLikeTable(head []byte) byte {
	lines := bytes.Split(head, newline)
	if len(lines) < 4 {
		return 0
	}
	lines = lines[:len(lines)-1] // the last line may be incomplete
	for _, c := range []byte(delimiters) {
		first := bytes.Count(lines[0], []byte{c})
		same := first >= 2 || (first == 1 && c != ',')
		for _, line := range lines {
			same = same && bytes.Count(line, []byte{c}) == first
		}
		if same {
			return c
		}
	}
	return 0
}

// delimiterName returns the name of a delimiter, as used in --format.
func delimiterName(c byte) string {
	if c == '\t' {
		return "tab"
	}
	return strconv.QuoteRune(rune(c))
}
