package external

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRadixSortSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		bits := rapid.IntRange(1, 64).Draw(t, "bits")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := make([]KeyValue, n)
		for i := range a {
			a[i] = KeyValue{rng.Uint64() >> (64 - bits), rng.Uint64()}
		}
		want := slices.Clone(a)
		byBoth := func(x, y KeyValue) int { return cmp.Or(cmp.Compare(x.Key(), y.Key()), cmp.Compare(x.Val(), y.Val())) }
		slices.SortFunc(want, byBoth)
		radixSort(a)
		if !slices.IsSortedFunc(a, func(x, y KeyValue) int { return cmp.Compare(x.Key(), y.Key()) }) {
			t.Fatal("keys are not in order")
		}
		slices.SortFunc(a, byBoth)
		if !slices.Equal(a, want) {
			t.Fatal("pairs were lost or made up")
		}
	})
}

func TestSorterSpillsAndMerges(t *testing.T) {
	s := NewSorter[KeyValue](NewFiles(t.TempDir()), 0) // 4,096 pairs in memory
	rng := rand.New(rand.NewPCG(1, 1))
	want := map[KeyValue]int{}
	for range 50000 {
		p := KeyValue{rng.Uint64N(1 << 20), rng.Uint64N(100)}
		want[p]++
		if err := s.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	out, err := s.Sort()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for range 2 { // it can be read twice
		got, last := map[KeyValue]int{}, uint64(0)
		err := out.Each(context.Background(), func(p KeyValue) error {
			if p.Key() < last {
				t.Fatal("keys are not in order")
			}
			last = p.Key()
			got[p]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !gocmp.Equal(got, want) {
			t.Fatal("pairs were lost or made up")
		}
	}
}

func TestArrayPagesOut(t *testing.T) {
	a := NewArray[uint64](NewFiles(t.TempDir()), 0) // 4 pages
	defer a.Close()
	const n = 20 * pageLen
	for i := range n {
		if _, err := a.Add(uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	model := map[int]uint64{}
	for range 3000 {
		i := rng.IntN(n)
		want, changed := model[i]
		if !changed {
			want = uint64(i)
		}
		if got, err := a.Get(i); err != nil || got != want {
			t.Fatalf("element %d is %d, want %d (%v)", i, got, want, err)
		}
		for j := i; j < min(i+rng.IntN(2*manyOnPage), n); j++ { // many load the page, which is then read and evicted
			model[j] = rng.Uint64()
			if err := a.Update(j, func(v *uint64) { *v = model[j] }); err != nil {
				t.Fatal(err)
			}
			if got, err := a.Get(j); err != nil || got != model[j] {
				t.Fatalf("element %d is %d after a change to %d (%v)", j, got, model[j], err)
			}
		}
	}
	if a.resident > a.limit {
		t.Errorf("%d pages in memory, %d allowed", a.resident, a.limit)
	}
}

func TestSpoolReturnsWhatWasAdded(t *testing.T) {
	for _, memory := range []int64{0, 3 << 20, 1 << 30} {
		s := NewSpool(NewFiles(t.TempDir()), memory)
		rng := rand.New(rand.NewPCG(1, uint64(memory)))
		var texts []string
		var places []Ref
		for i := range 300 {
			b := strings.Repeat(fmt.Sprint(i, "-"), rng.IntN(9000))
			switch i {
			case 100: // more than a page
				b = strings.Repeat("x", 1<<20+1)
			case 101, 102: // nothing after it
				b = ""
			}
			p, err := s.Add(b)
			if err != nil {
				t.Fatal(err)
			}
			texts, places = append(texts, b), append(places, p)
			j := rng.IntN(len(texts))
			if got, err := s.Read(places[j], len(texts[j])); err != nil || string(got) != texts[j] {
				t.Fatalf("%d bytes of memory: text %d came back as %d bytes, not %d (%v)", memory, j, len(got), len(texts[j]), err)
			}
		}
	}
}
