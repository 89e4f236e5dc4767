package methods_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// The lengths of the walk, as shares of the limit.
var walk = []float64{.5, .6, .7, .8, .9, .97, 1.03, 1.1, 1.25, 1.5, 1.75, 2}

// walked is how many texts there are of a length.
const walked = 40

// steepest is the most that the share found may change from a length to the next.
// Forty texts give a share to .15 either way.
const steepest = .4

// fixed are never replaced: marks, and numerals, which change the meaning.
const fixed = " ,.;:'，。；：、〇零一二三四五六七八九十百千万亿第0123456789"

// One scale has one meaning on both sides of the limit: of real texts of which a part is
// replaced about as many are found at every length, and what changes with the length
// changes by and by. With -v it prints the table of docs/quality.md.
func TestNoCliffAlongTheLengths(t *testing.T) {
	m, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	chinese := stretches(t, "zh_laws/docs.jsonl.zst", func(r rune) bool { return text.IsCJK(r) || strings.ContainsRune("，。；：、", r) })
	english := stretches(t, "ota_terms_versions/docs.jsonl.zst", func(r rune) bool { return (r < 0x80 && text.IsAlnum(r)) || strings.ContainsRune(" ,.;:'", r) })
	var head strings.Builder
	for _, w := range walk {
		fmt.Fprintf(&head, " %.4g |", w)
	}
	t.Logf("| length, of the limit |%s", head.String())
	for _, c := range []struct {
		what   string
		texts  []string
		unit   func(string) []string
		shares []float64
	}{
		{"Chinese, characters", chinese, runesOf, []float64{.05, .1}},
		{"English, letters", english, runesOf, []float64{.02}},
		{"English, words", english, strings.Fields, []float64{.05, .1}},
	} {
		for _, share := range c.shares {
			var row strings.Builder
			last := -1.
			for _, at := range walk {
				found := 0
				for i := range walked {
					a, b := replaced(rand.New(rand.NewPCG(7, uint64(i))), c.texts[i%len(c.texts)], c.unit, int(at*2*methods.DefaultLimit), share)
					if m.Compare(m.Prepare(a), m.Prepare(b)).Near {
						found++
					}
				}
				now := float64(found) / walked
				if last >= 0 && max(now-last, last-now) > steepest {
					t.Errorf("%s, %v replaced: from %.2f to %.2f at %v times the limit", c.what, share, last, now, at)
				}
				last = now
				fmt.Fprintf(&row, " %.2f |", now)
			}
			t.Logf("| %s, %.0f %% |%s", c.what, 100*share, row.String())
		}
	}
}

func runesOf(s string) []string { return strings.Split(s, "") }

// replaced returns the beginning of a text of a Length, and a copy with a share of its units, drawn at random,
// replaced by other units of the text.
func replaced(rng *rand.Rand, s string, unit func(string) []string, length int, share float64) (a, b string) {
	end := 0
	for i := range s {
		if methods.Length(s[:i]) >= length {
			break
		}
		end = i
	}
	units := unit(s[:end])
	joint := ""
	if strings.Join(units, "") != s[:end] {
		joint = " "
	}
	other := slices.Clone(units)
	left := int(share*float64(len(units)) + .5)
	for _, i := range rng.Perm(len(units)) {
		if left == 0 {
			break
		}
		if strings.ContainsAny(units[i], fixed) {
			continue
		}
		for left--; other[i] == units[i] || strings.ContainsAny(other[i], fixed); {
			other[i] = units[rng.IntN(len(units))]
		}
	}
	return strings.Join(units, joint), strings.Join(other, joint)
}

// stretches returns parts of documents of a set that hold only some runes, long enough for the walk.
func stretches(t *testing.T, set string, is func(rune) bool) []string {
	t.Helper()
	data, err := os.ReadFile(shared.Path(t, set))
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err = r.DecodeAll(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range bytes.Lines(data) {
		var doc struct{ Text string }
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		kept := strings.Join(strings.Fields(text.Default().Clean(strings.Map(func(r rune) rune {
			if is(r) {
				return r
			}
			return -1
		}, doc.Text))), " ")
		if half := kept[len(kept)/2:]; methods.Length(half) > 2*2*methods.DefaultLimit+10 && len(out) < walked {
			out = append(out, strings.ToValidUTF8(half, ""))
		}
	}
	return out
}
