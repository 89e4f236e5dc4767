package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/text"
)

// lossy is shingled with only some of its keys, so that pairs are missed.
type lossy struct {
	shingled
	of uint64 // one key in this many
}

func (m lossy) Record(clean string, rec *neardup.Record) {
	m.shingled.Record(clean, rec)
	rec.Index = slices.DeleteFunc(rec.Index, func(k uint64) bool { return feature.Mix(k^0x9e3779b97f4a7c15)%m.of != 0 })
}

func audited(t *testing.T, docs []neardup.Document, cfg Config) *Summary {
	t.Helper()
	cfg.Audit = &audit.Config{Threshold: .5, Lax: shingled{threshold: .3}, List: 10}
	sum, err := Dedup(context.Background(), Documents(docs), cfg, func(Outcome) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func foundEdits(a *audit.Result) (found, near int) {
	for _, e := range a.Edits {
		found, near = found+e.Found, near+e.Near
	}
	return found, near
}

// TestAuditChangesNothing checks that an audit does not change the digest, and that its figures do not depend on the workers.
func TestAuditChangesNothing(t *testing.T) {
	docs := randomDocs(7, 600)
	for _, link := range []Link{ByLeader, Components} {
		for _, keep := range []Keep{First, Longest} {
			cfg := Config{Method: shingled{threshold: .5}, Clean: text.Default(), Workers: 1, Keep: keep, Link: link}
			_, plain := runDedup(t, docs, cfg)
			one := audited(t, docs, cfg)
			if one.Digest != plain.Digest {
				t.Errorf("%s, %s: the digest is %s with an audit, %s without", link, keep, one.Digest, plain.Digest)
			}
			cfg.Workers = 5
			five := audited(t, docs, cfg)
			if d := gocmp.Diff(one.Audit, five.Audit, cmpopts.IgnoreFields(audit.Result{}, "Time")); d != "" {
				t.Errorf("%s, %s: one worker and five differ: %s", link, keep, d)
			}
			if found, near := foundEdits(one.Audit); near < 50 || found != near || one.Audit.Sample.Near < 20 || one.Audit.Sample.Found != one.Audit.Sample.Near {
				t.Errorf("%s, %s: a method that misses nothing finds %d of %d edits, %+v", link, keep, found, near, one.Audit.Sample)
			}
		}
	}
}

// TestAuditSeesMisses checks that dropped keys lower both recalls.
func TestAuditSeesMisses(t *testing.T) {
	docs := randomDocs(7, 600)
	last := 2.0
	for _, of := range []uint64{1, 6, 30} {
		a := audited(t, docs, Config{Method: lossy{shingled{threshold: .5}, of}}).Audit
		found, near := foundEdits(a)
		edited, sampled := float64(found)/float64(near), float64(a.Sample.Found)/float64(a.Sample.Near)
		if max(edited, sampled) >= last || (of == 1 && min(edited, sampled) < 1) {
			t.Errorf("of one key in %d, %.3f of the edits and %.3f of the sample are found", of, edited, sampled)
		}
		last = min(edited, sampled)
	}
}

// TestAuditInterval checks that in 100 runs the interval of the sample covers the recall
// that brute force gives at least 90 times.
func TestAuditInterval(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred runs tell of chance, not of goroutines")
	}
	covered, misses := 0, 0
	for seed := range uint64(100) {
		m := lossy{shingled{threshold: .5}, 4 + seed%5}
		docs := randomFamilies(seed, 500)
		truth := trueRecall(m, docs)
		s := audited(t, docs, Config{Method: m}).Audit.Sample
		r := eval.NewClusteredRate(s.Found, s.Near, s.Groups)
		if r.Low <= truth && truth <= r.High {
			covered++
		} else {
			t.Logf("%d: %v does not cover %.4f", seed, r, truth)
		}
		if truth < 1 {
			misses++
		}
	}
	if covered < 90 || misses < 90 {
		t.Errorf("%d of 100 intervals cover the recall; in %d runs there is something to miss", covered, misses)
	}
}

// randomFamilies makes distinct texts in small families of edits.
func randomFamilies(seed uint64, n int) []neardup.Document {
	rng := rand.New(rand.NewPCG(seed, 2))
	docs := make([]neardup.Document, 0, n)
	word := func() string {
		return string(rune('a'+rng.IntN(26))) + string(rune('a'+rng.IntN(26))) + string(rune('a'+rng.IntN(26)))
	}
	for len(docs) < n {
		var words []string
		for range 8 + rng.IntN(10) {
			words = append(words, word())
		}
		for range 1 + rng.IntN(4) {
			member := slices.Clone(words)
			for range rng.IntN(3) {
				member[rng.IntN(len(member))] = word()
			}
			s := ""
			for _, w := range member {
				s += w + " "
			}
			docs = append(docs, neardup.Document{ID: s, Text: s})
		}
	}
	return docs[:n]
}

// trueRecall compares all pairs of different texts.
func trueRecall(m lossy, docs []neardup.Document) float64 {
	views, recs := make([]neardup.Prepared, len(docs)), make([]neardup.Record, len(docs))
	for i := range docs {
		views[i] = m.Prepare(docs[i].Text)
		m.Record(docs[i].Text, &recs[i])
	}
	near, found := 0, 0
	for i := range docs {
		for k := range i {
			if !m.Plausible(recs[i].Sketch, recs[k].Sketch) || docs[i].Text == docs[k].Text || !m.Compare(views[i], views[k]).Near {
				continue
			}
			near++
			if slices.ContainsFunc(recs[i].Index, func(key uint64) bool { return slices.Contains(recs[k].Index, key) }) {
				found++
			}
		}
	}
	return float64(found) / float64(near)
}

// TestAuditSideBySide: workers that compare a sample with all texts share only their results. The race detector
// checks it.
func TestAuditSideBySide(t *testing.T) {
	docs := make([]neardup.Document, 10*1024)
	for i := range docs {
		docs[i] = neardup.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("text %d of %d", i, i*i)}
	}
	cfg := Config{Method: shingled{threshold: .5}, Workers: 4}
	if s := audited(t, docs, cfg).Audit.Sample; s.Texts != 64 || s.Against < 1024 {
		t.Errorf("%+v", s)
	}
}
