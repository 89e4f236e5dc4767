package docid

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/neardup/neardup/internal/pause"
)

// Relay feeds one sink from the outbox of an index: in order, at least once, from the sink's cursor. Crashes
// lose nothing.
type Relay struct {
	d    *Detector
	name string
	who  string // name of this process, among all that feed the sink
	sink Sink
	// Told, if not nil, is called after each page handed to the sink, with its start and size, and with each error after
	// which Run retries.
	Told func(began time.Time, changes int, err error)
}

// Relay attaches a sink under a name and returns the Relay that feeds it. Until Detach, the store keeps articles for the
// sink, even while no relay runs.
func (d *Detector) Relay(ctx context.Context, name string, sink Sink) (*Relay, error) {
	if keeper, ok := sink.(History); ok {
		if err := keeper.KeepIdentity(ctx, d.tenant, d.index.Identity()); err != nil {
			return nil, fmt.Errorf("attach sink %q: %w", name, err)
		}
	}
	if _, err := d.index.Outbox().Attach(ctx, name); err != nil {
		return nil, fmt.Errorf("attach sink %q: %w", name, err)
	}
	at, err := sink.Cursor(ctx, d.tenant)
	if err == nil {
		err = d.Resume(ctx, at)
	}
	if err != nil && !errors.Is(err, ErrUnavailable) { // the sink may be unavailable for now; Drain tries again
		return nil, fmt.Errorf("compare index and sink %q: %w", name, err)
	}
	return &Relay{d: d, name: name, who: rand.Text(), sink: sink}, nil
}

// A relay delivers pages of relayPage changes and polls every relayPause. After errors it doubles the pause, up to
// relayMost. If it is inactive for relayClaim, another relay takes over.
const (
	relayPage  = 500
	relayPause = 100 * time.Millisecond
	relayMost  = 2 * time.Second
	relayClaim = 5 * time.Second
)

// Drain delivers all pending changes, and returns the sink's cursor. If the sink has changes that the index has lost, the
// index begins an epoch after them.
func (r *Relay) Drain(ctx context.Context) (uint64, error) {
	return r.drain(ctx, func() (bool, error) { return true, nil })
}

// drain delivers pending changes as long as may returns true.
func (r *Relay) drain(ctx context.Context, may func() (bool, error)) (uint64, error) {
	at, err := r.sink.Cursor(ctx, r.d.tenant)
	if err != nil {
		return 0, fmt.Errorf("cursor of sink %q: %w", r.name, err)
	}
	if err := r.d.Resume(ctx, at); err != nil {
		return at, fmt.Errorf("compare index and sink %q: %w", r.name, err)
	}
	p := r.read(ctx, at)
	for p.err == nil {
		if err := r.d.index.Outbox().Acknowledge(ctx, r.name, at); err != nil {
			return at, fmt.Errorf("acknowledge sink %q at %d: %w", r.name, at, err)
		}
		if len(p.ds) == 0 {
			return at, nil
		}
		if mine, err := may(); err != nil || !mine {
			return at, err
		}
		began := time.Now()
		next, err := r.apply(ctx, p.ds)
		if err != nil {
			return at, fmt.Errorf("sink %q after %d: %w", r.name, at, err)
		}
		r.tell(began, len(p.ds), nil)
		if d := &p.ds[0]; d.Kind == KindEpoch && d.Before.Seq < at && r.d.Lost != nil {
			r.d.Lost(d.Before.Seq, at)
		}
		at, p = p.ds[len(p.ds)-1].Seq, next
	}
	return at, p.err
}

// page is a page of pending changes.
type page struct {
	ds  []Delivery
	err error
}

func (r *Relay) read(ctx context.Context, after uint64) page {
	ds, err := r.d.index.Outbox().Pending(ctx, after, relayPage)
	if err != nil {
		return page{err: fmt.Errorf("read pending changes of sink %q after %d: %w", r.name, after, err)}
	}
	return page{ds, r.complete(ctx, ds)}
}

// apply delivers a page to the sink and reads the next page at the same time.
func (r *Relay) apply(ctx context.Context, ds []Delivery) (page, error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	next := make(chan page, 1)
	go func() { next <- r.read(reading, ds[len(ds)-1].Seq) }()
	err := r.sink.Apply(ctx, r.d.tenant, ds)
	if err != nil {
		stop()
	}
	return <-next, err
}

// Run drains repeatedly until ctx ends, and returns the error of ctx. It continues after errors of the sink and of the
// store. If several relays feed one sink, one of them works, and the others wait for its lease to expire.
func (r *Relay) Run(ctx context.Context) error {
	defer r.release(ctx)
	return pause.Between(ctx, relayPause, relayMost, r.turn, func(began time.Time, err error) {
		r.release(ctx) // another relay may reach the sink or the store
		r.tell(began, 0, err)
	})
}

func (r *Relay) tell(began time.Time, changes int, err error) {
	if r.Told != nil {
		r.Told(began, changes, err)
	}
}

// turn drains unless another relay holds the lease.
func (r *Relay) turn(ctx context.Context) error {
	claim := func() (bool, error) {
		mine, err := r.d.index.Outbox().Claim(ctx, r.name, r.who, relayClaim)
		if err != nil {
			err = fmt.Errorf("claim sink %q: %w", r.name, err)
		}
		return mine, err
	}
	mine, err := claim()
	if err != nil || !mine {
		return err
	}
	_, err = r.drain(ctx, claim)
	return err
}

// release lets another relay feed the sink at once. If it fails, that relay waits for the lease to expire.
func (r *Relay) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = r.d.index.Outbox().Claim(ctx, r.name, r.who, 0)
}
