package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/report"
)

// decided is a document with what was decided of it.
type decided struct {
	doc neardup.Document
	neardup.Decision
	picture string
}

func kept(id, text string) decided {
	return decided{doc: neardup.Document{ID: id, Text: text}, Decision: neardup.Decision{ID: id, Decision: neardup.New, Method: "ngram"}}
}

func duplicate(id, leader, text string, similarity float64) decided {
	d := kept(id, text)
	d.Decision = neardup.Decision{ID: id, Decision: neardup.Duplicate, Leader: leader, Similarity: similarity, Method: "ngram", Basis: "edit similarity of runes"}
	if similarity == 1 {
		d.Basis = neardup.BasisEqual
	}
	return d
}

// page makes the page of some decisions.
func page(t testing.TB, opt report.Options, run report.Run, all []decided) string {
	t.Helper()
	opt.Tmp = t.TempDir()
	b := report.New(opt)
	defer b.Close()
	for i := range all {
		if n := b.Add(&all[i].Decision); n != i {
			t.Fatalf("decision %d has the number %d", i, n)
		}
	}
	if err := b.Choose(); err != nil {
		t.Fatal(err)
	}
	for i := len(all) - 1; i >= 0; i-- { // any order
		if err := b.Document(i, &all[i].doc, "news.jsonl", all[i].picture); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := b.Write(&out, run); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(opt.Tmp); len(left) > 0 {
		t.Error("a temporary file has a name")
	}
	return out.String()
}

func save(t testing.TB, page string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// part unpacks a part of a page.
func part(t testing.TB, page, name string, v any) {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script type="[^"]*" id="` + name + `">([^<]*)</script>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no part %s", name)
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[1])))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(v); err != nil {
		t.Fatal(err)
	}
}

type member struct {
	ID, Title, Text, Decision, Basis string
	Similarity                       float64
	Cut                              int
}

func TestReportCountsWhatWasDecided(t *testing.T) {
	variant := kept("e", "one two three four 9")
	variant.VariantOf, variant.Conflicts = "a", []neardup.Conflict{{Kind: "number", A: "9", B: "5"}}
	html := page(t, report.Options{}, report.Run{Inputs: []string{"news.jsonl"}, Rejected: 2}, []decided{
		kept("a", "one two three four 5"), kept("b", "電腦 alone"), duplicate("c", "a", "one two three four 6", .9),
		duplicate("d", "a", "one two three four 5", 1), variant, duplicate("f", "b", "電脑 alone", .875),
	})
	var run report.Run
	part(t, html, "run", &run)
	want := report.Run{
		Inputs: []string{"news.jsonl"}, Rejected: 2, Found: report.Found{Documents: 6, Kept: 3, Removed: 3, Equal: 1, Clusters: 2, Groups: 2, ShownGroups: 2, Largest: 3,
			Reasons:    []report.Reason{{Method: "ngram", Basis: "edit similarity of runes", Count: 2}, {Method: "ngram", Basis: "equal text", Count: 1}},
			Similarity: []report.Bin{{Label: "0.86", Count: 1}, {Label: "0.88"}, {Label: "0.90", Count: 1}, {Label: "0.92"}, {Label: "0.94"}, {Label: "0.96"}, {Label: "0.98"}, {Label: "1.00", Count: 1}},
			Sizes:      []report.Bin{{Label: "2–3", Count: 2}}, Sources: []string{"news.jsonl"}, Simplified: "腦脑電电",
		},
	}
	if d := cmp.Diff(want, run); d != "" {
		t.Error(d)
	}
	var members []member
	part(t, html, "members-0", &members)
	wantMembers := []member{
		{ID: "a", Text: "one two three four 5", Decision: "new"},
		{ID: "c", Text: "one two three four 6", Decision: "duplicate", Basis: "edit similarity of runes", Similarity: .9},
		{ID: "d", Text: "one two three four 5", Decision: "duplicate", Basis: "equal text", Similarity: 1},
		{ID: "e", Text: "one two three four 9", Decision: "new"},
		{ID: "b", Text: "電腦 alone", Decision: "new"},
		{ID: "f", Text: "電脑 alone", Decision: "duplicate", Basis: "edit similarity of runes", Similarity: .875},
	}
	if d := cmp.Diff(wantMembers, members); d != "" {
		t.Error(d)
	}
	var columns map[string][]int
	part(t, html, "columns", &columns)
	wantColumns := map[string][]int{
		"size": {3, 2}, "variants": {1, 0}, "shown": {4, 2}, "min": {9000, 8750}, "max": {10000, 8750}, "relation": {7, 2}, "source": {0, 0}, "length": {20, 8}, "parts": {0},
	}
	if d := cmp.Diff(wantColumns, columns); d != "" {
		t.Error(d)
	}
}

// A group has the relations of its documents.
func TestReportTellsWhatIsContained(t *testing.T) {
	held := duplicate("b", "a", "two three", .95)
	held.Basis = neardup.BasisContained
	html := page(t, report.Options{}, report.Run{}, []decided{kept("a", "one two three four"), held})
	var columns map[string][]int
	part(t, html, "columns", &columns)
	if got := columns["relation"]; len(got) != 1 || got[0] != 8 {
		t.Errorf("the relations are %v, want contained alone: 8", got)
	}
}

