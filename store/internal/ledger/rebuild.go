package ledger

import (
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
		return rowIf(true, aliasOf(ix.id, k), func(*coder) {}, decode(k, v, oneUint(new(uint64))))
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
