//go:build full

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/browser"
	"github.com/neardup/neardup/internal/test/shared"
)

// messages writes the first n messages of a real set to a file.
func messages(t *testing.T, n int) string {
	t.Helper()
	all, err := os.ReadFile(filepath.Join(shared.Path(t, "uci_sms"), "docs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfterN(all, []byte("\n"), n+1)
	path := filepath.Join(t.TempDir(), "messages.jsonl")
	if err := os.WriteFile(path, bytes.Join(lines[:n], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ran runs the command and returns what it printed.
func ran(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, nil, &out, &errs); code != 0 {
		t.Fatalf("neardup %s: exit %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

func removedBy(t *testing.T, args ...string) int {
	t.Helper()
	var s struct{ Removed int }
	if err := json.Unmarshal([]byte(ran(t, append(args, "--json")...)), &s); err != nil {
		t.Fatal(err)
	}
	return s.Removed
}

// TestPageCountsAsSummary checks that the page and the summary of a run agree for any memory. Most texts have
// copies, also of removed texts, and some have only variants.
func TestPageCountsAsSummary(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	var lines strings.Builder
	for i := range 4000 {
		n := i * i % 1301
		fmt.Fprintf(&lines, `{"id":%d,"text":"The shop on road %d%s opens at %d o'clock on Monday, says its owner, and closes late"}`+"\n",
			i, n/5, strings.Repeat(" now", n%5/3), 7+n%3)
	}
	if err := os.WriteFile(in, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	type counts struct{ Documents, Kept, Removed, Equal, Clusters, Rejected int64 }
	for _, link := range []string{"leader", "components"} {
		for _, memory := range []string{"80MiB", "1GiB"} {
			page := filepath.Join(dir, "page.html")
			var sum struct {
				counts
				Largest []struct{ Size int }
			}
			if err := json.Unmarshal([]byte(ran(t, "dedup", "--json", "--link="+link, "--memory="+memory, "--write=report:"+page, in)), &sum); err != nil {
				t.Fatal(err)
			}
			html, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			var run struct {
				counts
				Largest int
			}
			pagePart(t, html, "run", &run)
			if run.counts != sum.counts || run.Largest != sum.Largest[0].Size || run.Equal == 0 || run.Equal == run.Removed {
				t.Errorf("%s in %s: the page says %+v, the summary %+v", link, memory, run, sum)
			}
		}
	}
}

// pagePart unpacks a part of a page.
func pagePart(t *testing.T, html []byte, name string, v any) {
	t.Helper()
	part := regexp.MustCompile(`id="` + name + `">([^<]*)<`).FindSubmatch(html)
	if part == nil {
		t.Fatalf("the page has no part %s", name)
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(part[1])))
	if err == nil {
		err = json.NewDecoder(z).Decode(v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A leader that an index has is shown with the index as its source, and is no document of
// the run, though one of these has its id.
func TestPageNamesTheIndex(t *testing.T) {
	dir := t.TempDir()
	old, in, index, page := filepath.Join(dir, "old.jsonl"), filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "crawl.index"), filepath.Join(dir, "page.html")
	write(t, old, []byte(`{"id":"1","text":"The harbour was closed on Monday, its owner says"}`+"\n"))
	write(t, in, []byte(`{"id":"1","text":"Something else altogether, of bridges"}`+"\n"+
		`{"id":"2","text":"The harbour was closed on Monday, its owner says"}`+"\n"+
		`{"id":"3","text":"Something else altogether, of bridges"}`+"\n"))
	ran(t, "dedup", "-q", "--against="+index, "--add", old)
	for _, against := range []string{index, old} {
		ran(t, "dedup", "-q", "--against="+against, "--write=report:"+page, in)
		html, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var run struct{ Documents, Kept, Removed int }
		pagePart(t, html, "run", &run)
		if run.Documents != 3 || run.Kept != 1 || run.Removed != 2 {
			t.Errorf("against %s: %+v", against, run)
		}
		var members []struct{ ID, Text, Decision, Source string }
		pagePart(t, html, "members-0", &members)
		var got []string
		for _, m := range members {
			got = append(got, strings.Join([]string{m.ID, m.Text[:9], m.Decision, m.Source}, "|"))
		}
		want := []string{"1|Something|new|" + in, "3|Something|duplicate|" + in, "1|the harbo|new|" + against, "2|The harbo|duplicate|" + in}
		if !slices.Equal(got, want) && !slices.Equal(got, append(want[2:], want[:2]...)) {
			t.Errorf("against %s:\n%s", against, strings.Join(got, "\n"))
		}
	}
}

// A person looks at a run, opens the largest group, decides that one member is not a duplicate, and runs
// again with that ruling. The member is kept.
func TestAPersonsWalk(t *testing.T) {
	t.Parallel()
	in, dir := messages(t, 1500), t.TempDir()
	report, decisions := filepath.Join(dir, "report.html"), filepath.Join(dir, "decisions.jsonl")
	flags := []string{"dedup", in, "--method", "minhash shingle=runes:3", "--threshold", ".6"}
	before := removedBy(t, append(flags, "--write", "report:"+report)...)

	tab := browser.Open(t, 1280)
	tab.Go(report)
	tab.Wait("document.querySelector('main[data-ready=run] .card')")
	tab.Pictures("run")
	tab.Press("2")
	tab.Wait("document.querySelector('.row')")
	tab.Press("\r")
	tab.Wait("document.querySelectorAll('.member').length > 1")
	tab.Press("jn")
	tab.Wait("document.querySelector('.verdict.different[aria-pressed=true]')")
	tab.Pictures("group")
	tab.Press("e")
	overrides := filepath.Join(dir, "overrides.jsonl")
	text := tab.Saved("overrides.jsonl")
	if err := os.WriteFile(overrides, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said struct{ A, B, Link string }
	if err := json.Unmarshal([]byte(text), &said); err != nil || said.Link != "cannot" {
		t.Fatalf("the page saved %q: %v", text, err)
	}
	after := removedBy(t, append(flags, "--overrides", overrides, "--decisions", decisions)...)
	all, err := os.ReadFile(decisions)
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(fmt.Sprintf(`"id":%q,[^\n]*"leader":%q`, said.B, said.A)).Match(all) {
		t.Errorf("%s still goes because of %s", said.B, said.A)
	}
	if after > before {
		t.Errorf("%d removed before, %d after one pair was said to be none", before, after)
	}
}

// What the page projects for a threshold is what a run at it removes, and its
// precision and recall are those of eval, to four decimals.
func TestThresholdsAreProjectedExactly(t *testing.T) {
	t.Parallel()
	judged, tab := shared.Path(t, "judged")+"/judged_pairs.tsv", browser.Open(t, 1280)
	for _, method := range [][]string{
		{"--method", "jaccard"},
		{"--method", "ngram similarity=jaccard"},
	} {
		in, report := messages(t, 1500), filepath.Join(t.TempDir(), "report.html")
		ran(t, append([]string{"dedup", in, "-q", "--write", "report,floor=.6,labels=" + judged + ":" + report, "--threshold", ".8"}, method...)...)
		tab.Go(report + "#lab")
		tab.Wait("document.querySelector('#removals')")
		tab.Pictures("threshold")
		cells := browser.Eval[map[string]int](tab, "Object.fromEntries([...document.querySelectorAll('#removals tr')].map((r) => [r.cells[0].innerText, Number(r.cells[1].innerText.replaceAll(',', ''))]))")
		for _, threshold := range []string{"0.60", "0.66", "0.74", "0.80", "0.92"} {
			if want := removedBy(t, append([]string{"dedup", in, "--threshold", threshold}, method...)...); cells[threshold] != want {
				t.Errorf("%v: at %s the page removes %d, a run %d", method, threshold, cells[threshold], want)
			}
		}
		if p := tab.Problems(); len(p) > 0 {
			t.Error(p)
		}
	}
}

// The lab's curve over all messages is eval's.
func TestCurveIsThatOfEval(t *testing.T) {
	t.Parallel()
	tab := browser.Open(t, 1280) // first: where browsers are skipped, so is the work
	report, labels := filepath.Join(t.TempDir(), "report.html"), filepath.Join(t.TempDir(), "labels.tsv")
	judged, err := os.ReadFile(filepath.Join(shared.Path(t, "judged"), "judged_pairs.tsv"))
	fatal(t, err)
	lines := slices.DeleteFunc(slices.Collect(strings.Lines(string(judged))), func(line string) bool {
		return !strings.HasPrefix(line, "set\t") && !strings.HasPrefix(line, "uci_sms\t")
	})
	fatal(t, os.WriteFile(labels, []byte(strings.Join(lines, "")), 0o600))
	method := []string{"--method", "ngram similarity=jaccard"}
	in := filepath.Join(shared.Path(t, "uci_sms"), "docs.jsonl")
	ran(t, append([]string{"dedup", in, "-q", "--write", "report,floor=.6,labels=" + labels + ":" + report}, method...)...)
	tab.Go(report + "#lab")
	tab.Wait("document.querySelector('#removals')")
	shown := browser.Eval[map[string]string](tab, "Object.fromEntries([...document.querySelectorAll('.figures tbody tr')].map((r) => [r.cells[0].textContent, r.cells[1].textContent.slice(0, 6) + ' ' + r.cells[2].textContent.slice(0, 6)]))")
	for _, threshold := range []string{"0.60", "0.70", "0.80", "0.90"} {
		var r struct {
			Scores []struct {
				Group             string
				Precision, Recall struct{ Count, Of int }
			}
		}
		if err := json.Unmarshal([]byte(ran(t, append([]string{"eval", "--json", "--judged", labels, in, "--threshold", threshold}, method...)...)), &r); err != nil {
			t.Fatal(err)
		}
		var right, called, positive int
		for _, s := range r.Scores {
			if strings.HasPrefix(s.Group, "uci_sms ") {
				right, called, positive = right+s.Precision.Count, called+s.Precision.Of, positive+s.Recall.Of
			}
		}
		want := fmt.Sprintf("%.4f %.4f", float64(right)/float64(called), float64(right)/float64(positive))
		if shown[threshold] != want {
			t.Errorf("at %s the page has %s, eval %s", threshold, shown[threshold], want)
		}
	}
}
