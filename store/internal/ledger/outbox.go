package ledger

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/neardup/neardup/docid"
)

// waiting is the part of a change that is pending for the sinks. The sinks and their acknowledgements are rows outside the
// log, so they take no number.
type waiting struct {
	Effect  docid.KeptEffect
	Article *docid.Article // may be nil
}

// sinkRow records what a sink has acknowledged, and the oldest pending article at that time. After an epoch, that article
// cannot be derived from the acknowledgements.
type sinkRow struct{ Seq, Oldest uint64 }

// pageBytes is the size of articles, in bytes, at which a page of the outbox ends.
const pageBytes = 4 << 20

// Attach keeps articles for a sink from now on.
func (ix *index) Attach(ctx context.Context, sink string) (uint64, error) {
	o, err := ix.proposeSink(ctx, sinkChange{What: sinkAttach, Name: sink})
	return o.has, err
}

func (ix *index) proposeSink(ctx context.Context, s sinkChange) (outcome, error) {
	return ix.store.propose(ctx, &proposal{tenant: ix.tenant, sink: &s})
}

// Detach stops keeping articles for a sink.
func (ix *index) Detach(ctx context.Context, sink string) error {
	_, err := ix.proposeSink(ctx, sinkChange{What: sinkDetach, Name: sink})
	return err
}

// Acknowledge records the last change that a sink has, and drops the articles that all sinks have.
func (ix *index) Acknowledge(ctx context.Context, sink string, upTo uint64) error {
	has, there, err := ix.acknowledged(sink)
	if err != nil || (there && upTo <= has) {
		return err
	}
	_, err = ix.proposeSink(ctx, sinkChange{What: sinkAcknowledge, Name: sink, UpTo: upTo})
	return err
}

// acknowledged returns the last change that a sink has durably acknowledged, and whether the sink is attached.
func (ix *index) acknowledged(sink string) (seq uint64, there bool, err error) {
	err = ix.atSnapshot(func(r Reader) error {
		var row sinkRow
		there, err = read(r, sinkKey(ix.id, sink), &row)
		seq = row.Seq
		return err
	})
	return seq, there, err
}

// Claim requests the lease through the log. Without a log, only one process has the folder open, so it always gets the
// lease.
func (ix *index) Claim(ctx context.Context, sink, who string, long time.Duration) (bool, error) {
	if ix.store.follower == nil {
		return true, nil
	}
	var held lease
	err := ix.atSnapshot(func(r Reader) error {
		_, err := read(r, leaseKey(ix.id, sink), &held)
		return err
	})
	if err != nil {
		return false, err
	}
	since := ix.seen.since(sink, held)
	p := sinkChange{What: sinkClaim, Name: sink, Lease: lease{who, held.Turn}}
	switch {
	case held.Who == who && long <= 0:
		p.What = sinkRelease
	case held.Who == who && since < long/2: // renewed after half of its time
		return true, nil
	case held.Who != who && (long <= 0 || (held.Who != "" && since < long)):
		return false, nil
	}
	o, err := ix.proposeSink(ctx, p)
	return o.held, err
}

// sightings records which leases this server has seen, and since when.
type sightings struct {
	mu  sync.Mutex
	all map[string]sighting
}

type sighting struct {
	lease
	at time.Time
}

// since returns how long this server has seen a lease unchanged.
func (s *sightings) since(sink string, c lease) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, seen := s.all[sink]; seen && last.lease == c {
		return time.Since(last.at)
	}
	if s.all == nil {
		s.all = map[string]sighting{}
	}
	s.all[sink] = sighting{c, time.Now()}
	return 0
}

// foldSink applies a proposal about a sink.
func (ix *index) foldSink(b *writes, s *sinkChange) (o outcome, err error) {
	has, attached := ix.sinks[s.Name]
	switch {
	case len(s.Name) == 0 || len(s.Name) > 256:
		return o, fmt.Errorf("%w: invalid name of a sink (want 1 to 256 bytes)", docid.ErrInvalid)
	case s.What == sinkClaim || s.What == sinkRelease:
		return ix.foldLease(b, s)
	case s.What == sinkAttach && attached:
		return outcome{has: has}, nil
	case s.What == sinkDetach && !attached:
		return o, nil
	case s.What == sinkAttach:
		ix.acknowledge(b, s.Name, 0)
		return outcome{publish: wrote}, nil
	case s.What == sinkDetach:
		delete(ix.sinks, s.Name)
		b.Delete(sinkKey(ix.id, s.Name))
		ix.dropArticles(b)
		return outcome{publish: wrote}, nil
	case s.What != sinkAcknowledge:
		return o, fmt.Errorf("%w: invalid change of sink %q", docid.ErrInvalid, s.Name)
	case !attached:
		return o, fmt.Errorf("sink %q: %w", s.Name, docid.ErrNotFound)
	case s.UpTo > ix.head:
		return o, docid.ErrBehind
	case s.UpTo <= has:
		return o, nil
	}
	ix.acknowledge(b, s.Name, s.UpTo)
	ix.dropArticles(b)
	return outcome{publish: wrote}, nil
}

