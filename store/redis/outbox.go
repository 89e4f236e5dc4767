package redis

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/redis/rueidis"
)

// outbox is the log with the articles that wait for the sinks.
type outbox struct{ *index }

// Attach keeps articles for a sink from now on.
func (o outbox) Attach(ctx context.Context, sink string) (uint64, error) {
	if len(sink) == 0 || len(sink) > 256 {
		return 0, fmt.Errorf("%w: a sink's name has 1 to 256 bytes", docid.ErrInvalid)
	}
	return o.acknowledge(ctx, sink, "-1")
}

// Detach waits for a sink no longer.
func (o outbox) Detach(ctx context.Context, sink string) error {
	_, err := o.acknowledge(ctx, sink, "-2")
	if errors.Is(err, docid.ErrNotFound) {
		return nil
	}
	return err
}

// Acknowledge drops the articles that all sinks have.
func (o outbox) Acknowledge(ctx context.Context, sink string, upTo uint64) error {
	_, err := o.acknowledge(ctx, sink, decimal(upTo))
	if errors.Is(err, docid.ErrNotFound) {
		return fmt.Errorf("sink %q: %w", sink, err)
	}
	return err
}

func (o outbox) acknowledge(ctx context.Context, sink, seq string) (uint64, error) {
	answer, err := o.call(ctx, true, "acknowledge", sink, seq)
	if err != nil {
		return 0, err
	}
	if _, err := status(answer); err != nil {
		return 0, err
	}
	had, err := answer[1].AsInt64()
	return uint64(max(had, 0)), err
}

// Claim holds a key with a time to live. A failover may lose it, which does no harm.
func (o outbox) Claim(ctx context.Context, sink, who string, long time.Duration) (bool, error) {
	key := o.p + "f" + sink
	if long > 0 {
		err := o.s.c.Do(ctx, o.s.c.B().Set().Key(key).Value(who).Nx().Px(long).Build()).Error()
		if !rueidis.IsRedisNil(err) {
			return err == nil, o.s.fail(err)
		}
	}
	has, err := o.s.c.Do(ctx, o.s.c.B().Get().Key(key).Build()).ToString()
	switch {
	case rueidis.IsRedisNil(err), err == nil && has != who:
		return false, nil
	case err != nil:
		return false, o.s.fail(err)
	case long <= 0:
		return false, o.s.fail(o.s.c.Do(ctx, o.s.c.B().Del().Key(key).Build()).Error())
	}
	return true, o.s.fail(o.s.c.Do(ctx, o.s.c.B().Pexpire().Key(key).Milliseconds(long.Milliseconds()).Build()).Error())
}

// Attached lists the sinks.
func (o outbox) Attached(ctx context.Context) ([]docid.Attachment, error) {
	all, err := o.s.c.Do(ctx, o.s.c.B().Hgetall().Key(o.p+"c").Build()).AsIntMap()
	if err != nil {
		return nil, o.s.fail(err)
	}
	gaps, err := o.gaps(ctx)
	if err != nil {
		return nil, err
	}
	var as []docid.Attachment
	for sink, seq := range all {
		a := docid.Attachment{Sink: sink, Seq: uint64(seq)}
		for _, g := range gaps {
			from := max(g.from, a.Seq+1)
			a.Lost += max(from, g.to) - from
		}
		as = append(as, a)
	}
	slices.SortFunc(as, func(a, b docid.Attachment) int { return strings.Compare(a.Sink, b.Sink) })
	return as, nil
}

// gap are numbers that were lost, those before to.
type gap struct{ from, to uint64 }

// gaps are those over which epochs passed, in order.
func (ix *index) gaps(ctx context.Context) ([]gap, error) {
	b, err := ix.s.c.Do(ctx, ix.s.c.B().Hget().Key(ix.p+"s").Field("gaps").Build()).ToString()
	if err != nil && !rueidis.IsRedisNil(err) {
		return nil, ix.s.fail(err)
	}
	var all []gap
	for ; len(b) >= 12; b = b[12:] {
		all = append(all, gap{six(b), six(b[6:])})
	}
	return all, nil
}

