package ledger

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/group"
	"github.com/neardup/neardup/internal/pause"
)

// rules is the newest version of the rules of fold. Each entry names its version. A server writes the newest version that
// all servers of the log know (see heartbeat). It stops at an entry with an unknown version.
const rules = 1

// follower makes a store apply a log to which other servers also append. It appends the store's decisions as
// proposals, and answers when it has read them back and applied them. State and log position are durable in one
// batch.
type follower struct {
	s     *Store
	log   docid.Log
	watch func(Reader, uint64) // may be nil
	told  func(time.Time)      // called at restarts of the log; may be nil
	stop  context.CancelFunc
	work  sync.WaitGroup

	author

	mu      sync.Mutex    // protects the fields below
	at      logPosition   // after the last applied entry
	moved   chan struct{} // closed at progress or an error
	lost    error         // the reason why following ended
	away    error         // the reason why the log is currently unreadable
	pending map[entryID]*pending
	posting map[uint64]*pending // posted key or name -> the pending proposal

	certainty
	ruling
	wish
	questions *group.Calls[question]
}

// author numbers the proposals of a follower.
type author struct {
	drawn  [8]byte       // a random prefix of its ids
	number atomic.Uint64 // number of its last proposal
}

// wish records which entries should be read soon.
type wish struct {
	wantedTo uint64        // a caller waits for the entries up to here
	wanted   chan struct{} // signals a change
}

// question asks the log for its end. One request answers all waiting questions.
type question struct {
	end uint64
	err error
}

// logWait limits a request to the log, but not a read. logPause separates attempts after an error. lagWait limits
// how long a caller waits for entries to be applied.
const (
	logWait  = 900 * time.Millisecond
	logPause = 50 * time.Millisecond
	lagWait  = 3 * time.Second
)

// Reads of the log begin at this interval, because applying several entries together is cheaper. gatherWanted applies if a
// caller waits for entries. After a read of gathered entries there is no pause.
const (
	gatherWanted = 2 * time.Millisecond
	gatherOthers = 10 * time.Millisecond
	gathered     = 32
)

// errLags reports that this server is too far behind the log.
var errLags = fmt.Errorf("%w: this server is behind the log", docid.ErrUnavailable)

// logPosition is the position of a store in a log.
type logPosition struct {
	docid.Anchor
	Digest      uint64 // digest of the outcomes of all applied entries
	Incarnation string // last incarnation recorded in entries
}

func positionKey() []byte { return []byte{spacePosition} }

// newFollower returns a follower that does not yet read the log or send heartbeats.
func newFollower(s *Store, log docid.Log, knows byte) (f *follower, begun bool, err error) {
	at, begun, err := s.logPosition()
	if err == nil && !begun && len(s.indexes) > 0 {
		err = fmt.Errorf("%w: the store has changes but has never followed a log (begin a log from it with neardup log adopt)", docid.ErrInvalid)
	}
	f = &follower{
		s: s, log: log, stop: func() {}, at: at, moved: make(chan struct{}),
		pending: map[entryID]*pending{}, posting: map[uint64]*pending{},
		certainty: certainty{unsure: make(chan struct{}, 1)},
		ruling:    ruling{knows: cmp.Or(knows, rules)},
		wish:      wish{wanted: make(chan struct{}, 1)},
	}
	f.questions = group.New(f.ask)
	_, _ = rand.Read(f.drawn[:]) // never fails
	f.doubts()
	return f, begun, err
}

// follow starts to apply the log. It returns when the entries at the time of the call are applied.
func (s *Store) follow(ctx context.Context, o Options) error {
	f, begun, err := newFollower(s, o.Log, o.rules)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.Background())
	f.stop, f.watch, f.told, s.follower = stop, o.Watch, o.Restarted, f
	f.work.Go(func() { f.read(running) })
	f.work.Go(func() { f.ensure(running) })
	for {
		err := error(nil)
		if !begun {
			err = f.hasBegun(ctx)
		}
		if err == nil {
			soon, cancel := context.WithTimeoutCause(ctx, lagWait, errLags)
			err = f.waits(soon, func() bool { return f.sure })
			cancel()
		}
		if err == nil {
			break
		}
		if errors.Is(err, errLags) && o.Waits == nil { // applying a page takes long
			continue
		}
		if o.Waits == nil || !errors.Is(err, docid.ErrUnavailable) || f.isLost() || ctx.Err() != nil {
			return fmt.Errorf("catch up with the log: %w", err)
		}
		o.Waits(err)
		_ = pause.For(ctx, logPause) // the loop checks ctx
	}
	f.work.Go(func() { f.tend(running, o) })
	return nil
}

