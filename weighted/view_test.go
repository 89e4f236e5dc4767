package weighted

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
)

// What a view is opened to is what was cut, whatever the text: words that overlap,
// numbers and their measures, references that are written out, parts that are no
// word and longer than a byte says.
func TestViewKeepsTokens(t *testing.T) {
	m, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{
		"上海新增3例本土确诊", "第十一集", "ปลาสองตัว", "カタカナ", "1,995.0", "k61", "v5.4.0", "www.a.example/path/7", "kr&#246;ger &amp; co",
		"twenty", "the", "$5", "€5", "4.3bn", "43亿", "ios17", "u.s.", "@someone", "百分之五", ".25", "colour", "x", "𠮷野家", "\xff\xfe", "é", strings.Repeat(" ", 300), strings.Repeat("long", 60), "2例", "。", "7",
	}
	rng := rand.New(rand.NewPCG(7, 7))
	w := m.works.Get().(*work)
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(parts[rng.IntN(len(parts))])
			if rng.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		clean := b.String()
		tokens := slices.Clone(w.cut(clean))
		var rec, alone neardup.Record
		v := m.RecordView(clean, &rec).(*View)
		m.Record(clean, &alone)
		if !slices.Equal(rec.Index, alone.Index) || rec.Sketch != alone.Sketch {
			t.Fatalf("%q: another record with the view than without", clean)
		}
		var o opened
		o.open(v)
		if !slices.Equal(o.tokens, tokens) {
			t.Fatalf("%q: opened\n%v\ncut\n%v", clean, o.tokens, tokens)
		}
		if slices.ContainsFunc(tokens, func(t token) bool { return !v.has(t.hash) }) || v.total != m.Weight(clean) {
			t.Fatalf("%q: a word or a weight is lost", clean)
		}
	}
}

// A view that is opened again for another pair is not taken for the one before.
func TestOpenedSides(t *testing.T) {
	m, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	var l aligner
	views := []*View{m.prefix("one two three", 99), m.prefix("four five", 99), m.prefix("six", 99), m.prefix("", 99)}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		a, b := views[rng.IntN(4)], views[rng.IntN(4)]
		x, y := l.open(a, b)
		var p, q opened
		p.open(a)
		q.open(b)
		if x == y || !slices.Equal(x.tokens, p.tokens) || !slices.Equal(y.tokens, q.tokens) {
			t.Fatalf("%q and %q opened as %v and %v", a.packed, b.packed, x.tokens, y.tokens)
		}
	}
}
