package batch_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func articles() batch.Source {
	return batch.Documents([]neardup.Document{
		{ID: "a", Text: "海量网络文本去重系统实验测试，这是一段测试文本的内容。"},
		{ID: "b", Text: "An apple pie with cinnamon, as grandmother made it."},
		{ID: "c", Text: "海量网络文本去重系统实验检测，这是一段相似的测试文本的内容。"},
	})
}

func ExampleDedup() {
	m, err := methods.New("auto")
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := batch.Config{Method: m, Clean: text.Default()}
	sum, err := batch.Dedup(context.Background(), articles(), cfg, func(o batch.Outcome) error {
		fmt.Printf("%s %s %s %.3f\n", o.ID, o.Decision.Decision, o.Leader, o.Similarity)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Kept, "kept")
	// Output:
	// a new  0.000
	// b new  0.000
	// c duplicate a 0.534
	// 2 kept
}

func ExamplePairs() {
	m, err := methods.New("ngram threshold=.7")
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := batch.Config{Method: m, Clean: text.Default()}
	_, err = batch.Pairs(context.Background(), articles(), cfg, func(p batch.Pair) error {
		fmt.Printf("%s %s %.3f %s\n", p.A, p.B, p.Similarity, p.Basis)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// a c 0.833 edit similarity of runes
}

func ExampleDedupStrings() {
	m, err := methods.New("auto")
	if err != nil {
		fmt.Println(err)
		return
	}
	lines := []string{"The ferry leaves at nine.", "The ferry leaves at nine!", "The ferry leaves at ten."}
	leader, err := batch.DedupStrings(context.Background(), lines, batch.Config{Method: m, Clean: text.Default()})
	fmt.Println(leader, err) // [0 0 2] <nil>
	// Output:
	// [0 0 2] <nil>
}

// Verified pairs, wherever they were found, are decided one after the other.
func ExampleLeaders() {
	near := neardup.Match{Similarity: .9, Distance: -1, Near: true}
	pairs := []batch.Edge{ // 0 - 1 - 2, and 3 - 4
		{Earlier: 1, Later: 2, Match: near}, {Earlier: 3, Later: 4, Match: near}, {Earlier: 0, Later: 1, Match: near},
	}
	slices.SortFunc(pairs, batch.Edge.Compare)
	for e, err := range batch.Leaders(sequence(pairs)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d is a duplicate of %d\n", e.Later, e.Earlier)
	}
	// Output:
	// 1 is a duplicate of 0
	// 4 is a duplicate of 3
}

// Texts that share a key are paired by their sketches.
func ExamplePairing() {
	m, err := methods.New("minhash threshold=.7")
	if err != nil {
		fmt.Println(err)
		return
	}
	buckets := map[uint64][]batch.Posting{}
	texts := []string{"the quick brown fox jumps over the lazy dog", "something else altogether, of other words", "the quick brown fox jumps over the lazy dogs"}
	for i, s := range texts {
		var rec neardup.Record
		m.Record(s, &rec)
		for _, p := range batch.AppendPostings(nil, &rec, batch.Ordinal(i)) {
			buckets[p.Key()] = append(buckets[p.Key()], p)
		}
	}
	candidates := map[batch.Candidate]bool{}
	pairing := batch.Pairing{Method: m}
	for _, bucket := range buckets {
		pairing.Bucket(bucket, func(c batch.Candidate) bool {
			candidates[c] = true
			return true
		})
	}
	for c := range candidates {
		a, b := texts[c.Earlier], texts[c.Later]
		match := batch.Verify(m, batch.Text{Clean: a, Prepared: m.Prepare(a)}, batch.Text{Clean: b, Prepared: m.Prepare(b)})
		fmt.Printf("%d and %d: %.3f\n", c.Earlier, c.Later, match.Similarity)
	}
	// Output:
	// 0 and 2: 0.750
}

// initials is a method of one's own: texts are near if they begin with the
// same words.
type initials struct{}

func (initials) Spec() neardup.Spec { return neardup.Spec{Method: "initials", Version: 1} }

// Record makes one key: similar texts must share one.
func (initials) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	rec.Index = append(rec.Index, neardup.DigestOf(opening(clean)).Key())
}

// Plausible knows nothing from sketches.
func (initials) Plausible(_, _ uint64) bool { return true }

func (initials) Prepare(clean string) neardup.Prepared { return openingView(opening(clean)) }

// Compare judges the pair.
func (initials) Compare(a, b neardup.Prepared) neardup.Match {
	m := neardup.Match{Distance: -1, Method: "initials", Basis: "first three words"}
	if a == b {
		m.Similarity, m.Near = 1, true
	}
	return m
}

type openingView string

func (v openingView) Bytes() int { return len(v) }

func opening(clean string) string {
	words := strings.Fields(clean)
	return strings.Join(words[:min(3, len(words))], " ")
}

func ExampleDedup_ownMethod() {
	texts := []string{"Breaking news from Rome: snow", "Weather in Rome: snow", "Breaking news from Oslo: sun"}
	fmt.Println(batch.DedupStrings(context.Background(), texts, batch.Config{Method: initials{}}))
	// Output:
	// [0 1 0] <nil>
}

// Of the leaders that a document is near, the strongest evidence names one.
func ExampleEdge_Stronger() {
	near := batch.Edge{Match: neardup.Match{Near: true, Similarity: .9, Distance: -1}}
	nearer := batch.Edge{Earlier: 1, Match: neardup.Match{Near: true, Similarity: .95, Distance: -1}}
	equal := batch.Edge{Earlier: 2, Match: neardup.Match{Near: true, Similarity: 1, Basis: neardup.BasisEqual}}
	fmt.Println(nearer.Stronger(near), nearer.Stronger(equal))
	// Output: true false
}

// A text that denies a known one contradicts it. A duplicate precedes any other match.
func ExampleCheck() {
	m, err := methods.New("auto")
	if err != nil {
		fmt.Println(err)
		return
	}
	known := []string{"The rent is 500 euros a month.", "The user is allergic to peanuts."}
	for _, s := range []string{
		"The rent is 500 euros a month!", "The rent is 600 euros a month.", "The user is not allergic to peanuts.", "The ferry leaves at nine.",
	} {
		v, err := batch.Check(context.Background(), s, known, batch.Config{Method: m, Clean: text.Default()})
		fmt.Println(v.Verdict, v.At, err)
	}
	// Output:
	// duplicate 0 <nil>
	// variant 0 <nil>
	// contradiction 1 <nil>
	// new -1 <nil>
}