// Applied returns the offset of the last applied entry, or 0 if no log is followed.
func (s *Store) Applied() uint64 {
	if s.follower == nil {
		return 0
	}
	return s.follower.position().Offset
}

// logPosition reads the position of the rows in a log, if they follow one.
func (s *Store) logPosition() (at logPosition, there bool, err error) {
	err = atSnapshot(s.kv, func(v Snapshot) error {
		there, err = read(v, positionKey(), &at)
		return err
	})
	return at, there, err
}

// close stops following and waits for its goroutines.
func (f *follower) close() {
	f.fail(errClosed)
	f.stop()
	f.work.Wait()
	f.questions.Close()
}

// fail ends following for good and answers all waiting callers.
func (f *follower) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lost == nil {
		f.lost = err
	}
	f.wake(f.lost)
}

// wake answers all callers whose entries are pending, because the outcome is unknown. The caller holds f.mu.
func (f *follower) wake(err error) {
	for id, own := range f.pending {
		f.remove(id, own)
		own.err = fmt.Errorf("%w: unknown whether the entry is in the log: %w", docid.ErrUnavailable, err)
		close(own.done)
	}
	f.stir()
}

// troubled returns why the store cannot answer, or nil if it can.
func (f *follower) troubled() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.lost, f.away); err != nil || f.sure {
		return err
	}
	return errDoubt
}

// read reads and applies the log until ctx ends or following fails.
func (f *follower) read(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		entries, err := f.log.Read(ctx, f.position().Anchor)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, docid.ErrLogLost):
			f.fail(err)
			return
		case err != nil:
			f.doubts()
			f.leave(fmt.Errorf("%w: read the log: %w", docid.ErrUnavailable, err))
			_ = pause.For(ctx, logPause) // the loop checks ctx
			continue
		}
		f.leave(nil)
		if err := f.apply(entries); err != nil {
			f.fail(err)
			return
		}
		if len(entries) < gathered {
			f.gather(ctx, began)
		}
	}
}

