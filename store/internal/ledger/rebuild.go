package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// made are the spaces that Rebuild makes again from the sources.
var made = [...]byte{spaceAlias, spaceMember, spaceExpiry, spaceIdem, spaceEpoch, spaceRule}

// Rebuild throws away every row that is made from others and makes it again,
// each index in one atomic batch. The store must not be open. It needs the
// sources undamaged: ErrCorrupt names the first that is not.
func Rebuild(ctx context.Context, kv KV) error {
	v, err := kv.Snapshot()
	if err != nil {
		return err
	}
	defer v.Close()
	if _, err := version(v); err != nil {
		return err
	}
	return v.Scan([]byte{spaceIndex}, []byte{spaceIndex + 1}, func(k, value []byte) error {
		ix := newIndex(nil, string(k[1:]), 0, docid.Identity{})
		if err := decode(k, value, func(d *decoder) { getIdentity(d, &ix.id, &ix.identity) }); err != nil {
			return err
		}
		b := kv.Batch()
		defer b.Close()
		if err := (&rebuilder{ctx, ix, v, b}).run(); err != nil {
			return fmt.Errorf("rebuild index of tenant %q: %w", ix.tenant, err)
		}
		return b.Commit()
	})
}

type rebuilder struct {
	ctx context.Context
	ix  *index
	r   Reader
	b   Batch
}

func (w *rebuilder) run() error {
	if err := w.ix.unpost(w.b); err != nil {
		return err
	}
	for _, space := range made {
		prefix := w.ix.key(space)
		if err := w.b.DeleteRange(prefix, after(prefix)); err != nil {
			return err
		}
	}
	for _, step := range []func() error{w.aliases, w.members, w.expiries, w.idems, w.epochs, w.rules} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (w *rebuilder) each(space byte, get func(*decoder), visit func(key []byte) error) error {
	prefix := w.ix.key(space)
	return w.r.Scan(prefix, after(prefix), func(k, v []byte) error {
		if err := decode(k, v, get); err != nil {
			return err
		}
		if err := visit(k); err != nil {
			return err
		}
		return w.ctx.Err()
	})
}

func (w *rebuilder) set(key []byte, put func(*encoder)) error {
	return w.b.Set(key, sealed(key, put))
}

func (w *rebuilder) aliases() error {
	return w.each(spaceName, func(d *decoder) { new(nameRow).get(d) }, func(k []byte) error {
		var n docid.Name
		copy(n[:], k[13:])
		return w.set(aliasKey(w.ix.id, n, number(k, 0)), func(*encoder) {})
	})
}

func (w *rebuilder) members() error {
	var m docid.Member
	return w.each(spaceNID, func(d *decoder) { getMember(d, &m) }, func(k []byte) error {
		return w.set(w.ix.key(spaceMember, m.Leader, m.Seq), func(e *encoder) { e.string(m.ID) })
	})
}

func (w *rebuilder) expiries() error {
	var row leaderRow
	return w.each(spaceLeader, func(d *decoder) { row.get(d) }, func(k []byte) error {
		if row.expires == 0 {
			return nil
		}
		return w.set(expiryKey(w.ix.id, row.expires, number(k, 0)), func(*encoder) {})
	})
}

func (w *rebuilder) idems() error {
	forgot, err := w.ix.forgot(w.r)
	if err != nil {
		return err
	}
	var e docid.Entry
	return w.each(spaceLog, func(d *decoder) { getEntry(d, &e) }, func(k []byte) error {
		seq := number(k, 0)
		if seq <= forgot || e.Idempotency == "" || !submission(e.Kind) {
			return nil
		}
		return w.set(idemKey(w.ix.id, e.Idempotency), func(enc *encoder) { enc.uint(seq) })
	})
}

func (w *rebuilder) epochs() error {
	var e docid.Entry
	return w.each(spaceLog, func(d *decoder) { getEntry(d, &e) }, func(k []byte) error {
		if e.Kind != docid.KindEpoch {
			return nil
		}
		return w.set(w.ix.key(spaceEpoch, number(k, 0)), func(enc *encoder) { enc.fixed(e.Leader) })
	})
}

func (w *rebuilder) rules() error {
	var e docid.Entry
	return w.each(spaceLog, func(d *decoder) { getEntry(d, &e) }, func(k []byte) error {
		if e.Kind != docid.KindRule {
			return nil
		}
		return w.set(w.ix.key(spaceRule, number(k, 0)), func(enc *encoder) { putEntry(enc, &e) })
	})
}

// Digest is the SHA-256 of every row that is made from others, in order: equal
// before and after Rebuild (I-12).
func Digest(ctx context.Context, kv KV) (string, error) {
	v, err := kv.Snapshot()
	if err != nil {
		return "", err
	}
	defer v.Close()
	h := sha256.New()
	for _, space := range made {
		err := v.Scan([]byte{space}, []byte{space + 1}, func(k, value []byte) error {
			fmt.Fprintf(h, "%d %d\n", len(k), len(value))
			h.Write(k)
			h.Write(value)
			return ctx.Err()
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
