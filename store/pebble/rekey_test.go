package pebble_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/store/pebble"
)

// jaccardAt returns settings with a word Jaccard threshold that find every pair.
func jaccardAt(threshold float64) docid.Settings {
	return docid.Settings{URL: docid.Exact, Content: docid.Near, ContentMethod: func(seed uint64, _ []byte) (neardup.Method, error) {
		return methods.New(fmt.Sprintf("jaccard threshold=%v shingle=words:1 seed=%d", threshold, seed))
	}}
}

// families submits articles of a few families with some words replaced, some near and some less.
func families(t *testing.T, d *docid.Detector, n int, r *rand.Rand) {
	t.Helper()
	for i := range n {
		family, words := r.IntN(6), make([]string, 20)
		for w := range words {
			words[w] = fmt.Sprintf("family%dword%d", family, w)
			if r.IntN(100) < []int{0, 5, 15, 30}[i%4] {
				words[w] = fmt.Sprintf("other%d", r.IntN(40))
			}
		}
		var sub docid.Submission
		sub.ID, sub.Text, sub.Heat = fmt.Sprint("nid", i), strings.Join(words, " "), int64(r.IntN(50))
		if r.IntN(4) == 0 {
			sub.URL = fmt.Sprintf("http://a.example/%d", r.IntN(n))
		}
		_, err := d.Add(t.Context(), sub)
		ok(t, err)
	}
}

// placed records the docId of every article of a store, and the stored texts.
type placed struct {
	homes   map[string]string // docId by nid
	leaders []uint64
	groups  map[uint64]docid.Group
	stages  map[string]docid.Stage
	texts   map[uint64]string // texts of leaders
}

func placesOf(t *testing.T, d *docid.Detector) placed {
	t.Helper()
	p := placed{homes: map[string]string{}, groups: map[uint64]docid.Group{}, stages: map[string]docid.Stage{}, texts: map[uint64]string{}}
	log, err := d.Index().Catalog().Log(t.Context(), 0, 1<<20)
	ok(t, err)
	for _, e := range log {
		p.stages[e.NID] = e.Evidence.Stage
		if !e.Leads() {
			continue
		}
		g, err := d.Index().Catalog().Group(t.Context(), e.Seq, 0, 1<<20)
		if errors.Is(err, docid.ErrEnded) {
			continue
		}
		ok(t, err)
		m, err := d.Index().Material(t.Context(), e.Seq)
		ok(t, err)
		p.leaders, p.groups[e.Seq], p.texts[e.Seq] = append(p.leaders, e.Seq), g, m.Text
		for _, m := range g.Members {
			p.homes[m.ID] = d.DocIDs().DocID(e.Seq)
		}
	}
	return p
}

// expected compares every text with every leader. It returns for each moved article the nid of its new leader,
// or "" for a docId of its own.
func expected(t *testing.T, p placed, m neardup.Method) map[string]string {
	t.Helper()
	moves, home := map[string]string{}, map[uint64]uint64{}
	next := uint64(1 << 40) // numbers of new docIds
	leaders, texts, names := slices.Clone(p.leaders), map[uint64]string{}, map[uint64]string{}
	for _, l := range leaders {
		texts[l], names[l], home[l] = p.texts[l], p.groups[l].NID, l
	}
	best := func(text string, counts func(uint64) bool) (found uint64) {
		var most neardup.Match
		for _, l := range leaders {
			if match := m.Compare(m.Prepare(text), m.Prepare(texts[l])); counts(l) && match.Near && (found == 0 || match.Similarity > most.Similarity) {
				found, most = l, match
			}
		}
		return found
	}
	for _, l := range p.leaders {
		g := p.groups[l]
		size := g.Size
		if k := g.Kept; k != nil && k.ID != g.NID && p.stages[k.ID] != docid.StageURL && !m.Compare(m.Prepare(k.Text), m.Prepare(texts[l])).Near {
			size--
			to := best(k.Text, func(other uint64) bool { return other != l })
			moves[k.ID] = names[home[to]]
			if to == 0 {
				next++
				leaders, texts[next], names[next], home[next] = append(leaders, next), k.Text, k.ID, next
			}
		}
		if to := best(texts[l], func(other uint64) bool { return other < l }); to != 0 && size == 1 {
			home[l] = home[to]
			moves[g.NID] = names[home[to]]
		}
	}
	return moves
}

// rekeyed copies a folder with other settings, and returns the moves.
func rekeyed(t *testing.T, dir, to string, s docid.Settings) (moves []docid.Moved, sum docid.Rejudged) {
	t.Helper()
	ok(t, pebble.Rebuild(t.Context(), dir, to, pebble.Options{}, false, func(st *pebble.Store, tenant string, from docid.Source) error {
		b := docid.Rebuild{Store: st, Source: from, Tenant: tenant, Settings: s, Rejudge: true}
		_, err := b.Run(t.Context())
		ok(t, err)
		d, err := docid.NewDetector(t.Context(), st, tenant, s)
		ok(t, err)
		sum, err = d.Rejudge(t.Context(), nil, func(r docid.Moved) error {
			moves = append(moves, r)
			return nil
		})
		ok(t, err)
		again, err := d.Rejudge(t.Context(), nil, func(r docid.Moved) error {
			t.Errorf("moved again: %+v", r)
			return nil
		})
		if again.Moved != 0 {
			t.Errorf("judged again: %+v", again)
		}
		return err
	}))
	return moves, sum
}

