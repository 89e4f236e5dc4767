package redis

import (
	"context"
	"fmt"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

var _ docid.Unloader = (*index)(nil)

// ReadThrough has texts read from a library that were left to it.
func (s *Store) ReadThrough(library docid.Library) { s.library.Store(&library) }

// Unload leaves texts to the library that a sink is.
func (ix *index) Unload(ctx context.Context, sink string, before time.Time, limit int) (int, error) {
	has, err := ix.s.c.Do(ctx, ix.s.c.B().Hget().Key(ix.p+"c").Field(sink).Build()).AsUint64()
	if rueidis.IsRedisNil(err) {
		return 0, fmt.Errorf("sink %q: %w", sink, docid.ErrNotFound)
	}
	if err != nil {
		return 0, ix.s.fail(err)
	}
	from, err := ix.count(ctx, "left")
	if err != nil {
		return 0, err
	}
	entries, err := ix.Catalog().Log(ctx, from, limit)
	if err != nil {
		return 0, err
	}
	upTo := from
	var leaders, kept []byte
	for _, e := range entries[:oldest(entries, has, before)] {
		upTo = e.Seq
		switch leader := packSeq(e.Leader); e.Kind {
		case docid.KindNew:
			leaders = append(leaders, leader...)
			fallthrough
		case docid.KindDuplicate, docid.KindUpdate:
			kept = append(append(kept, leader...), packSeq(e.Seq)...)
		}
	}
	if upTo == from {
		return 0, nil
	}
	answer, err := ix.call(ctx, true, "unload", decimal(upTo), string(leaders), string(kept))
	if err == nil {
		_, err = status(answer)
	}
	return int(upTo - from), err
}

// texts reads what the library has of a docId. ErrUnavailable if it cannot be asked.
func (ix *index) texts(ctx context.Context, leader uint64) (docID string, t docid.Texts, err error) {
	library := ix.s.library.Load()
	if library == nil {
		return "", t, fmt.Errorf("%w: the text of leader %d was left to a library, and none is given", docid.ErrUnavailable, leader)
	}
	id := ix.id
	if id.Epochs, err = ix.Catalog().Epochs(ctx); err != nil {
		return "", t, err
	}
	if docID, err = id.DocID(ix.tenant, leader); err != nil {
		return "", t, err
	}
	texts, err := (*library).Texts(ctx, []string{docID})
	if err != nil {
		return docID, t, fmt.Errorf("text of docId %s: %w", docID, err)
	}
	return docID, texts[docID], nil
}

// unloaded reads what verification needs of a leader, if it lives, from the library.
// ErrTextless if that does not have it: without the text nothing is decided.
func (ix *index) unloaded(ctx context.Context, leader uint64) (docid.Material, error) {
	row := ix.s.c.B().Hexists().Key(ix.p + "d" + decimal(leader/128)).Field(decimal(leader)).Build()
	if lives, err := ix.s.c.Do(ctx, row).AsBool(); err != nil {
		return docid.Material{}, ix.s.fail(err)
	} else if !lives {
		return docid.Material{}, docid.ErrNotFound
	}
	docID, t, err := ix.texts(ctx, leader)
	switch {
	case err != nil:
		return docid.Material{}, err
	case t.Ended:
		return docid.Material{}, docid.ErrNotFound
	case t.Material == nil:
		return docid.Material{}, fmt.Errorf("docId %s: %w", docID, docid.ErrTextless)
	default:
		return *t.Material, nil
	}
}
