package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
)

// judgedAll is a method without stages; it counts its comparisons.
type judgedAll struct {
	neardup.TwoStage
	n *atomic.Int64
}

func (m judgedAll) Screen(a, b neardup.Prepared) (neardup.Match, bool) {
	match := m.Compare(a, b)
	if match.Closeness != 0 || match.Variant {
		m.n.Add(1)
	}
	return match, true
}

// judgedInTurn counts what is judged.
type judgedInTurn struct {
	neardup.TwoStage
	n *atomic.Int64
}

func (m judgedInTurn) Screen(a, b neardup.Prepared) (neardup.Match, bool) {
	return neardup.Screen(m.TwoStage, a, b)
}

func (m judgedInTurn) Decide(a, b neardup.Prepared, closeness float64) neardup.Match {
	m.n.Add(1)
	return m.TwoStage.Decide(a, b, closeness)
}

// reports returns texts of one form, each of another town. Some omit the town and other words, and equal
// several of them. Each third text recurs.
func reports(seed uint64, n, words int) (docs []neardup.Document) {
	r := rand.New(rand.NewPCG(seed, 4))
	form := make([]string, words)
	for i := range form {
		form[i] = strings.Repeat(string(rune('a'+r.IntN(26))), 2) + "ing" + string(rune('a'+r.IntN(26)))
	}
	for i := range n {
		if i%3 == 2 {
			docs = append(docs, neardup.Document{Text: docs[r.IntN(i)].Text})
		} else {
			var text []string
			for _, w := range form {
				if r.IntN(words) > 2 {
					text = append(text, w)
				}
			}
			if i%2 == 0 {
				at := len(text) / 2
				text = append(text[:at:at], append([]string{[]string{"paris", "madrid", "london", "berlin", "vienna", "oslo"}[r.IntN(6)]}, text[at:]...)...)
			}
			docs = append(docs, neardup.Document{Text: strings.Join(text, " ")})
		}
		docs[i].ID = fmt.Sprint(i)
	}
	return docs
}

// A text is removed for the closest leader that contains it, and the others are not judged. The kept texts and
// the leaders are as if all were judged, also for copies and in partitions.
func TestJudgingInTurnChangesNothing(t *testing.T) {
	decide := func(docs []neardup.Document, cfg batch.Config) (all []neardup.Decision) {
		_, err := batch.Dedup(context.Background(), batch.Documents(docs), cfg, func(o batch.Outcome) error {
			o.Conflicts = nil
			all = append(all, o.Decision)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for name, cfg := range map[string]string{
		"short": "limit=4000", "long": "limit=40", "lossless": "limit=4000 lossless=.9", "long, lossless": "limit=40 lossless=.9",
		"contained": "limit=40 containment=.5", "lossless, contained": "limit=40 containment=.5 lossless=.9",
	} {
		t.Run(name, func(t *testing.T) {
			m, err := methods.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			var every, some atomic.Int64
			for seed := range seeds {
				docs := reports(seed, 150, 24+int(seed)*4)
				for _, keep := range []batch.Keep{batch.First, batch.Longest} {
					want := decide(docs, batch.Config{Method: judgedAll{m.(neardup.TwoStage), &every}, Keep: keep})
					for _, memory := range []int64{1 << 14, 1 << 26} {
						got := decide(docs, batch.Config{Method: judgedInTurn{m.(neardup.TwoStage), &some}, Keep: keep, Memory: memory, Workers: 2})
						if diff := gocmp.Diff(want, got); diff != "" {
							t.Fatalf("seed %d, %s first, memory %d (-all judged +in turn):\n%s", seed, keep, memory, diff)
						}
					}
				}
			}
			t.Logf("judged %d of %d", some.Load()/2, every.Load())
			if 3*some.Load() > 4*every.Load() && !strings.Contains(cfg, "lossless") {
				t.Errorf("more than two thirds were judged: %d of %d", some.Load()/2, every.Load())
			}
		})
	}
}
