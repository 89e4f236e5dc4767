package batch

import (
	"context"
	"fmt"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/internal/external"
)

// CreateIndex makes an empty index in a folder that is empty or does not exist. The method of cfg will decide
// its documents, and Clean will clean them.
func CreateIndex(dir string, cfg Config, settings map[string]string) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	h := cfg.header()
	h.Settings = settings
	return reference.Create(dir, h, NewResultDigest().String())
}

// adding is an addition of decided documents to an index. A nil adding adds nothing.
type adding struct {
	*job
	*verdicts
	to      *reference.Addition
	offsets external.TypedArray[position, uint64] // the offset of each text in the index, plus 1
}

func (j *job) newAdding(v *verdicts) (*adding, error) {
	if j.cfg.Add == nil {
		return nil, nil
	}
	to, err := j.cfg.Add.Add()
	if err != nil {
		return nil, err
	}
	a := &adding{job: j, verdicts: v, to: to, offsets: external.NewTypedArray[position, uint64](j.disk, j.memory(30))}
	return a, a.offsets.Grow(v.texts.Len())
}

// document adds the next document.
func (a *adding) document(o *Outcome, p, leader position) error {
	if a == nil {
		return nil
	}
	own, err := a.texts.Get(p)
	if err != nil {
		return err
	}
	row := reference.Row{Sketch: own.sketch, Blank: own.blank, Distance: -1, Similarity: o.Similarity, Kind: kindOf(o)}
	row.Time, err = a.times.Get(item(o.Item))
	if err != nil {
		return err
	}
	if o.Distance != nil {
		row.Distance = int32(*o.Distance)
	}
	row.Route, err = a.cfg.Add.Route(a.routes.name(own.route))
	if err != nil {
		return err
	}
	text := p
	switch {
	case row.Kind >= reference.Near:
		row.Basis, err = a.cfg.Add.Basis(o.Method, o.Basis)
		if err != nil {
			return err
		}
		if row.Kind == reference.Equal {
			text = leader
		}
	case row.Kind > reference.New:
		st, err := a.states.Get(p)
		if err != nil {
			return err
		}
		leader = st.leader
	}
	row.Leader, err = a.numberOf(leader)
	if err != nil {
		return err
	}
	row.Text, row.TextLen, err = a.textAt(text)
	if err != nil {
		return err
	}
	return a.to.Document(row, o.ID)
}

func kindOf(o *Outcome) reference.Kind {
	switch {
	case o.Decision.Decision == neardup.Duplicate && o.Basis == neardup.BasisEqual:
		return reference.Equal
	case o.Decision.Decision == neardup.Duplicate:
		return reference.Near
	case o.Relation == neardup.Unsure:
		return reference.Unsure
	case o.VariantOf != "":
		return reference.Variant
	}
	return reference.New
}

// numberOf returns the number in the index of the first document of a text.
func (a *adding) numberOf(p position) (uint32, error) {
	row, err := a.texts.Get(p)
	if err != nil {
		return 0, err
	}
	return a.number(row.first)
}

// textAt returns the offset and the document number of a text in the index, and adds the text if needed.
func (a *adding) textAt(p position) (at uint64, n uint32, err error) {
	row, err := a.texts.Get(p)
	if err != nil || row.stored {
		return uint64(row.at), row.len, err
	}
	at, err = a.offsets.Get(p)
	if err != nil || at > 0 {
		return at - 1, row.len, err
	}
	clean, err := a.text(p)
	if err != nil {
		return 0, 0, err
	}
	at, err = a.to.Text(clean)
	if err != nil {
		return 0, 0, err
	}
	return at, row.len, a.offsets.Update(p, func(to *uint64) { *to = at + 1 })
}

// end adds the keys of all documents, and the digest of their decisions.
func (a *adding) end(ctx context.Context, digest *ResultDigest) error {
	if a == nil {
		return nil
	}
	defer a.byKey.Close()
	w := documentPairs{job: a.job, verifier: a.verifier}
	if err := w.membersOf(ctx, rank(a.recalled.Len())); err != nil {
		return err
	}
	defer w.members.Close()
	err := a.byKey.Each(ctx, func(p Posting) error {
		p, err := a.positioned(p)
		if err != nil {
			return err
		}
		return w.ranks(position(p.Text()), func(r rank) error {
			doc, err := a.number(r)
			if err != nil {
				return err
			}
			return a.to.Post(reference.Posting{Key: p.Key(), Doc: doc, Role: uint8(p.Role())})
		})
	})
	if err != nil {
		return err
	}
	all, err := ParseResultDigest(a.cfg.Reference.Digest())
	if err != nil {
		return err
	}
	all.Merge(digest)
	a.sum.IndexDigest = all.String()
	if err := a.to.End(a.sum.IndexDigest); err != nil || a.cfg.Resume == nil || a.sum.IndexDigest == a.cfg.Reference.Digest() {
		return err
	}
	return a.cfg.Resume.Finishing(a.sum.IndexDigest)
}

// ofReference reports whether a text belongs to the reference.
func (c *collection) ofReference(p position) bool { return int(p) < c.recalled.Len() }

// CheckIndex verifies that an index is undamaged and consistent, including its digest.
func CheckIndex(ctx context.Context, x *reference.Index) error {
	digest := NewResultDigest()
	if err := x.Check(ctx, digest.Add); err != nil {
		return err
	}
	if got := digest.String(); got != x.Digest() {
		return fmt.Errorf("%w: digest of the decisions: %s (want %s, as in the manifest)", reference.ErrDamaged, got, x.Digest())
	}
	return nil
}
