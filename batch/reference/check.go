package reference

import (
	"context"
	"fmt"

	"github.com/neardup/neardup"
)

// Check reads every block of an index and verifies that the index is undamaged and consistent. Keys must be sorted and
// refer to existing documents, and each duplicate must name an earlier leader. Check calls decided with each decision.
func (x *Index) Check(ctx context.Context, decided func(neardup.Decision)) error {
	keyed := make([]uint64, x.Numbers()/64+1)
	for _, p := range x.parts {
		for _, f := range []*blockFile{p.ids, p.texts} {
			for i := range f.blocks {
				if err := ctx.Err(); err != nil {
					return err
				}
				if _, err := f.block(i); err != nil {
					return err
				}
			}
		}
		last := uint64(0)
		err := p.eachPosting(func(one Posting) error {
			if one.Key < last || one.Doc < p.first || one.Doc-p.first >= p.documents || one.Role == 0 {
				return p.keys.damaged("key %x of document %d: out of order", one.Key, one.Doc)
			}
			last = one.Key
			keyed[one.Doc/64] |= 1 << (one.Doc % 64)
			return nil
		})
		if err != nil {
			return err
		}
	}
	removed := uint32(0)
	err := x.eachRow(func(doc uint32, r *Row) error {
		if doc&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if keyed[doc/64]>>(doc%64)&1 == 0 && !r.Blank {
			return fmt.Errorf("%w: document %d: no key", ErrDamaged, doc)
		}
		if r.Removed {
			removed++
			return nil
		}
		return x.checkRow(doc, r, decided)
	})
	if err == nil && removed != x.manifest.Removed {
		err = fmt.Errorf("%w: %d removed documents (want %d, as in the manifest)", ErrDamaged, removed, x.manifest.Removed)
	}
	return err
}

func (x *Index) checkRow(doc uint32, r *Row, decided func(neardup.Decision)) error {
	if _, err := x.Text(r); err != nil {
		return err
	}
	if r.Kind > New {
		leader, err := x.Row(r.Leader)
		if err != nil {
			return err
		}
		if r.Leader >= doc || !leader.Leads() {
			return fmt.Errorf("%w: document %d: its leader %d is not an earlier leader", ErrDamaged, doc, r.Leader)
		}
	}
	d, err := x.Decision(doc, r)
	if err != nil {
		return err
	}
	decided(d)
	return nil
}
