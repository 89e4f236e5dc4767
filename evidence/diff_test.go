package evidence

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What differ finds apart is a way from one text to the other, whatever they have in
// common; with little apart as little as there is.
func TestDifferIsAWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := func(n, kinds int) []uint32 {
		out := make([]uint32, n)
		for i := range out {
			out[i] = rng.Uint32N(uint32(kinds))
		}
		return out
	}
	var d differ
	for round := range 400 {
		kinds := []int{2, 40, 100000}[rng.IntN(3)]
		a := words(rng.IntN([]int{30, 3000}[rng.IntN(2)]), kinds)
		b := slices.Clone(a)
		for range rng.IntN(12) {
			at := rng.IntN(len(b) + 1)
			switch rng.IntN(3) {
			case 0:
				b = slices.Insert(b, at, words(1+rng.IntN(200), kinds)...)
			case 1:
				b = slices.Delete(b, at, min(len(b), at+1+rng.IntN(200)))
			default:
				copy(b[at:], words(2, kinds))
			}
		}
		if round%20 == 0 {
			b = words(rng.IntN(3000), kinds)
		}
		var back []uint32
		i, j := 0, 0
		for _, s := range d.diff(a, b) {
			if s.a0 < i || s.b0 < j || s.a0-i != s.b0-j || !slices.Equal(a[i:s.a0], b[j:s.b0]) {
				t.Fatalf("round %d: %+v after %d, %d: what is between is not equal", round, s, i, j)
			}
			back = append(append(back, a[i:s.a0]...), b[s.b0:s.b1]...)
			i, j = s.a1, s.b1
		}
		if !slices.Equal(append(back, a[i:]...), b) {
			t.Fatalf("round %d: the places make another text", round)
		}
	}
}

// Places come in order, each with what the other row has there.
func TestDiff(t *testing.T) {
	var got [][4]int
	Diff([]uint32{1, 2, 3, 4, 5}, []uint32{1, 9, 3, 5, 6}, func(a0, a1, b0, b1 int) { got = append(got, [4]int{a0, a1, b0, b1}) })
	if want := [][4]int{{1, 2, 1, 2}, {3, 4, 3, 3}, {5, 5, 4, 5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// By definition anchors are the runs of words that occur once in each row.
func TestAnchorsStandOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	runs := func(row []uint32) map[[anchorWords]uint32][]int32 {
		all := map[[anchorWords]uint32][]int32{}
		for i := 0; i+anchorWords <= len(row); i++ {
			run := [anchorWords]uint32(row[i:])
			all[run] = append(all[run], int32(i))
		}
		return all
	}
	var d differ
	for round := range 500 {
		a := make([]uint32, rng.IntN(200))
		for i := range a {
			a[i] = rng.Uint32N([]uint32{2, 5, 1000}[round%3])
		}
		b := slices.Concat(a[rng.IntN(len(a)+1):], a[:rng.IntN(len(a)+1)])
		inA, inB := runs(a), runs(b)
		var want []anchor
		for i := 0; i+anchorWords <= len(a); i++ {
			run := [anchorWords]uint32(a[i:])
			if len(inA[run]) == 1 && len(inB[run]) == 1 {
				want = append(want, anchor{int32(i), inB[run][0], -1})
			}
		}
		d.findAnchors(a, b)
		if !slices.Equal(d.anchors, want) {
			t.Fatalf("round %d: %v, want %v", round, d.anchors, want)
		}
	}
}

// myers does the full greedy search. It returns a shortest path of few edits as its runs of equal words.
func myers(x, y []uint32) (way []step, found bool) {
	rows := []map[int]int{}
	for n := 0; n <= mostEdits; n++ {
		row := map[int]int{}
		for k := -n; k <= n; k += 2 {
			i := 0
			switch {
			case n == 0:
			case k == -n || (k != n && rows[n-1][k-1] < rows[n-1][k+1]):
				i = rows[n-1][k+1]
			default:
				i = rows[n-1][k-1] + 1
			}
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			row[k] = i
			if i < len(x) || i-k < len(y) {
				continue
			}
			for i, j := len(x), len(y); n > 0; n-- {
				from, start, k := i-j-1, rows[n-1][i-j-1]+1, i-j
				if k == -n || (k != n && rows[n-1][k-1] < rows[n-1][k+1]) {
					from, start = k+1, rows[n-1][k+1]
				}
				if i > start {
					way = append(way, step{start, start - k, i - start})
				}
				i, j = rows[n-1][from], rows[n-1][from]-from
				if n == 1 && i > 0 {
					way = append(way, step{0, 0, i})
				}
			}
			slices.Reverse(way)
			return way, true
		}
		rows = append(rows, row)
	}
	return nil, false
}

// Words left out of the search are on no path that it finds.
func TestEditsAreThoseOfTheWholeSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	var d differ
	found := 0
	for round := range 3000 {
		kinds := []uint32{2, 5, 40, 400, 100000}[rng.IntN(5)]
		a := make([]uint32, 1+rng.IntN(120))
		for i := range a {
			a[i] = rng.Uint32N(kinds)
		}
		b := slices.Clone(a)
		for range rng.IntN(60) {
			at := rng.IntN(len(b))
			switch rng.IntN(4) {
			case 0:
				b = slices.Insert(b, at, rng.Uint32N(2*kinds))
			case 1:
				if len(b) > 1 {
					b = slices.Delete(b, at, at+1)
				}
			case 2:
				b[at] = rng.Uint32N(2 * kinds)
			default:
				b[at], b[rng.IntN(len(b))] = b[rng.IntN(len(b))], b[at]
			}
		}
		if round%10 == 0 {
			b = b[:rng.IntN(len(b))+1]
			rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		}
		if slices.Equal(a, b) {
			continue
		}
		d.diffs = d.diffs[:0]
		ok := d.addShortestPath(a, b, 0, 0)
		way, short := myers(a, b)
		var want differ
		i, j := 0, 0
		for _, e := range way {
			want.add(i, e.a, j, e.b)
			i, j = e.a+e.n, e.b+e.n
		}
		want.add(i, len(a), j, len(b))
		if ok != short || (ok && !slices.Equal(d.diffs, want.diffs)) {
			t.Fatalf("round %d: %v %v\n%v %v, want %v", round, a, b, ok, d.diffs, want.diffs)
		}
		if ok {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("%d ways", found)
	}
}
