package methods_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// overlapping lists methods whose near texts have features in common, by what is special about each.
func overlapping(t *testing.T) map[string]neardup.Searchable {
	t.Helper()
	all := map[string]neardup.Searchable{}
	for name, c := range map[string]string{
		"auto":                  "",
		"auto of a small limit": "limit=12", // many texts on the border
		"auto at .35":           "limit=20 threshold=.35",
		"weighted":              "weighted",
		"weighted at .9":        "weighted threshold=.9",
		"minhash at .5":         "minhash threshold=.5",
		"simhash":               "simhash threshold=.3 distance=7 min-features=1",
		"jaccard of runes":      "jaccard threshold=.6 shingle=runes:2",
		"edit":                  "ngram",
		"edit at .9, variants":  "ngram threshold=.9 variants=keep",
		"edit at .55":           "ngram threshold=.55",
		"edit of letters":       "ngram threshold=.7 prepare=alnum",
		"cosine":                "ngram similarity=cosine threshold=.7",
		"jaccard":               "ngram similarity=jaccard threshold=.7 variants=keep",
	} {
		m, err := methods.New(c)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		o, ok := m.(neardup.Searchable)
		if !ok {
			t.Fatalf("%s says nothing of what near texts have in common", name)
		}
		all[name] = o
	}
	return all
}

// pairsOf makes pairs that are near or nearly so: with words removed or added at either end, with other words,
// numbers and runes in places, and with repeated words.
func pairsOf(rng *rand.Rand, n int) [][2]string {
	vocabulary := strings.Fields(`the of and to your account agreement bridge camera council delivery engine factory garden
		harbour not no 7 12 2024 $500 k61 up down 数据库 大学 经济 城市 音乐 比赛 公司 电影 系统 不 三 第十一集`)
	word := func() string {
		if rng.IntN(3) == 0 {
			return fmt.Sprintf("w%x", rng.IntN(1<<20))
		}
		return vocabulary[rng.IntN(len(vocabulary))]
	}
	var pairs [][2]string
	for range n {
		a := make([]string, 1+rng.IntN([]int{6, 25, 90}[rng.IntN(3)]))
		for i := range a {
			a[i] = word()
		}
		b := slices.Clone(a)
		few := rng.IntN(1 + len(a)/2)
		switch rng.IntN(6) {
		case 0:
			b = b[:len(b)-few]
		case 1:
			b = b[few:]
		case 2:
			for range few {
				b = append(b, word())
			}
		case 3:
			for i := range b {
				if i%5 == 0 && rng.IntN(3) > 0 {
					b[i] = word()
				}
			}
		case 4:
			b = append(b, b[:few]...)
		default:
			b[rng.IntN(len(b))] = word()
		}
		y := []rune(strings.Join(b, " "))
		for step, i := 2+rng.IntN(12), 0; i < len(y) && rng.IntN(3) == 0; i += step { // as many grams as edits can take
			y[i] = 'q'
		}
		pairs = append(pairs, [2]string{strings.Join(a, " "), string(y)})
	}
	return pairs
}

// inCommon returns how much the features of two overlaps that are the same weigh in x.
func inCommon(x, y neardup.FeatureSet) (sum uint64) {
	for i, f := range x.Features {
		if _, ok := slices.BinarySearch(y.Features, f); !ok {
			continue
		}
		if x.Weights == nil {
			sum++
		} else {
			sum += x.Weights[i]
		}
	}
	return sum
}

// weight returns the weight of all features.
func weight(o neardup.FeatureSet) uint64 { return inCommon(o, o) }

// Near texts and variants share at least what FeatureSets requires of either text, by one of its measures.
func TestOverlapsAreReachedByWhatIsNear(t *testing.T) {
	pairs := pairsOf(rand.New(rand.NewPCG(1, 2)), 2500)
	shared.Path(t, "judged/judged_pairs.tsv")
	for _, file := range []string{shared.Dir() + "/judged/judged_pairs.tsv", "../docs/reading/written.jsonl"} {
		judged, err := eval.ReadJudged(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range judged {
			if len(p.TextA)+len(p.TextB) < 20000 { // else the edit distance takes seconds
				pairs = append(pairs, [2]string{p.TextA, p.TextB})
			}
		}
	}
	clean := text.Default()
	for name, m := range overlapping(t) {
		t.Run(name, func(t *testing.T) {
			near, variants, known, tight := 0, 0, 0, 0
			for _, p := range pairs {
				v, w := m.Prepare(clean.Clean(p[0])), m.Prepare(clean.Clean(p[1]))
				match := m.Compare(v, w)
				if !match.Near && !match.Variant {
					continue
				}
				near++
				if match.Variant {
					variants++
				}
				reached, least := false, uint64(1)
				for _, x := range m.FeatureSets(nil, v) {
					if !slices.IsSorted(x.Features) || len(slices.Compact(slices.Clone(x.Features))) != len(x.Features) {
						t.Fatalf("%q: features are no sorted set", p[0])
					}
					for _, y := range m.FeatureSets(nil, w) {
						a, b := inCommon(x, y), inCommon(y, x)
						p, q := x.LeastLarger, y.Least
						if weight(x) > weight(y) {
							p, q = x.Least, y.LeastLarger
						}
						if a >= p && b >= q {
							reached, least = true, min(p, q)
							if least > 0 && min(a-p, b-q) <= p/50 {
								tight++
							}
						}
					}
				}
				if !reached {
					t.Fatalf("%+v: of\n%q and\n%q too little is in common: %+v\n%+v", match, p[0], p[1], m.FeatureSets(nil, v), m.FeatureSets(nil, w))
				}
				if least > 0 {
					known++
				}
			}
			t.Logf("%d pairs are near or variants (%d), %d known to have something in common, %d hardly more than said", near, variants, known, tight)
			if near < 150 || known < near/2 || tight < 5 {
				t.Errorf("of %d pairs that are near %d have to have something in common, and %d hardly more", near, known, tight)
			}
		})
	}
}
