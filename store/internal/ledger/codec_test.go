package ledger

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
	"pgregory.net/rapid"
)

// FuzzDecode checks that decoding any row returns a value or ErrCorrupt.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("key"), sealed([]byte("key"), &docid.Entry{NID: "n"}))
	f.Fuzz(func(t *testing.T, key, value []byte) {
		resealed := (&coder{b: slices.Clone(value)}).seal(key)
		for _, get := range []any{
			new(docid.Entry), new(docid.Member), new(docid.Material), new(docid.Identity),
			new(leaderRow), new(keptRow), new(heartbeatRow), new(waiting),
		} {
			for _, v := range [][]byte{value, resealed} {
				if err := decode(key, v, get); err != nil && !errors.Is(err, docid.ErrCorrupt) {
					t.Errorf("decode: %v", err)
				}
			}
		}
	})
}

// TestTableAgainstMap posts and ends at random and compares with a map.
func TestTableAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := newPostings()
		want := map[uint64]map[uint64]bool{}
		var seq uint64
		keysOf := map[uint64][]uint64{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(keysOf) > 0 && rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
				old := rapid.Uint64Range(1, seq).Draw(t, "old")
				_, l := tab.find(old)
				l.ended.Store(1)
				for _, k := range keysOf[old] {
					delete(want[k], old)
				}
				delete(keysOf, old)
				continue
			}
			seq++
			keys := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) uint64 { // some keys share their low bits
				return rapid.Uint64Range(0, 60).Draw(t, "key") * recentSlots / 2
			}), 1, 8, rapid.ID).Draw(t, "keys")
			tab.post(seq, tab.lead(seq, seq, 0), keys...)
			keysOf[seq] = keys
			for _, k := range keys {
				if want[k] == nil {
					want[k] = map[uint64]bool{}
				}
				want[k][seq] = true
			}
		}
		for k := uint64(0); k <= 60*recentSlots/2; k += recentSlots / 2 {
			for since := range seq {
				if tab.recent.none(k, since) && slices.ContainsFunc(slices.Collect(maps.Keys(want[k])), func(by uint64) bool { return by > since }) {
					t.Fatalf("key %d was posted since change %d, and none is said to have", k, since)
				}
			}
			if !tab.recent.none(k, seq) {
				t.Fatalf("key %d is said to be posted since the last change", k)
			}
			n, last := 0, uint64(1<<63)
			err := tab.each(func(work func(Reader) error) error { return work(nil) }, k, 0, seq, func(l *leader) bool {
				if !want[k][l.seq] || l.seq >= last {
					t.Fatalf("key %d: leader %d after %d", k, l.seq, last)
				}
				n, last = n+1, l.seq
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			if n != len(want[k]) {
				t.Fatalf("key %d: %d leaders, want %d", k, n, len(want[k]))
			}
		}
	})
}
