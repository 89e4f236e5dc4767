package storetest

import (
	"testing"
)

// testPacking adds articles from 16 clients and compares all pairs of leaders by brute force. No two may be near (I-2),
// because the method of the tests misses nothing.
func testPacking(t *testing.T, p Backend) {
	o := start(t, p)
	together(func(c int) {
		texts := NewTexts(uint64(c)+500, 25)
		for range 50 {
			sub := texts.Next()
			sub.URL = "" // a url may join texts that are not near
			sub.Text = texts.Vary(sub.Text, 25)
			o.add(sub)
		}
	})
	m := Jaccard{Threshold: Threshold}
	var sets []grams
	var seqs []uint64
	entries, err := o.Index().Catalog().Log(t.Context(), 0, 1<<20)
	must(t, "log", err, nil)
	for _, e := range entries {
		if e.Leader != e.Seq {
			continue
		}
		mat, err := o.Index().Material(t.Context(), e.Seq)
		must(t, "material", err, nil)
		g := m.grams(mat.Text)
		for i, other := range sets {
			if s := jaccard(g, other); s >= Threshold {
				t.Errorf("leaders %d and %d have similarity %.3f", seqs[i], e.Seq, s)
			}
		}
		sets, seqs = append(sets, g), append(seqs, e.Seq)
	}
	t.Logf("%d articles, %d leaders, %d pairs", len(entries), len(sets), len(sets)*(len(sets)-1)/2)
}
