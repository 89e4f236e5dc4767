package ledger

import (
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// Head is the last durable change of an index, with counts. A witness stores it outside the KV.
type Head struct {
	Tenant  string `json:"tenant"`
	Seq     uint64 `json:"seq"`
	Leaders int64  `json:"leaders"`
	Members int64  `json:"members"`
}

// Witnessed is a KV with a witness, which records what the rows must contain. A store that contains less is not opened.
type Witnessed interface{ Heads() []Head }

// Heads returns the durable heads of all indexes, each consistent in itself.
func (s *Store) Heads() []Head {
	s.mu.Lock()
	defer s.mu.Unlock()
	heads := make([]Head, 0, len(s.indexes))
	for _, ix := range s.indexes {
		heads = append(heads, ix.durableHead())
	}
	return heads
}

// lacks reports whether an index with this head has fewer changes than its witness recorded. If the number of changes is the
// same, the counts must also be equal.
func (h Head) lacks(want Head) bool {
	return h.Seq < want.Seq || (h.Seq == want.Seq && h != want)
}

func (ix *index) durableHead() Head {
	ix.publishing.Lock()
	defer ix.publishing.Unlock()
	return Head{ix.tenant, ix.durable.Load(), ix.leaders.Load(), ix.members.Load()}
}

// holds returns ErrCorrupt if an index lacks what its witness recorded.
func (s *Store) holds(heads []Head) error {
	var errs []error
	for _, want := range heads {
		ix := s.indexes[want.Tenant]
		if ix == nil {
			errs = append(errs, fmt.Errorf("%w: no index of tenant %q (its witness has %d changes)", docid.ErrCorrupt, want.Tenant, want.Seq))
			continue
		}
		got := ix.durableHead()
		if got.lacks(want) {
			errs = append(errs, fmt.Errorf("%w: index of tenant %q: %d changes, %d docIds and %d articles (want %d, %d and %d, as in its witness)",
				docid.ErrCorrupt, want.Tenant, got.Seq, got.Leaders, got.Members, want.Seq, want.Leaders, want.Members))
		}
	}
	return errors.Join(errs...)
}
