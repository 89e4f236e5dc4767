// Package memory implements a docid.Store that ends with its process, for tests and for programs that need no persistence.
// It keeps all other promises of a store. Two processes cannot share it.
package memory

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/RaduBerinde/btreemap"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Store is the docId store in memory.
type Store struct{ *ledger.Store }

// New returns an empty store.
func New(ctx context.Context) (*Store, error) {
	s, err := ledger.Open(ctx, newRows(), ledger.Options{Volatile: true})
	if err != nil {
		return nil, err
	}
	return &Store{s}, nil
}

type tree = btreemap.BTreeMap[[]byte, []byte]

// rows is a KV in a B-tree. Its states share unchanged nodes, so a snapshot is a pointer.
type rows struct{ state atomic.Pointer[tree] }

func newRows() *rows {
	r := &rows{}
	r.state.Store(btreemap.New[[]byte, []byte](64, bytes.Compare))
	return r
}

// Snapshot returns the last committed state.
func (r *rows) Snapshot() (ledger.Snapshot, error) { return snapshot{r.state.Load()}, nil }

// Batch returns a batch that writes to a copy. Commit installs the copy.
func (r *rows) Batch() ledger.Batch { return &batch{snapshot{r.state.Load().Clone()}, r} }

// Close does nothing.
func (r *rows) Close() error { return nil }

type snapshot struct{ tree *tree }

func (v snapshot) Get(key []byte) ([]byte, error) {
	_, value, _ := v.tree.Get(key)
	return value, nil
}

func (v snapshot) Scan(from, to []byte, visit func(key, value []byte) error) error {
	for k, value := range v.tree.Ascend(btreemap.GE(from), btreemap.LT(to)) {
		if err := visit(k, value); err != nil {
			return err
		}
	}
	return nil
}

func (v snapshot) Close() {}

type batch struct {
	snapshot
	rows *rows
}

func (b *batch) Set(key, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	b.tree.ReplaceOrInsert(key, value)
	return nil
}

func (b *batch) Delete(key []byte) error {
	b.tree.Delete(key)
	return nil
}

func (b *batch) DeleteRange(from, to []byte) error {
	var keys [][]byte
	for k := range b.tree.Ascend(btreemap.GE(from), btreemap.LT(to)) {
		keys = append(keys, k)
	}
	for _, k := range keys {
		b.tree.Delete(k)
	}
	return nil
}

func (b *batch) Commit() error {
	b.rows.state.Store(b.tree)
	return nil
}
