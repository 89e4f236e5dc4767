package batch

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/neardup/neardup"
)

// Documents returns a Source of documents in memory.
func Documents(docs []neardup.Document) Source { return &docSource{docs} }

type docSource struct{ docs []neardup.Document }

func (s *docSource) Next() (Block, error) {
	if len(s.docs) == 0 {
		return nil, io.EOF
	}
	n := min(len(s.docs), 256)
	b := DocumentBlock(s.docs[:n])
	s.docs = s.docs[n:]
	return b, nil
}

// DocumentBlock is a Block of documents in memory.
type DocumentBlock []neardup.Document

// Decode calls item with each document.
func (b DocumentBlock) Decode(item func(*neardup.Document, error)) {
	for i := range b {
		item(&b[i], nil)
	}
}

// DedupStrings decides texts in memory, in order. leader[i] is the index of the text that text i is a duplicate of, or i
// itself if it is kept. Config needs a Method. If Clean is nil, texts are not cleaned.
func DedupStrings(ctx context.Context, texts []string, cfg Config) (leader []int, err error) {
	docs := make([]neardup.Document, len(texts))
	for i, s := range texts {
		docs[i] = neardup.Document{ID: strconv.Itoa(i), Text: s}
	}
	leader = make([]int, len(texts))
	_, err = Dedup(ctx, Documents(docs), cfg, func(o Outcome) error {
		leader[o.Item] = o.LeaderItem
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("dedup strings: %w", err)
	}
	return leader, nil
}

// Checked is the verdict on a text, compared with known texts.
type Checked struct {
	neardup.Match                  // the match with the known text, including its Evidence
	At            int              `json:"at"` // index of the known text, -1 for a new text
	Verdict       neardup.Relation `json:"verdict"`
}

// Check decides on a text like Dedup, by comparing it with every known text. Config needs a Method. If Clean is nil, texts
// are not cleaned.
func Check(ctx context.Context, text string, known []string, cfg Config) (Checked, error) {
	of := func(s string) Text {
		if cfg.Clean != nil {
			s = cfg.Clean.Clean(s)
		}
		return Text{s, cfg.Method.Prepare(s)}
	}
	subject := of(text)
	var best Edge
	var leader Text
	for i, s := range known {
		if err := ctx.Err(); err != nil {
			return Checked{}, fmt.Errorf("check a text: %w", err)
		}
		other := of(s)
		e := Edge{Earlier: Ordinal(i), Later: Ordinal(len(known)), Match: Verify(cfg.Method, subject, other)}
		if e.Stronger(best) {
			best, leader = e, other
		}
	}
	out := Checked{At: int(best.Earlier), Match: best.Match}
	switch {
	case !out.Near && !out.Variant:
		return Checked{At: -1, Verdict: neardup.Other, Match: neardup.Match{Distance: -1, Method: cfg.Method.Spec().Method}}, nil
	case out.Basis != neardup.BasisEqual:
		out.Evidence = neardup.Explain(cfg.Method, subject.Prepared, leader.Prepared).Evidence
	}
	out.Verdict = neardup.Same
	if !out.Near {
		out.Verdict = neardup.VerdictOf(out.Relation(), out.Evidence)
	}
	return out, nil
}
