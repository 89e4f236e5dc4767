package docid

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Relay feeds one sink from the outbox of an index: in order, at least once,
// from where the sink says it is. Whatever was killed meanwhile, nothing is
// left out.
type Relay struct {
	d    *Detector
	name string
	sink Sink
	late bool // what is delivered was not kept for the sink
	// OnError, where not nil, hears why Run waits.
	OnError func(error)
}

// Relay attaches a sink under a name and returns what feeds it. The store keeps
// articles for it from then on, also while no relay runs, until Detach.
func (d *Detector) Relay(ctx context.Context, name string, sink Sink) (*Relay, error) {
	if keeper, ok := sink.(IdentityKeeper); ok {
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
	if err == nil {
		if err := d.told(ctx, sink, at); err != nil {
			return nil, fmt.Errorf("compare index and sink %q: %w", name, err)
		}
	}
	if err != nil && !errors.Is(err, ErrUnavailable) { // it may be away for now; Drain asks again
		return nil, fmt.Errorf("compare index and sink %q: %w", name, err)
	}
	return &Relay{d: d, name: name, sink: sink}, nil
}

// told refuses a history that has less than the index left to it: ErrUntold.
func (d *Detector) told(ctx context.Context, sink Sink, at uint64) error {
	u, leaves := d.index.(Unloader)
	if _, keeps := sink.(History); !keeps || !leaves {
		return nil
	}
	trimmed, err := u.Trimmed(ctx)
	if err == nil && at < trimmed {
		err = fmt.Errorf("%w: it has those up to %d, and was left those up to %d; give it back what it had, from a later backup", ErrUntold, at, trimmed)
	}
	return err
}

// A relay hands out pages of so many changes, looks for new ones so often, and
// after errors waits twice as long each time, up to a bound.
const (
	relayPage  = 500
	relayPause = 100 * time.Millisecond
	relayMost  = 30 * time.Second
)

// Drain applies what waits, until nothing does, and returns the sink's cursor.
// Where the sink has changes that the index has lost, the index begins an epoch
// after them.
func (r *Relay) Drain(ctx context.Context) (uint64, error) {
	at, err := r.sink.Cursor(ctx, r.d.tenant)
	if err != nil {
		return 0, fmt.Errorf("cursor of sink %q: %w", r.name, err)
	}
	if err := r.d.Resume(ctx, at); err != nil {
		return at, fmt.Errorf("compare index and sink %q: %w", r.name, err)
	}
	box := r.d.index.Outbox()
	for {
		ds, err := box.Pending(ctx, at, relayPage)
		if err != nil {
			return at, fmt.Errorf("read what waits for sink %q after %d: %w", r.name, at, err)
		}
		if len(ds) > 0 {
			if err := r.complete(ctx, ds); err != nil {
				return at, err
			}
			if err := r.sink.Apply(ctx, r.d.tenant, ds); err != nil {
				return at, fmt.Errorf("sink %q after %d: %w", r.name, at, err)
			}
			at = ds[len(ds)-1].Seq
		}
		if err := box.Acknowledge(ctx, r.name, at); err != nil {
			return at, fmt.Errorf("acknowledge sink %q at %d: %w", r.name, at, err)
		}
		if len(ds) == 0 {
			return at, nil
		}
	}
}

// Run drains again and again until ctx ends, whose error it returns. It goes on
// after errors of the sink and of the store.
func (r *Relay) Run(ctx context.Context) error {
	pause := relayPause
	for {
		_, err := r.Drain(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			pause = relayPause
		default:
			pause = min(2*pause, relayMost)
			if r.OnError != nil {
				r.OnError(err)
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}
