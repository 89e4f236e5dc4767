package neardup_test

import (
	"fmt"

	"github.com/neardup/neardup"
)

// Of two near leaders Better prefers the more similar one, or the closer one if the method measures closeness.
// Ties go to the smaller distance.
func ExampleMatch_Better() {
	a := neardup.Match{Similarity: .9, Distance: 3}
	fmt.Println(a.Better(neardup.Match{Similarity: .8, Distance: 0}))
	fmt.Println(a.Better(neardup.Match{Similarity: .9, Distance: 2}))
	fmt.Println(a.Better(a))
	closer := neardup.Match{Similarity: .8, Distance: -1, Near: true, Closeness: .95}
	fmt.Println(closer.Rank(), closer.Better(a))
	// Output:
	// true
	// false
	// false
	// 0.95 true
}

func ExampleMatch_Relation() {
	fmt.Println(neardup.Match{Near: true}.Relation())
	fmt.Println(neardup.Match{Variant: true, Unsure: true}.Relation())
	fmt.Println(neardup.Match{Variant: true, Overlap: true, Contained: true}.Relation())
	fmt.Println(neardup.Match{Variant: true}.Relation(), neardup.Match{}.Relation())
	// Output:
	// duplicate
	// unsure
	// contained
	// variant new
}

func ExampleVerdictOf() {
	denied := []neardup.Conflict{{Kind: neardup.KindOpposite, A: "enabled", B: "disabled", Bits: -6}}
	fmt.Println(neardup.VerdictOf(neardup.Variant, denied), neardup.VerdictOf(neardup.Unsure, denied))
	fmt.Println(neardup.VerdictOf(neardup.ContainedIn, nil), neardup.VerdictOf(neardup.Variant, nil))
	// Output:
	// contradiction unsure
	// overlap variant
}

func ExampleRelationOf() {
	more := []neardup.Conflict{{Kind: neardup.KindMore, A: "and the ferry"}}
	fmt.Println(neardup.RelationOf(false, more), neardup.RelationOf(true, more), neardup.RelationOf(false, nil))
	// Output: overlap unsure variant
}
