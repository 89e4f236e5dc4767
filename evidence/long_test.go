package evidence

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A long text is cut into coarse words by place, and a place is its text.
func TestLongView(t *testing.T) {
	v := NewLongView("wind, 北京 1.5 kröger's ปลา")
	var got []string
	for i := range v.hashes {
		got = append(got, strings.TrimSpace(v.slice(i, i+1)))
	}
	if want := "wind,|北|京|1.|5|kröger'|s|ป|ล|า"; strings.Join(got, "|") != want {
		t.Errorf("%q", strings.Join(got, "|"))
	}
	if v.Bytes() < len(v.clean) || v.slice(3, 3) != "" || NewLongView("").slice(0, 0) != "" {
		t.Error("bounds")
	}
}

// Resemblance counts each word as often as both texts have it.
func TestResemblance(t *testing.T) {
	s := New(nil, Weights{})
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"one two three", "three one two", 1},
		{"one two two", "one one two", .5},
		{"one two three", "four five", 0},
		{"", "", 0},
	} {
		if got := s.Resemblance(NewLongView(c.a), NewLongView(c.b)); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var bags [2]map[uint32]int
		var views [2]*LongView
		words := uint32(10 + rng.IntN(2000))
		for i := range views {
			bags[i] = map[uint32]int{}
			var hashes []uint32
			for range 1 + rng.IntN(2000) {
				h := (words*uint32(i)/4 + rng.Uint32N(words)) * 2654435761
				hashes = append(hashes, h)
				bags[i][h]++
			}
			views[i] = NewLongViewOf("", hashes, nil)
		}
		both := 0
		for h, n := range bags[0] {
			both += min(n, bags[1][h])
		}
		exact := float64(both) / float64(len(views[0].hashes)+len(views[1].hashes)-both)
		got, turned := s.Resemblance(views[0], views[1]), s.Resemblance(views[1], views[0])
		if got < exact || got > exact+.1 || got != turned {
			t.Errorf("%v, turned %v, want at least %v and little more", got, turned, exact)
		}
	}
}
