package docid_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// templates is a method of templates with facts: texts of one first word are near if their other words are the
// same, and variants otherwise.
type templates struct{ hotMethod }

func (m *templates) Compare(a, b neardup.Prepared) neardup.Match {
	x, y := string(a.(hotView)), string(b.(hotView))
	same := 0
	xs, ys := strings.Fields(x), strings.Fields(y)
	for i := range min(len(xs), len(ys)) {
		if xs[i] == ys[i] {
			same++
		}
	}
	s := float64(same) / float64(max(len(xs), len(ys)))
	return neardup.Match{Similarity: s, Distance: -1, Near: s > .9, Variant: s >= .5 && s <= .9, Method: "templates"}
}

func (m *templates) Screen(a, b neardup.Prepared) (neardup.Match, bool) { return m.Compare(a, b), true }

func (m *templates) Decide(a, b neardup.Prepared, _ float64) neardup.Match { return m.Compare(a, b) }

func (m *templates) Template(neardup.Prepared) (uint64, []uint64) { return 0, nil }

func (m *templates) Explain(a, b neardup.Prepared) neardup.Match {
	match := m.Compare(a, b)
	xs, ys := strings.Fields(string(a.(hotView))), strings.Fields(string(b.(hotView)))
	for i := range min(len(xs), len(ys)) {
		if xs[i] != ys[i] {
			match.Evidence = append(match.Evidence, neardup.Conflict{Kind: "word", A: xs[i], B: ys[i]})
		}
	}
	return match
}

func templated() docid.Settings {
	return docid.Settings{Content: docid.Near, ContentMethod: func(uint64, []byte) (neardup.Method, error) { return &templates{}, nil }}
}

// TestVariant: the best variant is named, with the conflicting facts, in the answer, when it is checked,
// requested again and read later. A duplicate is not a variant, and a leader's name is not another article's.
func TestVariant(t *testing.T) {
	d := service(t, templated())
	add(t, d, named("a", submission("", "", "flood kills 3 in Rome")))
	b := add(t, d, named("b", submission("", "", "flood kills 7 in Lyon")))
	sub := named("c", submission("", "", "flood kills 7 in Ghent"))
	const want = "new  variant 0.80 of b: [{word Ghent Lyon 0}]"
	say := func(a docid.Answer) string {
		return fmt.Sprintf("%s %s %s %.2f of %s: %v", a.Decision.Decision, a.Leader, a.Relation, a.Probability, a.VariantOf, a.Conflicts)
	}
	add(t, d, named("e", submission("", "", "flood kills 7 in Bonn")))
	checked, err := d.Check(t.Context(), sub)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "checked", say(checked), want)
	c := add(t, d, sub)
	check(t, "answer", say(c), want)
	check(t, "again", say(add(t, d, sub)), want)
	read, err := d.Evidence(t.Context(), c.Seq)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "read", say(read), want)
	if c.DocID == b.DocID {
		t.Error("a variant has the docId of what it is a variant of")
	}
	check(t, "duplicate", say(add(t, d, submission("", "", "flood kills 7 in Ghent"))), "duplicate c  0.00 of : []")
	if _, err := d.Delete(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	check(t, "of a leader without its article", add(t, d, submission("", "", "flood kills 9 in Lyon")).VariantOf, fmt.Sprint("~", b.LeaderSeq))
}

// TestConflictsAreBounded: what is stored of them is small.
func TestConflictsAreBounded(t *testing.T) {
	d := service(t, templated())
	long := strings.Repeat("é", 300)
	words := func(of string) string {
		return "same " + strings.Repeat("word ", 40) + strings.Repeat(of+long+" ", 30)
	}
	add(t, d, submission("", "", words("x")))
	a := add(t, d, submission("", "", words("y")))
	check(t, "conflicts", len(a.Conflicts), 16)
	if c := a.Conflicts[0]; len(c.A) > 100 || !strings.HasSuffix(c.A, "é") {
		t.Errorf("a fact of %d bytes: %q", len(c.A), c.A)
	}
	c, err := d.Compare(t.Context(), docid.Submission{Text: words("y")}, docid.Submission{Text: words("x")})
	if err != nil || !slices.Equal(c.Content.Evidence, a.Conflicts) {
		t.Errorf("explained by %v %v, stored %v", c.Content.Evidence, err, a.Conflicts)
	}
}

// TestHotBucketFindsItsOwn: where more leaders share a key than can be
// compared, those that share most are: a near one is found, and only what finds
// none is refused.
func TestHotBucketFindsItsOwn(t *testing.T) {
	set := cascade
	set.MaxCandidates = 5
	d := service(t, set)
	texts := make([]string, 30)
	for n := range texts {
		texts[n] = fmt.Sprintf("%02d", n) + strings.Repeat(string(rune('a'+n%26)), 9) + fmt.Sprint(n*n*7919) + "xyz"
		if _, err := d.Add(t.Context(), named(fmt.Sprint(n), submission("", "", texts[n]))); errors.Is(err, docid.ErrHotBucket) {
			texts = texts[:n]
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if len(texts) < 5 || len(texts) == 30 {
		t.Fatalf("%d articles before the bucket was hot", len(texts))
	}
	for n, text := range texts {
		for _, near := range []string{text, text + "q"} {
			check(t, near, add(t, d, submission("", "", near)).Leader, fmt.Sprint(n))
		}
	}
}

// Compare gives the evidence of two texts as the method of the contents has it,
// whether they are near or not; where they are equal, or it weighs none, nothing.
func TestCompareExplains(t *testing.T) {
	exact := docid.Settings{Content: docid.Exact}
	for _, test := range []struct {
		settings   docid.Settings
		a, b, want string
	}{
		{templated(), "flood kills 7 in Ghent", "flood kills 3 in Ghent", "[{word 7 3 0}]"},
		{templated(), "flood kills 7 in Ghent", "flood kills 7 in Ghent", "[]"},
		{exact, "flood kills 7 in Ghent", "flood kills 3 in Ghent", "[]"},
	} {
		got, err := service(t, test.settings).Compare(t.Context(), docid.Submission{Text: test.a}, docid.Submission{Text: test.b})
		if err != nil || fmt.Sprint(got.Content.Evidence) != test.want {
			t.Errorf("%s against %s: %v %v, want %s", test.a, test.b, got.Content.Evidence, err, test.want)
		}
	}
}
