package redis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/redis/rueidis"
)

// errGone: a docId has no row, and the log says why.
var errGone = errors.New("the docId has no row")

// ReadLog has entries of the log read from a history that were left to it.
func (s *Store) ReadLog(history docid.History) { s.history.Store(&history) }

// Trimmed is the last change whose entry was left to the history.
func (ix *index) Trimmed(ctx context.Context) (uint64, error) { return ix.count(ctx, "trimmed") }

// trimMost is how many entries go in one step, so that nobody waits long.
const trimMost = 250

// Trim leaves entries to the history that a sink is, once they were read back from
// there and are the same.
func (ix *index) Trim(ctx context.Context, sink string, most uint64, before time.Time, limit int) (int, error) {
	from, err := ix.Trimmed(ctx)
	if err != nil {
		return 0, err
	}
	attached, err := ix.Outbox().Attached(ctx)
	if err != nil {
		return 0, err
	}
	known := false
	for _, a := range attached {
		known, most = known || a.Sink == sink, min(most, a.Seq)
	}
	switch {
	case !known:
		return 0, fmt.Errorf("sink %q: %w", sink, docid.ErrNotFound)
	case most <= from:
		return 0, nil
	}
	entries, err := (catalog{ix}).log(ctx, from, min(limit, trimMost))
	if err != nil {
		return 0, err
	}
	entries = entries[:oldest(entries, most, before)]
	if len(entries) == 0 {
		return 0, nil
	}
	upTo := entries[len(entries)-1].Seq
	told, err := ix.historyOf(ctx, from, upTo, len(entries))
	if err == nil {
		err = same(entries, told)
	}
	if err != nil {
		return 0, err
	}
	articles, err := ix.shelve(ctx, entries)
	if err != nil {
		return 0, fmt.Errorf("leave articles to sink %q: %w", sink, err)
	}
	answer, err := ix.call(ctx, true, "trim", sink, decimal(from), decimal(upTo), articles)
	if err == nil {
		_, err = status(answer)
	}
	if err != nil {
		return 0, fmt.Errorf("leave changes %d to %d to sink %q: %w", from+1, upTo, sink, err)
	}
	n, err := answer[1].AsInt64()
	return int(n), ix.s.fail(err)
}

// oldest is how many entries are those of changes up to one that came before a time. A
// clock that was ahead holds up none.
func oldest(entries []docid.Entry, most uint64, before time.Time) (n int) {
	now := time.Now().UnixNano()
	for i, e := range entries {
		switch {
		case e.Seq > most || e.Time >= before.UnixNano() && e.Time <= now:
			return n
		default:
			n = i + 1
		}
	}
	return n
}

// same refuses entries that the history tells otherwise.
func same(entries, told []docid.Entry) error {
	if len(told) != len(entries) {
		return fmt.Errorf("%w: up to change %d it has %d, and the index %d", docid.ErrUntold, entries[len(entries)-1].Seq, len(told), len(entries))
	}
	for i := range entries {
		a, b := &entries[i], &told[i]
		if a.Seq != b.Seq || !bytes.Equal(ledger.EncodeEntry(a), ledger.EncodeEntry(b)) {
			return fmt.Errorf("%w: change %d is another there", docid.ErrUntold, a.Seq)
		}
	}
	return nil
}

// historyOf reads entries after a change from the history: limit of them, or all up to
// another, which it must have.
func (ix *index) historyOf(ctx context.Context, after, upTo uint64, limit int) ([]docid.Entry, error) {
	history, err := ix.shelf(upTo)
	if err != nil {
		return nil, err
	}
	entries, err := history.Log(ctx, ix.tenant, after, limit)
	if err != nil {
		return nil, fmt.Errorf("changes after %d: %w", after, err)
	}
	has := after
	for i, e := range entries {
		if e.Seq > upTo { // of a history that lies before the index
			entries = entries[:i]
			break
		}
		has = e.Seq
	}
	if len(entries) < limit && has < upTo {
		return nil, fmt.Errorf("%w: after change %d it ends with %d, and was left those up to %d", docid.ErrUntold, after, has, upTo)
	}
	return entries, nil
}

// entry is that of a change that was left to the history.
func (ix *index) entry(ctx context.Context, seq uint64) (docid.Entry, error) {
	entries, err := ix.historyOf(ctx, seq-1, seq, 1)
	if err != nil {
		return docid.Entry{}, fmt.Errorf("change %d: %w", seq, err)
	}
	return entries[0], nil
}

// told is the entry of a submission under an nid that was answered long ago; otherwise is
// what it is if the request was another. A recall if it was that of another nid.
func (ix *index) told(ctx context.Context, seq uint64, nid string, request [16]byte, otherwise rueidis.RedisMessage) (docid.Entry, error) {
	e, err := ix.entry(ctx, seq)
	switch how, wrong := status([]rueidis.RedisMessage{otherwise}); {
	case err != nil:
		return docid.Entry{}, err
	case e.Request == request:
		return e, nil
	case how == "taken" && e.NID != nid:
		return docid.Entry{}, &recall{seq: seq}
	default:
		return docid.Entry{}, wrong
	}
}
