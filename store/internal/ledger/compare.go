package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/neardup/neardup/docid"
)

// Place returns the position in a log of rows that no store has open, and the digest of the outcomes up to
// there. It returns ErrInvalid if the rows follow no log.
func Place(kv KV) (at docid.Anchor, digest uint64, err error) {
	var place logPlace
	err = atSnapshot(kv, func(v Snapshot) error {
		if was, err := version(v); err != nil {
			return err
		} else if was != formatVersion {
			return fmt.Errorf("%w: the store has no rows", docid.ErrInvalid)
		}
		there, err := read(v, placeKey(), place.fields)
		if err == nil && !there {
			err = fmt.Errorf("%w: the store follows no log", docid.ErrInvalid)
		}
		return err
	})
	return place.Anchor, place.digest, err
}

// sameRows lists ranges of spaces whose rows are equal in all stores at the same position in a log. The other
// rows are segments, which each store writes at its own pace, and the copy mark.
var sameRows = [][2]byte{{spaceAlias, spaceAlias}, {spaceLeader, spaceForgot}, {spaceIndex, spaceOutbox}, {spaceIdem, spaceBeat}, {spaceExpiry, spacePlace}}

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
	for _, spaces := range sameRows {
		from, to := []byte{spaces[0]}, []byte{spaces[1] + 1}
		err := pairs(va, vb, from, to, func(k, one, other []byte) error {
			rows++
			if progress != nil && rows%progressEvery == 0 {
				progress(rows)
			}
			if !bytes.Equal(one, other) {
				p := Problem{Row: rowName(k)}
				if len(k) >= 5 && k[0] != spaceIndex {
					p.Tenant = tenants[binary.BigEndian.Uint32(k[1:])]
				}
				visit(p, k, one, other)
			}
			return ctx.Err()
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func rowName(key []byte) string { return fmt.Sprintf("%c %x", key[0], key[1:]) }

// pairs visits the rows of two readers in the order of their keys.
func pairs(a, b Reader, from, to []byte, visit func(key, a, b []byte) error) error {
	var failed [2]error
	nextA, stopA := iter.Pull2(rowsOf(a, from, to, &failed[0]))
	defer stopA()
	nextB, stopB := iter.Pull2(rowsOf(b, from, to, &failed[1]))
	defer stopB()
	ka, va, inA := nextA()
	kb, vb, inB := nextB()
	for inA || inB {
		var err error
		switch c := bytes.Compare(ka, kb); {
		case !inB || (inA && c < 0):
			err = visit(ka, va, nil)
			ka, va, inA = nextA()
		case !inA || c > 0:
			err = visit(kb, nil, vb)
			kb, vb, inB = nextB()
		default:
			err = visit(ka, va, vb)
			ka, va, inA = nextA()
			kb, vb, inB = nextB()
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(failed[:]...)
}

var errStopped = errors.New("the reader has stopped")

// rowsOf returns the rows of a reader, each valid until the next, and sets *failed if the scan fails.
func rowsOf(r Reader, from, to []byte, failed *error) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		err := r.Scan(from, to, func(k, v []byte) error {
			if !yield(k, v) {
				return errStopped
			}
			return nil
		})
		if !errors.Is(err, errStopped) {
			*failed = err
		}
	}
}
