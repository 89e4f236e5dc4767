package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/simhash"
	"github.com/spf13/pflag"
)

type near struct {
	*app
	fingerprints, query, out string
	binary, collapse         bool
	distance                 int
	index                    string
	top                      int
	method                   methodFlags `flags:"-"` // the method of the index
	run                      runFlags    `flags:"workers json quiet"`

	sum  hammingSummary
	to   *corpus.AtomicFile // file of the table of pairs
	line []byte
}

func (n *near) do(ctx context.Context, args []string) error {
	return n.batchRun(nil, &n.run, nil, false, func(_ *corpus.Reader, rep *reporter) (result, error) {
		if n.index != "" {
			return nil, n.nearest(ctx, args, rep)
		}
		return &n.sum, n.find(ctx, args, rep)
	})
}

func (n *near) find(ctx context.Context, args []string, rep *reporter) error {
	among := n.query == "" && len(args) == 0
	streamed := n.query == corpus.Stdin && !n.binary
	var queries fingerprintList
	if !among && !streamed {
		var err error
		queries, err = n.queries(args)
		if err != nil {
			return err
		}
		n.sum.Queries = int64(queries.Len())
	}
	all, err := readFingerprints(n.app, n.fingerprints, n.binary)
	if among {
		queries = all
	}
	if err := cmp.Or(err, queries.alike(all)); err != nil {
		return err
	}
	n.sum.Fingerprints, n.sum.Distance = int64(all.Len()), n.distance
	if n.out != corpus.Stdin && (n.out == queries.path || n.out == all.path) {
		return usage("--out %s would overwrite an input", n.out)
	}
	n.to = rep.open(n.out, corpus.TSV)
	if rep.err != nil {
		return rep.err
	}
	if _, err := io.WriteString(n.to, "a\tb\tdistance\n"); err != nil {
		return err
	}
	emit := func(p simhash.Pair) error { return n.pair(queries.ID(p.A), all.ID(p.B), p.Distance) }
	o := simhash.JoinOptions{Workers: n.run.workers}
	if n.collapse {
		o.Groups = func(positions []int) error {
			for _, copied := range positions[1:] {
				if err := emit(simhash.Pair{A: positions[0], B: copied}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	switch {
	case among:
		return simhash.SelfJoin(ctx, all.Fingerprints, n.distance, o, emit)
	case streamed:
		return n.stream(ctx, all)
	}
	return simhash.Join(ctx, queries.Fingerprints, all.Fingerprints, n.distance, o, emit)
}

func (n *near) queries(args []string) (fingerprintList, error) {
	if n.query != "" {
		return readFingerprints(n.app, n.query, n.binary)
	}
	l := fingerprintList{List: &simhash.List{}, path: "arguments"}
	for _, s := range args {
		fp, err := simhash.ParseHex(s)
		if err != nil {
			return l, usage("%w", err)
		}
		l.AddID(s, fp)
	}
	return l, nil
}

// stream answers each line of standard input immediately, for clients that wait for an answer before the next
// query.
func (n *near) stream(ctx context.Context, all fingerprintList) error {
	x, err := simhash.NewIndex(ctx, all.Fingerprints, n.sum.Distance, n.run.workers)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(n.stdin, 1<<20)
	for number := 0; ; number++ {
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("standard input: line %d: %w", number+1, err)
		}
		q, bad := parseQuery(line, number)
		if bad != nil {
			return fmt.Errorf("standard input: line %d: %w", number+1, bad)
		}
		if bad := cmp.Or(ctx.Err(), q.alike(all), n.answer(x, q, all)); bad != nil {
			return bad
		}
		if in.Buffered() == 0 {
			if bad := n.to.Flush(); bad != nil {
				return bad
			}
		}
		if err != nil {
			return nil
		}
	}
}

// answer writes the neighbors of each query, the nearest first.
func (n *near) answer(x *simhash.Index, queries, all fingerprintList) error {
	for i, fp := range queries.Fingerprints {
		found, err := x.Query(nil, fp, n.sum.Distance)
		if err != nil {
			return err
		}
		slices.SortFunc(found, func(a, b simhash.Neighbor) int {
			return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.At, b.At))
		})
		n.sum.Queries++
		for _, b := range found {
			if err := n.pair(queries.ID(i), all.ID(b.At), b.Distance); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseQuery reads a line of JSON or text. Without an id it uses the line number.
func parseQuery(line []byte, number int) (q fingerprintList, err error) {
	q = fingerprintList{List: &simhash.List{}, path: "standard input"}
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte("{")) {
		return q, q.addJSON(line)
	}
	if len(line) == 0 {
		return q, nil
	}
	id, hex, named := bytes.Cut(line, []byte{'\t'})
	if !named {
		id, hex = strconv.AppendInt(nil, int64(number), 10), line
	}
	fp, err := simhash.ParseHex(string(hex))
	q.AddID(string(id), fp)
	return q, err
}

type hammingSummary struct {
	Queries      int64 `json:"queries,omitempty"`
	Fingerprints int64 `json:"fingerprints"`
	Distance     int   `json:"distance"`
	Pairs        int64 `json:"pairs"`
	spent
}

// pair writes a row of the table.
func (n *near) pair(a, b string, distance int) error {
	n.sum.Pairs++
	n.line = append(strconv.AppendInt(appendIDs(n.line[:0], a, b), int64(distance), 10), '\n')
	_, err := n.to.Write(n.line)
	return err
}

// appendIDs appends two ids as the first columns of a table.
func appendIDs(to []byte, a, b string) []byte {
	to = append(append(to, eval.EscapeField(a)...), '\t')
	return append(append(to, eval.EscapeField(b)...), '\t')
}

func (s *hammingSummary) print(w io.Writer) {
	if s.Queries > 0 {
		fmt.Fprintf(w, "queries     %s\n", grouped(s.Queries))
	}
	fmt.Fprintf(w, "fingerprints %s\n", grouped(s.Fingerprints))
	fmt.Fprintf(w, "pairs       %s within %s\n", grouped(s.Pairs), counted(int64(s.Distance), "bit"))
	s.effort(w)
}

// fingerprintList holds a file of fingerprints in memory.
type fingerprintList struct {
	*simhash.List
	path string
	spec string // the spec that the file states, if any
}

// readFingerprints reads a file, or standard input for "-". It detects the format by the name (.bin) or by
// the content. Errors name file and line.
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

// read reads all of r. size is the size of an uncompressed file, or -1 if unknown.
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

// looksBinary reports whether the beginning of a file is not text.
func looksBinary(start []byte) bool {
	for _, b := range start {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' {
			return true
		}
	}
	for cut := 0; cut < utf8.UTFMax && cut <= len(start); cut++ { // the last rune may be incomplete
		if utf8.Valid(start[:len(start)-cut]) {
			return false
		}
	}
	return true
}

// readJSON reads the output of neardup fingerprint. All lines must have the same spec. It skips texts with
// too few features.
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
		return fmt.Errorf("%w: spec %q (want %q, as in earlier fingerprints)", neardup.ErrUnlike, v.Spec, l.spec)
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

// alike returns an error if two files state different specs.
func (l *fingerprintList) alike(o fingerprintList) error {
	if l.spec == "" || o.spec == "" || l.spec == o.spec {
		return nil
	}
	return fmt.Errorf("%w: %s has %q, %s has %q", neardup.ErrUnlike, l.path, l.spec, o.path, o.spec)
}

// A neighbor is a document of an index, with its relation to a text.
type neighbor struct {
	ID         string             `json:"id"`
	Similarity float64            `json:"similarity"`
	Relation   neardup.Relation   `json:"relation"`
	Evidence   []neardup.Conflict `json:"evidence,omitempty"`
	Text       string             `json:"text"`
}

// mostCompared limits the documents that a text is compared with. It prefers those that share the most keys.
const mostCompared = 1000

// nearest prints the documents of an index that are most like a text.
func (n *near) nearest(ctx context.Context, args []string, rep *reporter) error {
	if len(args) != 1 {
		return usage("--index: %d texts (want one TEXT, a file, or - for standard input)", len(args))
	}
	words, err := n.given(args[0])
	if err != nil {
		return err
	}
	out := rep.open(n.out, corpus.JSONL)
	if rep.err != nil {
		return rep.err
	}
	return onIndex(n.index, func(x *reference.Index) error {
		if err := n.method.restore(x.Header().Settings); err != nil {
			return err
		}
		m, normal, err := n.method.method()
		if err != nil {
			return err
		}
		found, err := neighbors(ctx, x, m, normal.Clean(words))
		for _, one := range found[:min(len(found), n.top)] {
			err = cmp.Or(err, out.WriteJSON(one))
		}
		if err == nil && len(found) == 0 {
			fmt.Fprintln(n.stderr, "no text of the index shares enough words with this one")
		}
		return err
	})
}

// given returns the text that an argument names: standard input, the text of a file, or the argument itself.
func (n *near) given(arg string) (string, error) {
	if arg == corpus.Stdin {
		b, err := io.ReadAll(n.stdin)
		return string(b), err
	}
	if info, err := os.Stat(arg); err != nil || !info.Mode().IsRegular() {
		return arg, nil
	}
	c := &compare{app: n.app}
	c.input.add(pflag.NewFlagSet("", pflag.ContinueOnError))
	return c.file(arg)
}

// neighbors returns the leaders that share a key with a clean text, the most alike first.
func neighbors(ctx context.Context, x *reference.Index, m neardup.Method, clean string) (found []neighbor, err error) {
	shared := map[uint32]int{}
	var rec neardup.Record
	m.Record(clean, &rec)
	keys := slices.Concat([]uint64{neardup.DigestOf(clean).Key()}, rec.Probes(), rec.Index)
	slices.Sort(keys)
	finder := x.Finder()
	for _, key := range slices.Compact(keys) {
		if err := finder.Find(key, func(p reference.Posting) error { shared[p.Doc]++; return ctx.Err() }); err != nil {
			return nil, err
		}
	}
	docs := slices.SortedFunc(maps.Keys(shared), func(a, b uint32) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b)) })
	view := m.Prepare(clean)
	for _, doc := range docs {
		row, err := x.Row(doc)
		if err != nil {
			return nil, err
		}
		if !row.Leads() {
			continue
		}
		doc, err := documentOf(x, &row)
		if err != nil {
			return nil, err
		}
		match := neardup.Match{Similarity: 1, Near: true}
		if clean != doc.Text {
			match = neardup.Explain(m, view, m.Prepare(doc.Text))
		}
		found = append(found, neighbor{doc.ID, match.Similarity, match.Relation(), match.Evidence, doc.Text})
		if len(found) == mostCompared {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b neighbor) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found, nil
}
