package ledger

import (
	"testing"

	"github.com/neardup/neardup/docid"
)

// TestNamesOfOlderDocIDs checks names that a duplicate or a correction gave to a docId in a segment. They must
// lead to it after the next start.
func TestNamesOfOlderDocIDs(t *testing.T) {
	kv := newMemory()
	open := func(postings int) (*Store, *index) {
		s, err := Open(t.Context(), kv, Options{Postings: postings})
		if err != nil {
			t.Fatal(err)
		}
		ix, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return s, ix.(*index)
	}
	commit := func(ix *index, c *docid.Change) {
		if _, err := ix.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	made := func(nid string, key uint64) *docid.Change {
		return &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: nid}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: []uint64{key, key + 1, key + 2}}}
	}
	s, ix := open(4)
	commit(ix, made("a", 10))
	commit(ix, made("b", 20))
	commit(ix, made("c", 30))
	if err := s.Close(); err != nil { // writes them to a segment
		t.Fatal(err)
	}
	s, ix = open(1000)
	if ix.settled != 3 {
		t.Fatalf("the segments hold what came up to change %d", ix.settled)
	}
	joins, corrected := docid.Name{1}, docid.Name{2}
	commit(ix, &docid.Change{Entry: docid.Entry{Kind: docid.KindDuplicate, Leader: 3, NID: "d"}, Article: &docid.Article{}, Names: []docid.Name{joins}})
	commit(ix, &docid.Change{Entry: docid.Entry{Kind: docid.KindCorrect, Leader: 1, NID: "b", Ruling: &docid.Ruling{Before: 2}}, Article: &docid.Article{}, Names: []docid.Name{corrected}})
	for range 2 {
		for want, n := range map[uint64]docid.Name{3: joins, 1: corrected} {
			found := uint64(0)
			err := ix.posts.each(ix.atSnapshot, nameHash(n), 0, ix.head, func(l *leader) bool { found = l.seq; return false })
			if err != nil || found != want {
				t.Errorf("the name of docId %d leads to %d, %v", want, found, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s, ix = open(1000)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
