package methods_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/methods"
)

var updateGolden = flag.Bool("update", false, "write testdata/golden.txt")

const goldenFile = "testdata/golden.txt"

// goldenSpecs are specs as users write them: each method, each setting, each decorator.
var goldenSpecs = strings.Split(strings.TrimSpace(`
auto
auto limit=40
auto limit=4000
auto threshold=.7
auto bias=1.5
auto shingle=words:2
auto recall=.999
auto seed=7
auto lossless=.9
auto limit=4000 lossless=.9
auto containment=.8
auto limit=20 containment=.8
auto containment=.8 lossless=.95
exact
minhash
minhash recall=.999 shingle=words:3
minhash threshold=.5
minhash containment=.7
minhash threshold=.5 lossless=.9
minhash shingle=runes:4 seed=9
simhash
simhash distance=5
simhash verify=off
simhash features=auto:1 threshold=.6
simhash features=levels:3
simhash features=keywords:10 min-features=2
simhash threshold=.4 lossless=.9
simhash features=runes:4 shingle=words:2
jaccard
jaccard threshold=.5
jaccard threshold=.5 lossless=.9
jaccard shingle=words:2 seed=3
ngram
ngram threshold=.6
ngram threshold=.6 lossless=.9
ngram similarity=jaccard threshold=.5
ngram similarity=cosine threshold=.7
ngram similarity=containment threshold=.7
ngram keys=any m=runes:4 threshold=.6
ngram prepare=alnum
ngram prepare=words threshold=.7
ngram variants=keep threshold=.6
weighted
weighted threshold=.4
weighted lossless=.9
images
images turned=true distance=20 quality=60
`), "\n")

// TestGolden compares the records, the outcomes of Compare and the digest of a batch with those of golden.txt. A
// difference in it is a change of results: raise the version of the method, and write the file with -update.
func TestGolden(t *testing.T) {
	texts, pictures := goldenTexts(), goldenPictures()
	var lines []string
	for _, spec := range goldenSpecs {
		corpus := texts
		if strings.HasPrefix(spec, image.Name) {
			corpus = pictures
		}
		lines = append(lines, golden(t, spec, corpus))
	}
	got := strings.Join(lines, "\n") + "\n"
	if *updateGolden {
		if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(want)), "\n") {
		if i >= len(lines) || lines[i] != line {
			t.Errorf("%s:\n got %s\nwant %s", goldenFile, lines[min(i, len(lines)-1)], line)
		}
	}
}

// golden returns what a method makes of a corpus, in a line.
func golden(t *testing.T, spec string, texts []string) string {
	t.Helper()
	m, err := methods.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	records, compared := sha256.New(), sha256.New()
	var rec neardup.Record
	views, sketches := make([]neardup.Prepared, len(texts)), make([]uint64, len(texts))
	for i, text := range texts {
		m.Record(text, &rec)
		fmt.Fprintln(records, sorted(rec.Index), sorted(rec.Probe), rec.Sketch)
		views[i], sketches[i] = m.Prepare(text), rec.Sketch
	}
	near, variants := 0, 0
	for i := range texts {
		for k := range texts {
			if texts[i] == texts[k] || ((i+k)%2 != 0 && i-k > 20) {
				continue
			}
			c := m.Compare(views[i], views[k])
			near, variants = near+one(c.Near), variants+one(c.Variant)
			fmt.Fprintln(compared, i, k, m.Plausible(sketches[i], sketches[k]),
				c.Similarity, c.Distance, c.Near, c.Variant, c.Overlap, c.Contained, c.Unsure, c.Method, c.Basis)
		}
	}
	documents := make([]neardup.Document, len(texts))
	for i, text := range texts {
		documents[i] = neardup.Document{ID: fmt.Sprint(i), Text: text}
	}
	evidence, contained := sha256.New(), 0
	sum, err := batch.Dedup(context.Background(), batch.Documents(documents), batch.Config{Method: m}, func(o batch.Outcome) error {
		fmt.Fprintf(evidence, "%s %s %s %v\n", o.ID, o.VariantOf, o.Relation, o.Conflicts)
		contained += one(o.Basis == neardup.BasisContained)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s | %s | records %s | %d near, %d variants, %s | %d of %d removed, %d contained, %d variants, %s, evidence %s",
		spec, m.Spec(), digits(records), near, variants, digits(compared), sum.Removed, len(texts), contained, sum.Variants, sum.Digest, digits(evidence))
}

func digits(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:12]) }

