package main

import (
	"context"
	"time"

	"github.com/neardup/neardup/simhash"
)

// among lists the near pairs within the file of fingerprints.
func (n *near) among(ctx context.Context, k int) error {
	j := hammingJoin{app: n.app, run: &n.run, out: n.out, k: k, begun: time.Now()}
	list, err := readFingerprints(n.app, n.fingerprints, n.binary)
	if err != nil {
		return err
	}
	j.summary.Fingerprints = int64(list.Len())
	return j.write(list, list, func(emit func(simhash.Pair) error) error {
		o := simhash.JoinOptions{Workers: n.run.workers}
		if n.collapse {
			o.Groups = func(positions []int) error {
				for _, copied := range positions[1:] {
					if err := emit(simhash.Pair{A: positions[0], B: copied}); err != nil {
						return err
					}
				}
				return nil
			}
		}
		return simhash.SelfJoin(ctx, list.Fingerprints, k, o, emit)
	})
}
