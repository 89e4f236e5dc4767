package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/override"
)

// slotted is shingled with facts: texts that are near but for other words in
// upper case are variants.
type slotted struct{ shingled }

type slottedView struct {
	shingleSet
	facts []string
}

func (m slotted) Prepare(clean string) neardup.Prepared {
	v := slottedView{shingleSet: m.shingled.Prepare(clean).(shingleSet)}
	for _, w := range strings.Fields(clean) {
		if strings.HasSuffix(w, "3") { // w3, w13, w23, w33
			v.facts = append(v.facts, w)
		}
	}
	return &v
}

func (m slotted) Compare(a, b neardup.Prepared) neardup.Match {
	x, y := a.(*slottedView), b.(*slottedView)
	match := m.shingled.Compare(x.shingleSet, y.shingleSet)
	if match.Near && !slices.Equal(x.facts, y.facts) {
		match.Near, match.Variant = false, true
	}
	return match
}

func (m slotted) Screen(a, b neardup.Prepared) (neardup.Match, bool) { return m.Compare(a, b), true }

func (m slotted) Decide(a, b neardup.Prepared, _ float64) neardup.Match { return m.Compare(a, b) }

func (m slotted) Template(neardup.Prepared) (uint64, []uint64) { return 0, nil }

// Explain shows all facts, side by side.
func (m slotted) Explain(a, b neardup.Prepared) neardup.Match {
	x, y := a.(*slottedView), b.(*slottedView)
	match := m.Compare(a, b)
	match.Evidence = []neardup.Conflict{{Kind: "name", A: strings.Join(x.facts, " "), B: strings.Join(y.facts, " ")}}
	return match
}

// decided is the specified decision on one document.
type decided struct {
	Leader, VariantOf, Basis, Conflict string
	Similarity                         float64
}

// byHand decides documents in an order by the specification itself.
func byHand(m slotted, docs []neardup.Document, order []int, rulings map[[2]string]override.Link) map[string]decided {
	compare := func(a, b neardup.Document) (rank int, match neardup.Match) {
		switch rulings[[2]string{min(a.ID, b.ID), max(a.ID, b.ID)}] {
		case override.Must:
			return 4, neardup.Match{Similarity: 1, Basis: neardup.BasisOverride}
		case override.Cannot:
			return 0, match
		}
		if a.Text == b.Text && a.Text != "" {
			return 3, neardup.Match{Similarity: 1, Basis: neardup.BasisEqual}
		}
		match = m.Compare(m.Prepare(a.Text), m.Prepare(b.Text))
		switch {
		case match.Near:
			return 2, match
		case match.Variant:
			return 1, match
		}
		return 0, match
	}
	out := map[string]decided{}
	var leaders []neardup.Document
	for _, i := range order {
		doc, top, best := docs[i], 0, decided{}
		for _, l := range leaders {
			rank, match := compare(doc, l)
			if rank > top || (rank == top && rank > 0 && match.Similarity > best.Similarity) {
				top, best = rank, decided{Leader: l.ID, Basis: match.Basis, Similarity: match.Similarity}
				if rank == 1 {
					c := m.Explain(m.Prepare(doc.Text), m.Prepare(l.Text)).Evidence[0]
					best.VariantOf, best.Conflict = l.ID, c.A+" against "+c.B
				}
			}
		}
		if top <= 1 {
			leaders = append(leaders, doc)
			best.Leader, best.Basis, best.Similarity = "", "", 0
			if doc.Text == "" {
				best.Basis = neardup.BasisBlank
			}
		}
		out[doc.ID] = best
	}
	return out
}

