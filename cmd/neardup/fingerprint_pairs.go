package main

import (
	"time"

	"github.com/neardup/neardup/simhash"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// byFingerprint lists the near pairs of a file of fingerprints.
func (p *pairs) byFingerprint(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("--fingerprints %s and INPUT %s exclude each other", p.hamming.fingerprints, args[0])
	}
	if err := onlyHamming(cmd.Flags()); err != nil {
		return err
	}
	h := p.hamming
	if h.distance = p.method.distance; !cmd.Flags().Changed("distance") {
		h.distance = simhash.DefaultDistance
	}
	k, err := h.k()
	if err != nil {
		return err
	}
	j := hammingJoin{app: p.app, run: &p.run, out: p.out, k: k, begun: time.Now()}
	list, err := readFingerprints(p.app, h.fingerprints, h.binary)
	if err != nil {
		return err
	}
	j.summary.Fingerprints = int64(list.Len())
	return j.write(list, list, func(emit func(simhash.Pair) error) error {
		o := simhash.JoinOptions{Workers: p.run.workers}
		if p.collapse {
			o.Groups = func(positions []int) error {
				for _, copied := range positions[1:] {
					if err := emit(simhash.Pair{A: positions[0], B: copied}); err != nil {
						return err
					}
				}
				return nil
			}
		}
		return simhash.SelfJoin(cmd.Context(), list.Fingerprints, k, o, emit)
	})
}

// onlyHamming refuses flags that mean nothing to fingerprints.
func onlyHamming(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "fingerprints", "binary", "collapse", "distance", "out", "workers", "json", "quiet":
		default:
			err = usage("--%s means nothing with --fingerprints", f.Name)
		}
	})
	return err
}
