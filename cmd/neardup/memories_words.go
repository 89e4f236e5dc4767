package main

import (
	"fmt"
	"strings"

	"github.com/neardup/neardup"
)

// shownEvidence is how many pieces of evidence are told in words.
const shownEvidence = 5

func saysNew(a *memoryAnswer) string {
	if a.ID == "" {
		return "New: no memory says this."
	}
	return fmt.Sprintf("New: kept as %s.", a.ID)
}

// saysLike tells of a memory that is kept beside one that it is like.
func saysLike(a *memoryAnswer) string {
	how := "says something else"
	switch neardup.RelationOf(false, a.Evidence) {
	case neardup.Overlaps:
		how = "says more"
	case neardup.ContainedIn:
		how = "says less"
	}
	return fmt.Sprintf("%s It is like %s, and %s. %s is: %s%s\nBoth stay. If the new one takes the place of %s, forget that one.",
		saysNew(a), a.Like, how, a.Like, quoted(a.Known), inBits(a.Evidence), a.Like)
}

func saysSame(a *memoryAnswer) string {
	return fmt.Sprintf("Duplicate: %s says the same, with a probability of %.2f. Nothing new to keep. %s is: %s%s",
		a.SameAs, a.Probability, a.SameAs, quoted(a.Known), inBits(a.Evidence))
}

func saysCompared(a *memoryAnswer) string {
	verdict := "Not the same: both would stay"
	if a.Decision == string(neardup.Duplicate) {
		verdict = "The same: the first would be merged with the second"
	}
	return fmt.Sprintf("%s (probability %.2f, by %s).%s", verdict, a.Probability, a.Basis, inBits(a.Evidence))
}

// inBits tells the weightiest evidence, a line for each piece.
func inBits(evidence []neardup.Conflict) string {
	var b strings.Builder
	for i, e := range evidence {
		if i == shownEvidence {
			fmt.Fprintf(&b, "\n(%d more)", len(evidence)-i)
			break
		}
		if e.A == "" && e.B == "" {
			fmt.Fprintf(&b, "\n%+.1f bits, on the whole (%s)", e.Bits, e.Kind)
			continue
		}
		fmt.Fprintf(&b, "\n%+.1f bits, %s: now %s, before %s", e.Bits, e.Kind, quoted(e.A), quoted(e.B))
	}
	return b.String()
}
