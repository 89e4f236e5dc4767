package main

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/evidence"
)

// A neighbor is a document of an index, and what a text is to it.
type neighbor struct {
	ID         string             `json:"id"`
	Similarity float64            `json:"similarity"`
	Relation   neardup.Relation   `json:"relation"`
	Evidence   []neardup.Conflict `json:"evidence,omitempty"`
	Text       string             `json:"text"`
}

// mostCompared bounds how many documents one text is compared with: those that share the most keys with it.
const mostCompared = 1000

// nearest prints the documents of an index that are most like a text.
func (n *near) nearest(ctx context.Context, args []string, rep *reporter) error {
	switch {
	case len(args) != 1:
		return usage("--index: %d texts (want one TEXT, or - for standard input)", len(args))
	case n.fingerprints != "" || n.query != "":
		return usage("--index: cannot be combined with --fingerprints and --query")
	}
	words := args[0]
	if words == corpus.Stdin {
		b, err := io.ReadAll(n.stdin)
		if err != nil {
			return err
		}
		words = string(b)
	}
	out := rep.open(n.out, corpus.JSONL)
	if rep.err != nil {
		return rep.err
	}
	return onIndex(n.index, func(x *reference.Index) error {
		if err := n.method.restore(x.Header().Settings); err != nil {
			return err
		}
		m, normal, err := n.method.method()
		if err != nil {
			return err
		}
		found, err := neighbors(ctx, x, m, normal.Clean(words))
		for _, one := range found[:min(len(found), n.top)] {
			err = cmp.Or(err, out.WriteJSON(one))
		}
		return err
	})
}

// neighbors returns the leaders that share a key with a clean text, the most alike first.
func neighbors(ctx context.Context, x *reference.Index, m neardup.Method, clean string) (found []neighbor, err error) {
	shared := map[uint32]int{}
	var rec neardup.Record
	m.Record(clean, &rec)
	keys := slices.Concat([]uint64{neardup.DigestOf(clean).Key()}, rec.Probes(), rec.Index)
	slices.Sort(keys)
	finder := x.Finder()
	for _, key := range slices.Compact(keys) {
		if err := finder.Find(key, func(p reference.Posting) error { shared[p.Doc]++; return ctx.Err() }); err != nil {
			return nil, err
		}
	}
	docs := make([]uint32, 0, len(shared))
	for doc := range shared {
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(a, b uint32) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b)) })
	for _, doc := range docs {
		row, err := x.Row(doc)
		if err != nil {
			return nil, err
		}
		if !row.Leads() {
			continue
		}
		one, err := neighborOf(x, &row, m, clean)
		if err != nil {
			return nil, err
		}
		if found = append(found, one); len(found) == mostCompared {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b neighbor) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found, nil
}

func neighborOf(x *reference.Index, row *reference.Row, m neardup.Method, clean string) (one neighbor, err error) {
	if one.ID, err = x.ID(row); err != nil {
		return one, err
	}
	if one.Text, err = x.Text(row); err != nil {
		return one, err
	}
	match := verdict(m, clean, one.Text)
	if match.Evidence == nil && clean != one.Text {
		match.Evidence = neardup.Explain(m, m.Prepare(clean), m.Prepare(one.Text)).Evidence
	}
	if sum := bitsOf(match.Evidence); match.Similarity == 0 && sum != 0 { // below what a search compares
		match.Similarity = evidence.Probability(sum)
	}
	one.Similarity, one.Relation, one.Evidence = match.Similarity, match.Relation(), match.Evidence
	return one, nil
}
