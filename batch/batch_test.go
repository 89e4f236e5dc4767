package batch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/text"
)

// shingled is the plainest method: every shingle is a key, so that no pair
// can be missed, and what comes out must equal brute force.
type shingled struct {
	threshold float64
	asymmetry bool // found under all shingles, searched under all but the first
}

var twoWords = feature.Shingle{Unit: feature.Words, K: 2}

func (m shingled) Spec() neardup.Spec { return neardup.Spec{Method: "shingled", Version: 1} }

func (m shingled) Record(clean string, rec *neardup.Record) {
	rec.Index = feature.Set(twoWords.Append(rec.Index, clean, 0))
	rec.Sketch = uint64(len(rec.Index))
	if m.asymmetry {
		rec.Probe = slices.Clone(rec.Index)
		slices.Reverse(rec.Probe)
	}
}

func (m shingled) Plausible(a, b uint64) bool {
	return float64(min(a, b))/float64(max(a, b)) >= m.threshold
}

type shingleSet []uint64

func (s shingleSet) Bytes() int { return 8 * len(s) }

func (m shingled) Prepare(clean string) neardup.Prepared {
	return shingleSet(feature.Set(twoWords.Append(nil, clean, 0)))
}

func (m shingled) Compare(a, b neardup.Prepared) neardup.Match {
	x, y := a.(shingleSet), b.(shingleSet)
	both := feature.IntersectSorted(x, y)
	if len(x) == 0 || len(y) == 0 {
		return neardup.Match{Distance: -1}
	}
	j := float64(both) / float64(len(x)+len(y)-both)
	return neardup.Match{Similarity: j, Distance: -1, Near: j >= m.threshold, Method: "shingled", Basis: "jaccard"}
}

// trained is shingled in two passes.
type trained struct{ shingled }

func (m trained) Trainer(int64) neardup.Trainer { return trainer{m.shingled} }

type trainer struct{ m shingled }

func (t trainer) Add(string)             {}
func (t trainer) Method() neardup.Method { return t.m }

func (t trainer) NextPass() neardup.Trainer { return nil }

// randomDocs makes texts in families: copies, edits of edits, strangers,
// texts of a word or none.
func randomDocs(seed uint64, n int) []neardup.Document {
	rng := rand.New(rand.NewPCG(seed, 1))
	word := func() string { return fmt.Sprintf("w%d", rng.IntN(40)) }
	var texts []string
	for len(texts) < n {
		var words []string
		switch k := rng.IntN(10); {
		case k < 2 || len(texts) < 3:
			for range rng.IntN(14) {
				words = append(words, word())
			}
		case k < 4:
			texts = append(texts, texts[rng.IntN(len(texts))])
			continue
		default:
			words = strings.Fields(texts[rng.IntN(len(texts))])
			for range rng.IntN(3) {
				if len(words) > 0 {
					words[rng.IntN(len(words))] = word()
				}
			}
		}
		texts = append(texts, strings.Join(words, " "))
	}
	docs := make([]neardup.Document, n)
	for i, t := range texts {
		docs[i] = neardup.Document{ID: fmt.Sprintf("d%03d", (i*7919)%n), Text: t, Time: int64(rng.IntN(n/2 + 1))}
	}
	return docs
}

func (m shingled) Measure(a, b neardup.Prepared) float64 { return m.Compare(a, b).Similarity }

// FeatureSets returns the one set of the shingles. It is called if many leaders share a key.
func (m shingled) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	set := v.(shingleSet)
	n := len(set)
	return append(dst, neardup.FeatureSet{Features: set, Least: uint64(feature.LeastIntersection(n, m.threshold)), LeastLarger: uint64(feature.MinIntersection(n, n, m.threshold))})
}

// similarTo defines which documents are near, as the engine must find them.
func similarTo(m shingled, docs []neardup.Document) func(i, j int) (float64, bool) {
	return func(i, j int) (float64, bool) {
		if docs[i].Text == docs[j].Text {
			return 1, docs[i].Text != ""
		}
		match := m.Compare(m.Prepare(docs[i].Text), m.Prepare(docs[j].Text))
		return match.Similarity, match.Near
	}
}

func orderBy(docs []neardup.Document, keep Keep) []int {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := docs[i], docs[j]
		switch keep {
		case Longest:
			return cmp.Or(cmp2(len(b.Text), len(a.Text)), strings.Compare(a.ID, b.ID))
		case Earliest:
			x, y := a.Time, b.Time
			if x == 0 {
				x = 1 << 60
			}
			if y == 0 {
				y = 1 << 60
			}
			return cmp.Or(cmp2(x, y), strings.Compare(a.ID, b.ID))
		case ByID:
			return strings.Compare(a.ID, b.ID)
		}
		return 0
	})
	return order
}

func cmp2[T int | int64](a, b T) int { return int(a - b) }

