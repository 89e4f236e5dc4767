package methods

import (
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
)

// RecordOutline makes the record and, unless the text is short, the outline for Unlike.
func (a *auto) RecordOutline(clean string, rec *neardup.Record) (outline neardup.Prepared) {
	if !a.onePass {
		a.Record(clean, rec)
		return nil
	}
	a.record(clean, a.route(clean), rec, func(clean string, rec *neardup.Record) {
		_, hashes, _ := a.shingles.RecordUnits(clean, rec)
		outline = evidence.NewOutline(hashes)
	})
	return outline
}

// Outline returns the outline of a view, or nil if it has none.
func (a *auto) Outline(v neardup.Prepared) neardup.Prepared {
	if own, ok := v.(*view); ok && own.early {
		return own.long.Outline
	}
	return nil
}

// Unlike reports whether two outlines show that Screen rules the pair out.
func (a *auto) Unlike(x, y neardup.Prepared) bool {
	return evidence.MostResemblance(x.(*evidence.Outline), y.(*evidence.Outline)) < wordFloor
}
