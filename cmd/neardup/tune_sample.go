package main

import (
	"context"
	"errors"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
)

// sample reads the labelled pairs that the flags name, and texts of the inputs that are in none of them.
func (t *tune) sample(ctx context.Context, inputs []string) (pairs []eval.JudgedPair, others []string, err error) {
	switch {
	case len(t.judged) > 0:
		pairs, err = t.input.judgedPairs(ctx, t.app, inputs, t.judged...)
		return pairs, nil, err
	case t.labelled != "":
		pairs, err = eval.ReadLabelled(t.labelled)
	default:
		pairs, err = clusterPairs(t.clusters)
	}
	if err == nil {
		err = t.input.fill(ctx, t.app, inputs, pairs, func(text string) {
			if len(others) < t.most {
				others = append(others, text)
			}
		})
	}
	return pairs, others, err
}

// wholeCluster is the largest cluster whose texts are all paired with each
// other; of a larger one each is paired with the leader.
const wholeCluster = 50

// clusterPairs reads pairs from what dedup --write clusters prints.
func clusterPairs(path string) (pairs []eval.JudgedPair, err error) {
	err = eachCluster(path, func(leader string, duplicates []clustered) error {
		ids := []string{leader}
		for _, d := range duplicates {
			for _, earlier := range ids {
				pairs = append(pairs, eval.JudgedPair{A: earlier, B: d.ID, Label: "same"})
				if len(duplicates) >= wholeCluster {
					break
				}
			}
			ids = append(ids, d.ID)
		}
		return nil
	})
	return pairs, err
}

// clustered is a duplicate as dedup --write clusters prints it.
type clustered struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"`
}

// eachCluster reads what dedup --write clusters prints.
func eachCluster(path string, do func(leader string, duplicates []clustered) error) error {
	return textlines.Each(path, func(_ int, line []byte) error {
		var c struct {
			Leader     string      `json:"leader"`
			Duplicates []clustered `json:"duplicates"`
		}
		if err := textlines.Object(line, &c, "cluster"); err != nil {
			return err
		}
		if c.Leader == "" {
			return errors.New("no leader: what dedup --write clusters writes is needed")
		}
		return do(c.Leader, c.Duplicates)
	})
}
