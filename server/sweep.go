package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/span"
)

// sweepEvery is the interval of the sweeps in Run.
const sweepEvery = time.Minute

// sweepClaim is the name of the lease that lets one of several servers sweep for all.
const sweepClaim = "sweep"

// sweepPage is the number of docIds that are expired, or of changes that are searched, at a time.
const sweepPage = 1000

// Run does the timed work until ctx ends: it expires docIds, drops old idempotency keys and feeds the sinks.
func (s *Server) Run(ctx context.Context) {
	var relays sync.WaitGroup
	defer relays.Wait()
	for _, t := range s.tenants {
		for _, r := range t.relays {
			relays.Go(func() { _ = r.Run(ctx) }) // Run only returns when ctx ends
		}
		for name, sink := range s.cfg.Sinks {
			if t.classic != nil {
				observe := s.observerOf(t.name, name)
				relays.Go(func() { _ = t.classic.Feed(ctx, name, sink, func(err error) { observe(time.Now(), 0, err) }) })
			}
		}
	}
	if s.cfg.Remote.Reach != nil {
		relays.Go(func() { s.reach.watch(ctx, s.cfg.Remote.Reach, s.logReach) })
	}
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
			s.log.Error("sweep failed", "cause", span.Cause(err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// logReach logs that the store became unreachable, or answers again.
func (s *Server) logReach(err error) {
	if err != nil {
		s.log.Error("the index does not answer: requests are refused", "cause", span.Cause(err))
	} else {
		s.log.Info("the index answers again")
	}
}

// attach makes the store keep its decisions for every sink, and no longer for detached sinks.
func (s *Server) attach(ctx context.Context, t *tenant) error {
	for _, name := range s.cfg.Detach {
		if err := t.detector.Index().Outbox().Detach(ctx, name); err != nil {
			return fmt.Errorf("tenant %q: detach sink %q: %w", t.name, name, err)
		}
	}
	for _, name := range s.sinks() {
		r, err := t.detector.Relay(ctx, name, s.cfg.Sinks[name])
		if err != nil {
			return fmt.Errorf("tenant %q: %w", t.name, err)
		}
		r.Told = s.observerOf(t.name, name)
		t.relays[name] = r
	}
	waiting, err := t.detector.Index().Outbox().Attached(ctx)
	if err != nil {
		return fmt.Errorf("tenant %q: sinks: %w", t.name, err)
	}
	for _, a := range waiting {
		if s.cfg.Sinks[a.Sink] == nil {
			s.log.Warn("pending articles are kept for a sink that this server does not feed", "tenant", t.name, "sink", a.Sink, "has", a.Seq)
		}
	}
	return nil
}

// Sweep runs one sweep as of the time now. It must not be called concurrently.
func (s *Server) Sweep(ctx context.Context, now time.Time) error {
	if s.cfg.Remote.Clock != nil {
		at, err := s.cfg.Remote.Clock(ctx)
		if err != nil {
			return fmt.Errorf("read the time of the log: %w", err)
		}
		if at.Before(now) {
			now = at
		}
	}
	var errs []error
	for _, t := range s.tenants {
		if t.detector == nil {
			continue // this index has no docIds that expire
		}
		mine, err := t.detector.Index().Outbox().Claim(ctx, sweepClaim, s.who, 2*sweepEvery)
		if err != nil {
			errs = append(errs, fmt.Errorf("claim the sweep of tenant %q: %w", t.name, err))
		}
		if !mine {
			continue
		}
		errs = append(errs, expire(ctx, t.detector, now), s.forget(ctx, t, now.Add(-s.cfg.KeepKeys)))
		if s.cfg.Texts != nil {
			errs = append(errs, s.cfg.Texts.Forget(t.name))
		}
	}
	return errors.Join(errs...)
}

func expire(ctx context.Context, d *docid.Detector, now time.Time) error {
	for {
		n, err := d.Expire(ctx, now, sweepPage)
		if err != nil || n == 0 {
			return err
		}
	}
}

// forget drops idempotency keys that are old enough. After a restart it searches the log again.
func (s *Server) forget(ctx context.Context, t *tenant, before time.Time) error {
	for {
		upTo, err := t.detector.Forget(ctx, t.forgot, before, sweepPage)
		if err != nil || upTo == t.forgot {
			return err
		}
		t.forgot = upTo
	}
}
