package ledger

import (
	"errors"
	"fmt"
	"testing"

	"github.com/neardup/neardup/docid"
)

// TestRestartDecidesAlike checks that a start changes no outcome. A judgement that missed a posted name or key
// must be refused as before, wherever the postings are then.
func TestRestartDecidesAlike(t *testing.T) {
	made := func(nid string, since uint64, key uint64, n docid.Name) *docid.Change {
		c := &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: nid}, Article: &docid.Article{}, Names: []docid.Name{n}, NewLeader: &docid.NewLeader{Keys: []uint64{key}}}
		c.Query = docid.Query{Since: since, Names: c.Names, KeySets: []docid.KeySet{{Keys: c.NewLeader.Keys}}}
		return c
	}
	for _, settled := range []uint64{0, 1, 2, 3} { // the last change in a segment at the start
		for _, c := range []struct {
			what    string
			judged  *docid.Change
			refused bool
		}{
			{"a name of the docId, as it was made", made("x", 0, 90, docid.Name{1}), true},
			{"the same, known", made("x", 1, 90, docid.Name{1}), false},
			{"a name that a duplicate brought", made("x", 1, 90, docid.Name{2}), true},
			{"the same, known", made("x", 2, 90, docid.Name{2}), false},
			{"a name that a correction brought", made("x", 3, 90, docid.Name{3}), true},
			{"the same, known", made("x", 4, 90, docid.Name{3}), false},
			{"a key", made("x", 2, 11, docid.Name{9}), true},
			{"the same, known", made("x", 3, 11, docid.Name{9}), false},
		} {
			kv := newMemory()
			open := func() (*Store, *index) {
				s, err := Open(t.Context(), kv, Options{Postings: 1000})
				if err != nil {
					t.Fatal(err)
				}
				ix, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
				if err != nil {
					t.Fatal(err)
				}
				return s, ix.(*index)
			}
			s, ix := open()
			commit := func(c *docid.Change) {
				t.Helper()
				if _, err := ix.Commit(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				if ix.head == settled {
					err := s.do(t.Context(), func(*writes) (func(), error) { return ix.freezeNow, nil })
					err = errors.Join(err, ix.flushMemtables())
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			commit(made("a", 0, 10, docid.Name{1}))
			commit(&docid.Change{Entry: docid.Entry{Kind: docid.KindDuplicate, Leader: 1, NID: "b"}, Article: &docid.Article{}, Names: []docid.Name{{1}, {2}}})
			commit(made("c", 2, 11, docid.Name{4}))
			commit(&docid.Change{
				Entry: docid.Entry{Kind: docid.KindCorrect, Leader: 1, NID: "c", Ruling: &docid.Ruling{Before: 3}}, Article: &docid.Article{}, Names: []docid.Name{{3}, {2}},
			})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s, ix = open()
			if ix.settled != settled {
				t.Fatalf("the segments hold what came up to change %d", ix.settled)
			}
			_, err := ix.Commit(t.Context(), c.judged)
			if errors.Is(err, docid.ErrConflict) != c.refused || (!c.refused && err != nil) {
				t.Errorf("%s, segments up to change %d: %v", c.what, settled, fmt.Sprint(err))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRestartReplays checks that a submission repeated after a start gets its first answer.
func TestRestartReplays(t *testing.T) {
	kv := newMemory()
	s, ix := opened(t, kv)
	c := &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: "a", Idempotency: "k"}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{}}
	first, err := ix.Commit(t.Context(), c)
	err = errors.Join(err, s.Close())
	if err != nil {
		t.Fatal(err)
	}
	s, ix = opened(t, kv)
	for _, asked := range []docid.ReplayKey{{NID: "a"}, {Idempotency: "k"}, {Idempotency: "k", NID: "b"}} {
		if r, err := ix.Replay(t.Context(), asked); err != nil || r.Seq != first.Seq {
			t.Errorf("%+v: change %d, %v", asked, r.Seq, err)
		}
	}
	if _, err := ix.Replay(t.Context(), docid.ReplayKey{Idempotency: "a", NID: "k"}); !errors.Is(err, docid.ErrNotFound) {
		t.Errorf("what was never submitted: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
