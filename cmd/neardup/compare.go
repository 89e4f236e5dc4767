package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/html"
)

type compare struct {
	*app
	input       inputFlags
	method      methodFlags
	from, pairs string
	text, json  bool
}

func (c *compare) do(ctx context.Context, args []string) error {
	if c.pairs != "" {
		if err := expects()(nil, args); err != nil {
			return err
		}
		return c.list(ctx)
	}
	if err := expects("A", "B")(nil, args); err != nil {
		return err
	}
	pictures := c.input.format == string(corpus.Images)
	if c.input.format == string(corpus.Auto) {
		pictures = !c.text && c.from == "" && looksLikePicture(args[0]) && looksLikePicture(args[1])
	}
	if pictures {
		return c.comparePictures(args[0], args[1])
	}
	m, n, err := c.method.method()
	if err != nil {
		return err
	}
	texts, err := c.documents(ctx, args)
	if err != nil {
		return err
	}
	x, y := n.Clean(texts[0]), n.Clean(texts[1])
	r, err := compareClean(ctx, m, x, y)
	if err != nil {
		return err
	}
	if c.json {
		return indented(c.stdout, r)
	}
	r.write(c.stdout)
	return writeDiff(c.stdout, x, y, onTerminal(c.stdout))
}

// compareClean compares two clean texts.
func compareClean(ctx context.Context, m neardup.Method, x, y string) (r comparison, err error) {
	r.Measured, err = measure(ctx, x, y)
	if err != nil {
		return r, err
	}
	r.Verdict = verdict(m, x, y)
	r.Relation = r.Verdict.Relation()
	if back := verdict(m, y, x); r.Relation == neardup.Other && back.Relation() == neardup.ContainedIn {
		r.Verdict, r.Relation = back, neardup.Contains
	}
	r.Found = r.Verdict.Near && (r.Equal || meet(m, x, y))
	if _, ok := m.(neardup.TwoStage); !ok { // such a method has no evidence
		m, err = methods.New("")
	}
	if err == nil && !r.Equal {
		r.Evidence = neardup.Explain(m, m.Prepare(x), m.Prepare(y)).Evidence
	}
	return r, err
}

func (c *compare) documents(ctx context.Context, names []string) (texts [2]string, err error) {
	switch {
	case c.from != "":
		found, err := c.find(ctx, names...)
		return [2]string{found[names[0]], found[names[1]]}, err
	case c.text:
		return [2]string(names), nil
	}
	for i, name := range names {
		texts[i], err = c.file(name)
		if err != nil {
			return texts, err
		}
	}
	return texts, nil
}

// find looks up the texts of documents in --from by id. The first document with an id is used.
func (c *compare) find(ctx context.Context, ids ...string) (map[string]string, error) {
	texts, wanted := map[string]string{}, map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	err := c.input.each(ctx, c.app, []string{c.from}, func(doc *neardup.Document) bool {
		if wanted[doc.ID] {
			texts[doc.ID] = doc.Text
			delete(wanted, doc.ID)
		}
		return len(wanted) > 0
	})
	for _, id := range ids {
		if err == nil && wanted[id] {
			err = fmt.Errorf("%s: no document with the id %q", c.from, id)
		}
	}
	return texts, err
}

func (c *compare) file(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", usage("%s: a folder (want two files, A and B)", path)
	}
	in := c.input
	if in.format == "auto" {
		in.format = string(corpus.Files)
		if raw, err := os.ReadFile(path); err == nil && html.Sniff(raw) {
			in.format = string(corpus.HTML)
		}
	}
	r, err := in.open(c.app, []string{path}, "")
	if err != nil {
		return "", err
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		return doc.Text, err
	}
	return "", nil
}

// A comparison holds all measures of two clean texts and the evidence.
type comparison struct {
	api.Measured
	Relation neardup.Relation `json:"relation"` // relation of A to B
	Found    bool             `json:"found"`    // the texts are near, and a search would compare them
	// Evidence lists the differences and finally what the texts share, in bits for or against a match. The
	// sum is the log odds of a match.
	Evidence []neardup.Conflict `json:"evidence,omitempty"`
}

