package redis

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

var _ docid.Restorer = (*Store)(nil)

// restoration is an index that is made again: its identity lies aside, and the
// functions refuse everybody else.
type restoration struct{ *index }

// Restore begins to make an index again, or goes on.
func (s *Store) Restore(ctx context.Context, tenant string, id docid.Identity) (docid.Restoration, error) {
	if len(tenant) == 0 || len(tenant) > 1024 {
		return nil, fmt.Errorf("%w: a tenant's name has 1 to 1024 bytes", docid.ErrInvalid)
	}
	value, err := s.enroll(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	p := prefix(tenant)
	answer, err := s.call(ctx, true, "again", []string{p}, value)
	if err == nil {
		_, err = status(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("make the index of tenant %q again: %w", tenant, err)
	}
	return restoration{&index{s: s, p: p, tenant: tenant, id: id}}, nil
}

// sendMost is how many changes are sent in one go: an answer is waited for a bounded
// time.
const sendMost = 64

// Append makes changes once more, those in one go that need not look at what
// came before. After an error those behind it were refused, since they did not
// follow.
func (r restoration) Append(ctx context.Context, cs []*docid.Change) error {
	var cmds rueidis.Commands
	sent := 0
	send := func(upTo int) error {
		for i, result := range r.s.c.DoMulti(ctx, cmds...) {
			answer, err := result.ToArray()
			if err = r.s.fail(err); err == nil {
				_, err = status(answer)
			}
			if err != nil {
				return fmt.Errorf("change %d: %w", cs[sent+i].Seq, err)
			}
		}
		cmds, sent = cmds[:0], upTo
		return nil
	}
	for i, c := range cs {
		if c.Kind == docid.KindForget || len(cmds) == sendMost { // it reads the log
			if err := send(i); err != nil {
				return err
			}
		}
		a, err := r.restored(ctx, c)
		if err != nil {
			return fmt.Errorf("change %d: %w", c.Seq, err)
		}
		name := "neardup_restore_" + version
		cmds = append(cmds, r.s.c.B().Fcall().Function(name).Numkeys(1).Key(r.p).Arg(a[1:]...).Build())
	}
	return send(len(cs))
}

// restored are the arguments of a change that has its number and whole entry.
func (r restoration) restored(ctx context.Context, c *docid.Change) (a []string, err error) {
	switch c.Kind {
	case docid.KindEpoch:
		a = epoch(c.Entry, 0)
	case docid.KindForget:
		a, err = r.arguments(ctx, c)
	default: // the keys of a docId that ends are found by the function
		a, err = r.given(c)
	}
	if err == nil {
		a[24] = decimal(c.Seq)
	}
	return a, err
}

// Finish lets everybody open the index.
func (r restoration) Finish(ctx context.Context, past uint64) error {
	a, err := begin(past)
	if err != nil {
		return err
	}
	answer, err := r.call(ctx, true, "finished", a[1:]...)
	if err == nil {
		_, err = status(answer)
	}
	return err
}
