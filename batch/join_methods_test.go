package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
)

// notices returns texts of templates, Chinese and English, short and long, with little or much text of their
// own. Some repeat another one with a word, a number or a rune removed, added or replaced.
func notices(seed uint64, n, own int) []neardup.Document {
	rng := rand.New(rand.NewPCG(seed, 7))
	of := func(words string) string { w := strings.Fields(words); return w[rng.IntN(len(w))] }
	name := func() string {
		if rng.IntN(2) == 0 {
			return fmt.Sprintf("%c%c%c", 0x4e00+rng.IntN(3000), 0x4e00+rng.IntN(3000), 0x4e00+rng.IntN(3000))
		}
		return fmt.Sprintf("w%x", rng.IntN(1<<24))
	}
	templates := []string{
		"dear customer your parcel of today was brought to the office in the garden street",
		"尊敬的客户,您的账户于今日收入人民币,请登录手机银行查看详情,如有疑问请致电营业部",
		strings.Repeat("the council of the city has decided about the market and the railway, and whoever has anything to say may write until the end of the year. ", 4),
	}
	var docs []neardup.Document
	for len(docs) < n {
		words := strings.Fields(templates[rng.IntN(3)])
		for range own * (1 + len(words)/40) {
			words = append(words, name())
		}
		if len(docs) > 9 && rng.IntN(3) == 0 {
			words = strings.Fields(docs[rng.IntN(len(docs))].Text)
			for range 1 + rng.IntN(4) {
				switch at := rng.IntN(len(words)); rng.IntN(4) {
				case 0:
					words[at] = of("7 12 300 not no smith 不 天气")
				case 1:
					words = append(words[:at:at], words[at+1:]...)
				case 2:
					words = append(words, name())
				default:
					words[at] += "x"
				}
				if len(words) == 0 {
					words = []string{name()}
				}
			}
		}
		docs = append(docs, neardup.Document{ID: fmt.Sprint("d", len(docs)), Text: strings.Join(words, " ")})
	}
	return docs
}

// With any method, the leaders of a hot bucket found by their features equal those found one by one. Leaders,
// variants and similarities are the same, and fewer pairs are compared.
func TestJoinedBucketsChangeNothingByAnyMethod(t *testing.T) {
	decide := func(docs []neardup.Document, m neardup.Method, from uint32) (all []batch.Outcome, sum *batch.Summary) {
		defer batch.JoinFrom(from)()
		sum, err := batch.Dedup(context.Background(), batch.Documents(docs), batch.Config{Method: m}, func(o batch.Outcome) error {
			all = append(all, o)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all, sum
	}
	for name, c := range map[string]string{
		"auto":           "",
		"auto, border":   "limit=40",
		"weighted":       "weighted",
		"weighted, .8":   "weighted threshold=.8",
		"minhash":        "minhash threshold=.6",
		"simhash":        "simhash threshold=.7",
		"edit":           "ngram variants=keep",
		"ngram, jaccard": "ngram similarity=jaccard threshold=.6 keys=any",
		"ngram, cosine":  "ngram similarity=cosine keys=any m=runes:6",
		"containment":    "ngram similarity=containment keys=any", // needs nothing in common
	} {
		t.Run(name, func(t *testing.T) {
			m, err := methods.New(c)
			if err != nil {
				t.Fatal(err)
			}
			fewer, removed, variants := false, int64(0), int64(0)
			n := 160
			if testing.Short() {
				n = 60
			}
			for seed, own := range []int{0, 2, 12, 30} {
				docs := notices(uint64(seed), n, own)
				want, sum := decide(docs, m, 1<<30)
				removed += sum.Removed
				for _, from := range []uint32{2, 30} {
					got, joined := decide(docs, m, from)
					if diff := gocmp.Diff(want, got); diff != "" {
						t.Fatalf("%d words of their own, joined from %d leaders (-want +got):\n%s", own, from, diff)
					}
					variants += joined.Variants
					fewer = fewer || joined.Work.Verified < sum.Work.Verified
				}
			}
			t.Logf("%d removed, %d variants, fewer compared: %v", removed, variants, fewer)
			if removed == 0 {
				t.Error("nothing is near")
			}
		})
	}
}

// Equal texts are equal to every method, one that gives a probability too, and near ones are not.
func TestVerifyEqualTexts(t *testing.T) {
	for _, name := range []string{"auto", "exact", "minhash", "simhash", "jaccard", "ngram", "weighted"} {
		m, err := methods.New(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, clean := range []string{"storm", "storm in paris",
			"the council met on monday and agreed to build a new bridge over the river before the end of next year, officials said.",
			"北京今天下雨", strings.Repeat("the council of the city has decided about the market. ", 20)} {
			a := batch.Text{Clean: clean, Prepared: m.Prepare(clean)}
			if got := batch.Verify(m, a, a); !got.Near || got.Similarity != 1 || got.Basis != neardup.BasisEqual {
				t.Errorf("%s: %q and itself: %+v", name, clean, got)
			}
			b := batch.Text{Clean: clean + " x", Prepared: m.Prepare(clean + " x")}
			if got := batch.Verify(m, a, b); got.Basis == neardup.BasisEqual && got.Near {
				t.Errorf("%s: %q and %q: %+v", name, a.Clean, b.Clean, got)
			}
		}
	}
}
