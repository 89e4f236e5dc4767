package image_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/image"
)

// gallery returns texts of pictures: random ones, and edits and turns of them around the largest distance. Some
// are of low quality.
func gallery(n int) []string {
	r := rand.New(rand.NewPCG(3, 4))
	edited := func(h image.Hash, most int) image.Hash {
		for _, bit := range r.Perm(image.Bits)[:r.IntN(most)] {
			h[bit/64] ^= 1 << (bit % 64)
		}
		return h
	}
	var texts []string
	for len(texts) < n {
		f := image.Fingerprint{Quality: 40 + r.IntN(61)}
		for i := range f.Hashes {
			f.Hashes[i] = image.Hash{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		}
		texts = append(texts, f.String())
		for range r.IntN(4) {
			g := f
			turn := r.IntN(image.Turns)
			g.Hashes[0] = edited(f.Hashes[turn], 36)
			g.Hashes[max(turn, 1)] = edited(f.Hashes[0], 36)
			texts = append(texts, g.String())
		}
	}
	return texts[:n]
}

// The oracle is Compare of all pairs: those that are near share a key, the later
// one searching, and their sketches do not rule it out.
func TestMethodFindsEveryPair(t *testing.T) {
	texts := gallery(200)
	if testing.Short() {
		texts = texts[:80]
	}
	small := 9
	for _, config := range []image.Config{{}, {Turned: true}, {Distance: &small}, {Distance: &small, Turned: true}, {Quality: 95}} {
		m, err := image.New(config)
		if err != nil {
			t.Fatal(err)
		}
		trainer := m.Trainer(1 << 20)
		narrow := m.Trainer(1000)
		for _, text := range texts {
			trainer.Add(text)
			narrow.Add(text)
		}
		for name, method := range map[string]neardup.Method{"untrained": m, "trained": trainer.Method(), "too many to be trained": narrow.Method()} {
			if method.Spec().String() != m.Spec().String() {
				t.Errorf("%s: the spec is %v", name, method.Spec())
			}
			near := 0
			views, records := make([]neardup.Prepared, len(texts)), make([]neardup.Record, len(texts))
			for i, text := range texts {
				method.Record(text, &records[i])
				views[i] = method.Prepare(text)
				for j := range i {
					match := method.Compare(views[i], views[j])
					if back := method.Compare(views[j], views[i]); !reflect.DeepEqual(back, match) {
						t.Fatalf("%v, %v the other way round", match, back)
					}
					if !match.Near {
						continue
					}
					near++
					shared := slices.ContainsFunc(records[i].Probes(), func(k uint64) bool { return slices.Contains(records[j].Index, k) })
					if !shared || !method.Plausible(records[i].Sketch, records[j].Sketch) {
						t.Errorf("%s, %v: a pair at distance %d (%s) is not found", name, m.Spec(), match.Distance, match.Basis)
					}
				}
			}
			if near < 1 {
				t.Errorf("%v: only %d near pairs", m.Spec(), near)
			}
			if name == "trained" && len(records[0].Index) > 1 {
				t.Errorf("%d keys of a trained picture", len(records[0].Index))
			}
		}
	}
}

func TestCompare(t *testing.T) {
	bits := func(n int) (h image.Hash) {
		for i := range n {
			h[i/64] |= 1 << (i % 64)
		}
		return h
	}
	far := image.Hash{^uint64(0), 0, ^uint64(0), 0}
	plain := func(n, quality int) image.Fingerprint {
		return image.Fingerprint{Hashes: [image.Turns]image.Hash{bits(n)}, Quality: quality}
	}
	lying := plain(0, 90)
	for i := range lying.Hashes[1:] {
		lying.Hashes[i+1] = image.Hash{0, ^uint64(0), 0, ^uint64(0)}
	}
	turned := lying
	turned.Hashes[0], turned.Hashes[2] = far, bits(3)
	for _, test := range []struct {
		a, b     image.Fingerprint
		config   image.Config
		near     bool
		distance int
		basis    string
	}{
		{plain(0, 90), plain(31, 90), image.Config{}, true, 31, "1 - distance/256 of PDQ"},
		{plain(0, 90), plain(32, 90), image.Config{}, false, 32, "1 - distance/256 of PDQ"},
		{plain(0, 90), plain(0, 49), image.Config{}, false, 256, "quality below 50"},
		{plain(0, 90), plain(0, 49), image.Config{Quality: 49}, true, 0, "1 - distance/256 of PDQ"},
		{lying, turned, image.Config{}, false, 128, "1 - distance/256 of PDQ"},
		{lying, turned, image.Config{Turned: true}, true, 3, "1 - distance/256 of PDQ, turned by a half"},
		{lying, plain(4, 90), image.Config{Turned: true}, true, 4, "1 - distance/256 of PDQ"},
	} {
		m, err := image.New(test.config)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Compare(m.Prepare(test.a.String()), m.Prepare(test.b.String()))
		if got.Near != test.near || got.Distance != test.distance || got.Basis != test.basis {
			t.Errorf("%v and %v: %+v, want near %v at %d by %q", test.a, test.b, got, test.near, test.distance, test.basis)
		}
	}
}

func TestFingerprintText(t *testing.T) {
	f, err := image.Read(pngOf(t, scene(300, 200)), image.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := image.Parse(f.String())
	if err != nil || again != f || f.Width != 300 || f.Height != 200 || len(f.File) != 64 {
		t.Errorf("%+v read again as %+v, %v", f, again, err)
	}
	hash := "pdq:" + f.Hashes[0].String()
	if only, err := image.Parse(hash); err != nil || only.Quality != 100 || only.Hashes[0] != f.Hashes[0] {
		t.Errorf("%s read as %+v, %v", hash, only, err)
	}
	for _, bad := range []string{"", "quality:50", "pdq:12", hash + " quality:x", hash + " quality:101", hash + " size:3", hash + " turned:12", hash + " more"} {
		if got, err := image.Parse(bad); err == nil {
			t.Errorf("%q read as %+v", bad, got)
		}
	}
	if _, err := image.Read([]byte("no picture"), image.Limits{}); err == nil {
		t.Error("what is not a picture is read")
	}
}

func TestWrongSettings(t *testing.T) {
	far := image.MaxDistance + 1
	for says, config := range map[string]image.Config{"distance 32: out of range": {Distance: &far}, "quality 101: out of range": {Quality: 101}, "quality -1: out of range": {Quality: -1}} {
		if _, err := image.New(config); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: error %v does not say %q", config, err, says)
		}
	}
}

func ExampleNew() {
	m, _ := image.New(image.Config{Turned: true})
	fmt.Println(m.Spec())
	// Output: images/1 distance=31 quality=50 turned=true
}
