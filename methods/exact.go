package methods

import "github.com/neardup/neardup"

// Exact is the method for equal clean texts. Every caller detects these without a method, so Exact makes no keys and finds
// no pair near.
type Exact struct{}

// Spec returns exact/1.
func (Exact) Spec() neardup.Spec { return neardup.Spec{Method: "exact", Version: 1} }

// Record makes no keys.
func (Exact) Record(_ string, rec *neardup.Record) { rec.Reset() }

// Plausible returns false.
func (Exact) Plausible(_, _ uint64) bool { return false }

// Prepare returns an empty view.
func (Exact) Prepare(string) neardup.Prepared { return nothing{} }

// Compare never returns a near match.
func (Exact) Compare(_, _ neardup.Prepared) neardup.Match {
	return neardup.Match{Distance: -1, Method: "exact", Basis: neardup.BasisEqual}
}

type nothing struct{}

func (nothing) Bytes() int { return 0 }
