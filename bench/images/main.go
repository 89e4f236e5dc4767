//go:build unix

// Command images measures PDQ and the hashes of 64 bits on pictures. It counts the edits that are found and the unrelated
// pictures that match, by distance. It also measures the search.
//
//	go run -C bench ./images -job edits -pictures 200 -out FOLDER
//	go run -C bench ./images -job strangers -pictures 10000
//	go run -C bench ./images -job search -n 1000000
//
// With -out the edited pictures are written, for images/peer.py, which makes the same table of imagededup's hashes.
package main

import (
	"context"
	"flag"
	"fmt"
	stdimage "image"
	"log"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/internal/test/pictures"
	"github.com/neardup/neardup/internal/test/shared"
)

func main() {
	job := flag.String("job", "edits", "edits, strangers or search")
	count := flag.Int("pictures", 200, "edits, strangers: pictures that are drawn")
	n := flag.Int("n", 1_000_000, "search: hashes")
	out := flag.String("out", "", "edits: write the pictures here")
	flag.Parse()
	var err error
	switch *job {
	case "edits":
		err = edits(*count, *out)
	case "strangers":
		err = strangers(*count)
	case "search":
		err = search(*n)
	default:
		err = fmt.Errorf("job %q: want edits, strangers or search", *job)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// hashes holds the compared hashes of a picture.
type hashes struct {
	pdq          image.Hash
	quality      int
	phash, dhash uint64
}

func of(data []byte) (h hashes, err error) {
	img, err := image.Decode(data, image.Limits{})
	if err != nil {
		return h, err
	}
	h.pdq, h.quality = image.Of(img)
	h.phash, h.dhash = image.PHash(img), image.DHash(img)
	return h, nil
}

// row counts the pairs within a distance.
type row struct{ pairs, pdq15, pdq31, phash, dhash int }

const mostOf64 = 10 // the usual distance of imagededup

func (r *row) add(a, b hashes) {
	r.pairs++
	for _, each := range []struct {
		count    *int
		distance int
		most     int
	}{
		{&r.pdq15, a.pdq.Distance(b.pdq), 15}, {&r.pdq31, a.pdq.Distance(b.pdq), 31},
		{&r.phash, bits.OnesCount64(a.phash ^ b.phash), mostOf64}, {&r.dhash, bits.OnesCount64(a.dhash ^ b.dhash), mostOf64},
	} {
		if each.distance <= each.most {
			*each.count++
		}
	}
}

func (r *row) print(name string) {
	share := func(n int) float64 { return float64(n) / float64(max(r.pairs, 1)) }
	fmt.Printf("%-28s %6d  %.3f  %.3f  %.3f  %.3f\n", name, r.pairs, share(r.pdq15), share(r.pdq31), share(r.phash), share(r.dhash))
}

// sources returns drawn pictures and the shared photographs, scaled to 640 pixels in width or height.
func sources(count int) ([]stdimage.Image, error) {
	var all []stdimage.Image
	for _, name := range []string{"pdq/bridge-mods/aaa-orig.jpg", "pdq/misc-images/c.png", "pdq/misc-images/wee.jpg", "imagehash/tests/data/imagehash.png", "imagehash/tests/data/peppers.png"} {
		data, err := os.ReadFile(filepath.Join(shared.Dir(), "images", name))
		if err != nil {
			return nil, err
		}
		img, err := image.Decode(data, image.Limits{})
		if err != nil {
			return nil, err
		}
		data, err = image.Thumbnail(img, 640)
		if err != nil {
			return nil, err
		}
		img, err = image.Decode(data, image.Limits{})
		if err != nil {
			return nil, err
		}
		all = append(all, img)
	}
	for i := range count {
		all = append(all, pictures.Draw(uint64(i), 480, 360))
	}
	return all, nil
}

// edits compares each picture with its edits.
func edits(count int, out string) error {
	all, err := sources(count)
	if err != nil {
		return err
	}
	table, rng := make([]row, len(pictures.Edits())), rand.New(rand.NewPCG(5, 6))
	var sum row
	for i, img := range all {
		data, err := pictures.JPEG(img, 90)
		if err != nil {
			return err
		}
		original, err := of(data)
		if err == nil {
			err = keep(out, fmt.Sprintf("%04d.-- original.jpg", i), data)
		}
		if err != nil {
			return err
		}
		for e, edit := range pictures.Edits() {
			data, err := edit.Make(img, rng)
			if err != nil {
				return err
			}
			edited, err := of(data)
			if err == nil {
				err = keep(out, fmt.Sprintf("%04d.%02d %s%s", i, e, edit.Name, edit.Ends), data)
			}
			if err != nil {
				return err
			}
			table[e].add(original, edited)
			sum.add(original, edited)
		}
	}
	fmt.Printf("%-28s %6s  %5s  %5s  %5s  %5s\n", "found", "pairs", "pdq15", "pdq31", "pHash", "dHash")
	for e, edit := range pictures.Edits() {
		table[e].print(edit.Name)
	}
	sum.print("all")
	return nil
}

func keep(dir, name string, data []byte) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o666)
}

