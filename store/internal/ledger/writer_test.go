package ledger_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// rows is a KV in a map for a store that is never copied.
type rows struct {
	state    map[string][]byte
	failAt   int // writes until one fails, or 0
	injected error
}

func (r *rows) Snapshot() (ledger.Snapshot, error) { return &batch{rows: r, state: r.state}, nil }
func (r *rows) Close() error                       { return nil }
func (r *rows) Batch() ledger.Batch {
	b := &batch{rows: r, state: map[string][]byte{}}
	for k, v := range r.state {
		b.state[k] = v
	}
	return b
}

type batch struct {
	rows  *rows
	state map[string][]byte
}

func (b *batch) Get(key []byte) ([]byte, error) { return b.state[string(key)], nil }
func (b *batch) Scan(from, to []byte, visit func(key, value []byte) error) error {
	for _, k := range sorted(b.state) {
		if k >= string(from) && (to == nil || k < string(to)) {
			if err := visit([]byte(k), b.state[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *batch) write(do func()) error {
	if b.rows.failAt > 0 {
		b.rows.failAt--
		if b.rows.failAt == 0 {
			return b.rows.injected
		}
	}
	do()
	return nil
}

func (b *batch) Set(key, value []byte) error {
	return b.write(func() { b.state[string(key)] = value })
}
func (b *batch) Delete(key []byte) error { return b.write(func() { delete(b.state, string(key)) }) }
func (b *batch) DeleteRange(from, to []byte) error {
	return b.write(func() {
		for _, k := range sorted(b.state) {
			if k >= string(from) && k < string(to) {
				delete(b.state, k)
			}
		}
	})
}
func (b *batch) Commit() error { b.rows.state = b.state; return nil }
func (b *batch) Close()        {}

// TestFailedWrite fails each write of a change in turn. Neither the change nor a later one may be committed.
func TestFailedWrite(t *testing.T) {
	injected := errors.New("injected")
	for k := 1; ; k++ {
		kv := &rows{state: map[string][]byte{}, injected: injected}
		s, err := ledger.Open(t.Context(), kv, ledger.Options{})
		must(t, err)
		ix, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
		must(t, err)
		_, err = ix.Commit(t.Context(), leader("a"))
		must(t, err)
		before := len(kv.state)
		kv.failAt = k
		_, err = ix.Commit(t.Context(), leader("b"))
		if err == nil && kv.failAt > 0 {
			must(t, s.Close())
			if k < 5 {
				t.Errorf("a change has only %d writes", k-1)
			}
			return
		}
		if !errors.Is(err, docid.ErrUnavailable) || !errors.Is(err, injected) {
			t.Errorf("write %d failed: %v", k, err)
		}
		if len(kv.state) != before {
			t.Errorf("write %d failed, and %d rows were committed", k, len(kv.state)-before)
		}
		if _, err := ix.Commit(context.Background(), leader("c")); !errors.Is(err, docid.ErrUnavailable) {
			t.Errorf("a store with half a change goes on: %v", err)
		}
		must(t, s.Close())
	}
}

func leader(nid string) *docid.Change {
	return &docid.Change{
		Entry:     docid.Entry{Kind: docid.KindNew, NID: nid, Idempotency: nid},
		Article:   &docid.Article{},
		Names:     []docid.Name{{1, nid[0]}},
		NewLeader: &docid.NewLeader{Keys: []uint64{uint64(nid[0])}, Material: docid.Material{Text: nid}},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sorted(state map[string][]byte) []string {
	keys := make([]string, 0, len(state))
	for k := range state {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestTooManyLeaders checks that a docId is refused if it cannot be numbered in memory.
func TestTooManyLeaders(t *testing.T) {
	defer ledger.SetMaxLeaders(2)()
	s, err := ledger.Open(t.Context(), &rows{state: map[string][]byte{}}, ledger.Options{})
	must(t, err)
	defer s.Close()
	ix, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
	must(t, err)
	for _, nid := range []string{"a", "b"} {
		_, err := ix.Commit(t.Context(), leader(nid))
		must(t, err)
	}
	if _, err := ix.Commit(t.Context(), leader("c")); !errors.Is(err, docid.ErrFull) {
		t.Errorf("the third of two: %v", err)
	}
}
