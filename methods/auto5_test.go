package methods_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
)

// sentences returns texts of words in the table, of every Length around a limit. Each has copies with words
// removed, added or replaced.
func sentences(limit int) []neardup.Document {
	words := strings.Fields(`account agreement bridge camera council delivery engine factory garden harbour island journey kitchen
		library market network office payment quarter railway service ticket university village weather window
		数据库 大学 经济 城市 音乐 比赛 公司 电影 系统 文化 历史 医院 学生 科学 政策 天气`)
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func() string { return words[rng.IntN(len(words))] }
	var docs []neardup.Document
	add := func(text []string) {
		docs = append(docs, neardup.Document{ID: fmt.Sprintf("%05d", len(docs)), Text: strings.Join(text, " ")})
	}
	for length := limit; length < 6*limit; length += 1 + limit/8 {
		var base []string
		for methods.Length(strings.Join(base, " ")) < length {
			base = append(base, pick()+fmt.Sprint(rng.IntN(300)))
		}
		add(base)
		for range 4 {
			n, at := 1+rng.IntN(1+len(base)/3), rng.IntN(len(base))
			add(slices.Delete(slices.Clone(base), at, min(at+n, len(base))))
			added := make([]string, n)
			for i := range added {
				added[i] = pick()
			}
			add(slices.Insert(slices.Clone(base), at, added...))
		}
	}
	return docs
}

// Near texts are found, also if one is short and the other long.
func TestAutoLosesNothingAtTheBorder(t *testing.T) {
	const limit = 60
	m, err := methods.New(fmt.Sprint("auto limit=", limit))
	if err != nil {
		t.Fatal(err)
	}
	docs, seen := sentences(limit), map[string]bool{}
	docs = slices.DeleteFunc(docs, func(d neardup.Document) bool { // pairs of texts, each in its order
		was := seen[d.Text]
		seen[d.Text] = true
		return was
	})
	want, across := map[link]float64{}, 0
	for j, d := range docs {
		for _, o := range docs[:j] {
			if match := m.Compare(m.Prepare(d.Text), m.Prepare(o.Text)); match.Near && o.Text != d.Text {
				want[link{o.ID, d.ID}] = match.Similarity
				if x, y := methods.Length(o.Text), methods.Length(d.Text); (x < 2*limit) != (y < 2*limit) {
					across++
				}
			}
		}
	}
	if across < 10 {
		t.Fatalf("only %d pairs across the limit", across)
	}
	found := 0
	_, err = batch.Pairs(context.Background(), batch.Documents(docs), batch.Config{Method: m, Keep: batch.ByID}, func(p batch.Pair) error {
		switch s, ok := want[link{p.A, p.B}]; {
		case ok && s == p.Similarity:
			found++
		case p.Basis != neardup.BasisEqual:
			t.Errorf("%s and %s: %+v, by brute force %v", p.A, p.B, p.Match, s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if float64(found) < .99*float64(len(want)) {
		t.Errorf("%d of %d pairs found", found, len(want))
	}
}

// Of long texts that share word pairs, only those that share enough words are scored.
func TestLongTextsAreScoredFromASimilarity(t *testing.T) {
	m, err := methods.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	words := make([]string, 400)
	for i := range words {
		words[i] = fmt.Sprint("word", i)
	}
	whole := m.Prepare(strings.Join(words, " "))
	for _, c := range []struct {
		share  float64 // of the words that the other text has, which is also the Jaccard similarity of both kinds
		scored bool
	}{{.35, false}, {.45, false}, {.58, false}, {.65, true}, {.9, true}} {
		part := m.Prepare(strings.Join(words[:int(c.share*400)], " "))
		if _, decided := neardup.Screen(m, part, whole); decided == c.scored {
			t.Errorf("a text that has %v of the words: scored %v, want %v", c.share, !decided, c.scored)
		}
	}
}

// One score for short and long: the score of an edit hardly differs on the other side of the limit.
func TestNoCliffAtTheLimit(t *testing.T) {
	const text = "the council met on monday to hear what the engineers had found under the old bridge and how long the repairs would take before " +
		"traffic could return to the road along the river, which has been closed since the storm in march"
	for _, edit := range [][2]string{{"monday", "tuesday"}, {"engineers", "engineer"}, {"march", "march, said reuters"}, {"river", "harbour"}} {
		var said [2]float64
		for i, limit := range []int{methods.Length(text)/2 + 40, methods.Length(text)/2 - 40} {
			m, err := methods.New(fmt.Sprint("auto limit=", limit))
			if err != nil {
				t.Fatal(err)
			}
			said[i] = m.Compare(m.Prepare(strings.Replace(text, edit[0], edit[1], 1)), m.Prepare(text)).Similarity
		}
		if said[0] == 0 || said[1] == 0 || max(said[0]-said[1], said[1]-said[0]) > .15 {
			t.Errorf("%q for %q: %.3f as short texts, %.3f as long ones", edit[1], edit[0], said[0], said[1])
		}
	}
}

// What the default decides depends on the texts and their order alone: not on
// workers, memory, or the order of the input where documents are put in one.
func TestDefaultDecidesTheSameAnyhow(t *testing.T) {
	docs := append(sentences(60), sentences(methods.DefaultLimit)...)
	for i := range docs { // ids of the second part
		docs[i].ID = fmt.Sprintf("%05d", i)
	}
	rand.New(rand.NewPCG(3, 1)).Shuffle(len(docs), func(i, j int) { docs[i].Text, docs[j].Text = docs[j].Text, docs[i].Text })
	m, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	digest := func(workers int, memory int64, seed uint64) string {
		shuffled := slices.Clone(docs)
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		decided := map[neardup.Verdict]int{}
		variants := 0
		sum, err := batch.Dedup(context.Background(), batch.Documents(shuffled),
			batch.Config{Method: m, Keep: batch.ByID, Workers: workers, Memory: memory},
			func(o batch.Outcome) error {
				decided[o.Decision.Decision]++
				if o.VariantOf != "" {
					variants++
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if decided[neardup.Duplicate] < 50 || variants < 20 {
			t.Fatalf("%v and %d variants show little", decided, variants)
		}
		return fmt.Sprint(sum.Digest)
	}
	want := digest(1, 4<<30, 0)
	for i, workers := range []int{2, 3, 7} {
		if got := digest(workers, []int64{64 << 20, 256 << 20, 1 << 30}[i], uint64(i)+1); got != want {
			t.Errorf("%d workers: digest %s, with one %s", workers, got, want)
		}
	}
}
