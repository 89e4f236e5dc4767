package eval_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
)

// write makes files below a new folder and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestJudged(t *testing.T) {
	pairs := []eval.JudgedPair{
		{Set: "s", Label: "same", Band: "edit .8 short", TextA: "near"},
		{Set: "s", Label: "same", Band: "edit .8 short", TextA: "apart"},
		{Set: "s", Label: "version", Band: "x long", TextA: "near"},
		{Set: "s", Label: "facts", Band: "edit .8 short", TextA: "near"},
		{Set: "s", Label: "facts", TextA: "variant"},
		{Set: "s", Label: "other", Band: "edit .8 short", TextA: "apart"},
		{Set: "s", Label: "same", Band: "edit .8 short", TextA: "unfound"},
		{Set: "s", Label: "part", Band: "edit .8 short", TextA: "near"},
		{Set: "s", Label: "unsure", Band: "edit .8 short", TextA: "near"},
	}
	r := eval.Judged(pairs, func(p eval.JudgedPair) eval.Verdict {
		return eval.Verdict{
			Match: neardup.Match{Near: p.TextA == "near" || p.TextA == "unfound", Variant: p.TextA == "variant"},
			Found: p.TextA != "unfound", Short: true,
		}
	}, -1)
	if r.Pairs != 9 || r.Unscored != 2 || len(r.False) != 1 || len(r.Missed) != 2 {
		t.Errorf("%+v", r)
	}
	for _, want := range []struct {
		group                                string
		pairs, right, called, positive, var_ int
	}{{"all", 7, 2, 3, 4, 1}, {"short", 6, 1, 2, 3, 1}, {"long", 1, 1, 1, 1, 0}, {"s short", 6, 1, 2, 3, 1}} {
		for _, s := range r.Scores {
			if s.Group == want.group && (s.Pairs != want.pairs || s.Precision.Count != want.right || s.Precision.Of != want.called ||
				s.Recall.Of != want.positive || s.Variants != want.var_) {
				t.Errorf("%s: %+v, want %+v", want.group, s, want)
			}
		}
	}
	if len(r.Scores) != 5 {
		t.Errorf("%d groups of scores: %+v", len(r.Scores), r.Scores)
	}
}

func TestReadJudged(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"judged/pairs.tsv":  "set\tid_a\tid_b\tlabel\tband\n" + "news\tn1\tn2\tsame\tedit short\n" + "titles\tt1\tt2\tfacts\t\n" + "rows\tr#a\tr#b\tother\t\n",
		"judged/titles.tsv": "id_a\tid_b\ttext_a\ttext_b\nt1\tt2\tone\ttwo\n",
		"news/docs.jsonl":   `{"id":"n1","label":"ham","text":"first"}` + "\n" + `{"id":"n2","text":"second"}` + "\n",
		"rows/pairs.jsonl":  `{"id":"r","text_a":"left","text_b":"right","label":0}` + "\n",
		"own.jsonl":         `{"id_a":"a","id_b":"b","label":"version","text_a":"x","text_b":"y"}` + "\n",
		"lost.tsv":          "id_a\tid_b\tlabel\np\tq\tsame\n",
		"empty.tsv":         "id_a\tid_b\tlabel\n",
		"unlabelled.tsv":    "id_a\tid_b\na\tb\n",
	})
	for _, c := range []struct{ file, want string }{
		{"judged/pairs.tsv", "first second; one two; left right;"},
		{"own.jsonl", "x y;"},
		{"lost.tsv", " ;"},
		{"empty.tsv", "no pairs"},
		{"unlabelled.tsv", "unlabelled.tsv:2: a judged pair needs a label"},
		{"none.tsv", "none.tsv"},
	} {
		var b strings.Builder
		pairs, err := eval.ReadJudged(filepath.Join(dir, c.file))
		for _, p := range pairs {
			b.WriteString(p.TextA + " " + p.TextB + "; ")
		}
		got := strings.TrimSuffix(b.String(), " ")
		if err != nil {
			got = err.Error()
		}
		if (err == nil && got != c.want) || (err != nil && !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
	pairs, err := eval.ReadJudged(filepath.Join(dir, "lost.tsv"))
	if missing := eval.MissingTexts(pairs); err != nil || len(missing) != 2 || len(missing["p"]) != 1 {
		t.Errorf("missing %v, %v", missing, err)
	}
}

// Labelled pairs come as lines of JSON or as a table of ids, with a header or without.
func TestReadLabelled(t *testing.T) {
	text := func(a, b, label string) eval.JudgedPair { return eval.JudgedPair{TextA: a, TextB: b, Label: label} }
	ids := func(a, b, label string) eval.JudgedPair { return eval.JudgedPair{A: a, B: b, Label: label} }
	for name, c := range map[string]struct {
		lines string
		want  []eval.JudgedPair
		err   string
	}{
		"json":            {`{"text_a":"x","text_b":"y","label":1}` + "\n" + `{"text_a":"x","text_b":"z","label":"0"}` + "\n" + `{"text_a":"v","text_b":"w"}`, []eval.JudgedPair{text("x", "y", "same"), text("x", "z", "other"), text("v", "w", "same")}, ""},
		"json of ids":     {`{"id_a":"a","id_b":"b","label":false}`, []eval.JudgedPair{ids("a", "b", "other")}, ""},
		"table":           {"id_a\tid_b\tlabel\na\tb\t1\nc\\td\te\t0", []eval.JudgedPair{ids("a", "b", "same"), ids("c\td", "e", "other")}, ""},
		"no header":       {"a\tb\nc\td\t0", nil, "pairs.tsv:2: three columns (want two"},
		"no header, ids":  {"a\tb\nc\td", []eval.JudgedPair{ids("a", "b", "same"), ids("c", "d", "same")}, ""},
		"no header, all":  {"a\tb\t0\nc\td\t1", []eval.JudgedPair{ids("a", "b", "other"), ids("c", "d", "same")}, ""},
		"of similarities": {"id_a\tid_b\tsimilarity\na\tb\t.93", []eval.JudgedPair{ids("a", "b", "same")}, ""},
		"no label":        {"a\tb\t.5", nil, "pairs.tsv:1: invalid label 0.5 (want 0 or 1)"},
		"a label of text": {`{"text_a":"x","text_b":"y","label":"same"}`, nil, `invalid label "same" (want 0 or 1)`},
		"nothing":         {"", nil, "no pairs"},
	} {
		path := filepath.Join(t.TempDir(), "pairs.tsv")
		if err := os.WriteFile(path, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := eval.ReadLabelled(path)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %q", name, err, c.err)
		case c.err == "" && (err != nil || !slices.Equal(got, c.want)):
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestEscapeField(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "a", "a\tb\nc\rd\\e": `a\tb\nc\rd\\e`} {
		if got := eval.EscapeField(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
