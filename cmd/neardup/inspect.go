package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/text"
)

// inspect measures two texts on every scale, with the public seed, for the
// pages of the service. What it cannot have (a dictionary that cannot be read)
// it leaves out.
func inspect(ctx context.Context, a, b string) (api.Inspection, error) {
	n := text.Default()
	x, y := n.Clean(a), n.Clean(b)
	c, err := measure(ctx, x, y)
	if err != nil {
		return api.Inspection{}, err
	}
	out := api.Inspection{
		Measured:     c,
		Fingerprints: [2]string{fmt.Sprintf("%016x", fingerprintOf(x)), fmt.Sprintf("%016x", fingerprintOf(y))},
		Keywords:     [2][]api.Keyword{keywords(x), keywords(y)},
	}
	if m, err := methods.New(methods.Config{}); err == nil {
		out.Verdict = verdict(m, x, y)
		out.Conflicts = conflicts(m, x, y, out.Verdict)
	}
	return out, ctx.Err()
}

// extractor is made at the first call: it reads a dictionary.
var extractor = sync.OnceValues(keyword.Default)

// keywords are the words that tell most of a text, the heaviest first.
func keywords(clean string) []api.Keyword {
	out := []api.Keyword{}
	e, err := extractor()
	if err != nil {
		return out
	}
	for _, k := range e.Append(nil, clean) {
		out = append(out, api.Keyword{Word: k.Word, Weight: int(k.Weight)})
	}
	return out
}
