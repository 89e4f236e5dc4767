package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/browser"
	"github.com/neardup/neardup/report"
)

// headline returns a text of some words.
func headline(r *rand.Rand) string {
	var b strings.Builder
	for range 9 + r.IntN(9) {
		fmt.Fprintf(&b, "w%x ", r.IntN(50_000))
	}
	return b.String()
}

// many returns the given number of groups of two or three documents.
func many(groups int) []decided {
	r := rand.New(rand.NewPCG(1, 1))
	all := make([]decided, 0, 3*groups)
	for g := range groups {
		leader := kept(fmt.Sprint("doc-", g), headline(r))
		leader.doc.Title, leader.doc.URL = headline(r), fmt.Sprint("https://news.example/", g)
		all = append(all, leader)
		for n := range 1 + r.IntN(2) {
			all = append(all, duplicate(fmt.Sprint("doc-", g, "-", n), leader.doc.ID, leader.doc.Text+" again", .6+.4*r.Float64()))
		}
	}
	return all
}

// jumps scrolls through the whole list: 400 times to a place far away or a few
// rows on, one a frame.
const jumps = `(async () => {
	const box = document.querySelector('.list'), frame = () => new Promise((ok) => requestAnimationFrame(() => setTimeout(ok)));
	let at = 1;
	for (let i = 0; i < 400; i++) {
		at = (at * 48271) % 2147483647;
		box.scrollTop = i % 4 ? box.scrollTop + 200 : at % box.scrollHeight;
		await frame();
	}
	await new Promise((ok) => setTimeout(ok, 300));
})()`

// BenchmarkScroll shows 100,000 groups in a browser. It measures the processor time of the first view, of the
// list, of scrolling through it, and of the longest task in that.
func BenchmarkScroll(b *testing.B) {
	path := save(b, page(b, report.Options{}, report.Run{Inputs: []string{"news.jsonl"}, Method: "minhash/1"}, many(100_000)))
	for b.Loop() {
		tab := browser.Open(b, 1280)
		tab.Go(path)
		tab.Wait("document.querySelector('main')?.dataset.ready === 'run'")
		first := tab.CPU()
		tab.Press("2")
		tab.Wait("document.querySelectorAll('.row').length > 5")
		list := tab.CPU()
		longest := tab.Longest(func() { browser.Eval[any](tab, jumps) })
		b.ReportMetric(first, "CPU-s/first-view")
		b.ReportMetric(list-first, "CPU-s/list")
		b.ReportMetric(tab.CPU()-list, "CPU-s/scrolling")
		b.ReportMetric(longest, "CPU-ms/longest-task")
	}
}
