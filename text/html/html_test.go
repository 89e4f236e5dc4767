package html_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/html"
)

const article = `<p>The harbour of the old town was built four hundred years ago by people who knew the sea, and it has been
repaired after every storm since then. Fishing boats still leave it before dawn.</p><p>In the afternoon the market on the quay
sells what they bring home, and visitors from the hotels above the bay come down to look, to taste and now and then to buy.</p>`

const chinese = `<p>老城的港口是四百年前由熟悉大海的人们修建的，此后每一次风暴过后都要修缮。渔船至今仍在黎明之前离港，到了下午才带着收获归来。</p>
<p>码头上的集市出售他们带回来的东西，住在海湾上方旅馆里的游客也会下来看一看、尝一尝，偶尔也买一点带回去送给家人和朋友。</p>`

func wrap(head, body string) string {
	return "<!DOCTYPE html><html><head>" + head + "</head><body><nav><a href=/>Home</a> <a href=/b>Menu</a></nav><article>" +
		body + "</article><footer>Copyright, all rights reserved, imprint</footer></body></html>"
}

func TestExtract(t *testing.T) {
	page := wrap(`<title>The harbour - Daily Sea</title><meta property="og:title" content="The
	harbour"><link rel=canonical href="/harbour">`, article)
	got, err := html.Extract([]byte(page), "", "https://sea.example/harbour?from=mail")
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != "The harbour" || got.Canonical != "https://sea.example/harbour" || got.Charset != "utf-8" || got.Fallback {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(got.Text, "Fishing boats still leave it before dawn.") || strings.Contains(got.Text, "imprint") {
		t.Errorf("text %q", got.Text)
	}
}

func TestExtractCharsets(t *testing.T) {
	want := ""
	for _, charset := range []string{"utf-8", "gbk", "gb18030", "big5", "utf-16le"} {
		body := chinese
		if charset == "big5" {
			body = strings.NewReplacer("风", "風", "四百年", "四百年", "渔", "漁", "离", "離", "码", "碼", "头", "頭", "带", "帶", "归", "歸", "来", "來",
				"东", "東", "馆", "館", "里", "裡", "游", "遊", "会", "會", "买", "買", "点", "點", "给", "給", "亲", "親", "们", "們", "后", "後",
				"过", "過", "缮", "繕", "仍", "仍", "获", "獲", "湾", "灣", "这", "這", "时", "時", "老城", "老城", "大海", "大海", "尝", "嘗",
				"修建", "修建", "每一次", "每一次", "偶尔", "偶爾").Replace(chinese)
		}
		for _, head := range []string{"", `<meta charset="` + charset + `">`, `<meta charset="utf-8">`} {
			enc, err := htmlindex.Get(charset)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := enc.NewEncoder().Bytes([]byte(wrap(head, body)))
			if err != nil {
				t.Fatalf("%s: %v", charset, err)
			}
			page, err := html.Extract(raw, "", "")
			if err != nil {
				t.Fatal(err)
			}
			clean := text.Default().Clean(page.Text)
			if want == "" {
				want = clean
			}
			if clean != want || !strings.Contains(clean, "每一次风暴") {
				t.Errorf("%s with %q: charset %s, text %q", charset, head, page.Charset, clean)
			}
		}
	}
}

func TestExtractFallback(t *testing.T) {
	page, err := html.Extract([]byte(`<script>no()</script><style>no{}</style><div>Hello <b>small</b>
	world<span hidden>no</span></div><select><option>no</select><br>second line`), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"Hello", "small", "world", "second line"} {
		if !strings.Contains(page.Text, s) {
			t.Errorf("%q is missing in %q", s, page.Text)
		}
	}
	if strings.Contains(page.Text, "no") {
		t.Errorf("text %q", page.Text)
	}
	page, err = html.Extract(nil, "", "")
	if err != nil || page.Text != "" {
		t.Errorf("empty page: %+v, %v", page, err)
	}
}

// An article has more than 100 characters; otherwise all visible text is the text of the page.
func TestExtractShortest(t *testing.T) {
	for _, test := range []struct {
		runes    int
		fallback bool
	}{{99, true}, {100, true}, {101, false}} {
		said := strings.Repeat("A word is said. ", 7)[:test.runes-1] + "."
		page, err := html.Extract([]byte(`<nav><a href="/">Home</a></nav><article><p>`+said+`</p></article>`), "", "")
		if err != nil || page.Fallback != test.fallback {
			t.Errorf("%d characters: fallback %v, %v: %q", test.runes, page.Fallback, err, page.Text)
		}
	}
}

// Pages made to hurt: each ends with its error, and quickly, or gives a text.
func TestExtractHostile(t *testing.T) {
	const million = 1_000_000
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, page string
		want       error // nil: a text or an error of the parser
	}{
		{"a million nested tags", many("<div>", million), html.ErrTooDeep},
		{"a million open formats", many("<b>", million), html.ErrTooDeep},
		{"a million end tags", many("</div>", million), nil},
		{"a million paragraphs", many("<p>x", million), html.ErrTooComplex},
		{"a million line breaks", many("<br>", million), html.ErrTooComplex},
		{"many attributes", "<p " + numbered("a%d=1 ", million/2) + ">", html.ErrTooComplex},
		{"one huge attribute", `<p title="` + many("x", 5*million) + `">text`, nil},
		{"one huge token", "<" + many("x", 5*million), nil},
		{"a huge comment", "<!--" + many("-", 5*million), nil},
		{"100 MB", many("<p>harbour", 10*million), html.ErrTooLarge},
		{"formats opened anew", numbered("<font size=%d>", 400) + many("<p>x", 100_000), html.ErrTooComplex},
		{"adoption agency", many("<a><b><i><u>", 100) + many("<p></a></b>", 20_000), nil},
		{"tables in formats", many("<table><b><tr><i>", 200), nil},
		{"deep and wide", many("<div>", 400) + many("text<br>", 100_000), nil},
		{"deep lists of links", wrap("", many("<ul><li><a href=x>link</a>", 200)+many("<li><a href=x>some link</a>", 20_000)), nil},
		{"a few deep lists", wrap("", many("<ul><li><a href=x>link</a>", 60)+many("<li><a href=x>some link</a>", 1000)), nil},
		{"tables in lists", wrap("", many("<ul><li><table><tr><td>", 80)+many("text<p>", 20_000)), nil},
		{"nested lists", many("<ul><li>", 10_000), html.ErrTooDeep},
		{"nested cells", many("<table><tr><td>", 10_000), html.ErrTooDeep},
		{"nested options", many("<select><option>", 10_000), nil},
		{"nested svg", many("<svg><foreignObject>", 10_000), nil},
		{"nested templates", many("<template>", 10_000), html.ErrTooDeep},
		{"NUL bytes", strings.ReplaceAll(wrap("", article), "the", "t\x00he") + "\x00<p>e\x00nd", nil},
		{"many siblings", many("<p>x y z</p>\n", 50_000), nil},
		{"many siblings in an article", wrap("", many("<p>"+many("words ", 20)+"</p>", 50_000)), nil},
		{"many links", many("<a href=x>link</a> ", 50_000), nil},
		{"one long text", "<p>" + many("word ", million), nil},
		{"half a page", wrap("", article)[:400], nil},
		{"a binary", "\x7fELF" + many("\x01\x02", 1000), text.ErrBinary},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		page, err := html.Extract([]byte(c.page), "", "")
		runtime.ReadMemStats(&after)
		t.Logf("%-30s %8s %8d KB %6d MiB %v", c.name, time.Since(start).Round(time.Millisecond), len(c.page)>>10, (after.TotalAlloc-before.TotalAlloc)>>20, err)
		if c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if !utf8.ValidString(page.Text) {
			t.Errorf("%s: the text is not UTF-8", c.name)
		}
		if spent := (after.TotalAlloc - before.TotalAlloc) >> 20; spent > 2048 {
			t.Errorf("%s: %d MiB allocated for %d bytes", c.name, spent, len(c.page))
		}
	}
}

