package ledger

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// found is a Reader of rows in a map.
type found map[string][]byte

func (f found) Get(key []byte) ([]byte, error)                          { return f[string(key)], nil }
func (f found) Scan(_, _ []byte, _ func(key, value []byte) error) error { return nil }

// TestSegment builds a segment of random postings, with runs that cross chunks. It must find exactly the
// postings of each key, in order.
func TestSegment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, rows, want := newPostings(), found{}, map[uint64][]posting{}
		var all []segmented
		for seq := uint64(1); seq <= uint64(rapid.IntRange(0, 400).Draw(t, "leaders")); seq++ {
			n := p.lead(seq, 0, 0)
			for _, k := range rapid.SliceOfNDistinct(rapid.Uint64Range(0, 5), 1, 4, rapid.ID).Draw(t, "keys") {
				k *= 0x9e3779b97f4a7c15
				all = append(all, segmented{k, seq, seq})
				want[k] = append(want[k], posting{seq, n})
			}
		}
		slices.SortFunc(all, segmented.compare)
		b := &builder{segment: &segment{tenant: 1, number: 1, filter: newFilter(len(all))}, write: func(rs []row) error {
			for _, r := range rs {
				rows[string(r.key)] = r.value
			}
			return nil
		}}
		for _, a := range all {
			if err := b.add(a); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.finish(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // from the rows, then from the cache
			for k := range uint64(8) {
				k *= 0x9e3779b97f4a7c15
				got, err := b.find(rows, k, p)
				if err != nil || !slices.Equal(got, want[k]) {
					t.Fatalf("key %x: %v, %v; want %v", k, got, err, want[k])
				}
			}
		}
	})
}

// TestFilter checks that the filter passes all added keys and few others.
func TestFilter(t *testing.T) {
	const n = 20_000
	f, passed := newFilter(n), 0
	for k := range uint64(n) {
		f.add((k + 1) * 0x9e3779b97f4a7c15)
	}
	for k := range uint64(n) {
		if !f.has((k + 1) * 0x9e3779b97f4a7c15) {
			t.Fatalf("key %d is missed", k)
		}
		if f.has((k + 1 + n) * 0x9e3779b97f4a7c15) {
			passed++
		}
	}
	if passed > n/50 {
		t.Errorf("%d of %d keys that are not there pass", passed, n)
	}
	t.Logf("%.2f %% pass", 100*float64(passed)/n)
}
