package docid_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/memory"
)

// interposed is an index that calls before, unless nil, with each change to commit.
type interposed struct {
	docid.Index
	before  func(*docid.Change) error
	commits atomic.Int64
	lookups atomic.Int64
}

func (i *interposed) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	i.lookups.Add(1)
	return i.Index.Lookup(ctx, q)
}

func (i *interposed) Commit(ctx context.Context, c *docid.Change) (docid.Receipt, error) {
	i.commits.Add(1)
	if i.before != nil {
		if err := i.before(c); err != nil {
			return docid.Receipt{}, err
		}
	}
	return i.Index.Commit(ctx, c)
}

type interposedStore struct {
	docid.Store
	index *interposed
}

func (s *interposedStore) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	if s.index == nil {
		s.index = &interposed{Index: ix}
		return s.index, err
	}
	return ix, err
}

// interpose opens two detectors on one index: one a test can step in the way
// of, and another's.
func interpose(t *testing.T, s docid.Settings) (*docid.Detector, *interposed, *docid.Detector) {
	t.Helper()
	inner, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	store := &interposedStore{Store: inner}
	var ds [2]*docid.Detector
	for i := range ds {
		ds[i], err = docid.NewDetector(t.Context(), store, "tenant", s)
		if err != nil {
			t.Fatal(err)
		}
	}
	return ds[0], store.index, ds[1]
}
