package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/span"
)

var errClosed = fmt.Errorf("%w: it is closed", docid.ErrUnavailable)

// do runs work in the writer and waits until it is durable.
func (s *Store) do(ctx context.Context, apply func(Batch) (func(), error)) error {
	r := &request{ctx: ctx, apply: apply, done: make(chan struct{})}
	select {
	case s.requests <- r:
	case <-s.quit:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopped:
	}
	select {
	case <-r.done: // answered while the writer stopped
		return r.err
	default:
		return errors.Join(errClosed, s.poisoning())
	}
}

// put runs work, which only writes, in the writer.
func (s *Store) put(ctx context.Context, work func(Batch) error) error {
	return s.do(ctx, func(b Batch) (func(), error) { return wrote, work(b) })
}

// write runs the writer. It returns once Close was called and no request waits.
func (s *Store) write() {
	defer close(s.stopped)
	var group []*request
	for {
		select {
		case <-s.quit:
			if len(s.requests) == 0 {
				return
			}
			group = s.take(group[:0])
		case r := <-s.requests:
			group = s.take(append(group[:0], r))
		}
		err := s.commit(group)
		if err != nil {
			err = s.poisoned(err)
		}
		finish(group, err)
		group = group[:0]
	}
}

// take adds the waiting requests to a group.
func (s *Store) take(group []*request) []*request {
	for len(group) < maxGroup {
		select {
		case r := <-s.requests:
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

// commit applies a group to one batch. Callers and readers see none of it until all of it is durable. A refusal
// also waits, because its cause must be visible when the caller looks again. After an error the store takes no
// more writes.
func (s *Store) commit(group []*request) error {
	if err := s.poisoning(); err != nil {
		return err
	}
	b := &sound{Batch: s.kv.Batch()}
	defer b.Close()
	wrote := false
	for _, r := range group {
		r.err = r.ctx.Err()
		if r.err != nil {
			continue
		}
		began := time.Now()
		r.publish, r.err = r.apply(b)
		span.Record(r.ctx, "apply", began, r.err)
		wrote = wrote || r.publish != nil
	}
	switch {
	case b.err != nil: // part of a change would become durable
		return b.err
	case !wrote:
		return nil
	}
	began := time.Now()
	err := b.Batch.Commit()
	for _, r := range group {
		if r.publish == nil {
			continue
		}
		span.Record(r.ctx, "append", began, err)
		if err == nil {
			r.publish()
		}
	}
	return err
}

// finish answers a group; err replaces what each would have got.
func finish(group []*request, err error) {
	for _, r := range group {
		if err != nil {
			r.err = err
		}
		close(r.done)
	}
}

// sound is a batch that remembers the first write to it that failed.
type sound struct {
	Batch
	err error
}

// Set sets a row.
func (b *sound) Set(key, value []byte) error { return b.note(b.Batch.Set(key, value)) }

// Delete deletes a row.
func (b *sound) Delete(key []byte) error { return b.note(b.Batch.Delete(key)) }

// DeleteRange deletes rows.
func (b *sound) DeleteRange(from, to []byte) error { return b.note(b.Batch.DeleteRange(from, to)) }

func (b *sound) note(err error) error {
	if b.err == nil {
		b.err = err
	}
	return err
}

// poisoned makes the store refuse all further writes and returns the first reason. After a failed commit the
// state of the disk is unknown, and a second fsync of a file may succeed without having written.
func (s *Store) poisoned(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poison == nil {
		if !errors.Is(err, docid.ErrFull) {
			err = fmt.Errorf("%w: %w", docid.ErrUnavailable, err)
		}
		s.poison = err
	}
	return s.poison
}

// Poison makes the store refuse writes when the engine fails in the background.
func (s *Store) Poison(err error) { _ = s.poisoned(err) }