// The largest groups are shown, of them the first members, of those the begin
// of the text; all are counted.
func TestReportIsBounded(t *testing.T) {
	var all []decided
	for g := range 5 {
		leader := fmt.Sprint("g", g)
		all = append(all, kept(leader, strings.Repeat("词", 300)))
		for k := range g + 1 {
			all = append(all, duplicate(fmt.Sprint(leader, "-", k), leader, strings.Repeat("语", 300), .9))
		}
	}
	html := page(t, report.Options{Groups: 2, Members: 3, TextRunes: 250, TextBytes: 3000}, report.Run{Inputs: []string{"x"}}, all)
	var run report.Run
	part(t, html, "run", &run)
	if run.Groups != 5 || run.ShownGroups != 2 || run.Removed != 15 || run.Largest != 6 {
		t.Errorf("%+v", run)
	}
	var members []member
	part(t, html, "members-0", &members)
	var got []string
	for _, m := range members {
		got = append(got, fmt.Sprint(m.ID, " ", len([]rune(m.Text)), " ", m.Cut))
	}
	want := []string{"g4 250 250", "g4-0 250 250", "g4-1 250 250", "g3 250 250", "g3-0 200 200", "g3-1 200 200"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Documents are found by their ids, those that share one in their order.
func TestFindKnowsSharedIDs(t *testing.T) {
	b := report.New(report.Options{Tmp: t.TempDir()})
	defer b.Close()
	for _, d := range []decided{kept("a", ""), kept("b", ""), duplicate("a", "b", "", .9), duplicate("c", "a", "", 1)} {
		b.Add(&d.Decision)
	}
	if err := b.Document(0, &neardup.Document{}, "", ""); err == nil {
		t.Error("a document before Choose")
	}
	if err := b.Choose(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, id := range []string{"c", "a", "b", "a", "a", "x"} {
		n, ok := b.Find(id)
		got = append(got, fmt.Sprint(id, n, ok))
	}
	want := []string{"c3 true", "a0 true", "b1 true", "a2 true", "a0 false", "x0 false"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestLeaderMustBeKnown(t *testing.T) {
	b := report.New(report.Options{})
	d := duplicate("a", "nobody", "", .9)
	b.Add(&d.Decision)
	if err := b.Choose(); err == nil {
		t.Error("a leader that nobody decided on is taken")
	}
}

func TestLengthsAndRejects(t *testing.T) {
	var l report.Lengths
	for _, n := range []int{1, 2, 3, 9, 2000, 1 << 20} {
		l.Add(n)
	}
	var got []string
	for _, b := range l.Bins() {
		if b.Count > 0 {
			got = append(got, fmt.Sprint(b.Label, " ", b.Count))
		}
	}
	if d := cmp.Diff([]string{"1 1", "2–3 2", "8–15 1", "1k–2k 1", "1M–2M 1"}, got); d != "" {
		t.Error(d)
	}
}

func ExampleBuilder() {
	b := report.New(report.Options{})
	defer b.Close()
	b.Add(&neardup.Decision{ID: "1", Decision: neardup.New})
	n := b.Add(&neardup.Decision{ID: "2", Decision: neardup.Duplicate, Leader: "1", Similarity: .9, Method: "ngram"})
	if err := b.Choose(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(b.Wants(n))
	for i, text := range []string{"Hello, world", "Hello world"} {
		if err := b.Document(i, &neardup.Document{ID: fmt.Sprint(i + 1), Text: text}, "hello.txt", ""); err != nil {
			fmt.Println(err)
		}
	}
	var page bytes.Buffer
	if err := b.Write(&page, report.Run{Inputs: []string{"hello.txt"}}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.HasPrefix(page.String(), "<!DOCTYPE html>"))
	// Output:
	// true
	// true
}

// What a threshold can be chosen by: the pairs from a floor on, each with its
// similarity, and those that people labelled.
func ExampleNewLab() {
	labels := []eval.JudgedPair{{A: "1", B: "2", Label: "same"}}
	lab := report.NewLab(.5, .8, 0, labels, func(a, b string) neardup.Match { return neardup.Match{} })
	lab.AddPair("1", "2", 0, 1, neardup.Match{Near: true, Similarity: .85})
	lab.AddPair("1", "3", 0, 2, neardup.Match{Near: true, Similarity: .6})
	lab.AddPair("2", "3", 1, 2, neardup.Match{Similarity: .4}) // not near at the floor
	lab.Choose()

	b := report.New(report.Options{})
	defer b.Close()
	b.Evidence(lab)
	if err := b.Choose(); err != nil {
		fmt.Println(err)
	}
	var page bytes.Buffer
	if err := b.Write(&page, report.Run{Inputs: []string{"hello.txt"}}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(page.String(), `id="lab"`))
	// Output: true
}

// What was decided before the run is shown as a leader and not counted; a document of the
// run that has its id is another.
func TestKnownLeaders(t *testing.T) {
	b := report.New(report.Options{Tmp: t.TempDir()})
	defer b.Close()
	own, known := kept("a", "of the run"), kept("a", "of before")
	b.Add(&own.Decision)
	at := b.AddKnown("a")
	copied := duplicate("c", "a", "of before", 1)
	b.AddToKnown(&copied.Decision)
	if err := b.Choose(); err != nil {
		t.Fatal(err)
	}
	if b.Wants(0) || !b.Wants(at) {
		t.Errorf("the group is that of the document of the run")
	}
	if err := b.Document(at, &known.doc, "crawl.index", ""); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.Write(&out, report.Run{Inputs: []string{"news.jsonl"}}); err != nil {
		t.Fatal(err)
	}
	var run report.Run
	part(t, out.String(), "run", &run)
	if run.Documents != 2 || run.Kept != 1 || run.Removed != 1 {
		t.Errorf("%+v", run.Found)
	}
	var members []member
	part(t, out.String(), "members-0", &members)
	if len(members) != 2 || members[0].Text != "of before" {
		t.Errorf("%+v", members)
	}
}
