package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// derivation derives the rows of a space from those of another, at most one from each. A nil key means none.
type derivation struct {
	space, from byte
	row         func(ix *index, forgot uint64, k, v []byte) (key, value []byte, err error)
}

// derived lists the spaces that Rebuild derives from the sources and Check compares with them.
var derived = [...]derivation{
	{spaceAlias, spaceName, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		key, err = aliasOf(ix.id, k, v)
		return rowIf(true, key, func(*coder) {}, err)
	}},
	{spaceMember, spaceNID, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		var m docid.Member
		err = decode(k, v, func(c *coder) { memberFields(c, &m) })
		return rowIf(true, ix.key(spaceMember, m.Leader, m.Seq), oneText(&m.ID), err)
	}},
	{spaceExpiry, spaceLeader, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		var row leaderRow
		err = decode(k, v, row.fields)
		return rowIf(row.expires != 0, expiryKey(ix.id, row.expires, number(k, 0)), func(*coder) {}, err)
	}},
	{spaceIdem, spaceLog, func(ix *index, forgot uint64, k, v []byte) (key, value []byte, err error) {
		e, err := loggedEntry(k, v)
		there := e.Seq > forgot && e.Idempotency != "" && submission(e.Kind)
		return rowIf(there, idemKey(ix.id, e.Idempotency), oneUint(&e.Seq), err)
	}},
	{spaceEpoch, spaceLog, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		e, err := loggedEntry(k, v)
		return rowIf(e.Kind == docid.KindEpoch, ix.key(spaceEpoch, e.Seq), func(c *coder) { c.fixed(&e.Leader) }, err)
	}},
	{spaceRule, spaceLog, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		e, err := loggedEntry(k, v)
		return rowIf(e.Kind == docid.KindRule, ix.key(spaceRule, e.Seq), func(c *coder) { entryFields(c, &e) }, err)
	}},
}

func loggedEntry(k, v []byte) (e docid.Entry, err error) {
	e.Seq = number(k, 0)
	err = decode(k, v, func(c *coder) { entryFields(c, &e) })
	return e, err
}

func rowIf(there bool, key []byte, put func(*coder), err error) ([]byte, []byte, error) {
	if !there || err != nil {
		return nil, nil, err
	}
	return key, sealed(key, put), nil
}

// Rebuild removes all derived rows and derives them again, each index in one atomic batch. The store must not
// be open. It returns ErrCorrupt for the first damaged source.
func Rebuild(ctx context.Context, kv KV) error {
	return atSnapshot(kv, func(v Snapshot) error {
		if _, err := version(v); err != nil {
			return err
		}
		return eachIndex(v, func(ix *index, err error) error {
			if err == nil {
				err = update(kv, func(b Batch) error { return ix.rebuild(ctx, v, b) })
			}
			if err != nil {
				err = fmt.Errorf("rebuild index of tenant %q: %w", ix.tenant, err)
			}
			return err
		})
	})
}

func (ix *index) rebuild(ctx context.Context, r Reader, b Batch) error {
	forgot, err := ix.forgot(r)
	if err = errors.Join(err, ix.unpost(b)); err != nil {
		return err
	}
	for _, d := range derived {
		prefix := ix.key(d.space)
		if err := b.DeleteRange(prefix, after(prefix)); err != nil {
			return err
		}
		err := scan(r, ix.key(d.from), func(k, v []byte) error {
			key, value, err := d.row(ix, forgot, k, v)
			if err == nil && key != nil {
				err = b.Set(key, value)
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Digest returns the SHA-256 of all derived rows in order. Rebuild must not change it (I-12).
func Digest(ctx context.Context, kv KV) (string, error) {
	h := sha256.New()
	err := atSnapshot(kv, func(v Snapshot) (err error) {
		for _, d := range derived {
			err = errors.Join(err, scan(v, []byte{d.space}, func(k, value []byte) error {
				fmt.Fprintf(h, "%d %d\n", len(k), len(value))
				h.Write(k)
				h.Write(value)
				return ctx.Err()
			}))
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