// longestEdit bounds the product of two lengths, in runes, for which the edit distance is computed. The largest pair takes
// about ten seconds.
const longestEdit = 4e11

// leastShown is the similarity below which a scale shows 0.
const leastShown = .01

type scale struct {
	ngram.Config
	method neardup.Method
}

// scales makes the methods of every scale once, because making them is more expensive than comparing two short texts.
var scales = sync.OnceValue(func() (all []scale) {
	for _, s := range []ngram.Config{
		{Similarity: ngram.Jaccard, Shingle: feature.Default},
		{Similarity: ngram.Jaccard, Shingle: feature.Shingle{Unit: feature.Words, K: 3}},
		{Similarity: ngram.Jaccard, Shingle: feature.Shingle{Unit: feature.Runes, K: 3}},
		{Similarity: ngram.Containment, Shingle: feature.Default},
		{Similarity: ngram.Cosine, Shingle: feature.Default},
		{Similarity: ngram.Edit},
	} {
		s.Threshold = leastShown // so that few comparisons stop early
		if m, err := ngram.New(s); err == nil {
			all = append(all, scale{s, m})
		}
	}
	return all
})

// measure measures two clean texts, without a verdict.
func measure(ctx context.Context, x, y string) (api.Measured, error) {
	c := api.Measured{Equal: x == y, Runes: [2]int{utf8.RuneCountInString(x), utf8.RuneCountInString(y)}, Scales: []api.Scale{}}
	for _, s := range scales() {
		isEdit := s.Similarity == ngram.Edit
		if isEdit && float64(c.Runes[0])*float64(c.Runes[1]) > longestEdit {
			continue
		}
		if err := ctx.Err(); err != nil {
			return c, err
		}
		match := s.method.Compare(s.method.Prepare(x), s.method.Prepare(y))
		if c.Equal {
			match.Similarity, match.Distance = 1, 0
		}
		c.Scales = append(c.Scales, api.Scale{Name: match.Basis, Similarity: match.Similarity})
		if isEdit && match.Distance >= 0 {
			c.Edits = &match.Distance
		}
	}
	c.Hamming = simhash.Distance(fingerprintOf(x), fingerprintOf(y))
	return c, nil
}

func fingerprintOf(clean string) uint64 {
	return simhash.OfWeighted(simhash.DefaultFeatures(0).Append(nil, clean))
}

// verdict returns the method's decision on two clean texts. If they are not near, it also measures their
// similarity, if the method can.
func verdict(m neardup.Method, x, y string) neardup.Match {
	a, b := m.Prepare(x), m.Prepare(y)
	match := batch.Explain(m, batch.Text{Clean: x, Prepared: a}, batch.Text{Clean: y, Prepared: b})
	if by, ok := m.(neardup.Searchable); ok && !match.Near && !match.Variant {
		match.Similarity = by.Measure(a, b)
	}
	return match
}

func (c comparison) write(w io.Writer) {
	v := string(c.Relation)
	switch c.Relation {
	case neardup.ContainedIn:
		v = "contained, the first in the second"
	case neardup.Contains:
		v = "contained, the second in the first"
	}
	switch {
	case c.Verdict.Similarity > 0:
		v = fmt.Sprintf("%s: %.4f, %s", v, c.Verdict.Similarity, c.Verdict.Basis)
		if !c.Verdict.Near && !c.Verdict.Variant {
			v += ", is not near"
		}
	case !c.Verdict.Near:
		v += ": not near"
	}
	fmt.Fprintf(w, "verdict     %s (%s)\n", v, c.Verdict.Method)
	sum := 0.0 // sum is the log odds of a match
	for _, e := range c.Evidence {
		sum += e.Bits
		switch {
		case e.Bits == 0 && e.B == "":
			fmt.Fprintf(w, "            %s: %s\n", e.Kind, quoted(e.A))
		case e.A == "" && e.B == "":
			fmt.Fprintf(w, "%+6.2f bits %s\n", e.Bits, e.Kind)
		default:
			fmt.Fprintf(w, "%+6.2f bits %s: %s against %s\n", e.Bits, e.Kind, quoted(e.A), quoted(e.B))
		}
	}
	if sum != 0 {
		p := evidence.Probability(sum)
		fmt.Fprintf(w, "%+6.2f bits in all: the texts say the same with a probability of %.4f\n", sum, p)
		if p >= methods.DefaultProbability && !c.Found && !c.Verdict.Variant {
			fmt.Fprintln(w, "            a search does not compare them: they have too few words in common")
		}
	}
	fmt.Fprintf(w, "length      %s and %s runes of clean text\n", grouped(int64(c.Runes[0])), grouped(int64(c.Runes[1])))
	for _, s := range c.Scales {
		fmt.Fprintf(w, "%.4f      %s\n", s.Similarity, s.Name)
	}
	if c.Edits != nil {
		fmt.Fprintf(w, "%-6d      edits\n", *c.Edits)
	}
	fmt.Fprintf(w, "%-6d      bits of 64 differ in the fingerprints of %s\n\n", c.Hamming, simhash.DefaultFeatures(0))
}