// TestRekey changes the Jaccard threshold of stores. Exactly the articles that a full comparison predicts must
// move, the original must not change, and both must pass a check.
func TestRekey(t *testing.T) {
	moved := map[float64]int{}
	for seed := range uint64(2) {
		for _, threshold := range []float64{.3, .45, .6, .9} {
			dir := filepath.Join(t.TempDir(), "store")
			s, err := pebble.Open(t.Context(), dir, pebble.Options{Postings: 256})
			ok(t, err)
			d, err := docid.NewDetector(t.Context(), s, "default", jaccardAt(.6))
			ok(t, err)
			families(t, d, 120, rand.New(rand.NewPCG(seed, 1)))
			ok(t, func() error { _, err := d.End(t.Context(), d.DocIDs().DocID(1)); return err }())
			before := placesOf(t, d)
			ok(t, s.Close())

			to, settings := dir+".anew", jaccardAt(threshold)
			method, err := settings.ContentMethod(d.Index().Identity().Seed, nil)
			ok(t, err)
			want := expected(t, before, method)
			moves, sum := rekeyed(t, dir, to, settings)
			twice, _ := rekeyed(t, dir, to+"2", settings)
			moved[threshold] += len(moves)

			after := reopened(t, to, settings)
			if sum.Moved != len(want) || len(moves) != len(want) || len(twice) != len(want) {
				t.Fatalf("seed %d at %v: %d moved, and %d, want %v: %v", seed, threshold, len(moves), len(twice), want, moves)
			}
			for i, r := range moves {
				lead, there := want[r.NID]
				if own := lead == ""; !there || (own && after.homes[r.NID] == r.Before) || (!own && after.homes[r.NID] != after.homes[lead]) {
					t.Errorf("seed %d at %v: %+v, want it with %q", seed, threshold, r, lead)
				}
				if r.Before != before.homes[r.NID] || r.DocID != after.homes[r.NID] || r.Why == "" {
					t.Errorf("seed %d at %v: %+v, was %s, is %s", seed, threshold, r, before.homes[r.NID], after.homes[r.NID])
				}
				if again := twice[i]; again.NID != r.NID || again.Before != r.Before || again.Why != r.Why {
					t.Errorf("seed %d at %v: %+v, the second time %+v", seed, threshold, r, again)
				}
			}
			for nid, docID := range before.homes {
				if _, moves := want[nid]; !moves && after.homes[nid] != docID {
					t.Errorf("seed %d at %v: %s was %s and is %s, and nobody said so", seed, threshold, nid, docID, after.homes[nid])
				}
			}
			well(t, to)
			well(t, dir)
			if old := reopened(t, dir, jaccardAt(.6)); fmt.Sprint(old.homes) != fmt.Sprint(before.homes) {
				t.Error("the store of before has changed")
			}
		}
	}
	if moved[.6] != 0 || moved[.3] == 0 || moved[.9] == 0 {
		t.Errorf("moved by threshold: %v", moved)
	}
}

func reopened(t *testing.T, dir string, settings docid.Settings) placed {
	t.Helper()
	s, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	d, err := docid.NewDetector(t.Context(), s, "default", settings)
	ok(t, err)
	p := placesOf(t, d)
	ok(t, s.Close())
	return p
}

// TestRekeyObeysPeople checks that corrections and rulings of people are kept.
func TestRekeyObeysPeople(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	st, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	d, err := docid.NewDetector(t.Context(), st, "default", jaccardAt(.5))
	ok(t, err)
	add := func(nid, text string, heat int64) {
		var sub docid.Submission
		sub.ID, sub.Text, sub.Heat = nid, text, heat
		_, err := d.Add(t.Context(), sub)
		ok(t, err)
	}
	add("leader", "one two three four five six seven eight", 0)
	add("ruled", "one two three four five six nine ten", 3)
	add("other", "red green blue white black pink", 0)
	add("twin", "red green blue white black grey", 7)
	_, err = d.Rule(t.Context(), "leader", "ruled", docid.Ruling{Who: "ann", Link: "must"})
	ok(t, err)
	_, err = d.Correct(t.Context(), docid.Correcting{NID: "twin", With: "ruled", Who: "ann"})
	ok(t, err)
	before := placesOf(t, d)
	ok(t, st.Close())
	moves, sum := rekeyed(t, dir, dir+".anew", jaccardAt(.9))
	if after := reopened(t, dir+".anew", jaccardAt(.9)); len(moves) != 0 || sum.Moved != 0 || fmt.Sprint(after.homes) != fmt.Sprint(before.homes) {
		t.Errorf("%+v moved, %+v", moves, sum)
	}
}