func TestExtractIsDeterministic(t *testing.T) {
	page := []byte(wrap("", article+chinese))
	first, err := html.Extract(page, "", "")
	for range 20 {
		if again, err2 := html.Extract(page, "", ""); again != first || err2 != err {
			t.Fatalf("%+v, then %+v", first, again)
		}
	}
}

func TestSniff(t *testing.T) {
	for s, want := range map[string]bool{
		"<!DOCTYPE html><p>": true, " \n<HTML lang=en>": true, "<!-- saved --><head>": true, "<div class=x>": true,
		"\xef\xbb\xbf<html>": true, `<?xml version="1.0"?><html xmlns="x">`: true, `<?xml version="1.0"?><rss>`: false,
		"": false, "plain text": false, "<3 hearts": false, "a < b": false, "{\"a\":1}": false, "<html": false, "<broken>": false,
	} {
		if got := html.Sniff([]byte(s)); got != want {
			t.Errorf("Sniff(%q) = %v", s, got)
		}
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{"", wrap("", article), "<table><b><tr></b>", "<a><p></a>", "\xff\xfe<\x00p\x00", "<svg><p><math><mi>"} {
		f.Add([]byte(s), "", "")
	}
	f.Add([]byte(wrap(`<base href="//x"><link rel=canonical href="%zz">`, chinese)), "gbk", "http://a/%")
	f.Fuzz(func(t *testing.T, page []byte, charset, url string) {
		got, err := html.Extract(page, charset, url)
		if err == nil && !(utf8.ValidString(got.Text) && utf8.ValidString(got.Title)) {
			t.Errorf("not UTF-8: %q, %q", got.Title, got.Text)
		}
		html.Sniff(page)
	})
}

func ExampleExtract() {
	page := []byte(wrap("<title>The harbour</title>", article))
	p, err := html.Extract(page, "", "https://sea.example/harbour")
	fmt.Println(p.Title, p.Charset, strings.Fields(p.Text)[:3], err)
	// Output: The harbour utf-8 [The harbour of] <nil>
}

func ExampleOptions_Extract() {
	o := html.Defaults()
	o.Depth = 100
	_, err := o.Extract([]byte(strings.Repeat("<div>", 1000)), "", "")
	fmt.Println(err)
	// Output: web page is nested too deep: more than 100 open elements
}

func ExampleSniff() {
	fmt.Println(html.Sniff([]byte("<!DOCTYPE html><title>x</title>")), html.Sniff([]byte("x < y")))
	// Output: true false
}

func BenchmarkExtract(b *testing.B) {
	pages := labelledPages(b)
	bytes := 0
	for _, p := range pages {
		bytes += len(p.page)
	}
	b.SetBytes(int64(bytes))
	for b.Loop() {
		for _, p := range pages {
			if _, err := html.Extract(p.page, "", p.url); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(pages)*b.N)/b.Elapsed().Seconds(), "pages/s")
}
