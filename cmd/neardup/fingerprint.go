package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

type fingerprint struct {
	*app
	input       inputFlags
	method      methodFlags
	run         runFlags `flags:"workers rejects strict json quiet"`
	scheme, out string
	tsv, binary bool
}

func (f *fingerprint) ready(fs *pflag.FlagSet) {
	f.method.usual = "simhash"
	fs.Lookup("method").DefValue = f.method.usual
}

func (f *fingerprint) do(ctx context.Context, inputs []string) error {
	p, err := f.printer()
	if err != nil {
		return err
	}
	formats := []corpus.Format{corpus.JSONL}
	switch {
	case f.tsv:
		formats[0] = corpus.TSV
	case f.binary:
		formats = nil
	}
	return f.batchRun(&f.input, &f.run, inputs, false, func(r *corpus.Reader, rep *reporter) (result, error) {
		out, sum := rep.open(f.out, formats...), fingerprintSummary{Spec: p.spec}
		print := func(_ *corpus.Decoder, _ corpus.Item, doc *neardup.Document) (line, error) { return f.line(p, doc) }
		return &sum, eachDocument(ctx, rep, "read", &sum.readCounts, print, func(l line) error {
			if l.few {
				sum.Few++
			}
			_, err := out.Write(l.text)
			return err
		})
	})
}

type fingerprintSummary struct {
	readCounts
	Few  int64  `json:"few"`
	Spec string `json:"spec"`
	spent
}

func (s *fingerprintSummary) print(w io.Writer) {
	documents(w, s.readCounts)
	if s.Few > 0 {
		fmt.Fprintf(w, "too short   %s have too few features for a meaningful fingerprint\n", grouped(s.Few))
	}
	fmt.Fprintf(w, "spec        %s\n", s.Spec)
	s.effort(w)
}

type line struct {
	text []byte
	few  bool // the text has too few features
}

// printer checks the flags and makes the function that prints documents, which is safe for concurrent use.
func (f *fingerprint) printer() (fingerprints, error) {
	pictures := f.input.format == string(corpus.Images)
	switch {
	case pictures && f.scheme != "":
		return f.pictureScheme()
	case pictures:
		return fingerprints{spec: "pdq", of: pdq}, nil
	case f.scheme == "":
		m, n, err := f.method.method()
		if err != nil {
			return fingerprints{}, err
		}
		return simhashSource(m, n)
	}
	if !f.cmd.Flags().Changed("normalize") {
		f.method.normalize = "none"
	}
	return schemeSource(f.scheme, f.method.normalize)
}

type fingerprintLine struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"`
	Few         bool   `json:"few,omitempty"`
	Method      string `json:"method,omitempty"`
	Scheme      string `json:"scheme,omitempty"`
	*pictureSize
	Spec string `json:"spec"`
}

// line prints the fingerprint of a document.
func (f *fingerprint) line(s fingerprints, doc *neardup.Document) (l line, err error) {
	v, err := s.of(doc.Text)
	if err != nil {
		return l, err
	}
	l.few = v.few
	digits := cmp.Or(v.digits, fmt.Sprintf("%016x", v.fp))
	switch {
	case f.binary:
		l.text = binary.LittleEndian.AppendUint64(nil, v.fp)
	case f.tsv && v.size != nil:
		l.text = fmt.Appendf(nil, "%s\t%s\t%d\n", eval.EscapeField(doc.ID), digits, v.size.Quality)
	case f.tsv && v.few:
	case f.tsv:
		l.text = fmt.Appendf(nil, "%s\t%s\n", eval.EscapeField(doc.ID), digits)
	default:
		l.text, err = jsonLine(fingerprintLine{doc.ID, digits, v.few && v.size == nil, s.method, s.scheme, v.size, s.spec})
	}
	return l, err
}