func decisionsOf(t *testing.T, docs []neardup.Document, cfg Config) (map[string]decided, *Summary) {
	t.Helper()
	got := map[string]decided{}
	sum, err := Dedup(context.Background(), Documents(docs), cfg, func(o Outcome) error {
		d := decided{Leader: o.Leader, VariantOf: o.VariantOf, Basis: o.Basis, Similarity: o.Similarity}
		for _, c := range o.Conflicts {
			d.Conflict = c.A + " against " + c.B
		}
		got[o.ID] = d
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, sum
}

// fromPairs decides from all pairs alone.
func fromPairs(t *testing.T, docs []neardup.Document, cfg Config) map[string]string {
	t.Helper()
	cfg.Variants = true
	byPlace := map[Ordinal]string{}
	var edges []Edge
	_, err := Pairs(context.Background(), Documents(docs), cfg, func(p Pair) error {
		byPlace[p.Earlier], byPlace[p.Later] = p.A, p.B
		edges = append(edges, p.Edge)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range chosen(t, edges) {
		got[byPlace[e.Later]] = fmt.Sprint(e.Relation() == neardup.Variant, " ", byPlace[e.Earlier])
	}
	return got
}

var manners = []Config{{}, {Memory: 1 << 14}, {Workers: 3, Keep: Longest}, {Keep: ByID, Memory: 1 << 16}}

// Variants are kept, and name the best leader that they are variants of.
func TestVariantsAreKeptAndNamed(t *testing.T) {
	named := 0
	for seed := range uint64(16) {
		m := slotted{shingled{threshold: []float64{.3, .5}[seed%2], asymmetry: seed%3 == 1}}
		docs := randomDocs(seed, 40+int(seed)*10)
		for _, cfg := range manners {
			cfg.Method = m
			want := byHand(m, docs, orderBy(docs, cfg.Keep), nil)
			got, sum := decisionsOf(t, docs, cfg)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %+v (-want +got):\n%s", seed, cfg, diff)
			}
			n := 0
			edges := map[string]string{}
			for id, d := range want {
				switch {
				case d.VariantOf != "":
					n++
					edges[id] = "true " + d.VariantOf
				case d.Leader != "":
					edges[id] = "false " + d.Leader
				}
			}
			named += n
			if sum.Variants != int64(n) {
				t.Errorf("the summary counts %d variants of %d", sum.Variants, n)
			}
			if diff := gocmp.Diff(edges, fromPairs(t, docs, cfg)); diff != "" {
				t.Fatalf("seed %d, %+v, from pairs (-want +got):\n%s", seed, cfg, diff)
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d variants in all", named)
	}
}

func TestPairsListVariantsOnRequest(t *testing.T) {
	docs := []neardup.Document{{ID: "a", Text: "a b c d w3 e"}, {ID: "b", Text: "a b c d w13 e"}, {ID: "c", Text: "a b c d w3 e"}}
	for _, c := range []struct {
		variants bool
		want     string
	}{
		{false, "a duplicate c, "},
		{true, "a variant b, a duplicate c, b variant c, "},
	} {
		got := ""
		cfg := Config{Method: slotted{shingled{threshold: .3}}, Variants: c.variants}
		_, err := Pairs(context.Background(), Documents(docs), cfg, func(p Pair) error {
			got += fmt.Sprintf("%s %s %s, ", p.A, p.Relation(), p.B)
			return nil
		})
		if err != nil || got != c.want {
			t.Errorf("pairs %s (%v), want %s", got, err, c.want)
		}
	}
}

// Rulings add or remove edges, also of copies, and change nothing else.
func TestOverridesAreEdges(t *testing.T) {
	obeyed, seeds := 0, uint64(24)
	if testing.Short() {
		seeds = 16
	}
	for seed := range seeds {
		m := slotted{shingled{threshold: []float64{.3, .5, .8}[seed%3]}}
		docs := randomDocs(seed, 30+int(seed)*8)
		rng := rand.New(rand.NewPCG(seed, 9))
		plain, _ := decisionsOf(t, docs, Config{Method: m})
		set, rulings := &override.Set{}, map[[2]string]override.Link{}
		rule := func(a, b string, l override.Link) {
			if err := set.Add(override.Ruling{A: a, B: b, Link: l}); err == nil {
				rulings[[2]string{min(a, b), max(a, b)}] = l
			}
		}
		for _, d := range docs {
			switch leader := plain[d.ID].Leader; {
			case leader != "" && rng.IntN(4) == 0:
				rule(d.ID, leader, override.Cannot)
			case rng.IntN(12) == 0:
				rule(docs[rng.IntN(len(docs))].ID, d.ID, override.Must)
			}
		}
		for _, cfg := range manners {
			cfg.Method, cfg.Overrides = m, set
			want := byHand(m, docs, orderBy(docs, cfg.Keep), rulings)
			got, sum := decisionsOf(t, docs, cfg)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %+v (-want +got):\n%s", seed, cfg, diff)
			}
			if int(sum.Overrides) != set.Len() || !strings.HasSuffix(sum.Method, " overrides="+set.Digest()) {
				t.Errorf("%d of %d overrides, method %s", sum.Overrides, set.Len(), sum.Method)
			}
			for id, of := range fromPairs(t, docs, cfg) {
				if d := want[id]; of != "true "+d.VariantOf && of != "false "+d.Leader {
					t.Fatalf("seed %d: from pairs, %s is %s; want %+v", seed, id, of, d)
				}
			}
			for _, d := range want {
				if d.Basis == neardup.BasisOverride {
					obeyed++
				}
			}
		}
	}
	if obeyed < 100 {
		t.Errorf("only %d decisions by an override", obeyed)
	}
}

// Documents of a method without keys, and without text, can be ruled about.
func TestOverridesOfEqualAndUnlikeTexts(t *testing.T) {
	docs := []neardup.Document{{ID: "a", Text: "z"}, {ID: "b", Text: "z"}, {ID: "c", Text: "x"}, {ID: "d", Text: "y"}, {ID: "e", Text: "z"}, {ID: "f"}, {ID: "g"}}
	set := &override.Set{}
	for _, r := range []override.Ruling{{A: "a", B: "b", Link: override.Cannot}, {A: "d", B: "c", Link: override.Must}, {A: "f", B: "g", Link: override.Must}, {A: "a", B: "nobody", Link: override.Must}} {
		if err := set.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	got, sum := decisionsOf(t, docs, Config{Method: shingled{threshold: .5}, Overrides: set})
	want := map[string]decided{
		"a": {}, "b": {}, "c": {}, "f": {Basis: neardup.BasisBlank},
		"d": {Leader: "c", Similarity: 1, Basis: neardup.BasisOverride},
		"e": {Leader: "a", Similarity: 1, Basis: neardup.BasisEqual},
		"g": {Leader: "f", Similarity: 1, Basis: neardup.BasisOverride},
	}
	if diff := gocmp.Diff(want, got); diff != "" || sum.Overrides != 3 {
		t.Errorf("%d overrides found (-want +got):\n%s", sum.Overrides, diff)
	}
}
