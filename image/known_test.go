package image_test

import (
	"encoding/csv"
	"fmt"
	stdimage "image"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/internal/test/shared"
)

func read(tb testing.TB, name string) []byte {
	tb.Helper()
	if testing.Short() {
		tb.Skip("large pictures, and nothing concurrent")
	}
	data, err := os.ReadFile(shared.Path(tb, "images/"+name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func decode(tb testing.TB, data []byte) stdimage.Image {
	tb.Helper()
	img, err := image.Decode(data, image.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return img
}

func parse(tb testing.TB, s string) image.Hash {
	tb.Helper()
	h, err := image.ParseHash(s)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// What the reference in C++ makes of its own pictures. Where a JPEG was decoded
// otherwise (by libjpeg colours in between are interpolated) up to 2 bits differ.
func TestHashesOfTheReference(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(string(read(t, "pdq/expected_wasm.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, row := range rows {
		_, file, ok := strings.Cut(row[0], "/data/")
		if _, err := os.Stat(filepath.Join(shared.Dir(), "images/pdq", file)); !ok || err != nil {
			continue // the header, videos, and what was too large to be shared
		}
		checked++
		hash, quality := image.Of(decode(t, read(t, "pdq/"+file)))
		most := 2
		if strings.HasSuffix(file, ".png") {
			most = 0 // all decoders agree
		}
		if d := hash.Distance(parse(t, row[1])); d > most || (quality < 80 && file != "misc-images/small.jpg") {
			t.Errorf("%s: %d bits from %s, quality %d", file, d, row[1], quality)
		}
	}
	if checked != 15 {
		t.Errorf("%d pictures checked, want 15", checked)
	}
}

// What the reference in Python makes: it scales large pictures otherwise, and
// allows 16 bits itself; ours are within 10, its rule for another decoder.
func TestTurnsOfTheReference(t *testing.T) {
	expected := regexp.MustCompile(`"([^"]+)",\s+"([0-9a-f]{64})"`)
	var all [image.Turns]image.Hash
	i := 0
	for _, m := range expected.FindAllStringSubmatch(string(read(t, "pdq/expected_python_pdq_test.py")), -1) {
		file, turned := strings.CutPrefix(m[1], "reg-test-input/dih/")
		if !turned {
			continue
		}
		img := decode(t, read(t, "pdq/dih/"+file))
		hash, quality := image.Of(img)
		if d := hash.Distance(parse(t, m[2])); d > 10 || quality < 80 {
			t.Errorf("%s: %d bits from %s, quality %d", file, d, m[2], quality)
		}
		if i == 0 {
			all, _ = image.Turned(img)
		}
		// The original by its frequencies, and the turned file: its samples differ slightly.
		for j := range all {
			if d := hash.Distance(all[j]); (d <= 18) != (i == j) {
				t.Errorf("%s: %d bits from turn %d of the original", file, d, j)
			}
		}
		i++
	}
	if i != image.Turns {
		t.Errorf("%d pictures checked, want %d", i, image.Turns)
	}
}

// One picture in the modes of Pillow: grey, palette, alpha, CMYK, WebP.
func TestColourModes(t *testing.T) {
	original, _ := image.Of(decode(t, read(t, "pdq/misc-images/modes/original.jpg")))
	for file, most := range map[string]int{
		"RGB.jpg": 0, "YCbCr.jpg": 0, "CMYK.jpg": 0, "L.png": 0, "LA.png": 0, "P.png": 0, "RGBA.png": 0,
		"F.webp": 0, "I.webp": 0, "HSV.webp": 0, "LAB.webp": 0, "PA.webp": 0,
		"1.png": 12, // black and white dots
	} {
		hash, quality := image.Of(decode(t, read(t, "pdq/misc-images/modes/"+file)))
		if d := hash.Distance(original); d > most || quality < 80 {
			t.Errorf("%s: %d bits from the original, want at most %d; quality %d", file, d, most, quality)
		}
	}
}

// The constants of imagehash's own test.
func TestHashesOfImagehash(t *testing.T) {
	known := string(read(t, "imagehash/tests/test_hash_is_constant.py"))
	img := decode(t, read(t, "imagehash/tests/data/imagehash.png"))
	for name, hash := range map[string]uint64{"phash": image.PHash(img), "dhash": image.DHash(img)} {
		m := regexp.MustCompile(`imagehash\.` + name + `\(self\.image\)\s+known_hash = '([0-9a-f]{16})'`).FindStringSubmatch(known)
		if m == nil {
			t.Fatalf("%s is not in the test of imagehash", name)
		}
		if got := fmt.Sprintf("%016x", hash); got != m[1] {
			t.Errorf("%s is %s, want %s", name, got, m[1])
		}
	}
}

// What imagehash 4.3.2 with Pillow 13 prints of other shared pictures.
func TestMoreHashesOfImagehash(t *testing.T) {
	for _, test := range []struct {
		file, phash, dhash string
		most               int // bits in which lossy decoders make them differ
	}{
		{"imagehash/tests/data/peppers.png", "92a71cdc79d980e3", "3a7ece1c9df4fcb9", 0}, // RGBA
		{"pdq/misc-images/modes/1.png", "aca29c1c33dc23d7", "b7b78fa7173336d6", 0},      // 1 bit
		{"pdq/misc-images/modes/LA.png", "aca29c1c33dc23d7", "b7b78fa7173336d6", 0},     // LA
		{"pdq/misc-images/modes/P.png", "aca29c1c33dc23d7", "b7b78fa7173336d6", 0},      // palette
		{"pdq/misc-images/modes/PA.webp", "aca29c1c33dc23d7", "b7b78fa7173336d6", 1},    // WebP
		{"pdq/misc-images/modes/CMYK.jpg", "aca29c1c33dc23d7", "b7b78fa7173336d2", 0},   // CMYK
		{"pdq/misc-images/wee.jpg", "de5a3d2925256627", "33a9a929d6a9c6c7", 0},          // JPEG
	} {
		img := decode(t, read(t, test.file))
		for _, each := range []struct {
			want string
			got  uint64
		}{{test.phash, image.PHash(img)}, {test.dhash, image.DHash(img)}} {
			want, err := strconv.ParseUint(each.want, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			if d := bits.OnesCount64(want ^ each.got); d > test.most {
				t.Errorf("%s: %016x, want %s", test.file, each.got, each.want)
			}
		}
	}
}
