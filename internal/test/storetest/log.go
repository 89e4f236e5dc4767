package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store"
)

// Log is a docid.Log in memory.
type Log struct {
	mu      sync.Mutex
	trimmed uint64
	entries [][]byte      // entries that were not trimmed
	more    chan struct{} // closed when an entry is added
	name    string        // the incarnation
}

var logs atomic.Uint64

// Begin calls Incarnation on a log, so that it can be used.
func Begin[L docid.Log](t testing.TB, l L) L {
	t.Helper()
	if err := store.BeginLog(t.Context(), l); err != nil && !errors.Is(err, docid.ErrLogLost) {
		t.Fatal(err)
	}
	return l
}

// NewLog returns an empty Log.
func NewLog() *Log {
	return &Log{more: make(chan struct{}), name: strconv.FormatUint(logs.Add(1), 10)}
}

// Incarnation returns the name of the log, which is different for each Log.
func (l *Log) Incarnation(context.Context) (string, error) { return l.name, nil }

func (l *Log) end() uint64 { return l.trimmed + uint64(len(l.entries)) }

// has reports whether the log has the entry at an anchor, and all entries after it.
func (l *Log) has(a docid.Anchor) bool {
	switch {
	case a.Offset == l.trimmed && a.Offset == 0:
		return a == docid.Anchor{}
	case a.Offset <= l.trimmed || a.Offset > l.end():
		return false
	}
	return docid.Anchor{Offset: a.Offset - 1}.Next(l.entries[a.Offset-l.trimmed-1]) == a
}

// Append adds an entry.
func (l *Log) Append(ctx context.Context, anchor docid.Anchor, entry []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if !l.has(anchor) || (anchor.Offset == 0 && l.end() > 0) {
		return 0, docid.ErrLogLost
	}
	l.entries = append(l.entries, slices.Clone(entry))
	close(l.more)
	l.more = make(chan struct{})
	return l.end(), nil
}

// Read returns entries, and waits a tenth of a second if there are none.
func (l *Log) Read(ctx context.Context, anchor docid.Anchor) ([][]byte, error) {
	for last := false; ; {
		l.mu.Lock()
		if !l.has(anchor) {
			l.mu.Unlock()
			return nil, docid.ErrLogLost
		}
		found, more := slices.Clone(l.entries[anchor.Offset-l.trimmed:]), l.more
		l.mu.Unlock()
		if len(found) > 0 || last {
			n := 0
			for bytes := 0; n < min(len(found), 100) && bytes < 1<<20; n++ {
				bytes += len(found[n])
			}
			return found[:n], nil
		}
		select {
		case <-more:
		case <-time.After(100 * time.Millisecond):
			last = true
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Durable returns the last offset.
func (l *Log) Durable(ctx context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end(), ctx.Err()
}

// Trim removes entries, except the last.
func (l *Log) Trim(ctx context.Context, before uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if upTo := min(before, l.end()); upTo > l.trimmed+1 {
		l.entries = l.entries[upTo-1-l.trimmed:]
		l.trimmed = upTo - 1
	}
	return ctx.Err()
}

// Before returns the log as it was after n entries, with another incarnation.
func (l *Log) Before(n uint64) *Log {
	l.mu.Lock()
	defer l.mu.Unlock()
	older := NewLog()
	older.trimmed, older.entries = l.trimmed, slices.Clone(l.entries[:n-l.trimmed])
	return older
}

// Force appends an entry that no server would write.
func (l *Log) Force(entry []byte) error {
	l.mu.Lock()
	at := docid.Anchor{}
	if n := len(l.entries); n > 0 {
		at = docid.Anchor{Offset: l.end() - 1}.Next(l.entries[n-1])
	}
	l.mu.Unlock()
	_, err := l.Append(context.Background(), at, entry)
	return err
}

// Trimmed returns the number of removed entries.
func (l *Log) Trimmed() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trimmed
}

// Patient is a log without timeouts. With them, a store on a busy machine would report that the log is unavailable.
type Patient struct{ docid.Log }

func waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
}

// Append appends to the log.
func (p Patient) Append(ctx context.Context, at docid.Anchor, entry []byte) (uint64, error) {
	ctx, cancel := waiting(ctx)
	defer cancel()
	return p.Log.Append(ctx, at, entry)
}

// Read reads the log.
func (p Patient) Read(ctx context.Context, at docid.Anchor) ([][]byte, error) {
	ctx, cancel := waiting(ctx)
	defer cancel()
	return p.Log.Read(ctx, at)
}

// Durable returns the end of the log.
func (p Patient) Durable(ctx context.Context) (uint64, error) {
	ctx, cancel := waiting(ctx)
	defer cancel()
	return p.Log.Durable(ctx)
}

// CopyLog appends the entries of a log to an empty one. alter, if not nil, changes each entry.
func CopyLog(ctx context.Context, from, to docid.Log, alter func(n uint64, entry []byte) []byte) error {
	end, err := from.Durable(ctx)
	if err != nil {
		return err
	}
	var at, copied docid.Anchor
	for at.Offset < end { // a page may be empty before the end, because a busy log returns none in time
		entries, err := from.Read(ctx, at)
		if err != nil {
			return err
		}
		for _, e := range entries {
			at = at.Next(e)
			if alter != nil {
				e = alter(at.Offset, e)
			}
			if _, err := to.Append(ctx, copied, e); err != nil {
				return err
			}
			copied = copied.Next(e)
		}
	}
	return nil
}
