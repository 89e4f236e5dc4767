package worker

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/neardup/neardup/batch"
)

// MaxLine bounds a line: a text with its escapes.
const MaxLine = 1 << 30

// ErrLine is wrapped by the error about a line that violates the protocol.
var ErrLine = errors.New("not a line of the protocol")

// Counts holds the lines that a stage has read and written.
type Counts struct {
	In  int64 `json:"in"`
	Out int64 `json:"out"`
}

type lines struct {
	ctx    context.Context
	in     *bufio.Reader
	out    *bufio.Writer
	most   int    // maximal fields of a line, the last of which may contain tabs; 0: any number
	long   []byte // a line that is longer than the reader's buffer
	line   []byte // being written
	counts Counts
}

func newLines(ctx context.Context, in io.Reader, out io.Writer) *lines {
	return &lines{ctx: ctx, in: bufio.NewReaderSize(in, 1<<18), out: bufio.NewWriterSize(out, 1<<18)}
}

// each calls fn with the fields of every line, which are valid until fn returns. It flushes the output.
// Errors name the line.
func (l *lines) each(fn func(fields [][]byte) error) error {
	var fields [][]byte
	for {
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			return l.out.Flush()
		}
		if err != nil {
			return err
		}
		fields = cut(fields[:0], line, l.most)
		if err := fn(fields); err != nil {
			return fmt.Errorf("line %d: %w", l.counts.In, err)
		}
	}
}

// next returns and counts the next line, which is valid until the next call. Except for io.EOF, errors name the line.
func (l *lines) next() ([]byte, error) {
	line, err := l.read()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", l.counts.In+1, err)
	}
	l.counts.In++
	if l.counts.In&0xff == 0 && l.ctx.Err() != nil {
		return nil, l.ctx.Err()
	}
	return line, nil
}

// cut appends the fields of a line. If most is not 0, there are at most that many, and the last may contain tabs.
func cut(fields [][]byte, line []byte, most int) [][]byte {
	for more := true; more; {
		if len(fields)+1 == most {
			return append(fields, line)
		}
		var field []byte
		field, line, more = bytes.Cut(line, []byte{'\t'})
		fields = append(fields, field)
	}
	return fields
}

// read returns the next line without its end.
func (l *lines) read() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		switch {
		case err == nil && len(l.long) == 0:
			return part[:len(part)-1], nil
		case err == nil:
			l.long = append(l.long, part[:len(part)-1]...)
			return l.long, nil
		case errors.Is(err, io.EOF) && len(l.long)+len(part) > 0:
			return nil, fmt.Errorf("%w: the input ends inside it", ErrLine)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(l.long)+len(part) > MaxLine:
			return nil, fmt.Errorf("%w: longer than %d bytes", ErrLine, MaxLine)
		}
		l.long = append(l.long, part...)
	}
}

// write ends and writes a line that was built in l.line.
func (l *lines) write() error {
	l.counts.Out++
	l.line = append(l.line, '\n')
	_, err := l.out.Write(l.line)
	l.line = l.line[:0]
	return err
}

func (l *lines) tab() { l.line = append(l.line, '\t') }

// held is the ordinal of the place 0. Smaller ordinals are numbers of documents in an index. A line names the
// document n of an index by the place n-held.
const held = 1 << 32

func (l *lines) ordinal(o batch.Ordinal) { l.line = appendPlace(l.line, o) }

func appendPlace(b []byte, o batch.Ordinal) []byte { return strconv.AppendInt(b, int64(o)-held, 10) }

func (l *lines) hex(v uint64) {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		l.line = append(l.line, digits[v>>shift&15])
	}
}

func want(fields [][]byte, n int, what string) error {
	if len(fields) != n {
		return fmt.Errorf("%w: %d fields, %s has %d", ErrLine, len(fields), what, n)
	}
	return nil
}

