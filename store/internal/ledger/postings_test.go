package ledger

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
	"pgregory.net/rapid"
)

// TestPostings makes and ends docIds at random, also over starts that make the postings again. Reads of any range
// and limit must return the newest living docIds of a key, from rows and from the cache.
func TestPostings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kv := newMemory()
		start := func() (*Store, *index) {
			s, err := Open(t.Context(), kv, Options{Postings: rapid.SampledFrom([]int{4, 50, 1000}).Draw(rt, "in memory")})
			if err != nil {
				rt.Fatal(err)
			}
			ix, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
			if err != nil {
				rt.Fatal(err)
			}
			return s, ix.(*index)
		}
		s, ix := start()
		want := map[uint64][]uint64{}                                                                                      // by key, in order
		key := rapid.Custom(func(rt *rapid.T) uint64 { return recentSlots / 2 * rapid.Uint64Range(0, 5).Draw(rt, "key") }) // some share a slot
		commit := func(c *docid.Change) uint64 {
			r, err := ix.Commit(t.Context(), c)
			if err != nil {
				rt.Fatal(err)
			}
			return r.Seq
		}
		steps := rapid.SampledFrom([]int{3, 50, 3 * hotRun}).Draw(rt, "steps")
		for n := range steps {
			switch step := rapid.IntRange(0, 29).Draw(rt, "step"); {
			case step == 0:
				err := s.Close()
				if rapid.Bool().Draw(rt, "rebuilt") {
					err = errors.Join(err, update(kv, func(b Batch) error { // a start makes them again
						return errors.Join(b.Delete(ix.key(spaceFlushed)), b.DeleteRange(ix.key(spacePosting), after(ix.key(spacePosting))))
					}))
				}
				if report, failed := Check(t.Context(), kv, nil); errors.Join(err, failed) != nil || len(report.Problems) > 0 {
					rt.Fatal(err, failed, report.Problems)
				}
				s, ix = start()
			case step < 4:
				if all := want[key.Draw(rt, "of")]; len(all) > 0 {
					ended := rapid.SampledFrom(all).Draw(rt, "ended")
					commit(&docid.Change{Entry: docid.Entry{Kind: docid.KindEnd, Leader: ended}})
					for k := range want {
						want[k] = slices.DeleteFunc(want[k], func(seq uint64) bool { return seq == ended })
					}
				}
			default:
				keys := rapid.SliceOfNDistinct(key, 1, 4, rapid.ID).Draw(rt, "keys")
				seq := commit(&docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: fmt.Sprint(n)}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: keys}})
				for _, k := range keys {
					want[k] = append(want[k], seq)
				}
			}
			k, since, at := key.Draw(rt, "asked"), rapid.Uint64Range(0, ix.head).Draw(rt, "since"), rapid.Uint64Range(ix.head/2, ix.head).Draw(rt, "at")
			posted := slices.DeleteFunc(slices.Clone(want[k]), func(seq uint64) bool { return seq <= since })
			if ix.posts.recent.none(k, since) && len(posted) > 0 {
				rt.Fatalf("key %d was posted since change %d, and none is said to have", k, since)
			}
			limit := rapid.SampledFrom([]int{1, 10, 2 * hotRun, 1000}).Draw(rt, "limit")
			posted = slices.DeleteFunc(posted, func(seq uint64) bool { return seq > at })
			slices.Reverse(posted)
			run, tables := []leaderNo(nil), ix.posts.tables.Load()
			err := ix.atSnapshot(func(r Reader) (err error) { run, err = ix.run(r, tables, k, since, at, limit); return err })
			if err != nil {
				rt.Fatal(err)
			}
			var got []uint64
			for _, n := range run {
				if l := ix.posts.leaders.at(n); l.lives(ix.head) {
					got = append(got, l.seq)
				}
			}
			if len(run) == limit {
				posted = posted[:len(got)]
			}
			if !slices.Equal(got, posted) {
				rt.Fatalf("key %d, after %d up to %d, at most %d: %d; want %d", k, since, at, limit, got, posted)
			}
		}
		if err := s.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestNames checks that names which a duplicate or a correction gave to a docId lead to it, also after a start.
func TestNames(t *testing.T) {
	kv := newMemory()
	s, ix := opened(t, kv)
	commit := func(c *docid.Change) {
		if _, err := ix.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, nid := range []string{"a", "b", "c"} {
		commit(&docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: nid}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: []uint64{1}}})
	}
	joins, corrected := docid.Name{1}, docid.Name{2}
	commit(&docid.Change{Entry: docid.Entry{Kind: docid.KindDuplicate, Leader: 3, NID: "d"}, Article: &docid.Article{}, Names: []docid.Name{joins}})
	commit(&docid.Change{Entry: docid.Entry{Kind: docid.KindCorrect, Leader: 1, NID: "b", Ruling: &docid.Ruling{Before: 2}}, Article: &docid.Article{}, Names: []docid.Name{corrected}})
	for range 2 {
		f, err := ix.Lookup(t.Context(), docid.Query{Names: []docid.Name{joins, corrected, {1, 0, 0, 0, 0, 0, 0, 0, 1}}})
		if err != nil || len(f.Names[0]) != 1 || f.Names[0][0].Leader != 3 || len(f.Names[1]) != 1 || f.Names[1][0].Leader != 1 || len(f.Names[2]) != 0 {
			t.Errorf("%+v, %v", f.Names, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s, ix = opened(t, kv)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
