package batch_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
)

// nested returns texts of paragraphs: files in files, in files, with a notice under most of them.
func nested(seed uint64, n int) (docs []neardup.Document) {
	rng := rand.New(rand.NewPCG(seed, 11))
	paragraph := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", rng.IntN(5000))
		}
		return strings.Join(words, " ")
	}
	notice := " " + paragraph(45)
	for len(docs) < n {
		text := paragraph(40 + rng.IntN(60))
		if len(docs) > 3 {
			for range rng.IntN(3) {
				text += " " + docs[rng.IntN(len(docs))].Text
			}
			if rng.IntN(4) == 0 {
				text = docs[rng.IntN(len(docs))].Text + " " + paragraph(1+rng.IntN(8))
			}
		}
		if rng.IntN(4) > 0 {
			text += notice
		}
		if words := strings.Fields(text); len(words) < 900 {
			docs = append(docs, neardup.Document{ID: fmt.Sprintf("d%03d", len(docs)), Text: text})
		}
	}
	rng.Shuffle(n, func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

// What another document contains is found as the definition has it, with any workers, memory, order and index of
// leaders; pairs list the same and more.
func TestContainedDecidesAsDefined(t *testing.T) {
	m, err := methods.New("minhash threshold=.7 recall=.9999 containment=.9")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(2) {
		docs := nested(seed, 100)
		ordered := slices.Clone(docs)
		slices.SortFunc(ordered, func(a, b neardup.Document) int {
			return cmp.Or(cmp.Compare(utf8.RuneCountInString(b.Text), utf8.RuneCountInString(a.Text)), cmp.Compare(a.ID, b.ID))
		})
		want := essence(greedy(ordered, m))
		contained := int64(0)
		for _, test := range []struct {
			batch.Config
			joinFrom uint32
		}{{batch.Config{Workers: 1}, 256}, {batch.Config{Workers: 3}, 3}, {batch.Config{Workers: 2, Memory: batch.MinMemory}, 20}} {
			back := batch.JoinFrom(test.joinFrom)
			test.Method, test.Keep = m, batch.Longest
			got, sum := decided(t, docs, test.Config)
			back()
			if diff := gocmp.Diff(want, essence(got)); diff != "" {
				t.Fatalf("%d workers, %d bytes (-defined +got):\n%s", test.Workers, test.Memory, diff)
			}
			contained = sum.Contained
		}
		if contained < 10 {
			t.Errorf("%d are contained: too few to tell", contained)
		}
		checkPairs(t, ordered, m)
	}
}

// checkPairs compares the pairs with those that are near, each later one with each earlier one.
func checkPairs(t *testing.T, ordered []neardup.Document, m neardup.Method) {
	t.Helper()
	var want, got []string
	for i, d := range ordered {
		for _, l := range ordered[:i] {
			e := batch.Edge{Match: batch.Verify(m, batch.Text{Clean: d.Text, Prepared: m.Prepare(d.Text)}, batch.Text{Clean: l.Text, Prepared: m.Prepare(l.Text)})}
			if e.Near {
				want = append(want, fmt.Sprint(l.ID, " ", d.ID, " ", e.Relation()))
			}
		}
	}
	_, err := batch.Pairs(context.Background(), batch.Documents(ordered), batch.Config{Method: m, Keep: batch.Longest}, func(p batch.Pair) error {
		got = append(got, fmt.Sprint(p.A, " ", p.B, " ", p.Relation()))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("pairs (-defined +got):\n%s", diff)
	}
}
