package feature_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/feature"
)

func TestCutterGivesWhatAppendGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := feature.Shingle{
			Unit: rapid.SampledFrom([]feature.Unit{feature.Auto, feature.Words, feature.Runes}).Draw(t, "unit"),
			K:    rapid.IntRange(1, feature.MaxK).Draw(t, "k"),
		}
		cutter := feature.NewCutter(s, 7)
		for range 2 { // a second text must not see the first
			text := strings.Repeat(rapid.StringN(0, 40, -1).Draw(t, "text"), rapid.IntRange(0, 200).Draw(t, "times"))
			var got []uint64
			cutter.Cut(text)
			for block := cutter.Next(); len(block) > 0; block = cutter.Next() {
				got = append(got, block...)
			}
			if want := s.Append(nil, text, 7); !slices.Equal(got, want) {
				t.Fatalf("%v: %d hashes, want %d", s, len(got), len(want))
			}
		}
	})
}

func TestCutterAtTheEdgesOfBlocks(t *testing.T) {
	for _, k := range []int{1, 4, feature.MaxK} {
		s := feature.Shingle{Unit: feature.Runes, K: k}
		cutter := feature.NewCutter(s, 0)
		for n := range 2600 {
			text := strings.Repeat("中", n) + strings.Repeat("。", 700)
			count := 0
			cutter.Cut(text)
			for block := cutter.Next(); len(block) > 0; block = cutter.Next() {
				count += len(block)
			}
			if want := len(s.Append(nil, text, 0)); count != want {
				t.Fatalf("%v of %d runes: %d hashes, want %d", s, n, count, want)
			}
		}
	}
}

func ExampleCutter() {
	cutter := feature.NewCutter(feature.Shingle{Unit: feature.Runes, K: 3}, 0)
	cutter.Cut("近似重复检测")
	fmt.Println(len(cutter.Next()), len(cutter.Next()))
	// Output: 4 0
}
