package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/pause"
)

// A log may lose its last entries when it is restored from a backup or fails over. A server that has applied them detects
// that, because the log lacks its anchor. Servers that have not applied them cannot. So every log names its incarnation,
// which changes at each restart, and entries record it. A server answers only if the last recorded incarnation is that of
// the log. Otherwise it records the new incarnation, and with that entry all indexes begin an epoch. No other entry is
// appended before it, so lost and new entries give different docIds.

// genesis is the first entry of a log. An empty store can start only there.
type genesis struct {
	Time int64 // Unix nanoseconds
	// Adopted marks a log that continues from a store, of which every server needs a copy.
	Adopted     bool
	Incarnation string // incarnation of the log
}

// restart records the incarnation of a log.
type restart struct {
	Incarnation string
	Epoch       uint64 // number of the new epoch
	Time        int64  // Unix nanoseconds
}

// fold begins an epoch in every index, unless the incarnation is already recorded.
func (r *restart) fold(s *Store, b *writes, at logPosition) (o outcome, err error) {
	if r.Incarnation == at.Incarnation || r.Epoch == 0 {
		return o, docid.ErrConflict
	}
	tenants, err := s.Tenants(context.Background())
	if err != nil {
		return o, err
	}
	var begun []*change
	for _, tenant := range tenants { // sorted, so that all servers do the same
		ix := s.index(tenant)
		c := &docid.Change{Entry: docid.Entry{Kind: docid.KindEpoch, Leader: r.Epoch, Time: r.Time}}
		t := newChange(ix, b, c, docid.Beyond(ix.head, time.Unix(0, r.Time))+1)
		t.logEpoch()
		begun = append(begun, t)
	}
	o.publish = publishAll(begun)
	return o, nil
}

// certainty records whether the log may have lost entries.
type certainty struct {
	incarnation string        // last incarnation that the log returned
	sure        bool          // the entries record it, and nothing has cast doubt on it since
	doubted     uint64        // number of doubts
	unsure      chan struct{} // signals a doubt
}

// errDoubt means that the incarnation of the log is not known yet.
var errDoubt = fmt.Errorf("%w: checking whether the log has lost entries", docid.ErrUnavailable)

// doubts records that the log may have another incarnation, because a request failed or entries name another.
func (f *follower) doubts() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubt()
}

// doubt does the work of doubts. The caller holds f.mu.
func (f *follower) doubt() {
	f.doubted++
	f.sure = false
	signal(f.unsure)
}

// ensure asks for the incarnation of the log after each doubt, until ctx ends.
func (f *follower) ensure(ctx context.Context) {
	for {
		select {
		case <-f.unsure:
		case <-ctx.Done():
			return
		}
		for ctx.Err() == nil {
			if err := f.makeSure(ctx); err == nil {
				break
			} else if errors.Is(err, docid.ErrLogLost) {
				f.fail(err)
				return
			}
			_ = pause.For(ctx, logPause) // the loop checks ctx
		}
	}
}

// makeSure records the incarnation of the log, unless the entries already name it.
func (f *follower) makeSure(ctx context.Context) error {
	f.mu.Lock()
	doubted := f.doubted
	f.mu.Unlock()
	asking, cancel := context.WithTimeout(ctx, logWait)
	now, err := f.log.Incarnation(asking)
	cancel()
	end := uint64(0)
	if err == nil {
		end, err = f.end(ctx)
	}
	if err == nil && end == 0 && f.position().Offset == 0 { // no server appends the genesis
		err = errNotBegun
	}
	if err == nil && end < f.position().Offset { // a read will show whether the log has lost entries or does not know its end yet
		err = errDoubt
	}
	if err == nil {
		err = f.caughtUp(ctx)
	}
	if err != nil {
		return err
	}
	for now != "" && f.position().Incarnation != now { // "" means that the log is only read
		number, err := drawEpoch()
		if err != nil {
			return err
		}
		p := &proposal{restart: &restart{now, number, time.Now().UnixNano()}}
		if _, err := f.propose(ctx, p); err != nil && !errors.Is(err, docid.ErrConflict) {
			return err
		}
		if err := f.caughtUp(ctx); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doubted != doubted {
		return errDoubt
	}
	f.sure, f.incarnation = true, now
	f.stir()
	return nil
}

// surely waits until there is no doubt.
func (f *follower) surely(ctx context.Context) error {
	soon, cancel := context.WithTimeoutCause(ctx, lagWait, errDoubt)
	defer cancel()
	return f.waits(soon, func() bool { return f.sure })
}

// stir wakes all waiting callers. The caller holds f.mu.
func (f *follower) stir() {
	close(f.moved)
	f.moved = make(chan struct{})
}

// position returns the position of the follower.
func (f *follower) position() logPosition {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// records returns the recorded incarnation after applying a proposal.
func (at logPosition) records(p *proposal, err error) string {
	switch {
	case p == nil || err != nil:
	case p.restart != nil:
		return p.restart.Incarnation
	case p.genesis != nil:
		return p.genesis.Incarnation
	}
	return at.Incarnation
}

func (f *follower) isLost() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost != nil
}

// hasBegun returns errNotBegun if the log is empty. Otherwise an index that was begun by mistake would replace a lost one.
func (f *follower) hasBegun(ctx context.Context) error {
	end, err := f.end(ctx)
	if err == nil && end == 0 {
		err = errNotBegun
	}
	return err
}

var errNotBegun = fmt.Errorf("%w: the log is empty (run neardup log begin, or neardup log adopt if the log was lost)", docid.ErrInvalid)

// BeginLog begins an empty log for servers without an index. It returns ErrLogLost if the log had entries.
func BeginLog(ctx context.Context, log docid.Log) error {
	end, err := log.Durable(ctx)
	if err == nil && end > 0 {
		err = fmt.Errorf("%w: the log has %d entries (want none)", docid.ErrLogLost, end)
	}
	if err != nil {
		return err
	}
	first, _, err := firstEntry(ctx, log, false)
	if err == nil {
		_, err = log.Append(ctx, docid.Anchor{}, first)
	}
	return err
}

// firstEntry returns the genesis of a log and the position after it.
func firstEntry(ctx context.Context, log docid.Log, adopted bool) ([]byte, logPosition, error) {
	now, err := log.Incarnation(ctx)
	if err != nil {
		return nil, logPosition{}, err
	}
	var id entryID
	_, _ = rand.Read(id[:]) // never fails
	p := &proposal{genesis: &genesis{time.Now().UnixNano(), adopted, now}}
	first := entryOf(id, 1, p.encode())
	return first, logPosition{Anchor: docid.Anchor{}.Next(first), Incarnation: now}, nil
}
