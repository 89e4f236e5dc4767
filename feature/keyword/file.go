package keyword

// A table file is UTF-8 text, plain or in gzip:
//
//	neardup-idf/1 kind=counts documents=6167
//	account 412
//	...
//	= words=17000 digest=0123456789abcdef0123456789abcdef
//
// Each word occurs once, without white space, and words are sorted by their bytes. With kind=counts, the number is the
// number of documents with the word, and tables can be merged. With kind=values, it is the IDF in units of 1/Unit. The
// digest is the 128-bit xxh3 hash of all lines before the last. A spilled run of the trainer is also such a file.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

const (
	magic      = "neardup-idf/1"
	kindCounts = "counts"
	kindValues = "values"
	// maxWord limits the bytes of a word in a table. The trainer skips longer words.
	maxWord = 256
)

// header is the first line.
type header struct {
	kind      string
	documents int64
}

func (h header) String() string {
	return fmt.Sprintf("%s kind=%s documents=%d", magic, h.kind, h.documents)
}

// tableWriter writes a table file, word by word in ascending order.
type tableWriter struct {
	w     io.Writer
	out   *bufio.Writer // writes to w and the digest
	hash  *xxh3.Hasher
	words int64
}

func newTableWriter(w io.Writer, h header) (*tableWriter, error) {
	t := &tableWriter{w: w, hash: xxh3.New()}
	t.out = bufio.NewWriter(io.MultiWriter(w, t.hash))
	_, err := t.out.WriteString(h.String() + "\n")
	return t, err
}

func (t *tableWriter) write(word string, value int64) error {
	t.words++
	line := append(append(t.out.AvailableBuffer(), word...), ' ')
	_, err := t.out.Write(append(strconv.AppendInt(line, value, 10), '\n'))
	return err
}

// close writes the last line.
func (t *tableWriter) close() error {
	err := t.out.Flush()
	if err == nil {
		_, err = fmt.Fprintf(t.w, "= words=%d digest=%x\n", t.words, t.hash.Sum128().Bytes())
	}
	return err
}

// tableReader reads a table file, word by word.
type tableReader struct {
	lines  *bufio.Scanner
	hash   *xxh3.Hasher
	head   header
	n      int // number of the current line
	words  int64
	before []byte
	digest string // set at the end
}

func openTable(r io.Reader) (*tableReader, error) {
	in := bufio.NewReader(r)
	if start, err := in.Peek(2); err == nil && bytes.Equal(start, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	t := &tableReader{lines: bufio.NewScanner(in), hash: xxh3.New()}
	line, err := t.scan()
	if err != nil {
		return nil, err
	}
	t.head, err = parseHeader(string(line))
	if err != nil {
		return nil, err
	}
	return t, t.hashed(line)
}

func parseHeader(line string) (header, error) {
	name, rest, _ := strings.Cut(line, " ")
	if name != magic {
		if strings.HasPrefix(name, "neardup-idf/") {
			return header{}, fmt.Errorf("version %.40q (want %s)", name, magic)
		}
		return header{}, errors.New("not an idf table")
	}
	var h header
	if n, err := fmt.Sscanf(rest, "kind=%s documents=%d", &h.kind, &h.documents); n != 2 || err != nil || h.String() != line {
		return header{}, errors.New("line 1: damaged header")
	}
	if (h.kind != kindCounts && h.kind != kindValues) || h.documents < 0 {
		return header{}, errors.New("line 1: unknown kind of table")
	}
	return h, nil
}

func (t *tableReader) scan() ([]byte, error) {
	t.n++
	if t.lines.Scan() {
		return t.lines.Bytes(), nil
	}
	if err := t.lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", t.n, err)
	}
	return nil, fmt.Errorf("line %d: %w", t.n, io.ErrUnexpectedEOF)
}

func (t *tableReader) hashed(line []byte) error {
	if _, err := t.hash.Write(line); err != nil {
		return err
	}
	_, err := t.hash.Write([]byte{'\n'})
	return err
}

// next returns the next word and its number. The word is valid until the next call. After the last word it verifies the
// digest and returns io.EOF.
func (t *tableReader) next() (word []byte, value int64, err error) {
	line, err := t.scan()
	if err != nil {
		return nil, 0, err
	}
	if bytes.HasPrefix(line, []byte("= ")) {
		return nil, 0, t.end(string(line))
	}
	word, number, _ := bytes.Cut(line, []byte{' '})
	if !validWord(word) {
		return nil, 0, fmt.Errorf("line %d: no word", t.n)
	}
	if t.words > 0 && bytes.Compare(word, t.before) <= 0 {
		return nil, 0, fmt.Errorf("line %d: words are not in order", t.n)
	}
	value, err = strconv.ParseInt(string(number), 10, 64)
	if err != nil || value < 0 || value > t.limit() {
		return nil, 0, fmt.Errorf("line %d: %.40q: not a number, or out of range", t.n, number)
	}
	t.before = append(t.before[:0], word...)
	t.words++
	return word, value, t.hashed(line)
}

// limit returns the greatest number that a word may have.
func (t *tableReader) limit() int64 {
	if t.head.kind == kindCounts {
		return t.head.documents
	}
	return math.MaxInt64 / 2
}

func (t *tableReader) end(line string) error {
	t.digest = fmt.Sprintf("%x", t.hash.Sum128().Bytes())
	if line != fmt.Sprintf("= words=%d digest=%s", t.words, t.digest) {
		return fmt.Errorf("line %d: wrong digest: the table is damaged", t.n)
	}
	if t.lines.Scan() {
		return fmt.Errorf("line %d: text after the end", t.n+1)
	}
	if err := t.lines.Err(); err != nil {
		return err
	}
	return io.EOF
}

func validWord(word []byte) bool {
	return len(word) > 0 && len(word) <= maxWord && utf8.Valid(word) &&
		bytes.IndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) < 0
}

// EncodeValues returns a table file of given IDFs in units of 1/Unit.
func EncodeValues(idf map[string]int64) ([]byte, error) {
	var b bytes.Buffer
	for word := range idf {
		if !validWord([]byte(word)) {
			return nil, fmt.Errorf("%.40q is not a word", word)
		}
	}
	err := writeTable(&b, header{kind: kindValues}, idf)
	return b.Bytes(), err
}

// writeTable writes a table file.
func writeTable(w io.Writer, h header, values map[string]int64) error {
	out, err := newTableWriter(w, h)
	if err != nil {
		return err
	}
	for _, word := range slices.Sorted(maps.Keys(values)) {
		if err := out.write(word, values[word]); err != nil {
			return err
		}
	}
	return out.close()
}
