package ledger

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/neardup/neardup/docid"
)

// If a copy of a store is served, it gives numbers that the original has given to other articles. So a copy has a mark,
// which is a row. Opening a marked copy begins an epoch in every index and removes the mark in one batch, before the first
// answer. The original has the mark while the copy is made, so no copy can be opened without it. A crash during copying
// causes an epoch in the original, which is harmless.

// Copying runs work, which copies the store, while the mark is set. Writes continue. One copy is made at a
// time.
func (s *Store) Copying(ctx context.Context, work func() error) error {
	s.copying.Lock()
	defer s.copying.Unlock()
	err := s.put(ctx, mark)
	if err == nil {
		err = work()
	}
	// Also done after an error, because the mark may have been written.
	unmarked := s.put(context.WithoutCancel(ctx), func(b *writes) { b.Delete(copyKey()) })
	return errors.Join(err, unmarked)
}

// Copying runs work on rows that no store has open, while the mark is set. A copy that was never opened keeps
// its mark.
func Copying(kv KV, work func() error) error {
	before, err := Mark(kv)
	if err != nil {
		return err
	}
	err = work()
	if before {
		return err
	}
	return errors.Join(err, update(kv, func(b *writes) error {
		b.Delete(copyKey())
		return nil
	}))
}

// Mark marks rows that no store has open as a copy, and reports whether they were marked before.
func Mark(kv KV) (before bool, err error) {
	err = update(kv, func(b *writes) error {
		_, err := version(b)
		if err == nil {
			before, err = marked(b)
		}
		if before {
			err = errStop
		}
		mark(b)
		return err
	})
	return before, err
}

func copyKey() []byte { return []byte{spaceCopy} }

func mark(b *writes) { b.set(copyKey()) }

func marked(r Reader) (bool, error) { return read(r, copyKey()) }

// begin begins an epoch in every index of a copy and removes the mark. A copy that follows a log needs no epoch, because it
// continues in the log of the original. The epoch skips the numbers that the original may have given since, because sinks
// may have such changes.
func (s *Store) begin(followed bool) error {
	var begun []*change
	err := update(s.kv, func(b *writes) error {
		copied, err := marked(b)
		if err == nil && !copied {
			err = errStop
		}
		if err != nil {
			return err
		}
		for _, ix := range s.indexes {
			if followed || ix.unfinished { // an unfinished index gets its epochs from the rebuild
				continue
			}
			c, err := epochBegins()
			if err != nil {
				return err
			}
			t := newChange(ix, b, c, docid.Beyond(ix.head, time.Now())+1)
			t.logEpoch()
			begun = append(begun, t)
		}
		b.Delete(copyKey())
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range begun {
		t.publish()
		t.ix.identity.Epochs = *t.ix.epochs.Load()
	}
	return nil
}

// BeginEpoch begins an epoch while the store is open.
func (ix *index) BeginEpoch(ctx context.Context, past uint64) error {
	c, err := epochBegins()
	if err != nil {
		return err
	}
	_, err = ix.store.propose(ctx, &proposal{tenant: ix.tenant, change: c, past: past})
	return err
}

// epochBegins returns the change that begins an epoch. The proposer draws its number and time.
func epochBegins() (*docid.Change, error) {
	number, err := drawEpoch()
	return &docid.Change{Entry: docid.Entry{Kind: docid.KindEpoch, Leader: number, Time: time.Now().UnixNano()}}, err
}

// logEpoch logs the start of the epoch numbered c.Leader.
func (t *change) logEpoch() {
	t.ix.passOver(t.ix.head+1, t.Seq)
	t.set(t.key(spaceEpoch, t.Seq), &t.Leader)
	t.after = append(t.after, func() {
		epochs := append(slices.Clone(*t.ix.epochs.Load()), docid.Epoch{First: t.Seq, Number: t.Leader})
		t.ix.epochs.Store(&epochs)
	})
	t.write()
}

func drawEpoch() (uint64, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, fmt.Errorf("generate an epoch: %w", err)
	}
	return max(binary.BigEndian.Uint64(b[:]), 1), nil
}

// gap is a range from <= n < to of numbers that an epoch skipped.
type gap struct{ from, to uint64 }

// passOver records a gap.
func (ix *index) passOver(from, to uint64) {
	if from < to {
		gaps := append(slices.Clone(*ix.gaps.Load()), gap{from, to})
		ix.gaps.Store(&gaps)
	}
}

// passed returns how many numbers after from were skipped. O(epochs).
func (ix *index) passed(from uint64) (n uint64) {
	for _, g := range *ix.gaps.Load() {
		n += max(g.to, from) - max(g.from, from)
	}
	return n
}

// loadGaps finds the numbers that were skipped before each epoch.
func (ix *index) loadGaps(r Reader) error {
	for _, e := range ix.identity.Epochs {
		last, err := ix.lastBefore(r, e.First)
		if err != nil {
			return err
		}
		ix.passOver(last+1, e.First)
	}
	return nil
}

// loadEpochs reads the epochs of an index.
func (ix *index) loadEpochs(r Reader) error {
	var epochs []docid.Epoch
	err := scan(r, ix.key(spaceEpoch), func(k, v []byte) error {
		e := docid.Epoch{First: number(k, 0)}
		err := decode(k, v, &e.Number)
		epochs = append(epochs, e)
		return err
	})
	ix.identity.Epochs = epochs
	ix.epochs.Store(&epochs)
	if err != nil {
		return err
	}
	return ix.loadGaps(r)
}
