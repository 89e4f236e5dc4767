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

// sentences are texts of words that a table knows, of every Length around a
// limit, each with copies that have some words less, more or others.
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

// Pairs of which one text at least is short are those that the words by
// themselves give: nothing is lost where a short text meets a long one, of up to
// twice the limit.
func TestAutoLosesNothingAtTheBorder(t *testing.T) {
	const limit = 60
	m, err := methods.New(methods.Config{Limit: limit, Variants: methods.Merge})
	if err != nil {
		t.Fatal(err)
	}
	words, err := methods.New(methods.Config{Name: "weighted", Variants: methods.Merge})
	if err != nil {
		t.Fatal(err)
	}
	docs := sentences(limit)
	length := map[string]int{}
	for _, d := range docs {
		length[d.ID] = methods.Length(d.Text)
	}
	shortAndNear := func(a, b string) bool {
		return min(length[a], length[b]) < 2*limit && max(length[a], length[b]) < 4*limit
	}
	want, across := map[link]float64{}, 0
	for j, d := range docs {
		for _, o := range docs[:j] {
			if match := words.Compare(words.View(o.Text), words.View(d.Text)); match.Near && o.Text != d.Text && shortAndNear(o.ID, d.ID) {
				want[link{o.ID, d.ID}] = match.Similarity
				if max(length[o.ID], length[d.ID]) >= 2*limit {
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
		if s, ok := want[link{p.A, p.B}]; ok {
			found++
			if s != p.Similarity {
				t.Errorf("%s %s are %v by themselves and %v in auto", p.A, p.B, s, p.Similarity)
			}
		} else if min(length[p.A], length[p.B]) < 2*limit && p.Similarity < 1 {
			t.Errorf("%s and %s are near in auto only: %+v", p.A, p.B, p.Match)
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

// Ten in a hundred characters replaced are as much on both sides of the limit.
func TestNoCliffAtTheLimit(t *testing.T) {
	m, err := methods.New(methods.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var chinese []rune
	for _, s := range []string{
		"大学图书馆去年新增的座位在考试季依然不够用学生们清晨六点就在门口排起长队管理员只好延长开放时间并在走廊里加了桌椅",
		"沿海城市今年夏天的降雨比往年少农民担心水稻的收成地方政府从上游水库调水并且安排技术人员到村里指导节水灌溉",
		"博物馆展出了一批刚刚修复的古代书画观众可以看到修复师如何清洗补纸和接笔展览将持续三个月周末有免费讲解",
		"这家公司宣布把总部搬到内陆因为那里的房租便宜交通方便而且有几所工科院校可以提供稳定的毕业生来源员工反应不一",
		"天文学家用新的望远镜发现了一颗围绕红矮星运行的行星它的质量和地球相近表面可能有液态水但是还需要更多观测来证实",
		"铁路部门调整了列车时刻表早晚高峰的班次明显增多旅客普遍表示欢迎不过也有人抱怨票价上涨和车站周围停车困难问题",
	} {
		chinese = append(chinese, []rune(s)...)
	}
	for _, length := range []int{296, 304} {
		found := 0
		for seed := range 20 {
			rng := rand.New(rand.NewPCG(9, uint64(seed)))
			a := slices.Clone(chinese[:length])
			b := slices.Clone(a)
			for _, i := range rng.Perm(length)[:length/10] {
				b[i] = chinese[rng.IntN(len(chinese))]
			}
			if m.Compare(m.View(string(a)), m.View(string(b))).Near {
				found++
			}
		}
		if found < 17 {
			t.Errorf("of texts of %d characters with a tenth replaced %d of 20 are near", length, found)
		}
	}
}

// What auto was before can still be made, for indexes that were made with it.
func TestAuto2IsAsBefore(t *testing.T) {
	m, err := methods.New(methods.Config{Name: methods.Auto2})
	if err != nil {
		t.Fatal(err)
	}
	const want = "auto/2 limit=300 method=ngram/1 prepare=asis similarity=edit threshold=0.8 keys=exact method=minhash/1 shingle=auto:3 threshold=0.8 bands="
	if got := m.Spec().String(); !strings.HasPrefix(got, want) {
		t.Errorf("spec %s, want %s", got, want)
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
	m, err := methods.New(methods.Config{})
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