type verdict struct {
	Leader     string
	Similarity float64
}

func runDedup(t *testing.T, docs []neardup.Document, cfg Config) (map[string]verdict, *Summary) {
	t.Helper()
	got := map[string]verdict{}
	led := map[string]bool{}
	sum, err := Dedup(context.Background(), Documents(docs), cfg, func(o Outcome) error {
		if o.Decision.Decision == neardup.New {
			led[o.ID] = true
		} else if !led[o.Leader] {
			t.Errorf("%s comes before its leader %s", o.ID, o.Leader)
		}
		got[o.ID] = verdict{o.Leader, o.Similarity}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, sum
}

// seeds returns the number of seeds; under -short a third of them.
func seeds(all uint64) uint64 {
	if testing.Short() {
		return all / 3
	}
	return all
}

// greedy returns what brute force decides.
func greedy(m shingled, docs []neardup.Document, keep Keep) map[string]verdict {
	out := map[string]verdict{}
	for i, p := range greedyLeader(len(docs), orderBy(docs, keep), similarTo(m, docs)) {
		v := verdict{"", 0}
		if p.leader != i {
			v = verdict{docs[p.leader].ID, p.similarity}
		}
		out[docs[i].ID] = v
	}
	return out
}

func TestDedupIsGreedyLeader(t *testing.T) {
	for seed := range seeds(40) {
		m := shingled{threshold: []float64{.3, .5, .8}[seed%3], asymmetry: seed%2 == 1}
		docs := randomDocs(seed, 20+int(seed)*10)
		for _, keep := range []Keep{First, Longest, Earliest, ByID} {
			want := greedy(m, docs, keep)
			got, _ := runDedup(t, docs, Config{Method: m, Keep: keep, Workers: 1 + int(seed%3)})
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, keep %s: decisions differ from brute force (-want +got):\n%s", seed, keep, diff)
			}
		}
	}
}

func TestWorkersMemoryAndTrainingChangeNothing(t *testing.T) {
	docs := randomDocs(7, 900)
	want, sum := runDedup(t, docs, Config{Method: shingled{threshold: .5}, Workers: 1})
	for _, cfg := range []Config{
		{Workers: 2}, {Workers: 3}, {Workers: 7},
		{Memory: 1 << 14}, {Memory: 1 << 16}, {Memory: 1 << 18}, {Memory: 1 << 20},
		{Memory: 1 << 14, Workers: 3},
	} {
		for _, m := range []neardup.Method{shingled{threshold: .5}, shingled{threshold: .5, asymmetry: true}, trained{shingled{threshold: .5}}} {
			cfg.Method = m
			cfg.Tmp = t.TempDir()
			got, s := runDedup(t, docs, cfg)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%d workers, %d bytes, %T: (-want +got):\n%s", cfg.Workers, cfg.Memory, m, diff)
			}
			if s.Digest != sum.Digest {
				t.Fatalf("%d workers, %d bytes: digest %s, want %s", cfg.Workers, cfg.Memory, s.Digest, sum.Digest)
			}
			if cfg.Memory == 1<<14 && s.Partitions < 2 {
				t.Errorf("%d bytes: the index was not divided", cfg.Memory)
			}
		}
	}
}

func TestOrderOfInputChangesNothing(t *testing.T) {
	docs := randomDocs(9, 400)
	for _, keep := range []Keep{Longest, Earliest, ByID} {
		want, _ := runDedup(t, docs, Config{Method: shingled{threshold: .5}, Keep: keep})
		for seed := range uint64(5) {
			shuffled := slices.Clone(docs)
			rand.New(rand.NewPCG(seed, 2)).Shuffle(len(docs), func(i, j int) {
				shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
			})
			cfg := Config{Method: shingled{threshold: .5}, Keep: keep}
			if seed > 2 {
				cfg.Memory = 1 << 14
			}
			got, _ := runDedup(t, shuffled, cfg)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("keep %s, shuffle %d (-want +got):\n%s", keep, seed, diff)
			}
		}
	}
}

func TestCopyAtTheEndAndRemovedDuplicateChangeNothingElse(t *testing.T) {
	for seed := range uint64(6) {
		docs := randomDocs(seed, 100)
		cfg := Config{Method: shingled{threshold: .5}}
		want, _ := runDedup(t, docs, cfg)
		rng := rand.New(rand.NewPCG(seed, 3))
		copied := append(slices.Clone(docs), neardup.Document{ID: "copy", Text: docs[rng.IntN(len(docs))].Text})
		got, _ := runDedup(t, copied, cfg)
		if got["copy"].Leader == "" {
			t.Errorf("seed %d: an exact copy is called new", seed)
		}
		delete(got, "copy")
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: a copy at the end changed others:\n%s", seed, diff)
		}
		for i, d := range docs {
			if want[d.ID].Leader == "" {
				continue
			}
			got, _ := runDedup(t, slices.Delete(slices.Clone(docs), i, i+1), cfg)
			rest := maps.Clone(want)
			delete(rest, d.ID)
			if diff := gocmp.Diff(rest, got); diff != "" {
				t.Fatalf("seed %d: removing the duplicate %s changed others:\n%s", seed, d.ID, diff)
			}
		}
	}
}