// strangers compares all pairs of drawn pictures.
func strangers(count int) error {
	all := make([]hashes, count)
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			for i := w; i < count; i += workers {
				img := pictures.Draw(1_000_000+uint64(i), 240, 180)
				all[i].pdq, all[i].quality = image.Of(img)
				all[i].phash, all[i].dhash = image.PHash(img), image.DHash(img)
			}
		})
	}
	wait.Wait()
	var r row
	believed, nearest := 0, image.Bits
	for i, a := range all {
		if a.quality < image.DefaultQuality {
			continue
		}
		believed++
		for _, b := range all[:i] {
			if b.quality >= image.DefaultQuality {
				r.add(a, b)
				nearest = min(nearest, a.pdq.Distance(b.pdq))
			}
		}
	}
	fmt.Printf("%d of %d pictures of quality %d or more, %d pairs; matches: PDQ within 15 %d, within 31 %d, pHash within %d %d, dHash within %d %d; the nearest by PDQ differ in %d bits\n",
		believed, count, image.DefaultQuality, r.pairs, r.pdq15, r.pdq31, mostOf64, r.phash, mostOf64, r.dhash, nearest)
	return nil
}

// search joins random hashes, a tenth of which is near an earlier one, and compares the result with brute force.
func search(n int) error {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]image.Hash, n)
	for i := range list {
		list[i] = image.Hash{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
		if i > 0 && i%10 == 0 {
			list[i] = list[rng.IntN(i)]
			for range rng.IntN(image.MaxDistance + 4) {
				bit := rng.IntN(image.Bits)
				list[i][bit/64] ^= 1 << (bit % 64)
			}
		}
	}
	begun, pairs := featuretest.CPU(), map[image.Pair]bool{}
	err := image.SelfJoin(context.Background(), list, image.MaxDistance, 1, func(p image.Pair) error { pairs[p] = true; return nil })
	if err != nil {
		return err
	}
	joined := featuretest.CPU() - begun
	asked := min(n, 2000)
	begun = featuretest.CPU()
	for i, a := range list[:asked] {
		for j, b := range list {
			if d := a.Distance(b); d <= image.MaxDistance && i != j && !pairs[image.Pair{A: min(i, j), B: max(i, j), Distance: d}] {
				return fmt.Errorf("%d and %d at %d are not found", i, j, d)
			}
		}
	}
	brute := featuretest.CPU() - begun
	whole := brute.Seconds() / float64(asked) * float64(n) / 2
	fmt.Printf("self-join of %d: %.1f CPU s, %d pairs; brute force of all would take %.0f s: %.0f times as long\n", n, joined.Seconds(), len(pairs), whole, whole/joined.Seconds())
	return nil
}
