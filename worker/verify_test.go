package worker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
)

// Leaders and members give the edges that Meet and Verify give by pairs, each once.
func TestMembersMeetLeadersWhereTheyAreCompared(t *testing.T) {
	s := stagesOf(t, methods.Config{Name: "simhash"})
	rng := rand.New(rand.NewPCG(7, 7))
	var texts, block, pairs strings.Builder
	for i := range 60 {
		words := strings.Fields(strings.Repeat("one two three four five six seven eight nine ten ", 4))
		for range rng.IntN(3) {
			words[rng.IntN(len(words))] = fmt.Sprint("other", rng.IntN(3))
		}
		fmt.Fprintf(&texts, "%d\t%s\n", i+1, strings.Join(words, " "))
	}
	var records strings.Builder
	if _, err := s.Records(context.Background(), strings.NewReader(texts.String()), &records); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(texts.String()) {
		block.WriteString("t\t" + line)
	}
	blocks := block.String() // of texts
	var lead, members, hot strings.Builder
	for line := range strings.Lines(records.String()) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		place, sketch, found, searched := f[0], f[4], f[5], f[6]
		if searched == "=" {
			searched = found
		}
		last := []int{0, 90, 30}[rng.IntN(3)]
		if rng.IntN(2) == 0 {
			fmt.Fprintf(&lead, "l\t%s\t0 %s %s\n", place, sketch, found)
			for key := range strings.FieldsSeq(found) {
				fmt.Fprintf(&hot, "l\t%s\t%s\ti\t%s\n", key, place, sketch)
			}
		}
		fmt.Fprintf(&members, "m\t%s\t%d %s %s\n", place, last, sketch, searched)
		for key := range strings.FieldsSeq(searched) {
			fmt.Fprintf(&pairs, "m\t%s\t%s\tp\t%s\t%d\n", key, place, sketch, last)
		}
	}
	var met strings.Builder
	if _, err := s.Meet(context.Background(), strings.NewReader(hot.String()+pairs.String()), &met); err != nil {
		t.Fatal(err)
	}
	candidates := slices.Sorted(strings.Lines(met.String()))
	// A pair may be met from either side: one edge of each.
	want := edges(t, s, blocks+"c\t"+strings.Join(slices.Compact(candidates), "c\t"))
	got := edges(t, s, blocks+lead.String()+members.String())
	if unique := slices.Compact(slices.Clone(got)); !slices.Equal(unique, want) || len(want) < 20 {
		t.Errorf("%d edges, want %d", len(unique), len(want))
	}
	counts := map[batch.Candidate]int{}
	for _, e := range got {
		var c batch.Candidate
		fmt.Sscan(e, &c.Later, &c.Earlier)
		if counts[c]++; counts[c] > 2 {
			t.Errorf("%v is compared for each key", c)
		}
	}
	// A next text forgets the leaders.
	if again := edges(t, s, blocks+lead.String()+blocks+members.String()); len(again) != 0 {
		t.Errorf("%d edges to leaders of another block", len(again))
	}
}

// edges returns the sorted lines that Verify writes.
func edges(t *testing.T, s Stages, in string) []string {
	t.Helper()
	var out strings.Builder
	if _, err := s.Verify(context.Background(), strings.NewReader(in), &out, false); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(strings.Lines(out.String()))
}
