package methods

import "testing"

func TestPreparers(t *testing.T) {
	for name, want := range map[string]string{
		"asis": "我们的海量文本, 去重!", "alnum": "我们的海量文本去重", "words": "我们 的 海量 文本 去 重",
		"stopped": "海量 文本 去 重", "summary": "我们的海量文本, 去重!",
	} {
		p, err := preparer(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Prepare("我们的海量文本, 去重!"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