func TestPairsAreAllPairs(t *testing.T) {
	type pairKey struct{ a, b string }
	for seed := range seeds(24) {
		m := shingled{threshold: []float64{.3, .5, .8}[seed%3], asymmetry: seed%2 == 1}
		docs := randomDocs(seed, 20+int(seed)*10)
		similar := similarTo(m, docs)
		want := map[pairKey]float64{}
		for i := range docs {
			for j := range i {
				if s, near := similar(i, j); near {
					want[pairKey{docs[j].ID, docs[i].ID}] = s
				}
			}
		}
		var first []Pair
		for _, memory := range []int64{0, 1 << 14} {
			got := map[pairKey]float64{}
			var list []Pair
			_, err := Pairs(context.Background(), Documents(docs), Config{Method: m, Memory: memory}, func(p Pair) error {
				if _, twice := got[pairKey{p.A, p.B}]; twice {
					t.Errorf("%s %s is given twice", p.A, p.B)
				}
				got[pairKey{p.A, p.B}] = p.Similarity
				list = append(list, p)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %d bytes: pairs differ from brute force (-want +got):\n%s", seed, memory, diff)
			}
			if first == nil {
				first = list
			}
			if diff := gocmp.Diff(first, list); diff != "" {
				t.Fatalf("seed %d, %d bytes: the list differs from that of another memory:\n%s", seed, memory, diff)
			}
		}
	}
}

// Most tests have little memory, so that everything spills.
func TestMain(m *testing.M) {
	leastMemory = 0
	m.Run()
}

// TestNoTextIsNoEvidence: a document without text is kept and counted, and is never near another, whatever the
// memory, the method or the order.
func TestNoTextIsNoEvidence(t *testing.T) {
	docs := []neardup.Document{{ID: "a"}, {ID: "b", Text: " \t"}, {ID: "c", Text: "one text that is here twice"}, {ID: "d"},
		{ID: "e", Text: "one text that is here twice"}, {ID: "f", Text: "\u3000"}, {ID: "g", Text: " \t"}}
	for name, cfg := range map[string]Config{
		"cleaned":    {Method: shingled{threshold: .5}, Clean: text.Default()},
		"as it is":   {Method: shingled{threshold: .5}},
		"trained":    {Method: trained{shingled{threshold: .5}}},
		"ranked":     {Method: shingled{threshold: .5}, Keep: Longest},
		"components": {Method: shingled{threshold: .5}, Link: Components},
		"audited":    {Method: shingled{threshold: .5}, Audit: &audit.Config{Threshold: .5, List: 10}},
	} {
		got, sum := runDedup(t, docs, cfg)
		want := map[string]verdict{"a": {}, "b": {}, "c": {}, "d": {}, "e": {"c", 1}, "f": {}, "g": {}}
		if d := gocmp.Diff(want, got); d != "" || sum.Blank != 5 || sum.Equal != 1 || sum.Kept != 6 {
			t.Errorf("%s: %+v %+v (-want +got):\n%s", name, sum.Input, sum.Outcomes, d)
		}
	}
	none := map[string]bool{}
	_, err := Dedup(t.Context(), Documents(docs), Config{Method: shingled{threshold: .5}}, func(o Outcome) error {
		if o.Basis == neardup.BasisBlank {
			none[o.ID] = o.Decision.Decision == neardup.New
		}
		return nil
	})
	if want := map[string]bool{"a": true, "b": true, "d": true, "f": true, "g": true}; err != nil || !maps.Equal(none, want) {
		t.Errorf("new for want of text: %v, want %v: %v", none, want, err)
	}
	for _, clean := range []string{"", " \t", "x y z"} {
		m := shingled{}
		if v := Verify(m, Text{clean, m.Prepare(clean)}, Text{"", m.Prepare("")}); v.Near || v.Basis != neardup.BasisBlank {
			t.Errorf("no text and %q: %+v", clean, v)
		}
	}
}

// TestNoSource checks that a run without a source returns an error and does not panic.
func TestNoSource(t *testing.T) {
	cfg := Config{Method: shingled{}}
	_, dedup := Dedup(t.Context(), nil, cfg, func(Outcome) error { return nil })
	_, pairs := Pairs(t.Context(), nil, cfg, func(Pair) error { return nil })
	for verb, err := range map[string]error{"dedup": dedup, "pairs": pairs} {
		if err == nil || !strings.Contains(err.Error(), "no source of documents") {
			t.Errorf("%s: %v", verb, err)
		}
	}
}