// A page of the outbox ends after so many bytes of articles.
const pageBytes = 4 << 20

// Pending reads the log with the articles that wait.
func (o outbox) Pending(ctx context.Context, after uint64, limit int) ([]docid.Delivery, error) {
	st, err := o.Catalog().Stats(ctx)
	if err != nil {
		return nil, err
	}
	if after > st.Seq {
		return nil, docid.ErrBehind
	}
	entries, err := o.Catalog().Log(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	var ds []docid.Delivery
	for bytes := 0; len(entries) > 0 && bytes < pageBytes; {
		some := entries[:min(len(entries), 100)]
		entries = entries[len(some):]
		var cmds rueidis.Commands
		for _, e := range some {
			cmds = append(cmds, o.s.c.B().Get().Key(o.p+"o"+decimal(e.Seq)).Build())
		}
		for i, r := range o.s.c.DoMulti(ctx, cmds...) {
			d := docid.Delivery{Entry: some[i]}
			b, err := r.ToString()
			switch {
			case rueidis.IsRedisNil(err):
			case err != nil:
				return nil, o.s.fail(err)
			case len(b) == 0:
				return nil, fmt.Errorf("%w: what waits with change %d", docid.ErrCorrupt, d.Seq)
			default:
				d.Keeps = docid.Keeps(b[0])
				if len(b) == 1 {
					break
				}
				a, left, err := articleOf(b[1:])
				if d.TextLeft = left && d.Keeps == docid.KeepsHeat; err != nil {
					return nil, fmt.Errorf("%w: article of change %d: %w", docid.ErrCorrupt, d.Seq, err)
				}
				a.ID, a.Heat = d.NID, d.Heat
				d.Article = &a
				bytes += len(a.Text) + len(a.Title)
			}
			ds = append(ds, d)
		}
	}
	return ds, nil
}

// long reads a string with its length, 4 bytes, before it.
func long(b string) (s, rest string, ok bool) {
	if len(b) < 4 {
		return "", "", false
	}
	n := uint64(binary.BigEndian.Uint32([]byte(b)))
	if n > uint64(len(b)-4) {
		return "", "", false
	}
	return b[4 : 4+n], b[4+n:], true
}

// articleOf reads an article with its text behind it.
func articleOf(b string) (a docid.Article, left bool, err error) {
	head, text, ok := long(b)
	if !ok {
		return a, false, fmt.Errorf("it ends too early")
	}
	if a, err = ledger.DecodeArticle([]byte(head)); err != nil {
		return a, false, err
	}
	whole, err := expand([]byte(text))
	a.Text = string(whole)
	return a, text == "", err
}

// BeginEpoch begins an epoch.
func (ix *index) BeginEpoch(ctx context.Context, past uint64) error {
	a, err := begin(past)
	if err == nil {
		err = ix.s.renewLog(ctx, ix.p)
	}
	if err != nil {
		return err
	}
	answer, err := ix.call(ctx, true, "commit", a[1:]...)
	if err == nil {
		_, err = status(answer)
	}
	return err
}

// begin are the arguments by which an epoch begins after a change.
func begin(past uint64) ([]string, error) {
	var number [8]byte
	if _, err := rand.Read(number[:]); err != nil {
		return nil, fmt.Errorf("draw an epoch: %w", err)
	}
	number[7] |= 1 // not 0
	n := binary.BigEndian.Uint64(number[:])
	return epoch(docid.Entry{Kind: docid.KindEpoch, Leader: n, Time: time.Now().UnixNano()}, past), nil
}

// epoch are those of an epoch that has its entry.
func epoch(e docid.Entry, past uint64) []string {
	a := make([]string, width)
	a[1], a[2], a[3], a[4] = "0", string(e.Kind), string(e.Request[:]), string(ledger.EncodeEntry(&e))
	a[5], a[6] = string(binary.BigEndian.AppendUint64(nil, e.Leader)), decimal(e.Leader)
	a[7], a[12], a[25] = ordered(0), decimal(past), "1"
	return a
}