// TestRekeyTellsTheSinks checks that a moved article is delivered to the sinks like any change.
func TestRekeyTellsTheSinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	st, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	d, err := docid.NewDetector(t.Context(), st, "default", jaccardAt(.6))
	ok(t, err)
	_, err = d.Index().Outbox().Attach(t.Context(), "map")
	ok(t, err)
	families(t, d, 60, rand.New(rand.NewPCG(1, 1)))
	last, err := d.Index().Catalog().Stats(t.Context())
	ok(t, err)
	ok(t, d.Index().Outbox().Acknowledge(t.Context(), "map", last.Seq))
	ok(t, st.Close())
	moves, _ := rekeyed(t, dir, dir+".anew", jaccardAt(.9))
	st, err = pebble.Open(context.Background(), dir+".anew", pebble.Options{})
	ok(t, err)
	defer st.Close()
	d, err = docid.NewDetector(t.Context(), st, "default", jaccardAt(.9))
	ok(t, err)
	waiting, err := d.Index().Outbox().Pending(t.Context(), last.Seq, 1000)
	ok(t, err)
	var told []string
	for _, w := range waiting {
		if w.Kind == docid.KindCorrect && w.Article != nil {
			told = append(told, w.NID)
		}
	}
	if len(moves) == 0 || len(told) != len(moves) {
		t.Errorf("%d moved, the sinks hear of %v", len(moves), told)
	}
}

// TestRebuildByAnotherMethod restores a lost index from its sinks with another method. The result must equal
// that of Rekey on its folder.
func TestRebuildByAnotherMethod(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	st, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	d, err := docid.NewDetector(t.Context(), st, "default", jaccardAt(.6))
	ok(t, err)
	history, library := storetest.KeptSinks()
	families(t, d, 80, rand.New(rand.NewPCG(2, 1)))
	for name, sink := range map[string]docid.Sink{"map": history, "articles": library} {
		relay, err := d.Relay(t.Context(), name, sink)
		ok(t, err)
		_, err = relay.Drain(t.Context())
		ok(t, err)
	}
	ok(t, st.Close())
	want, _ := rekeyed(t, dir, dir+".anew", jaccardAt(.9))

	made, err := pebble.Open(t.Context(), filepath.Join(t.TempDir(), "made"), pebble.Options{})
	ok(t, err)
	b := docid.Rebuild{Store: made, Source: docid.SourceOf(history, library), Tenant: "default", Settings: jaccardAt(.9)}
	if _, err := b.Run(t.Context()); !errors.Is(err, neardup.ErrUnlike) {
		t.Errorf("by other settings that nobody asked for: %v", err)
	}
	b.Rejudge = true
	_, err = b.Run(t.Context())
	ok(t, err)
	d, err = docid.NewDetector(t.Context(), made, "default", jaccardAt(.9))
	ok(t, err)
	var got []docid.Moved
	_, err = d.Rejudge(t.Context(), nil, func(r docid.Moved) error {
		got = append(got, r)
		return nil
	})
	ok(t, err)
	ok(t, made.Close())
	if len(got) == 0 || len(got) != len(want) {
		t.Fatalf("%d moved, %d of the folder", len(got), len(want))
	}
	for i, r := range got {
		if w := want[i]; r.NID != w.NID || r.Before != w.Before || r.Why != w.Why {
			t.Errorf("%+v, of the folder %+v", r, w)
		}
	}
}

// TestRekeyFindsNames checks that a stage that was off finds articles from before it was on.
func TestRekeyFindsNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	st, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	s := jaccardAt(.6)
	s.URL = docid.Off
	d, err := docid.NewDetector(t.Context(), st, "default", s)
	ok(t, err)
	var sub docid.Submission
	for nid, text := range map[string]string{"first": "one two three", "second": "one two three"} {
		sub.ID, sub.URL, sub.Text = nid, "http://a.example/"+nid, text
		_, err := d.Add(t.Context(), sub)
		ok(t, err)
	}
	ok(t, st.Close())
	rekeyed(t, dir, dir+".anew", jaccardAt(.6))
	well(t, dir+".anew")
	st, err = pebble.Open(t.Context(), dir+".anew", pebble.Options{})
	ok(t, err)
	defer st.Close()
	d, err = docid.NewDetector(t.Context(), st, "default", jaccardAt(.6))
	ok(t, err)
	for _, nid := range []string{"first", "second"} {
		sub.ID, sub.URL, sub.Text = "", "http://a.example/"+nid, "something else"
		if a, err := d.Add(t.Context(), sub); err != nil || a.LeaderSeq != 1 || a.Stage != docid.StageURL {
			t.Errorf("by the url of %s: %+v, %v", nid, a, err)
		}
	}
}

// well checks a folder and wants no problems.
func well(t *testing.T, dir string) {
	t.Helper()
	report, err := pebble.Check(t.Context(), dir, pebble.Options{})
	ok(t, err)
	if len(report.Problems) > 0 {
		t.Errorf("problems: %+v", report.Problems)
	}
}