// A listedPair is a line of --pairs. Each side is a text or the id of a document in --from.
type listedPair struct {
	A      string  `json:"id_a"`
	B      string  `json:"id_b"`
	TextA  *string `json:"text_a"`
	TextB  *string `json:"text_b"`
	ShortA string  `json:"a"` // the names that overrides use
	ShortB string  `json:"b"`
}

type comparedPair struct {
	A     string `json:"id_a,omitempty"`
	B     string `json:"id_b,omitempty"`
	Equal bool   `json:"equal"`
	// Relation is the relation of the first text to the second.
	Relation neardup.Relation `json:"relation"`
	neardup.Match
	// Found is false for a near pair that shares no key, so a search would miss it.
	Found     bool               `json:"found"`
	Conflicts []neardup.Conflict `json:"conflicts,omitempty"`
}

// list compares the pairs of a file and prints a line for each, in the order of the file.
func (c *compare) list(ctx context.Context) error {
	m, n, err := c.method.method()
	if err != nil {
		return err
	}
	var ids []string
	var texts map[string]string
	if c.from != "" {
		err = c.eachPair(func(p listedPair) error {
			for id, text := range map[string]*string{p.A: p.TextA, p.B: p.TextB} {
				if text == nil {
					ids = append(ids, id)
				}
			}
			return nil
		})
		if err == nil {
			texts, err = c.find(ctx, ids...)
		}
	}
	if err != nil {
		return err
	}
	out := corpus.NewStream(c.stdout)
	err = c.eachPair(func(p listedPair) error {
		a, b := texts[p.A], texts[p.B]
		return cmp.Or(ctx.Err(), out.WriteJSON(compared(m, n, p, *cmp.Or(p.TextA, &a), *cmp.Or(p.TextB, &b))))
	})
	if err != nil {
		return err
	}
	return out.Commit()
}

func (c *compare) eachPair(do func(listedPair) error) error {
	return textlines.Each(c.pairs, func(_ int, line []byte) error {
		var p listedPair
		if err := textlines.Object(line, &p, "pair"); err != nil {
			return err
		}
		if p.A == "" && p.B == "" {
			p.A, p.B = p.ShortA, p.ShortB
		}
		switch byID := p.TextA == nil || p.TextB == nil; {
		case (p.TextA == nil && p.A == "") || (p.TextB == nil && p.B == ""):
			return errors.New("a pair needs text_a and text_b, or id_a and id_b")
		case byID && c.from == "":
			return errors.New("--from FILE is missing (want the documents that the ids name)")
		}
		return do(p)
	})
}

// compared decides a pair like a batch of these two texts.
func compared(m neardup.Method, n text.Normalizer, p listedPair, a, b string) comparedPair {
	x, y := n.Clean(a), n.Clean(b)
	out := comparedPair{A: p.A, B: p.B, Equal: x == y, Match: verdict(m, x, y)}
	if out.Equal {
		out.Match = batch.EqualMatch(m, x)
	}
	out.Relation = out.Match.Relation()
	out.Found = out.Near && (out.Equal || meet(m, x, y))
	out.Conflicts = out.Match.Evidence
	return out
}

