package docid_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/store/memory"
)

func rulings(t *testing.T, list ...override.Ruling) *override.Set {
	t.Helper()
	s := &override.Set{}
	for _, r := range list {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestOverrides: what people have ruled comes before url, title and text.
func TestOverrides(t *testing.T) {
	set := cascade
	set.Overrides = rulings(t,
		override.Ruling{A: "a", B: "b", Link: override.Must},
		override.Ruling{A: "a", B: "url", Link: override.Cannot}, override.Ruling{A: "title", B: "a", Link: override.Cannot},
		override.Ruling{A: "a", B: "text", Link: override.Cannot}, override.Ruling{A: "b", B: "c", Link: override.Must})
	d := service(t, set)
	const text = "one two three four five six seven eight nine ten"
	first := add(t, d, named("a", submission("http://x.example/1", "A title of its own", text)))
	b := add(t, d, named("b", submission("http://y.example/2", "Another", "nothing that was said before in any text")))
	if b.DocID != first.DocID || b.Leader != "a" || b.Stage != docid.StageOverride || b.Basis != neardup.BasisOverride || b.Similarity != 1 {
		t.Errorf("must be linked: %+v", b)
	}
	for nid, s := range map[string]docid.Submission{
		"url":   submission("http://x.example/1", "", ""),
		"title": submission("", "A title of its own", "words that stand in no other article of all"),
		"text":  submission("", "", text),
	} {
		if got := add(t, d, named(nid, s)); got.Decision.Decision != neardup.New || got.VariantOf != "" {
			t.Errorf("%s cannot be linked: %+v", nid, got)
		}
	}
	// b is not a leader: c is not moved by it.
	if c := add(t, d, named("c", submission("", "", "quite another text than all of these"))); c.Decision.Decision != neardup.New {
		t.Errorf("moved by a duplicate: %+v", c)
	}
	// No ruling names an article without nid.
	if got := add(t, d, submission("", "", text)); got.Decision.Decision != neardup.Duplicate {
		t.Errorf("without nid: %+v", got)
	}
}

// TestOverridesArePartOfTheIndex: the index does not open with other overrides.
func TestOverridesArePartOfTheIndex(t *testing.T) {
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ruled := cascade
	ruled.Overrides = rulings(t, override.Ruling{A: "a", B: "b", Link: override.Must})
	if _, err := docid.NewDetector(t.Context(), store, "t", ruled); err != nil {
		t.Fatal(err)
	}
	if _, err := docid.NewDetector(t.Context(), store, "t", cascade); !errors.Is(err, neardup.ErrUnlike) {
		t.Errorf("opened without its overrides: %v", err)
	}
	ruled.Overrides = rulings(t, override.Ruling{B: "a", A: "b", Link: override.Must, Who: "somebody"})
	if _, err := docid.NewDetector(t.Context(), store, "t", ruled); err != nil {
		t.Errorf("the same rulings: %v", err)
	}
}

// batched decides documents as a batch with rulings does, and returns the leader
// and the basis by id, and how many documents a ruling decided.
func batched(t *testing.T, docs []neardup.Document, set *override.Set) (want map[string]string, ruled int) {
	t.Helper()
	m, err := storetest.Maker(.4)(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	want = map[string]string{}
	_, err = batch.Dedup(t.Context(), batch.Documents(docs), batch.Config{Method: m, Overrides: set}, func(o batch.Outcome) error {
		want[o.ID] = o.Leader + " " + o.Basis
		if o.Basis == neardup.BasisOverride {
			ruled++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return want, ruled
}

// TestOverridesAsInABatch: the service decides as a batch with the same rulings.
func TestOverridesAsInABatch(t *testing.T) {
	ruled := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		docs := drawn(rng)
		set := &override.Set{}
		for range 12 {
			a, b := rng.IntN(25), rng.IntN(25)
			if a != b {
				if err := set.Add(override.Ruling{A: docs[a].ID, B: docs[b].ID, Link: []override.Link{override.Must, override.Cannot}[rng.IntN(2)]}); err != nil {
					t.Fatal(err)
				}
			}
		}
		want, n := batched(t, docs, set)
		ruled += n
		d := service(t, docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(.4), Overrides: set})
		for _, doc := range docs {
			a := add(t, d, named(doc.ID, submission("", "", doc.Text)))
			if got := a.Leader + " " + a.Basis; got != want[doc.ID] {
				t.Fatalf("seed %d, %s: %q, in a batch %q", seed, doc.ID, got, want[doc.ID])
			}
		}
	}
	if ruled < 40 {
		t.Errorf("only %d documents were moved by a ruling", ruled)
	}
}

// TestRulingsCostNoMoreWithTime: a ruling, and what is learned of it, takes no more memory
// after thousands than after a few.
func TestRulingsCostNoMoreWithTime(t *testing.T) {
	d := service(t, docid.Settings{Content: docid.Exact})
	n := 0
	rule := func(times int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range times {
			n++
			if _, err := d.Rule(t.Context(), "a", fmt.Sprint(n), docid.Ruling{Who: "li", Link: override.Cannot}); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Rule(t.Context(), fmt.Sprint(n), fmt.Sprint(n+1), docid.Ruling{Who: "li", Link: override.Must}); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / uint64(times)
	}
	least := func() uint64 { return min(rule(10), rule(10), rule(10), rule(10), rule(10)) } // without work in the background
	rule(10)
	few := least()
	rule(2000)
	if many := least(); many > 8*few {
		t.Errorf("two rulings allocate %d bytes after 120 of them, and %d after 4,000", few, many)
	}
}

// TestRulingsConcern checks that a ruling makes only the articles that it names be judged again, whether it was made
// before the look-up or before the commit.
func TestRulingsConcern(t *testing.T) {
	for _, c := range []struct {
		name, a, b       string
		late             bool // after the look-up
		lookups, commits int64
	}{
		{"of others", "x", "y", false, 1, 1},
		{"of others, late", "x", "y", true, 1, 1},
		{"of the article", "x", "new", false, 2, 1},
		{"of the article, late", "new", "x", true, 3, 2}, // the second judgement learns the rule by a look-up
	} {
		t.Run(c.name, func(t *testing.T) {
			d, index, other := interpose(t, docid.Settings{Content: docid.Exact})
			rule := func() {
				if _, err := other.Rule(t.Context(), c.a, c.b, docid.Ruling{Link: override.Cannot}); err != nil {
					t.Fatal(err)
				}
			}
			if c.late {
				index.before = func(*docid.Change) error {
					index.before = nil
					rule()
					return nil
				}
			} else {
				rule()
			}
			var sub docid.Submission
			sub.ID, sub.Text = "new", "some words"
			if _, err := d.Add(t.Context(), sub); err != nil {
				t.Fatal(err)
			}
			if l, n := index.lookups.Load(), index.commits.Load(); l != c.lookups || n != c.commits {
				t.Errorf("%d look-ups and %d commits, want %d and %d", l, n, c.lookups, c.commits)
			}
		})
	}
}
