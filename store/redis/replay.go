package redis

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// idemField is where an idempotency key lies in the map; "" for none.
func idemField(p, key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p + "\x00" + key))
	return string(sum[:17])
}

// Replay finds the answer to a submission that was made before.
func (ix *index) Replay(ctx context.Context, a docid.Asked) (docid.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return docid.Receipt{}, err
	}
	args := []string{decimal(a.Seen), idemField(ix.p, a.Idempotency), a.NID, string(a.Request[:]), ix.field(a.NID), ""}
	if unheard, err := ix.unheard(ctx, a, args[1], args[4]); err != nil || unheard {
		return docid.Receipt{}, cmp.Or(err, docid.ErrNotFound)
	}
	for round := 0; ; round++ {
		answer, err := ix.call(ctx, false, "replay", args...)
		if err != nil {
			return docid.Receipt{}, err
		}
		r, err := ix.repeated(ctx, answer, a.NID, a.Request)
		var ask *recall
		if !errors.As(err, &ask) || round == maxRecalls {
			return r, err
		}
		args[5] += packSeq(ask.seq) // of another nid
	}
}

// repeated reads the answer of commit or replay to a request under an nid. One that was given before
// may not have reached the replicas then.
func (ix *index) repeated(ctx context.Context, answer []rueidis.RedisMessage, nid string, request [16]byte) (docid.Receipt, error) {
	r, err := ix.receipt(ctx, answer, nid, request)
	switch {
	case err != nil:
	case r.Replayed:
		err = ix.settle(ctx, r.Seq)
	default: // it was waited for
		ix.reached(r.Seq)
	}
	return r, err
}

// unheard reports that nothing is there under an nid and the field of an idempotency key, as of most submissions. It
// is read without a function, one trip of plain commands; where that does not say, the function does. field is that under
// which the article would be filed.
func (ix *index) unheard(ctx context.Context, a docid.Asked, idem, field string) (bool, error) {
	h := heard{extentOf(0), extentOf(0)}
	if seen := ix.heard.Load(); seen != nil {
		h = *seen
	}
	b := ix.s.c.B()
	// What is filed while this is read leaves its row and is in the bucket then.
	cmds := rueidis.Commands{b.Getrange().Key(ix.p + "n" + a.NID).Start(0).End(0).Build()}
	fields, heads := []string{""}, []int{0} // of each command
	under := func(letter string, of extent, f string) {
		if f != "" {
			n, head := of.place(f)
			cmds = append(cmds, b.Get().Key(ix.p+letter+decimal(n)).Build())
			fields, heads = append(fields, f), append(heads, head)
		}
	}
	under("f", h.filed, field)
	under("q", h.idems, idem)
	cmds = append(cmds, b.Hmget().Key(ix.p+"s").Field("seq", "unfinished", "qn", "fn").Build())
	answers := ix.s.c.DoMulti(ctx, cmds...)
	m, err := answers[len(cmds)-1].ToArray()
	if err != nil {
		return false, ix.s.fail(err)
	}
	state, err := numbers(m)
	if err != nil || state[0] < a.Seen || state[1] != 0 {
		return false, nil
	}
	if now := (heard{extentOf(state[2]), extentOf(state[3])}); now != h {
		ix.heard.Store(&now)
		return false, nil
	}
	for i, f := range fields {
		v, err := answers[i].ToString()
		if err != nil && !rueidis.IsRedisNil(err) {
			return false, ix.s.fail(err)
		}
		if f != "" {
			if found, hot := records(v, f, heads[i]); !hot {
				v = found
			}
		}
		if v != "" {
			return false, nil
		}
	}
	return true, nil
}