// inspect measures two texts on every scale, with the public seed, for the pages of the service. It omits
// measures that fail, such as those with an unreadable dictionary.
func inspect(ctx context.Context, a, b string) (api.Inspection, error) {
	n := text.Default()
	x, y := n.Clean(a), n.Clean(b)
	c, err := measure(ctx, x, y)
	if err != nil {
		return api.Inspection{}, err
	}
	out := api.Inspection{
		Measured:     c,
		Fingerprints: [2]string{fmt.Sprintf("%016x", fingerprintOf(x)), fmt.Sprintf("%016x", fingerprintOf(y))},
		Keywords:     [2][]api.Keyword{keywords(x), keywords(y)},
	}
	if m, err := methods.New(""); err == nil {
		out.Verdict = verdict(m, x, y)
		out.Conflicts = out.Verdict.Evidence
	}
	return out, ctx.Err()
}

// extractor reads its dictionary at the first call.
var extractor = sync.OnceValues(keyword.Default)

// keywords returns the keywords of a text, the heaviest first.
func keywords(clean string) []api.Keyword {
	out := []api.Keyword{}
	if e, err := extractor(); err == nil {
		for _, k := range e.Append(nil, clean) {
			out = append(out, api.Keyword{Word: k.Word, Weight: int(k.Weight)})
		}
	}
	return out
}

// diffContext is the number of equal runes shown around a difference.
const diffContext = 60

// writeDiff writes a word diff: words of a alone in red or [-...-], words of b alone in green or {+...+}. It
// shortens long equal parts.
func writeDiff(w io.Writer, a, b string, colour bool) error {
	marks := [4]string{"[-", "-]", "{+", "+}"}
	if colour {
		marks = [4]string{"\x1b[31m", "\x1b[0m", "\x1b[32m", "\x1b[0m"}
	}
	numbers := map[string]uint32{}
	numbered := func(words []string) (row []uint32) {
		for _, word := range words {
			if _, ok := numbers[word]; !ok {
				numbers[word] = uint32(len(numbers))
			}
			row = append(row, numbers[word])
		}
		return row
	}
	x, y := splitTokens(a), splitTokens(b)
	var out strings.Builder
	at := 0
	joined := func(words []string) string { return oneLine(strings.Join(words, "")) }
	part := func(words []string, begin, end string) {
		if len(words) > 0 {
			out.WriteString(begin + joined(words) + end)
		}
	}
	evidence.Diff(numbered(x), numbered(y), func(a0, a1, b0, b1 int) {
		out.WriteString(elide(joined(x[at:a0]), at == 0, false))
		part(x[a0:a1], marks[0], marks[1])
		part(y[b0:b1], marks[2], marks[3])
		at = a1
	})
	_, err := fmt.Fprintln(w, out.String()+elide(joined(x[at:]), at == 0, true))
	return err
}

// splitTokens splits a text into CJK characters, words with the punctuation after them, and white space.
func splitTokens(s string) []string {
	var out []string
	start, word := 0, false
	for i, r := range s {
		cjk := text.IsCJK(r)
		begins := cjk || (!word && text.IsWord(r)) || (unicode.IsSpace(r) && word)
		if begins && i > start {
			out = append(out, s[start:i])
			start = i
		}
		word = text.IsWord(r) && !cjk
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// elide shortens a long equal text. It keeps diffContext runes on each side, but at the ends of the diff only
// the side next to a difference.
func elide(s string, first, last bool) string {
	r := []rune(s)
	if len(r) <= 2*diffContext+20 {
		return s
	}
	head, tail := string(r[:diffContext]), string(r[len(r)-diffContext:])
	cut := len(r) - 2*diffContext
	switch {
	case last:
		tail, cut = "", len(r)-diffContext
	case first:
		head, cut = "", len(r)-diffContext
	}
	return fmt.Sprintf("%s ... (%d equal) ... %s", head, cut, tail)
}
