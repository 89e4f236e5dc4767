package evidence

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/token"
)

// han is a row of Chinese words, parted by bars.
func han(words string) (row []*excess) {
	for _, w := range strings.Split(words, "|") {
		row = append(row, &excess{Token: &token.Token{Text: w, Written: w, Han: true}})
	}
	return row
}

func bars(row []*excess) string {
	var words []string
	for _, e := range row {
		words = append(words, e.Written)
	}
	return strings.Join(words, "|")
}

func divided(p *pair, a, b []*excess) (units []string) {
	for _, u := range p.divide(a, b) {
		units = append(units, bars(u.a)+"/"+bars(u.b))
	}
	return units
}

// Words around another character are cut in another way: rows are divided where both are cut.
func TestRowsAreDividedAtCommonCuts(t *testing.T) {
	p := &pair{}
	for _, c := range []struct{ a, b, want string }{
		{"男子|常|吃", "楠|子|常吃", "男子/楠|子 常|吃/常吃"},
		{"写入", "写|人", "写入/写|人"},
		{"对比|图|看", "兑比图|看", "对比|图/兑比图 看/看"},
		{"很大|时", "狠|大时", "很大|时/狠|大时"},
		{"北京|市民", "上海|市民", "北京/上海 市民/市民"},
		{"东京|电力|今天", "东电|今天", "东京|电力/东电 今天/今天"},
		{"新|写入|的|数据", "写|人|的", "新/ 写入/写|人 的/的 数据/"},
		{"甲", "乙", "甲/乙"},
	} {
		if got := strings.Join(divided(p, han(c.a), han(c.b)), " "); got != c.want {
			t.Errorf("%s and %s are divided as %q, want %q", c.a, c.b, got, c.want)
		}
	}
	words := han("写|入")
	words[1].Han = false
	if got := divided(p, words, han("写人")); len(got) != 1 {
		t.Errorf("a row with a word of letters is divided as %q", got)
	}
}

// The units of two rows are these rows, and the other way round the same; no edit is made that a shortest way
// does not make.
func TestUnitsAreTheRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	row := func() string {
		var b strings.Builder
		for n := 1 + rng.IntN(9); n > 0; n-- {
			if b.Len() > 0 && rng.IntN(2) == 0 {
				b.WriteString("|")
			}
			b.WriteString(string([]rune("一二三")[rng.IntN(3)]))
		}
		return b.String()
	}
	p := &pair{}
	for range 2000 {
		x, y := row(), row()
		a, b := han(x), han(y)
		var first, second []*excess
		apart := 0
		for _, u := range p.divide(a, b) {
			first, second = append(first, u.a...), append(second, u.b...)
			apart += edits(bars(u.a), bars(u.b))
		}
		if !slices.Equal(first, a) || !slices.Equal(second, b) {
			t.Fatalf("%s and %s: the units are %s and %s", x, y, bars(first), bars(second))
		}
		if least := edits(x, y); apart != least {
			t.Fatalf("%s and %s: %d edits in the units %q, %d of the rows", x, y, apart, divided(p, a, b), least)
		}
		there, back := divided(p, a, b), divided(p, b, a)
		for i, u := range back {
			from, to, _ := strings.Cut(u, "/")
			if there[i] != to+"/"+from {
				t.Fatalf("%s and %s: %q, the other way %q", x, y, there, back)
			}
		}
	}
}

// edits is the edit distance of two rows by its definition.
func edits(x, y string) int {
	a, b := []rune(strings.ReplaceAll(x, "|", "")), []rune(strings.ReplaceAll(y, "|", ""))
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := []int{i + 1}
		for j := range b {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row = append(row, min(cost, last[j+1]+1, row[j]+1))
		}
		last = row
	}
	return last[len(b)]
}
