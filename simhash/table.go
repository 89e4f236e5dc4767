package simhash

import (
	"cmp"
	"fmt"
	"slices"
)

// Table is fingerprints with their ids in an [Index]: built once, added to,
// searched one query at a time, and kept in a file (WriteTo, ReadTable). Not
// for concurrent use.
type Table struct {
	spec  string
	list  List // entry i of the index
	index *Index
	known map[string]uint64 // the entry of each id; nil until one is put
}

// NewTable returns an empty table for distances of 0 to k. The spec says what
// made its fingerprints, and is empty where nobody knows.
func NewTable(k int, spec string) (*Table, error) { return newTable(k, spec, 0) }

func newTable(k int, spec string, entries int) (*Table, error) {
	if len(spec) > maxSpec {
		return nil, fmt.Errorf("a spec of %d bytes, at most %d", len(spec), maxSpec)
	}
	x, err := NewIndex(IndexOptions{K: k, Expect: entries})
	if err != nil {
		return nil, err
	}
	return &Table{spec: spec, index: x}, nil
}

// Spec says what made the fingerprints.
func (t *Table) Spec() string { return t.spec }

// K is the largest distance that can be asked for.
func (t *Table) K() int { return t.index.layout.k }

// List returns the fingerprints with their ids, in the order in which the ids
// came. It changes with the table.
func (t *Table) List() *List { return &t.list }

// Add adds a fingerprint without an id: its number in the table, from 0, is one.
func (t *Table) Add(fp uint64) error {
	if err := t.index.Insert(uint64(t.list.Len()), fp); err != nil {
		return err
	}
	t.list.Add(fp)
	return nil
}

// Put adds a fingerprint with an id, in the place of the one that the id had:
// what is put again changes nothing.
func (t *Table) Put(id string, fp uint64) error {
	if id == "" || len(id) > maxID {
		return fmt.Errorf("an id of %d bytes, want 1 to %d", len(id), maxID)
	}
	if t.known == nil {
		t.known = make(map[string]uint64, t.list.Len())
		for i := range t.list.Fingerprints {
			t.known[t.list.ID(i)] = uint64(i)
		}
	}
	i, known := t.known[id]
	switch {
	case !known:
		if err := t.index.Insert(uint64(t.list.Len()), fp); err != nil {
			return err
		}
		t.known[id] = uint64(t.list.Len())
		t.list.AddID(id, fp)
	case t.list.Fingerprints[i] != fp:
		if err := t.index.Insert(i, fp); err != nil {
			return err
		}
		t.index.Delete(i, t.list.Fingerprints[i])
		t.list.Fingerprints[i] = fp
	}
	return nil
}

// Near appends all entries within k bits of fp to dst, nearest first, then by
// their number, which is their position in List. k is at most K.
func (t *Table) Near(dst []Neighbor, fp uint64, k int) ([]Neighbor, error) {
	from := len(dst)
	dst, err := t.index.Query(dst, fp, k)
	slices.SortFunc(dst[from:], func(a, b Neighbor) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
	})
	return dst, err
}
