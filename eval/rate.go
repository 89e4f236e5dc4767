package eval

import (
	"fmt"
	"math"
)

// Rate is a share with its 95 % Wilson score interval (Wilson, JASA 1927). The interval stays inside 0..1, and is valid for
// few cases and for shares of 1. If Of is 0, the share is 0 and the interval is 0..1.
type Rate struct {
	Count int     `json:"count"`
	Of    int     `json:"of"`
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// NewRate returns the share count/of.
func NewRate(count, of int) Rate { return NewClusteredRate(count, of, of) }

// NewClusteredRate returns the rate of cases in independent groups. Cases within a group may be alike. The interval is
// computed as if there were only as many cases as groups, which is wide enough for any dependence within a group.
func NewClusteredRate(count, of, groups int) Rate {
	if of == 0 {
		return Rate{High: 1}
	}
	const z = 1.959963984540054
	n, p := float64(groups), float64(count)/float64(of)
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return Rate{
		Count: count, Of: of, Share: p,
		Low:  max(0, (middle-half)/scale),
		High: min(1, (middle+half)/scale),
	}
}

// String prints "0.9912 (0.9871..0.9940)  9912 of 10000".
func (r Rate) String() string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f (%.4f..%.4f)  %d of %d", r.Share, r.Low, r.High, r.Count, r.Of)
}
