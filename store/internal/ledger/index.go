package ledger

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
)

// index is the index of one tenant.
type index struct {
	store    *Store
	tenant   string
	id       uint32
	identity docid.Identity
	// unfinished marks an index that is being rebuilt. It is protected by the store's mutex.
	unfinished bool
	posts      *postings
	segments   uint64 // number of the last segment (for flushAndCompact only)

	settled uint64            // last change in the immutable memtables (for the writer only)
	head    uint64            // last change applied (for the writer only)
	ruled   uint64            // last ruling applied (for the writer only)
	docIDs  int               // living docIds after that change (for the writer only)
	sinks   map[string]uint64 // last change acknowledged by each sink (for the writer only)
	oldest  uint64            // the first article that is still pending (for the writer only)
	seen    sightings         // leases of the sinks
	epochs  atomic.Pointer[[]docid.Epoch]
	gaps    atomic.Pointer[[]gap] // only the writer changes it
	published
}

// published holds the durable state that readers see.
type published struct {
	publishing sync.Mutex // makes the other fields consistent
	durable    atomic.Uint64
	lastRule   atomic.Uint64
	leaders    atomic.Int64
	members    atomic.Int64
	nids       nidFilter
}

func newIndex(s *Store, tenant string, id uint32, identity docid.Identity) *index {
	ix := &index{store: s, tenant: tenant, id: id, identity: identity, posts: newPostings(), sinks: map[string]uint64{}, oldest: 1}
	ix.epochs.Store(&identity.Epochs)
	ix.gaps.Store(&[]gap{})
	return ix
}

// Identity returns the settings of the index.
func (ix *index) Identity() docid.Identity { return ix.identity }

// Catalog returns the reader of groups, members and the log.
func (ix *index) Catalog() docid.Catalog { return catalog{ix} }

// Outbox returns the methods that sinks need.
func (ix *index) Outbox() docid.Outbox { return ix }

// epochOf returns the epoch of a change.
func (ix *index) epochOf(seq uint64) uint64 { return docid.EpochOf(*ix.epochs.Load(), seq) }

func (ix *index) key(space byte, numbers ...uint64) []byte { return keyOf(space, ix.id, numbers...) }

// atSnapshot runs read on the durable state.
func (ix *index) atSnapshot(read func(Reader) error) error {
	return atSnapshot(ix.store.kv, func(v Snapshot) error { return read(v) })
}

func (ix *index) row() []byte { return append([]byte{spaceIndex}, ix.tenant...) }

// Commit proposes a change.
func (ix *index) Commit(ctx context.Context, c *docid.Change) (docid.Receipt, error) {
	p := &proposal{tenant: ix.tenant, change: c}
	if c.Kind == docid.KindEpoch {
		return docid.Receipt{}, fmt.Errorf("%w: unknown kind of change %q", docid.ErrInvalid, c.Kind)
	}
	o, err := ix.store.propose(ctx, p)
	return o.receipt, err
}
