package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// defaultTenant is the tenant of requests without a token.
const defaultTenant = "default"

var errNoMemory = errors.New("text: no words (want at least one)")

// memories stores what an agent remembers as articles of a docId service. Each fact has a docId.
type memories struct {
	d     *docid.Detector
	store docid.Store
}

// openMemories opens the memories in a store. It closes the store if it fails.
func openMemories(ctx context.Context, store docid.Store, s docid.Settings) (*memories, error) {
	d, err := docid.NewDetector(ctx, store, defaultTenant, s)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &memories{d, store}, nil
}

type memoryText struct {
	Text string `json:"text" jsonschema:"what to remember, as one or a few sentences"`
}

type namedMemory struct {
	memoryText
	ID string `json:"id,omitempty" jsonschema:"your name for the memory (default: a generated one)"`
}

// A memoryAnswer is the answer of a tool, as fields and in words.
type memoryAnswer struct {
	Decision    string             `json:"decision" jsonschema:"new, duplicate, corrected or forgotten"`
	Verdict     neardup.Relation   `json:"verdict,omitempty" jsonschema:"new, duplicate, overlap, variant, unsure or contradiction"`
	ID          string             `json:"id,omitempty"`
	SameAs      string             `json:"sameAs,omitempty" jsonschema:"the memory that says the same"`
	Like        string             `json:"like,omitempty" jsonschema:"a similar memory with another meaning"`
	Known       string             `json:"known,omitempty" jsonschema:"the text of that memory"`
	Probability float64            `json:"probability,omitempty" jsonschema:"probability that both say the same"`
	Basis       string             `json:"basis,omitempty"`
	Evidence    []neardup.Conflict `json:"evidence,omitempty" jsonschema:"evidence in bits: above 0 for the same meaning, below 0 against it"`
	Says        string             `json:"says" jsonschema:"the answer in words"`
}

func (m *memories) check(ctx context.Context, in memoryText) (memoryAnswer, error) {
	if neardup.Blank(in.Text) {
		return memoryAnswer{}, errNoMemory
	}
	a, err := m.d.Check(ctx, docid.Submission{Text: in.Text})
	if err != nil {
		return memoryAnswer{}, err
	}
	return m.decided(ctx, a, in.Text)
}

func (m *memories) add(ctx context.Context, in namedMemory) (memoryAnswer, error) {
	if neardup.Blank(in.Text) {
		return memoryAnswer{}, errNoMemory
	}
	a, err := m.d.Add(ctx, docid.Submission{ID: in.ID, Text: in.Text})
	if err != nil {
		return memoryAnswer{}, err
	}
	if a.ID == "" {
		a.ID = docid.AnonymousNID(a.Seq)
	}
	return m.decided(ctx, a, in.Text)
}

func (m *memories) decided(ctx context.Context, a docid.Answer, text string) (out memoryAnswer, err error) {
	out = memoryAnswer{Decision: string(a.Decision.Decision), ID: a.ID, Basis: a.Basis, Evidence: a.Conflicts, Like: a.VariantOf}
	other := out.Like
	out.Verdict, out.Probability = neardup.VerdictOf(cmp.Or(a.Relation, neardup.Other), a.Conflicts), a.Probability
	if a.Decision.Decision == neardup.Duplicate {
		out.Verdict, out.SameAs, out.Probability, other = neardup.Same, a.Leader, a.Similarity, a.Leader
	}
	if other == "" {
		out.Says = saysNew(&out)
		return out, nil
	}
	compared, err := m.recall(ctx, other, &out)
	switch {
	case err != nil:
		return out, err
	case out.SameAs == "":
		out.Says = saysLike(&out)
		return out, nil
	case compared != "":
		var c docid.Comparison
		c, err = m.d.Compare(ctx, docid.Submission{Text: text}, docid.Submission{Text: compared})
		out.Evidence = c.Content.Evidence
	}
	out.Says = saysSame(&out)
	return out, err
}

// recall finds the text of a memory and the text that later ones are compared with. Both are empty if the
// memory has been forgotten.
func (m *memories) recall(ctx context.Context, id string, out *memoryAnswer) (compared string, err error) {
	member, docID, err := m.d.Member(ctx, id)
	if err == nil {
		var g docid.Group
		g, err = m.d.Group(ctx, docID, 0, 0)
		if err == nil && g.Kept != nil {
			out.Known = g.Kept.Text
		}
	}
	if err == nil {
		var material docid.Material
		material, err = m.d.Index().Material(ctx, member.Own())
		compared = material.Text
	}
	if errors.Is(err, docid.ErrNotFound) || errors.Is(err, docid.ErrEnded) {
		err = nil
	}
	return compared, err
}

// shownEvidence is the number of pieces of evidence in the words of an answer.
const shownEvidence = 5

func saysNew(a *memoryAnswer) string {
	if a.ID == "" {
		return "New: no memory says this."
	}
	return fmt.Sprintf("New: kept as %s.", a.ID)
}

// saysLike describes a new memory that is kept along with a similar one.
func saysLike(a *memoryAnswer) string {
	how := "says something else"
	switch relation := neardup.RelationOf(false, a.Evidence); {
	case relation == neardup.Overlaps:
		how = "says more"
	case relation == neardup.ContainedIn:
		how = "says less"
	case a.Verdict == neardup.Contradicts:
		how = "says the opposite"
	}
	return fmt.Sprintf("%s It is like %s, and %s. %s is: %s%s\nBoth are kept. If the new one replaces %s, forget that one.",
		saysNew(a), a.Like, how, a.Like, quoted(a.Known), inBits(a.Evidence), a.Like)
}

func saysSame(a *memoryAnswer) string {
	return fmt.Sprintf("Duplicate: %s says the same, with a probability of %.2f. Nothing was added. %s is: %s%s",
		a.SameAs, a.Probability, a.SameAs, quoted(a.Known), inBits(a.Evidence))
}

// inBits lists the heaviest evidence, one line for each piece.
func inBits(evidence []neardup.Conflict) string {
	var b strings.Builder
	for i, e := range evidence {
		if i == shownEvidence {
			fmt.Fprintf(&b, "\n(%d more)", len(evidence)-i)
			break
		}
		if e.A == "" && e.B == "" {
			fmt.Fprintf(&b, "\n%+.1f bits in all (%s)", e.Bits, e.Kind)
			continue
		}
		fmt.Fprintf(&b, "\n%+.1f bits, %s: now %s, before %s", e.Bits, e.Kind, quoted(e.A), quoted(e.B))
	}
	return b.String()
}
