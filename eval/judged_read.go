package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/internal/textlines"
)

// JudgedPair is a pair of texts with a reader's label.
type JudgedPair struct {
	Set   string `json:"set"` // the source of the pair; "" if there is one set
	A     string `json:"id_a"`
	B     string `json:"id_b"`
	Label string `json:"label"` // same, version, part, facts, other, unsure
	Band  string `json:"band"`  // how the pair was sampled; "short" and "long" among its words give the length
	TextA string `json:"text_a"`
	TextB string `json:"text_b"`
}

// Positive reports whether a pair should be called a duplicate, and whether it is scored. It is positive if labelled the
// same or another version, and negative if labelled other facts or another text. A part is not scored, because removing it
// loses content. Neither is an undecided pair.
func (p JudgedPair) Positive() (positive, scored bool) {
	switch p.Label {
	case "same", "version":
		return true, true
	case "facts", "other":
		return false, true
	}
	return false, false
}

// ReadJudged reads pairs judged by people: JSONL with the fields of JudgedPair, or a table whose header names them, in any
// order, with or without the texts. It looks for missing texts in tables and JSONL files next to the file, and in the
// folder of the set next to the file's own folder. In the latter it reads docs.jsonl with id and text, and pairs.jsonl with
// text_a and text_b, whose ids are "ID#a" and "ID#b". The files may be compressed. Texts that are still missing stay empty;
// see MissingTexts.
func ReadJudged(path string) ([]JudgedPair, error) {
	pairs, err := readJudged(path)
	if err != nil {
		return nil, fmt.Errorf("read judged pairs: %w", err)
	}
	beside := filepath.Dir(path)
	files, err := filesOf(beside, isTexts)
	if err != nil {
		return nil, fmt.Errorf("read judged pairs: %w", err)
	}
	sets := map[string]bool{}
	for _, p := range pairs {
		if p.Set != "" && !sets[p.Set] && filepath.IsLocal(p.Set) {
			sets[p.Set] = true
			more, err := filesOf(filepath.Join(beside, "..", p.Set), isSet)
			if err != nil {
				return nil, fmt.Errorf("read judged pairs: %w", err)
			}
			files = append(files, more...)
		}
	}
	for _, file := range files {
		if len(MissingTexts(pairs)) == 0 {
			break
		}
		if filepath.Clean(file) == filepath.Clean(path) {
			continue
		}
		if err := fillFrom(pairs, file); err != nil {
			return nil, fmt.Errorf("texts of judged pairs: %w", err)
		}
	}
	return pairs, nil
}

// tsvEscapes writes and tsvUnescapes reads texts in tab-separated tables.
var (
	tsvEscapes   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	tsvUnescapes = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

// EscapeField converts a text to a field of a table: backslash, tab, newline and return become \\, \t, \n and \r.
func EscapeField(s string) string { return tsvEscapes.Replace(s) }

// ReadLabelled reads pairs labelled 1 or true (the same), or 0 or false (another text). Pairs without a label are the same.
// It reads JSONL with text_a and text_b, or with id_a and id_b. It also reads a table of ids, with or without the header
// id_a, id_b, label.
func ReadLabelled(path string) ([]JudgedPair, error) {
	var pairs []JudgedPair
	_, err := eachPair(path, func(r row) error {
		p := JudgedPair{A: tsvUnescapes.Replace(string(r.a)), B: tsvUnescapes.Replace(string(r.b))}
		if l := r.line; l != nil {
			p = JudgedPair{A: l.IDA, B: l.IDB, TextA: l.TextA, TextB: l.TextB}
			if (p.A == "" || p.B == "") && (p.TextA == "" || p.TextB == "") {
				return errors.New("a labelled pair needs text_a and text_b, or id_a and id_b")
			}
		}
		if r.similarity != nil && !r.named {
			r.label = int(*r.similarity)
			if float64(r.label) != *r.similarity {
				return fmt.Errorf("invalid label %v (want 0 or 1)", *r.similarity)
			}
		}
		p.Label = map[int]string{0: "other", 1: "same"}[r.label]
		pairs = append(pairs, p)
		return nil
	})
	if err == nil && len(pairs) == 0 {
		err = fmt.Errorf("%s: no pairs", path)
	}
	return pairs, err
}

// MissingTexts maps each id whose text is unknown to the fields that need the text.
func MissingTexts(pairs []JudgedPair) map[string][]*string {
	want := map[string][]*string{}
	for i := range pairs {
		p := &pairs[i]
		if p.TextA == "" && p.A != "" {
			want[p.A] = append(want[p.A], &p.TextA)
		}
		if p.TextB == "" && p.B != "" {
			want[p.B] = append(want[p.B], &p.TextB)
		}
	}
	return want
}

// isTexts and isSet report whether a file may hold texts: next to the judged pairs, or in the folder of a set. They ignore
// .gz and .zst.
func isTexts(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".tsv")
}