// parsePlace parses the place of a document, but not of one in an index.
func parsePlace(b []byte) (batch.Ordinal, error) {
	o, err := parseEarlier(b)
	if err == nil && o < held {
		err = fmt.Errorf("%w: place %q is of a document of an index", ErrLine, b)
	}
	return o, err
}

// parseEarlier parses the place of a document, which may be in an index.
func parseEarlier(b []byte) (batch.Ordinal, error) {
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || v < -held || v >= 1<<62-held {
		return 0, fmt.Errorf("%w: place %q", ErrLine, b)
	}
	return batch.Ordinal(v + held), nil
}

func parseHex(b []byte) (uint64, error) {
	v, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return 0, fmt.Errorf("%w: %q is not 16 hex digits", ErrLine, b)
	}
	return v, nil
}

var escapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// Escape converts a text to a field: backslash, tab, newline and return become \\, \t, \n and \r.
func Escape(s string) string { return escapes.Replace(s) }

// Unescape undoes Escape.
func Unescape(b []byte) (string, error) {
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return string(b), nil
	}
	out := make([]byte, 0, len(b))
	for ; i >= 0; i = bytes.IndexByte(b, '\\') {
		out = append(out, b[:i]...)
		if i+1 == len(b) {
			return "", fmt.Errorf("%w: a field ends in one backslash", ErrLine)
		}
		at := strings.IndexByte(`\tnr`, b[i+1])
		if at < 0 {
			return "", fmt.Errorf("%w: unknown escape %q", ErrLine, b[i:i+2])
		}
		out = append(out, "\\\t\n\r"[at])
		b = b[i+2:]
	}
	return string(append(out, b...)), nil
}

func (l *lines) edge(e batch.Edge) {
	l.ordinal(e.Later)
	l.tab()
	l.ordinal(e.Earlier)
	l.tab()
	l.line = strconv.AppendFloat(l.line, e.Similarity, 'g', -1, 64)
	l.tab()
	if e.Near && e.Closeness != 0 {
		l.line = strconv.AppendFloat(l.line, e.Closeness, 'g', -1, 64)
	}
	l.tab()
	if e.Distance >= 0 {
		l.line = strconv.AppendInt(l.line, int64(e.Distance), 10)
	}
	for _, s := range []string{string(e.Relation()), e.Method, e.Basis} {
		l.tab()
		l.line = append(l.line, Escape(s)...)
	}
}

func parseShare(name string, field []byte) (float64, error) {
	x, err := strconv.ParseFloat(string(field), 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%w: %s %q", ErrLine, name, field)
	}
	return x, nil
}

func parseEdge(fields [][]byte) (e batch.Edge, err error) {
	if err := want(fields, 8, "an edge"); err != nil {
		return e, err
	}
	later, earlier, similarity, closeness, distance := fields[0], fields[1], fields[2], fields[3], fields[4]
	relation, method, basis := batch.Relation(fields[5]), fields[6], fields[7]
	var errs [6]error
	e.Later, errs[0] = parsePlace(later)
	e.Earlier, errs[1] = parseEarlier(earlier)
	e.Similarity, errs[2] = parseShare("similarity", similarity)
	if len(closeness) > 0 {
		e.Closeness, errs[3] = parseShare("closeness", closeness)
	}
	e.Method, errs[4] = Unescape(method)
	e.Basis, errs[5] = Unescape(basis)
	if err := cmp.Or(errs[:]...); err != nil {
		return e, err
	}
	e.Distance = -1
	if len(distance) > 0 {
		d, err := strconv.ParseInt(string(distance), 10, 32)
		if err != nil || d < 0 {
			return e, fmt.Errorf("%w: distance %q", ErrLine, distance)
		}
		e.Distance = int(d)
	}
	e.Unsure = relation == batch.Unsure
	e.Variant = e.Unsure || relation == batch.Variant
	e.Near = !e.Variant
	if e.Relation() != relation {
		return e, fmt.Errorf("%w: relation %q with the basis %q", ErrLine, relation, e.Basis)
	}
	return e, nil
}