// foldLease gives a lease to its holder, or to a server that has seen the lease's current turn.
func (ix *index) foldLease(b *writes, s *sinkChange) (o outcome, err error) {
	key, held := leaseKey(ix.id, s.Name), lease{}
	_, err = read(b, key, &held)
	if err != nil || (held.Who != s.Lease.Who && held.Turn != s.Lease.Turn) {
		return o, err
	}
	next := lease{Turn: held.Turn + 1}
	if s.What == sinkClaim {
		next.Who, o.held = s.Lease.Who, true
	}
	o.publish = wrote
	b.set(key, &next)
	return o, nil
}

// acknowledge writes the last change that a sink has. Only the writer calls it.
func (ix *index) acknowledge(b *writes, sink string, seq uint64) {
	if len(ix.sinks) == 0 {
		ix.oldest = ix.head + 1
	}
	ix.sinks[sink] = seq
	b.set(sinkKey(ix.id, sink), &sinkRow{seq, ix.oldest})
}

// From manyRows rows on, a range is deleted at once. A range deletion slows later reads until the next flush, so it does
// not pay for a page.
const manyRows = 10_000

// dropArticles deletes the articles that all sinks have.
func (ix *index) dropArticles(b *writes) {
	upTo := ix.head
	for _, seq := range ix.sinks {
		upTo = min(upTo, seq)
	}
	from := ix.oldest
	ix.oldest = max(from, upTo+1)
	if ix.oldest-from > manyRows {
		b.DeleteRange(ix.key(spaceOutbox, from), ix.key(spaceOutbox, ix.oldest))
		return
	}
	for ; from < ix.oldest; from++ {
		b.Delete(ix.key(spaceOutbox, from))
	}
}

// full reports whether at least backlog changes wait for the sinks. Skipped numbers do not count.
func (ix *index) full(backlog uint64) bool {
	waiting := ix.head + 1 - ix.oldest
	return backlog > 0 && len(ix.sinks) > 0 && waiting >= backlog && waiting-ix.passed(ix.oldest) >= backlog
}

// Attached lists the sinks.
func (ix *index) Attached(ctx context.Context) ([]docid.Attachment, error) {
	var as []docid.Attachment
	prefix := ix.key(spaceSink)
	err := catalog{ix}.scan(ctx, prefix, after(prefix), func(k, v []byte) error {
		var row sinkRow
		err := decode(k, v, &row)
		as = append(as, docid.Attachment{Sink: string(k[len(prefix):]), Seq: row.Seq, Lost: ix.passed(row.Seq + 1)})
		return err
	})
	return as, err
}

// Pending reads a page of the log with the pending articles.
func (ix *index) Pending(ctx context.Context, from uint64, limit int) ([]docid.Delivery, error) {
	if from > ix.durable.Load() {
		return nil, docid.ErrBehind
	}
	entries, err := catalog{ix}.Log(ctx, from, limit)
	if err != nil {
		return nil, err
	}
	var ds []docid.Delivery
	bytes := 0
	err = ix.atSnapshot(func(r Reader) error {
		for i := 0; i < len(entries) && bytes < pageBytes; i++ {
			d := docid.Delivery{Entry: entries[i]}
			var w waiting
			if _, err := read(r, ix.key(spaceOutbox, d.Seq), &w); err != nil {
				return err
			}
			d.Kept, d.Article = w.Effect, w.Article
			if a := w.Article; a != nil {
				bytes += len(a.Text) + len(a.Title)
			}
			ds = append(ds, d)
		}
		return nil
	})
	return ds, err
}

// loadSinks reads the attached sinks and the first pending article.
func (ix *index) loadSinks(r Reader) error {
	all := ix.head // the last change acknowledged by every sink
	prefix := ix.key(spaceSink)
	err := scan(r, prefix, func(k, v []byte) error {
		var row sinkRow
		err := decode(k, v, &row)
		ix.sinks[string(k[len(prefix):])] = row.Seq
		all, ix.oldest = min(all, row.Seq), max(ix.oldest, row.Oldest)
		return err
	})
	ix.oldest = max(ix.oldest, all+1)
	return err
}
