package batch

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

func stream(edges []Edge) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for _, e := range edges {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func chosen(t *testing.T, edges []Edge) (out []Edge) {
	t.Helper()
	for e, err := range Leaders(stream(edges)) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func edgeOf(earlier, later Ordinal, m neardup.Match) Edge {
	return Edge{Earlier: earlier, Later: later, Match: m}
}

func TestLeadersChooseTheStrongest(t *testing.T) {
	at := func(similarity float64, distance int) neardup.Match {
		return neardup.Match{Similarity: similarity, Distance: distance, Near: true}
	}
	same := EqualMatch(shingled{}, "x")
	other := neardup.Match{Similarity: .95, Variant: true}
	for _, c := range []struct {
		what  string
		edges []Edge
		want  []Edge
	}{
		{"nothing", nil, nil},
		{"a chain ends at its leader", []Edge{edgeOf(0, 1, at(.9, 0)), edgeOf(1, 2, at(.9, 0))}, []Edge{edgeOf(0, 1, at(.9, 0))}},
		{"most similar", []Edge{edgeOf(0, 2, at(.8, 0)), edgeOf(1, 2, at(.9, 5))}, []Edge{edgeOf(1, 2, at(.9, 5))}},
		{"then nearest", []Edge{edgeOf(0, 2, at(.8, 3)), edgeOf(1, 2, at(.8, 2))}, []Edge{edgeOf(1, 2, at(.8, 2))}},
		{"then earliest", []Edge{edgeOf(0, 2, at(.8, 3)), edgeOf(1, 2, at(.8, 3))}, []Edge{edgeOf(0, 2, at(.8, 3))}},
		{"equal text first", []Edge{edgeOf(0, 2, at(1, -1)), edgeOf(1, 2, same)}, []Edge{edgeOf(1, 2, same)}},
		{"a variant is kept and named", []Edge{edgeOf(0, 1, other), edgeOf(1, 2, at(.8, 0))}, []Edge{edgeOf(0, 1, other), edgeOf(1, 2, at(.8, 0))}},
		{"near before variant", []Edge{edgeOf(0, 2, other), edgeOf(1, 2, at(.8, 0))}, []Edge{edgeOf(1, 2, at(.8, 0))}},
		{"a variant of a duplicate is of nothing", []Edge{edgeOf(0, 1, at(.8, 0)), edgeOf(1, 2, other)}, []Edge{edgeOf(0, 1, at(.8, 0))}},
		{"far places", []Edge{edgeOf(1, 1<<40, at(.8, 0)), edgeOf(1<<40, 1<<41, at(.8, 0))}, []Edge{edgeOf(1, 1<<40, at(.8, 0))}},
	} {
		if diff := gocmp.Diff(c.want, chosen(t, c.edges)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

func TestLeadersRefuseAnotherOrder(t *testing.T) {
	m := neardup.Match{Near: true, Similarity: 1}
	for _, edges := range [][]Edge{
		{edgeOf(2, 1, m)}, {edgeOf(1, 1, m)}, {edgeOf(0, 2, m), edgeOf(0, 1, m)}, {edgeOf(1, 2, m), edgeOf(0, 2, m)},
	} {
		var last error
		for _, err := range Leaders(stream(edges)) {
			last = err
		}
		if !errors.Is(last, ErrOrder) {
			t.Errorf("%v: error %v", edges, last)
		}
	}
	gone := errors.New("gone")
	for _, err := range Leaders(func(yield func(Edge, error) bool) { yield(Edge{}, gone) }) {
		if !errors.Is(err, gone) {
			t.Errorf("an error of the edges becomes %v", err)
		}
	}
}

// What Dedup decides by comparing with leaders only, Leaders decides from all
// pairs, also where copies of a removed text get a later leader.
func TestLeadersOfAllPairsAreThoseOfDedup(t *testing.T) {
	for seed := range uint64(20) {
		docs := randomDocs(seed, 30+int(seed)*12)
		cfg := Config{Method: shingled{threshold: []float64{.3, .5, .8}[seed%3]}}
		want := map[string]verdict{}
		all, _ := runDedup(t, docs, cfg)
		for id, v := range all {
			if v.Leader != "" {
				want[id] = v
			}
		}
		var edges []Edge
		_, err := Pairs(context.Background(), Documents(docs), cfg, func(p Pair) error {
			if docs[p.Earlier].ID != p.A || docs[p.Later].ID != p.B {
				t.Fatalf("%s and %s are at %d and %d", p.A, p.B, p.Earlier, p.Later)
			}
			edges = append(edges, p.Edge)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]verdict{}
		for _, e := range chosen(t, edges) {
			got[docs[e.Later].ID] = verdict{docs[e.Earlier].ID, e.Similarity}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: (-dedup +from pairs):\n%s", seed, diff)
		}
		rand.New(rand.NewPCG(seed, 5)).Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		slices.SortFunc(edges, Edge.Compare)
		for _, e := range chosen(t, edges) {
			if want[docs[e.Later].ID] != (verdict{docs[e.Earlier].ID, e.Similarity}) {
				t.Fatalf("seed %d: sorted edges give another leader for %d", seed, e.Later)
			}
		}
	}
}

// Late leaders are as many as the copies have partners. They are spilled, and read back by text and in order.
func TestLateLeadersAreKeptOnDisk(t *testing.T) {
	j, err := newJob(Config{Method: shingled{}, Memory: 1 << 14, Tmp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer j.disk.Close()
	const texts, each = 500, 100
	l, states := newLateLeaders(j), external.NewTypedArray[position, state](j.disk, 0)
	if err := states.Grow(texts + 1); err != nil {
		t.Fatal(err)
	}
	for i := range texts * each {
		k := i * 7919 % (texts * each)
		if err := l.note(lateRow{position(k / each), state{leader: position(k%each + 1000)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.sort(context.Background(), states); err != nil {
		t.Fatal(err)
	}
	for p := range position(texts + 1) {
		st, err := states.Get(p)
		if err != nil {
			t.Fatal(err)
		}
		next := position(1000)
		err = l.each(st, func(late state) error {
			if late.leader != next {
				t.Fatalf("text %d: leader %d, want %d", p, late.leader, next)
			}
			next++
			return nil
		})
		if want := position(1000 + each); err != nil || (p < texts && next != want) || (p == texts && next != 1000) {
			t.Fatalf("text %d has %d late leaders (%v)", p, next-1000, err)
		}
	}
	if l.found.Resident() > 4 || j.disk.Written() == 0 {
		t.Errorf("%d pages in memory, 4 allowed; %d bytes written", l.found.Resident(), j.disk.Written())
	}
}

func TestResultDigestsMergeAndParse(t *testing.T) {
	all, a, b := NewResultDigest(), NewResultDigest(), NewResultDigest()
	for i, part := range []*ResultDigest{a, b, a, b, b} {
		d := neardup.Decision{ID: string(rune('a' + i)), Decision: neardup.New}
		all.Add(d)
		part.Add(d)
	}
	parsed, err := ParseResultDigest(b.String())
	if err != nil {
		t.Fatal(err)
	}
	a.Merge(parsed)
	if a.String() != all.String() {
		t.Errorf("merged digest %s, want %s", a, all)
	}
	for _, s := range []string{"", "12", all.String() + "00", "g" + all.String()[1:]} {
		if _, err := ParseResultDigest(s); err == nil {
			t.Errorf("%q is taken for a digest", s)
		}
	}
}

func TestVariantIsPartOfTheDigest(t *testing.T) {
	plain, of := NewResultDigest(), NewResultDigest()
	plain.Add(neardup.Decision{ID: "b", Decision: neardup.New})
	of.Add(neardup.Decision{ID: "b", Decision: neardup.New, VariantOf: "a"})
	if plain.String() == of.String() {
		t.Error("a variant has the digest of a document by itself")
	}
}
