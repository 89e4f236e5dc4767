package ngram_test

import (
	"encoding/json"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/ngram"
)

// What the guard would change on labelled pairs, and on all near SMS: the
// reason why it is off by default.
func TestGuardOnLabels(t *testing.T) {
	m := newMethod(t, ngram.Config{Threshold: .8})
	var near, variants [2]int
	lines(t, "dblp_acm/pairs.jsonl.zst", func(line []byte) {
		var d struct {
			A     string `json:"text_a"`
			B     string `json:"text_b"`
			Label int
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		if !m.Compare(m.Prepare(d.A), m.Prepare(d.B)).Near {
			return
		}
		near[d.Label]++
		if ngram.Variant(d.A, d.B) {
			variants[d.Label]++
			t.Logf("label %d: %q | %q", d.Label, d.A, d.B)
		}
	})
	t.Logf("dblp_acm at .8: same paper %d, of them variants %d; another paper %d, of them variants %d", near[1], variants[1], near[0], variants[0])
	_, texts := smsTexts(t)
	seen := map[string]bool{}
	distinct := texts[:0]
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			distinct = append(distinct, text)
		}
	}
	all, apart := 0, 0
	join(train(m, distinct), distinct, func(p pair, _ neardup.Match) {
		all++
		if ngram.Variant(distinct[p.a], distinct[p.b]) {
			apart++
			if apart%6 == 0 {
				t.Logf("%.150q | %.150q", distinct[p.a], distinct[p.b])
			}
		}
	})
	t.Logf("uci_sms at .8: %d pairs, of them variants %d", all, apart)
	if variants[0] > near[0] || apart > all {
		t.Error("more variants than near pairs")
	}
}
