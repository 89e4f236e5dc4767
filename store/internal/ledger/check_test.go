package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
)

// TestCheckKnowsWhereArticlesAre checks that Check reports a valid row that files an article under another
// living docId.
func TestCheckKnowsWhereArticlesAre(t *testing.T) {
	kv := newMemory()
	s, ix := opened(t, kv)
	for _, c := range []*docid.Change{
		{Entry: docid.Entry{Kind: docid.KindNew, NID: "a"}, NewLeader: &docid.NewLeader{}},
		{Entry: docid.Entry{Kind: docid.KindNew, NID: "b"}, NewLeader: &docid.NewLeader{}},
		{Entry: docid.Entry{Kind: docid.KindDuplicate, NID: "c", Leader: 1}},
	} {
		c.Article = &docid.Article{}
		if _, err := ix.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	member := docid.Member{Leader: 2, Seq: 3}
	member.ID = "c"
	filed := &member.ID
	for _, test := range []struct {
		what string
		key  []byte
		put  any
	}{
		{"the article says another docId", nidKey(ix.id, "c"), &member},
		{"another docId lists it, too", ix.key(spaceMember, 2, 3), filed},
		{"its docId lists it by another change", ix.key(spaceMember, 1, 2), filed},
	} {
		hurt := killed(kv)
		if r, err := Check(t.Context(), hurt, nil); err != nil || len(r.Problems) > 0 {
			t.Fatalf("a sound store: %v, %v", r.Problems, err)
		}
		hurt.set(string(test.key), sealed(test.key, test.put))
		r, err := Check(t.Context(), hurt, nil)
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprintf("%c %x", test.key[0], test.key[1:])
		if !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Row == row }) {
			t.Errorf("%s: row %s is not among %v", test.what, row, r.Problems)
		}
	}
}

// rotten is a KV in which the rows of one space cannot be read.
type rotten struct {
	*memory
	space byte
	reads int
}

type rottenState struct {
	Snapshot
	of *rotten
}

func (r *rotten) Snapshot() (Snapshot, error) {
	s, err := r.memory.Snapshot()
	return rottenState{s, r}, err
}

func (s rottenState) Get(key []byte) ([]byte, error) {
	if key[0] == s.of.space {
		s.of.reads++
		return nil, fmt.Errorf("%w: block 7", docid.ErrCorrupt)
	}
	return s.Snapshot.Get(key)
}

// TestCheckReadsADamagedBlockOnce checks that a read error ends a check, which does not retry row by row.
func TestCheckReadsADamagedBlockOnce(t *testing.T) {
	kv := newMemory()
	s, ix := opened(t, kv)
	h := &history{t: t, r: rand.New(rand.NewPCG(1, 1))}
	for range 300 {
		h.change(ix)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	hurt := &rotten{memory: kv, space: spaceText}
	if _, err := Check(t.Context(), hurt, nil); !errors.Is(err, docid.ErrCorrupt) || hurt.reads != 1 {
		t.Errorf("it was read %d times: %v", hurt.reads, err)
	}
}

// counted is a KV that counts the rows that are looked up one by one.
type counted struct {
	*memory
	gets int
}

type countedState struct {
	Snapshot
	of *counted
}

func (c *counted) Snapshot() (Snapshot, error) {
	s, err := c.memory.Snapshot()
	return countedState{s, c}, err
}

func (s countedState) Get(key []byte) ([]byte, error) {
	s.of.gets++
	return s.Snapshot.Get(key)
}

// TestCheckPassesOverEpochs checks that Check does not visit the numbers that an epoch skipped while articles
// waited for a sink. It must report an article that is missing among the pending ones.
func TestCheckPassesOverEpochs(t *testing.T) {
	const past = 1_000_000
	kv := newMemory()
	s, ix := opened(t, kv)
	if _, err := ix.Attach(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	add := func(nid string) {
		c := &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: nid}, NewLeader: &docid.NewLeader{}, Article: &docid.Article{}}
		if _, err := ix.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	add("a")
	if err := ix.BeginEpoch(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	add("b")
	add("c")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, missing := range []uint64{0, past + 2, past + 3} {
		seen := &counted{memory: killed(kv)}
		if missing > 0 {
			seen.rows().Delete(string(ix.key(spaceOutbox, missing)))
		}
		r, err := Check(t.Context(), seen, nil)
		if err != nil || (len(r.Problems) > 0) != (missing > 0) {
			t.Errorf("without the article of change %d: %v, %v", missing, r.Problems, err)
		}
		if seen.gets > 100 {
			t.Errorf("without the article of change %d: %d rows are looked up", missing, seen.gets)
		}
	}
}

// TestCloseWhileCopying checks that Close waits for a copy in progress, and that the store has no copy mark
// then.
func TestCloseWhileCopying(t *testing.T) {
	kv := newMemory()
	s, _ := opened(t, kv)
	closed := make(chan error, 1)
	err := s.Copying(t.Context(), func() error {
		go func() { closed <- s.Close() }()
		for range 1000 { // time for it to get as far as it can
			runtime.Gosched()
		}
		time.Sleep(10 * time.Millisecond)
		return nil
	})
	if err := errors.Join(err, <-closed); err != nil {
		t.Fatal(err)
	}
	v, err := kv.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if copied, err := marked(v); copied || err != nil {
		t.Errorf("the original is a copy: %v, %v", copied, err)
	}
	if err := s.Copying(t.Context(), func() error { return nil }); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("copy a store that is closed: %v", err)
	}
}
