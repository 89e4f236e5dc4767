package ledger

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
)

// TestMergeAfterAnEpoch checks that a merge needs little memory after an epoch skipped numbers, and keeps all
// living docIds.
func TestMergeAfterAnEpoch(t *testing.T) {
	s, err := Open(t.Context(), newMemory(), Options{Postings: 8})
	if err != nil {
		t.Fatal(err)
	}
	of, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
	if err != nil {
		t.Fatal(err)
	}
	ix := of.(*index)
	var begun, ended runtime.MemStats
	runtime.ReadMemStats(&begun)
	seqs := map[uint64]uint64{} // by key
	for n := uint64(1); n <= 100; n++ {
		c := &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: fmt.Sprint(n)}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: []uint64{n}}}
		receipt, err := ix.Commit(t.Context(), c)
		if err == nil && n%20 == 0 {
			err = ix.BeginEpoch(t.Context(), n<<28)
		}
		if err != nil {
			t.Fatal(err)
		}
		seqs[n] = receipt.Seq
	}
	if _, err := ix.Commit(t.Context(), &docid.Change{Entry: docid.Entry{Kind: docid.KindEnd, Leader: seqs[70]}}); err != nil {
		t.Fatal(err)
	}
	settled := func() bool {
		l := ix.posts.levels.Load()
		return len(l.immutable) == 0 && len(l.segments) < 8
	}
	for end := time.Now().Add(2 * time.Minute); !settled(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d segments", len(ix.posts.levels.Load().segments))
		}
	}
	runtime.ReadMemStats(&ended)
	if took := ended.TotalAlloc - begun.TotalAlloc; took > 64<<20 {
		t.Errorf("it took %d bytes", took)
	}
	for key, seq := range seqs {
		found := uint64(0)
		if err := ix.posts.each(ix.atSnapshot, key, 0, ix.head, func(l *leader) bool { found = l.seq; return false }); err != nil || (found != seq && key != 70) || (key == 70 && found != 0) {
			t.Errorf("key %d leads to %d, not %d: %v", key, found, seq, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestTablesDuringAMerge checks that a full memtable is flushed during a merge.
func TestTablesDuringAMerge(t *testing.T) {
	kv := newMemory()
	s, ix := opened(t, kv)
	key := uint64(0)
	full := func() {
		for range 200 {
			key++
			c := &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: fmt.Sprint(key)}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: []uint64{key}}}
			if _, err := ix.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.do(t.Context(), func(*writes) (func(), error) { return ix.freezeNow, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for range fanout {
		full()
		if err := ix.flushMemtables(); err != nil {
			t.Fatal(err)
		}
	}
	full()
	if err := ix.mergeInto(ix.posts.levels.Load().segments, int(key)); err != nil {
		t.Fatal(err)
	}
	if l := ix.posts.levels.Load(); len(l.immutable) != 0 || len(l.segments) != 2 {
		t.Fatalf("%d tables wait, and there are %d segments", len(l.immutable), len(l.segments))
	}
	for range 2 { // as it is, and as a start finds it
		for k := uint64(1); k <= key; k++ {
			found := uint64(0)
			if err := ix.posts.each(ix.atSnapshot, k, 0, ix.head, func(l *leader) bool { found = l.seq; return false }); err != nil || found != k {
				t.Fatalf("key %d leads to %d: %v", k, found, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if report, err := Check(t.Context(), kv, nil); err != nil || len(report.Problems) > 0 {
			t.Fatalf("%v, %v", report.Problems, err)
		}
		s, ix = opened(t, kv)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
