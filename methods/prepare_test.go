package methods

import (
	"testing"

	"github.com/neardup/neardup/ngram"
)

// The forms that are cut and compared, and what the Spec calls them.
func TestPreparers(t *testing.T) {
	const chinese, english = "我们的海量文本, 去重!", "the cat, the hat - 2 mice!"
	for name, want := range map[string]struct{ spec, chinese, english string }{
		"asis":    {"asis", chinese, english},
		"alnum":   {"alnum", "我们的海量文本去重", "thecatthehat2mice"},
		"words":   {"words(built-in/1)", "我们 的 海量 文本 去 重", "the cat the hat 2 mice"},
		"stopped": {"words(built-in/1)-stop(built-in/1)", "海量 文本 去 重", "cat hat 2 mice"},
		"summary": {"summary(3,built-in/1)", chinese, english},
	} {
		p, err := preparer(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ngram.New(ngram.Config{Prepare: p})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Spec().Params[0].Value; got != want.spec {
			t.Errorf("%s is %q in the spec, want %q", name, got, want.spec)
		}
		if p.Prepare == nil { // the text as it is
			p.Prepare = func(clean string) string { return clean }
		}
		if got := p.Prepare(chinese); got != want.chinese {
			t.Errorf("%s: %q, want %q", name, got, want.chinese)
		}
		if got := p.Prepare(english); got != want.english {
			t.Errorf("%s: %q, want %q", name, got, want.english)
		}
	}
}