// gather waits for further entries after a read that began at a time.
func (f *follower) gather(ctx context.Context, began time.Time) {
	_ = pause.For(ctx, gatherWanted-time.Since(began)) // the loop below checks ctx
	others := time.NewTimer(gatherOthers - time.Since(began))
	defer others.Stop()
	for {
		f.mu.Lock()
		wanted := f.wantedTo > f.at.Offset
		f.mu.Unlock()
		if wanted {
			return
		}
		select {
		case <-f.wanted:
		case <-others.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// want makes the follower read the entries up to an offset soon.
func (f *follower) want(offset uint64) {
	f.mu.Lock()
	f.wantedTo = max(f.wantedTo, offset)
	f.mu.Unlock()
	signal(f.wanted)
}

// leave records whether the log can be read.
func (f *follower) leave(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = err
	if err != nil {
		f.wake(err)
	}
}

// apply applies entries in order.
func (f *follower) apply(entries [][]byte) error {
	ps := make([]*proposal, len(entries))
	for i, b := range entries {
		p, err := f.readEntry(b)
		if errors.Is(err, errRules) {
			return err
		}
		if err == nil {
			ps[i] = p
		}
	}
	for len(ps) > 0 { // a new index must exist before later entries are applied
		n := 1
		for n < len(ps) && (ps[n-1] == nil || ps[n-1].identity == nil) {
			n++
		}
		if err := f.batch(ps[:n], entries[:n]); err != nil {
			return err
		}
		ps, entries = ps[n:], entries[n:]
	}
	return nil
}

// readEntry returns the pending proposal of an own entry, and decodes any other entry.
func (f *follower) readEntry(b []byte) (*proposal, error) {
	f.mu.Lock()
	own := f.pending[idOf(b)]
	f.mu.Unlock()
	if own != nil && bytes.Equal(own.entry, b) {
		return own.p, nil
	}
	return readEntry(b, f.knows)
}

// batch applies entries, and writes the position in the log with them.
func (f *follower) batch(ps []*proposal, entries [][]byte) error {
	at := f.at
	made, errs := make([]outcome, len(ps)), make([]error, len(ps))
	err := f.s.do(context.Background(), func(b *writes) (func(), error) {
		var publish []func()
		for i, p := range ps {
			at.Anchor = at.Next(entries[i])
			o, err := f.fold(b, p, at)
			if err != nil && !refused(err) {
				b.note(err)
				return nil, err
			}
			made[i], errs[i] = o, err
			if o.publish != nil {
				publish = append(publish, o.publish)
			}
			at.Incarnation = at.records(p, err)
			if err == nil && p.restart != nil && f.told != nil {
				publish = append(publish, func() { f.told(time.Unix(0, p.restart.Time)) })
			}
			at.Digest = at.next(o, err)
			if f.watch != nil {
				f.watch(b, at.Offset)
			}
		}
		b.set(positionKey(), &at)
		return func() {
			for _, then := range publish {
				then()
			}
		}, nil
	})
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, entry := range entries {
		id := idOf(entry)
		if own := f.pending[id]; own != nil {
			f.remove(id, own)
			own.made, own.err = made[i], errs[i]
			close(own.done)
		}
	}
	f.at = at
	if f.sure && f.incarnation != "" && at.Incarnation != f.incarnation {
		f.doubt()
	}
	f.stir()
	return nil
}

// errNoStart means that a log cannot be followed from its first entry.
var errNoStart = fmt.Errorf("%w: an empty store cannot follow this log from its first entry (want a copy of another server's folder)", docid.ErrUnavailable)

// fold applies an entry. p is nil for an unreadable entry.
func (f *follower) fold(b *writes, p *proposal, at logPosition) (o outcome, err error) {
	begins := p != nil && p.genesis != nil
	switch {
	case at.Offset == 1 && (!begins || p.genesis.Adopted):
		return o, errNoStart
	case p == nil:
		return o, fmt.Errorf("%w: unreadable entry", docid.ErrInvalid)
	case begins && at.Offset > 1:
		return o, fmt.Errorf("%w: the log has already begun", docid.ErrInvalid)
	case begins:
		return o, nil
	case p.heartbeat != nil:
		return p.heartbeat.fold(b, at)
	case p.restart != nil:
		return p.restart.fold(f.s, b, at)
	}
	return f.s.fold(b, p)
}

// next returns the digest after a further outcome.
func (at logPosition) next(o outcome, err error) uint64 {
	taken, r := err == nil, &o.receipt
	return checksum(at.ID[:], encoded(&at.Digest, &taken, &r.Seq, &r.Leader, &r.Replayed))
}

// current waits until the log's entries at the time of the call are applied, for at most lagWait.
func (f *follower) current(ctx context.Context) error {
	soon, cancel := context.WithTimeoutCause(ctx, lagWait, errLags)
	defer cancel()
	if err := f.waits(soon, func() bool { return f.sure }); err != nil {
		return err
	}
	return f.caughtUp(soon)
}

// caughtUp waits until the log's entries at the time of the call are applied, without a time limit.
func (f *follower) caughtUp(ctx context.Context) error {
	if err := f.waits(ctx, func() bool { return true }); err != nil {
		return err
	}
	end, err := f.end(ctx)
	if err != nil {
		return err
	}
	f.want(end)
	return f.waits(ctx, func() bool { return f.at.Offset >= end })
}

// end returns the end of the log.
func (f *follower) end(ctx context.Context) (uint64, error) {
	q := &question{}
	if err := f.questions.Do(ctx, q); err != nil {
		return 0, err
	}
	if q.err != nil {
		return 0, fmt.Errorf("%w: ask the log for its end: %w", docid.ErrUnavailable, q.err)
	}
	return q.end, nil
}

// waits blocks until enough returns true. It calls enough while it holds f.mu.
func (f *follower) waits(ctx context.Context, enough func() bool) error {
	for {
		f.mu.Lock()
		yes, moved, err := enough(), f.moved, errors.Join(f.lost, f.away)
		f.mu.Unlock()
		if yes || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ask answers all questions with one request to the log.
func (f *follower) ask(all []*question) {
	ctx, cancel := context.WithTimeout(context.Background(), logWait)
	defer cancel()
	end, err := f.log.Durable(ctx)
	if err != nil {
		f.doubts()
	}
	for _, q := range all {
		q.end, q.err = end, err
	}
}
