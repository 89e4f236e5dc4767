package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// AnchorAt returns the position in the log of rows that no store has open, and the digest of the outcomes up to it. It
// returns ErrInvalid if the rows follow no log.
func AnchorAt(kv KV) (at docid.Anchor, digest uint64, err error) {
	var place logPosition
	err = atSnapshot(kv, func(v Snapshot) error {
		if was, err := version(v); err != nil {
			return err
		} else if was != formatVersion {
			return fmt.Errorf("%w: the store has no rows", docid.ErrInvalid)
		}
		there, err := read(v, positionKey(), &place)
		if err == nil && !there {
			err = fmt.Errorf("%w: the store follows no log", docid.ErrInvalid)
		}
		return err
	})
	return place.Anchor, place.Digest, err
}

// sameRows lists ranges of spaces whose rows are equal in all stores at the same position in a log. The other rows are
// segments, which each store writes at a different time, and the copy mark.
var sameRows = [][2]byte{{spaceAlias, spaceAlias}, {spaceLeader, spaceForgot}, {spaceIndex, spaceOutbox}, {spaceIdem, spaceBeat}, {spaceExpiry, spacePosition}}

// Compare visits the rows that differ between two stores at the same position in a log. A missing row is nil.
func Compare(ctx context.Context, a, b KV, progress func(rows int), visit func(p Problem, key, a, b []byte)) (rows int, err error) {
	va, err := a.Snapshot()
	if err != nil {
		return 0, err
	}
	defer va.Close()
	vb, err := b.Snapshot()
	if err != nil {
		return 0, err
	}
	defer vb.Close()
	tenants := map[uint32]string{}
	for _, v := range []Reader{va, vb} {
		err := eachIndex(v, func(ix *index, damaged error) error {
			if damaged == nil {
				tenants[ix.id] = ix.tenant
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	differs := func(k, one, other []byte) {
		p := Problem{Row: rowName(k)}
		if len(k) >= 5 && k[0] != spaceIndex {
			p.Tenant = tenants[binary.BigEndian.Uint32(k[1:])]
		}
		visit(p, k, one, other)
	}
	for _, spaces := range sameRows {
		from, to := []byte{spaces[0]}, []byte{spaces[1] + 1}
		err := va.Scan(from, to, func(k, one []byte) error {
			rows++
			if progress != nil && rows%progressEvery == 0 {
				progress(rows)
			}
			other, err := vb.Get(k)
			if err == nil && !bytes.Equal(one, other) {
				differs(k, one, other)
			}
			return errors.Join(err, ctx.Err())
		})
		if err == nil {
			err = vb.Scan(from, to, func(k, other []byte) error {
				one, err := va.Get(k)
				if err == nil && one == nil {
					rows++
					differs(k, nil, other)
				}
				return errors.Join(err, ctx.Err())
			})
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func rowName(key []byte) string { return fmt.Sprintf("%c %x", key[0], key[1:]) }