func jsonLine(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

// fingerprints makes fingerprints of clean texts by a method or by a scheme.
type fingerprints struct {
	method, scheme string // the name is one of the two
	spec           string
	of             func(text string) (value, error)
}

type value struct {
	fp     uint64
	digits string       // printed instead of fp
	few    bool         // too few features for a meaningful fingerprint
	size   *pictureSize // of a picture
}

// simhashSource makes the fingerprints of neardup's own method.
func simhashSource(m neardup.Method, n text.Normalizer) (fingerprints, error) {
	s, ok := m.(*simhash.Method)
	if !ok {
		return fingerprints{}, usage("--method %s: no fingerprints (want simhash)", m.Spec().Method)
	}
	spec := s.Spec()
	var params []neardup.Param
	for _, p := range spec.Params {
		if p.Name == "features" || p.Name == "seed" { // other parameters do not change the fingerprint
			params = append(params, p)
		}
	}
	spec.Params = append(params, neardup.Param{Name: "clean", Value: n.String()})
	return fingerprints{spec.Method, "", spec.String(), func(text string) (value, error) {
		fp, enough := s.Fingerprint(n.Clean(text))
		return value{fp: fp, few: !enough}, nil
	}}, nil
}

// jiebaScheme names the scheme string-hash on the keywords that jieba extracts from a text.
const jiebaScheme = "jieba-keywords"

func schemeHelp() string {
	var b strings.Builder
	for _, s := range simhash.Schemes() {
		fmt.Fprintf(&b, "  %-14s  %s\n", s.Name, s.About)
		takes := map[simhash.Input]string{simhash.FromHashes: `"hex" or "hex:weight"`, simhash.FromWords: `"word:weight"`}
		if text := takes[s.Input]; text != "" {
			fmt.Fprintf(&b, "%18sthe text is %s, separated by blanks\n", "", text)
		}
	}
	fmt.Fprintf(&b, "  %-14s  string-hash of the keywords that jieba finds in a text (\"00\" without keywords)\n", jiebaScheme)
	return b.String()
}

func schemeNames() []string {
	var names []string
	for _, s := range simhash.Schemes() {
		names = append(names, s.Name)
	}
	return append(names, jiebaScheme)
}

func schemeSource(name, normalize string) (fingerprints, error) {
	n, err := text.ParseNormalizer(normalize)
	if err != nil {
		return fingerprints{}, usage("--normalize: %w", err)
	}
	of, err := schemeOf(name)
	if err != nil {
		return fingerprints{}, err
	}
	return fingerprints{"", name, name + "/1 clean=" + n.String(), func(text string) (value, error) {
		fp, err := of(n.Clean(text))
		if errors.Is(err, simhash.ErrNoFeatures) {
			return value{few: true, digits: "00"}, nil
		}
		return value{fp: fp}, err
	}}, nil
}

func schemeOf(name string) (func(text string) (uint64, error), error) {
	if name == jiebaScheme {
		return jiebaKeywords()
	}
	s, err := simhash.SchemeByName(name)
	if err != nil {
		return nil, usage("--scheme %s: invalid (want %s)", name, strings.Join(schemeNames(), ", "))
	}
	switch s.Input {
	case simhash.FromHashes:
		return func(text string) (uint64, error) {
			words, err := parseWords(text)
			hashes, weights := make([]uint64, len(words)), make([]float64, len(words))
			for i, w := range words {
				if err == nil {
					hashes[i], err = simhash.ParseHex(w.Text)
				}
				weights[i] = w.Weight
			}
			if err != nil {
				return 0, err
			}
			return s.Hashes(hashes, weights)
		}, nil
	case simhash.FromWords:
		return func(text string) (uint64, error) {
			words, err := parseWords(text)
			if err != nil {
				return 0, err
			}
			return s.Words(words)
		}, nil
	}
	return s.Text, nil
}

func jiebaKeywords() (func(text string) (uint64, error), error) {
	recipe, err := keyword.JiebaRecipe()
	if err != nil {
		return nil, err
	}
	return func(text string) (uint64, error) {
		found := recipe.Keywords(text)
		if len(found) == 0 {
			return 0, simhash.ErrNoFeatures
		}
		features := make([]simhash.Weighted, len(found))
		for i, k := range found {
			features[i] = simhash.Weighted{Hash: simhash.StringHash(k.Word), Weight: k.Level}
		}
		return simhash.OfWeighted(features), nil
	}, nil
}

// parseWords reads fields "word:weight", separated by blanks. The default weight is 1.
func parseWords(s string) ([]simhash.Word, error) {
	var words []simhash.Word
	for _, field := range strings.Fields(s) {
		w := simhash.Word{Text: field, Weight: 1}
		if i := strings.LastIndexByte(field, ':'); i >= 0 {
			weight, err := strconv.ParseFloat(field[i+1:], 64)
			if err != nil {
				return nil, fmt.Errorf("%.40q: no weight after its last colon", field)
			}
			w = simhash.Word{Text: field[:i], Weight: weight}
		}
		words = append(words, w)
	}
	return words, nil
}
