package worker

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/neardup/neardup"
)

func parseDecision(fields [][]byte) (d neardup.Decision, err error) {
	if err := want(fields, 5, "a decision"); err != nil {
		return d, err
	}
	id, decision, leader, similarity, variantOf := fields[0], fields[1], fields[2], fields[3], fields[4]
	var errs [3]error
	d.ID, errs[0] = Unescape(id)
	d.Leader, errs[1] = Unescape(leader)
	d.VariantOf, errs[2] = Unescape(variantOf)
	if err := errors.Join(errs[:]...); err != nil {
		return d, err
	}
	d.Decision = neardup.Verdict(decision)
	switch d.Decision {
	case neardup.New:
		return d, nil
	case neardup.Duplicate:
		d.Similarity, err = strconv.ParseFloat(string(similarity), 64)
		if err != nil {
			return d, fmt.Errorf("%w: similarity %q", ErrLine, similarity)
		}
		return d, nil
	}
	return d, fmt.Errorf("%w: decision %q", ErrLine, decision)
}
