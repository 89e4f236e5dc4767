package ledger

import (
	"github.com/neardup/neardup/docid"
)

// derivation derives the rows of one space from those of another. A source row gives at most one row; a nil key means none.
type derivation struct {
	space, from byte
	row         func(ix *index, forgot uint64, k, v []byte) (key, value []byte, err error)
}

// derived lists the derived spaces, which Check compares with their sources.
var derived = [...]derivation{
	{spaceAlias, spaceName, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		return rowIf(true, aliasOf(ix.id, k), decode(k, v, new(uint64)))
	}},
	{spaceMember, spaceNID, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		var m docid.Member
		err = decode(k, v, &m)
		return rowIf(true, ix.key(spaceMember, m.Leader, m.Seq), err, &m.ID)
	}},
	{spaceExpiry, spaceLeader, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		var row leaderRow
		err = decode(k, v, &row)
		return rowIf(row.Expires != 0, expiryKey(ix.id, row.Expires, number(k, 0)), err)
	}},
	{spaceIdem, spaceLog, func(ix *index, forgot uint64, k, v []byte) (key, value []byte, err error) {
		e, err := loggedEntry(k, v)
		there := e.Seq > forgot && e.Idempotency != "" && submission(e.Kind)
		return rowIf(there, idemKey(ix.id, e.Idempotency), err, &e.Seq)
	}},
	{spaceEpoch, spaceLog, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		e, err := loggedEntry(k, v)
		return rowIf(e.Kind == docid.KindEpoch, ix.key(spaceEpoch, e.Seq), err, &e.Leader)
	}},
	{spaceRule, spaceLog, func(ix *index, _ uint64, k, v []byte) (key, value []byte, err error) {
		e, err := loggedEntry(k, v)
		return rowIf(e.Kind == docid.KindRule, ix.key(spaceRule, e.Seq), err, &e)
	}},
}

func loggedEntry(k, v []byte) (e docid.Entry, err error) {
	e.Seq = number(k, 0)
	err = decode(k, v, &e)
	return e, err
}

func rowIf(there bool, key []byte, err error, values ...any) ([]byte, []byte, error) {
	if !there || err != nil {
		return nil, nil, err
	}
	return key, sealed(key, values...), nil
}