func sorted(keys []uint64) []uint64 { return slices.Sorted(slices.Values(keys)) }

// goldenTexts returns short and long texts in two scripts, with and without templates, with edits of them.
func goldenTexts() (texts []string) {
	r := rand.New(rand.NewPCG(39, 2))
	words := strings.Fields(`the of and to your account agreement bridge camera council delivery engine factory garden harbour
		not no up down courier parcel street river minister election market price music player company museum letter`)
	han := []rune("数据库大学经济城市音乐比赛公司电影系统北京天气明天有雨市长桥梁工程新闻报道学生老师医院")
	sentence := func(n int) string {
		var b strings.Builder
		chinese := r.IntN(4) == 0
		for range n {
			switch {
			case chinese:
				b.WriteRune(han[r.IntN(len(han))])
			case r.IntN(3) == 0:
				fmt.Fprintf(&b, "w%x ", r.IntN(1<<14))
			default:
				b.WriteString(words[r.IntN(len(words))] + " ")
			}
		}
		return strings.TrimSpace(b.String())
	}
	edited := func(text string) string {
		list := strings.Fields(text)
		if len(list) < 2 {
			return text + "。"
		}
		at := r.IntN(len(list))
		if len(list) > 60 && r.IntN(2) == 0 {
			return strings.Join(list[len(list)/4:], " ")
		}
		switch r.IntN(6) {
		case 0:
			list[at] = words[r.IntN(len(words))]
		case 1:
			list = slices.Delete(list, at, at+1)
		case 2:
			list = append(list, sentence(3+r.IntN(40)))
		case 3:
			list = list[:at+1]
		case 4:
			list[0], list[at] = list[at], list[0]
		default:
			list[at] += "s"
		}
		return strings.Join(list, " ")
	}
	for len(texts) < 140 {
		switch r.IntN(5) {
		case 0:
			texts = append(texts, fmt.Sprintf("dear customer your order %d of %d dollars is handed to our courier and will be brought before noon", r.IntN(40), r.IntN(4)))
		case 1:
			texts = append(texts, fmt.Sprintf("尊敬的客户,您尾号%d的账户支出%d元,余额%d元,如有疑问请致电营业部", r.IntN(20), r.IntN(4), r.IntN(2)))
		case 2:
			texts = append(texts, sentence([]int{4, 15, 90, 260}[r.IntN(4)]))
		default:
			if len(texts) > 4 {
				texts = append(texts, edited(texts[r.IntN(len(texts))]))
			}
		}
	}
	return append(texts, "", " ", "。", texts[3], texts[9])
}

// goldenPictures returns fingerprints and edits of them.
func goldenPictures() (texts []string) {
	r := rand.New(rand.NewPCG(39, 3))
	for range 40 {
		f := image.Fingerprint{Quality: 40 + r.IntN(61)}
		for i := range f.Hashes {
			f.Hashes[i] = image.Hash{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		}
		texts = append(texts, f.String())
		g := f
		turn := r.IntN(image.Turns)
		g.Hashes[0], g.Hashes[max(turn, 1)] = f.Hashes[turn], f.Hashes[0]
		for range r.IntN(40) {
			g.Hashes[0][r.IntN(4)] ^= 1 << r.IntN(64)
		}
		texts = append(texts, g.String())
	}
	return texts
}
