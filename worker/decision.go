package worker

import (
	"fmt"
	"strconv"

	"github.com/neardup/neardup"
)

// parseDecision reads what a digest needs of a decision.
func parseDecision(fields [][]byte) (d neardup.Decision, err error) {
	if err = want(fields, 5, "a decision"); err != nil {
		return d, err
	}
	for i, to := range map[int]*string{0: &d.ID, 2: &d.Leader, 4: &d.VariantOf} {
		if *to, err = Unescape(fields[i]); err != nil {
			return d, err
		}
	}
	switch d.Decision = neardup.Verdict(fields[1]); d.Decision {
	case neardup.New:
		return d, nil
	case neardup.Duplicate:
		if d.Similarity, err = strconv.ParseFloat(string(fields[3]), 64); err != nil {
			return d, fmt.Errorf("%w: similarity %q", ErrLine, fields[3])
		}
		return d, nil
	}
	return d, fmt.Errorf("%w: decision %q", ErrLine, fields[1])
}
