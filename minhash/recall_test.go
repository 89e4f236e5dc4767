package minhash_test

import (
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/minhash"
)

// bandsOfJ are the bands of similarity that recall is reported by.
var bandsOfJ = [...]float64{0.7, 0.8, 0.9}

type recallCounts struct{ found, all [len(bandsOfJ)]int }

func (c *recallCounts) add(j float64, found bool) {
	for i := len(bandsOfJ) - 1; i >= 0; i-- {
		if j >= bandsOfJ[i] {
			c.all[i]++
			if found {
				c.found[i]++
			}
			return
		}
	}
}

// from returns the recall of all pairs at or above bandsOfJ[i].
func (c *recallCounts) from(i int) float64 {
	found, all := 0, 0
	for ; i < len(bandsOfJ); i++ {
		found, all = found+c.found[i], all+c.all[i]
	}
	return float64(found) / float64(all)
}

// TestRecall measures the promised recall of the bands on real texts, with the shingles of the oracle. It
// compares pairs that share a key, are plausible and near, with every pair at or above the threshold.
func TestRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("reads and sketches 100 MB of text")
	}
	var total recallCounts
	for _, set := range []featuretest.Set{featuretest.OTA, featuretest.LCTT, featuretest.TiDB, featuretest.Laws} {
		m, err := minhash.New(minhash.Config{Shingle: set.Shingle, Threshold: 0.7})
		if err != nil {
			t.Fatal(err)
		}
		texts := set.Texts(t)
		records := make([]neardup.Record, len(texts.Clean))
		views := make([]neardup.Prepared, len(texts.Clean))
		view := func(i int) neardup.Prepared {
			if views[i] == nil {
				views[i] = m.Prepare(texts.Clean[i])
				m.Record(texts.Clean[i], &records[i])
			}
			return views[i]
		}
		var c recallCounts
		for _, p := range set.Pairs(t) {
			if p.Jaccard < 0.7 {
				continue
			}
			a, b := texts.Index[p.A], texts.Index[p.B]
			match := m.Compare(view(a), view(b))
			if match.Near && !m.Plausible(records[a].Sketch, records[b].Sketch) {
				t.Errorf("%s and %s are near and not plausible", p.A, p.B)
			}
			found := match.Near && share(records[a].Index, records[b].Index)
			c.add(p.Jaccard, found)
			total.add(p.Jaccard, found)
		}
		t.Logf("%-22s .7-.8 %d of %d, .8-.9 %d of %d, .9-1 %d of %d", set.Name,
			c.found[0], c.all[0], c.found[1], c.all[1], c.found[2], c.all[2])
	}
	t.Logf("recall at J >= .7 %.4f, >= .8 %.4f, >= .9 %.4f; within .7-.8 %.4f", total.from(0), total.from(1),
		total.from(2), float64(total.found[0])/float64(total.all[0]))
	if total.from(0) < 0.98 || total.from(1) < 0.99 {
		t.Error("recall is below .98 at .7 or .99 at .8")
	}
}

func share(a, b []uint64) bool {
	for i := range a {
		if a[i] == b[i] {
			return true
		}
	}
	return false
}