func isSet(name string) bool { return name == "docs.jsonl" || name == "pairs.jsonl" }

// filesOf returns the matching files of a folder, or none if the folder does not exist.
func filesOf(dir string, is func(name string) bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		if is(strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".zst"), ".gz")) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, err
}

func readJudged(path string) ([]JudgedPair, error) {
	var pairs []JudgedPair
	err := eachJudged(path, func(p JudgedPair, _ string) error {
		if p.A == "" || p.B == "" {
			return errors.New("a judged pair needs id_a and id_b")
		}
		if p.Label == "" {
			return errors.New("a judged pair needs a label")
		}
		pairs = append(pairs, p)
		return nil
	})
	if err == nil && len(pairs) == 0 {
		err = fmt.Errorf("%s: no pairs", path)
	}
	return pairs, err
}

// fillFrom sets the missing texts of the pairs that a file has.
func fillFrom(pairs []JudgedPair, path string) error {
	want := MissingTexts(pairs)
	for i := range pairs { // ids in a file of several sets are "SET|ID"
		p := &pairs[i]
		want[p.Set+"|"+p.A] = append(want[p.Set+"|"+p.A], &p.TextA)
		want[p.Set+"|"+p.B] = append(want[p.Set+"|"+p.B], &p.TextB)
	}
	give := func(id, text string) {
		for _, place := range want[id] {
			*place = text
		}
	}
	return eachJudged(path, func(p JudgedPair, text string) error {
		switch {
		case p.A != "" && p.B != "":
			give(p.A, p.TextA)
			give(p.B, p.TextB)
		case p.TextA != "" || p.TextB != "":
			give(p.Set+"#a", p.TextA)
			give(p.Set+"#b", p.TextB)
		default:
			give(p.Set, text)
		}
		return nil
	})
}

// judgedLine is a line of JSONL: a judged pair, a pair of texts with one id, or a document.
type judgedLine struct {
	JudgedPair
	ID    string          `json:"id"`
	Text  string          `json:"text"`
	Label json.RawMessage `json:"label"` // other kinds of files have a number here
}

// eachJudged reads JSONL, or a table with a header. If a line has only one id, Set holds it, and text is the text of that
// document.
func eachJudged(path string, fn func(p JudgedPair, text string) error) error {
	var columns []string
	return textlines.Each(path, func(_ int, line []byte) error {
		if columns == nil && bytes.HasPrefix(line, []byte{'{'}) {
			var l judgedLine
			if err := textlines.Object(line, &l, "judged pair"); err != nil {
				return err
			}
			p := l.JudgedPair
			if l.ID != "" && p.A == "" {
				p.Set = l.ID
			}
			if err := json.Unmarshal(l.Label, &p.Label); err != nil {
				p.Label = string(l.Label)
			}
			return fn(p, l.Text)
		}
		cells := strings.Split(string(line), "\t")
		if columns == nil {
			columns = cells
			return nil
		}
		var p JudgedPair
		fields := map[string]*string{
			"set": &p.Set, "id_a": &p.A, "id_b": &p.B, "label": &p.Label, "band": &p.Band, "text_a": &p.TextA, "text_b": &p.TextB,
		}
		for i, cell := range cells {
			if i < len(columns) && fields[columns[i]] != nil {
				*fields[columns[i]] = cell
			}
		}
		return fn(p, "")
	})
}
