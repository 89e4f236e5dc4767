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

// derived lists the derived spaces, which Check compares with their sources.
var derived = [...]derivation{
	{spaceAlias, spaceName, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		var n docid.Name
		copy(n[:], k[13:])
		return rowIf(true, aliasKey(ix.id, n, number(k, 0)), func(*coder) {}, decode(k, v, new(nameRow).fields))
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

// Digest returns the SHA-256 of all derived rows in order. A rebuild as stored must not change it (I-12).
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
