package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/group"
	"github.com/neardup/neardup/internal/span"
)

var errClosed = fmt.Errorf("%w: closed", docid.ErrUnavailable)

// request is a unit of work for the writer. apply checks the request, writes to the batch, and returns a function to call
// once the batch is durable. If it returns an error, it must not have written anything.
type request struct {
	ctx     context.Context
	apply   func(*writes) (publish func(), err error)
	publish func()
	err     error
}

// do runs work in the writer and waits until it is durable.
func (s *Store) do(ctx context.Context, apply func(*writes) (func(), error)) error {
	r := &request{ctx: ctx, apply: apply}
	err := s.writer.Do(ctx, r)
	switch {
	case errors.Is(err, group.ErrClosed):
		return errors.Join(errClosed, s.poisoning())
	case err != nil:
		return err
	}
	return r.err
}

// put runs work that only writes in the writer.
func (s *Store) put(ctx context.Context, work func(*writes)) error {
	return s.do(ctx, func(b *writes) (func(), error) {
		work(b)
		return wrote, nil
	})
}

// write commits waiting requests. If a commit fails, every request of its group gets the error.
func (s *Store) write(all []*request) {
	for group := range slices.Chunk(all, maxGroup) {
		err := s.commit(group)
		if err == nil {
			continue
		}
		err = s.poisoned(err)
		for _, r := range group {
			r.err = err
		}
	}
}

// commit applies a group to one batch. Callers and readers see no part of the group until all of it is durable. A refused
// request waits as well, because the cause must be visible when its caller looks again. After an error the store refuses
// all further writes.
func (s *Store) commit(group []*request) error {
	if err := s.poisoning(); err != nil {
		return err
	}
	b := &writes{Batch: s.kv.Batch()}
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
	case b.err != nil: // a part of a change would become durable
		return b.err
	case !wrote:
		return nil
	}
	began := time.Now()
	err := b.Commit()
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

// writes is a batch that keeps the first error of a write. Commit then returns it and commits nothing.
type writes struct {
	Batch
	err error
}

// Set sets a row.
func (b *writes) Set(key, value []byte) { b.note(b.Batch.Set(key, value)) }

// Delete deletes a row.
func (b *writes) Delete(key []byte) { b.note(b.Batch.Delete(key)) }

// DeleteRange deletes rows.
func (b *writes) DeleteRange(from, to []byte) { b.note(b.Batch.DeleteRange(from, to)) }

// Commit makes the writes durable, if none failed.
func (b *writes) Commit() error {
	if b.err != nil {
		return b.err
	}
	return b.Batch.Commit()
}

func (b *writes) note(err error) { b.err = cmp.Or(b.err, err) }

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
