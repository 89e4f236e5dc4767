package html_test

import (
	"path"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/html"
)

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !text.IsWord(r) })
}

func ngrams(s string, n int) map[string]int {
	w := words(s)
	counts := make(map[string]int)
	for i := 0; i < max(1, len(w)-n+1) && len(w) > 0; i++ {
		counts[strings.Join(w[i:min(i+n, len(w))], "\x00")]++
	}
	return counts
}

// score is the measure of the set's authors: precision and recall of the
// token 4-grams with their counts, each averaged over the pages, and F1 of
// the two averages.
type score struct{ precision, recall, pagesP, pagesR float64 }

func (s *score) add(gold, got string) (p, r float64) {
	want, have := ngrams(gold, 4), ngrams(got, 4)
	hit, wants, haves := 0, 0, 0
	for g, n := range want {
		wants += n
		hit += min(n, have[g])
	}
	for _, n := range have {
		haves += n
	}
	if haves > 0 {
		p = float64(hit) / float64(haves)
		s.precision += p
		s.pagesP++
	}
	if wants > 0 {
		r = float64(hit) / float64(wants)
		s.recall += r
		s.pagesR++
	}
	return p, r
}

func (s *score) f1() (p, r, f float64) {
	p, r = s.precision/s.pagesP, s.recall/s.pagesR
	return p, r, 2 * p * r / (p + r)
}

// Main text of 181 pages against what people marked:
//
//	go test ./text/html -run LabelledPages -v
func TestLabelledPages(t *testing.T) {
	var s score
	var took time.Duration
	bytes := 0
	pages := labelledPages(t)
	sort.Slice(pages, func(i, j int) bool { return pages[i].name < pages[j].name })
	for _, l := range pages {
		start := time.Now()
		page, err := html.Extract(l.page, "", l.url)
		took += time.Since(start)
		bytes += len(l.page)
		if err != nil {
			t.Errorf("%s: %v", l.url, err)
		}
		p, r := s.add(l.gold, page.Text)
		if p+r < 1.8 {
			t.Logf("precision %.3f recall %.3f %s %s", p, r, l.name[:8], l.url)
		}
	}
	p, r, f := s.f1()
	t.Logf("precision %.4f, recall %.4f, F1 %.4f; %.0f pages/s, %.1f MB/s", p, r, f,
		float64(len(pages))/took.Seconds(), float64(bytes)/took.Seconds()/1e6)
	if f < .97 {
		t.Errorf("F1 is %.4f, below .97", f)
	}
}

// shingles are the word 3-shingles of the shared oracles, as a set.
type shingles map[string]int

func (a shingles) common(b shingles) (n int) {
	for g := range a {
		if b[g] > 0 {
			n++
		}
	}
	return n
}

// near reports whether the Jaccard similarity of a and b is at least least.
func (a shingles) near(b shingles, least float64) bool {
	if float64(min(len(a), len(b))) < least*float64(max(len(a), len(b))) {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	n := a.common(b)
	return float64(n) >= least*float64(len(a)+len(b)-n)
}

// Captures of pages at different moments: those whose main text is the same
// must be judged the same, and those whose main text differs must not.
//
//	go test ./text/html -run Recaptures -v
func TestRecaptures(t *testing.T) {
	all := captures(t)
	clean := text.Default().Clean
	texts := make(map[string]string)
	got, want := make(map[string]shingles), make(map[string]shingles)
	for _, c := range all {
		if got[c.ID] != nil {
			continue
		}
		page, err := html.Extract(c.page, "", "")
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		texts[c.ID] = clean(page.Text)
		got[c.ID], want[c.ID] = ngrams(texts[c.ID], 3), ngrams(clean(c.gold), 3)
	}
	recaptures(t, all, texts, got)
	confused(t, all, got, want)
}

func recaptures(t *testing.T, all []capture, texts map[string]string, got map[string]shingles) {
	same, equal, near := 0, 0, 0
	for _, c := range all {
		if c.Kind != "same_text_as" || got[c.SameAs] == nil {
			continue
		}
		same++
		switch {
		case texts[c.ID] == texts[c.SameAs]:
			equal++
		case got[c.ID].near(got[c.SameAs], .8):
			near++
		default:
			t.Logf("missed: %s %s %s", c.SameAs, c.ID, c.Family)
		}
	}
	t.Logf("%d pages; %d recaptures: %d equal, %d near, %d missed", len(all), same, equal, near, same-equal-near)
	if float64(equal+near) < .95*float64(same) {
		t.Error("want 95 % of the recaptures judged duplicates")
	}
}

// confused counts the pairs that are near though their true main texts are
// not. Two sites keep their privacy and their cookie policy on one page, and
// the set names one of them, or the other, as the page's text: what is true of
// such pages the set does not know.
func confused(t *testing.T, all []capture, got, want map[string]shingles) {
	service := func(c capture) string { return path.Dir(c.Family) }
	families, twofold := make(map[string]string), make(map[string]bool)
	for _, c := range all {
		if f := families[c.ID]; f != "" && f != c.Family {
			twofold[service(c)] = true
		}
		families[c.ID] = c.Family
	}
	pairs, wrong, unknown := 0, 0, 0
	for i, a := range all {
		for _, b := range all[:i] {
			pairs++
			switch {
			case !got[a.ID].near(got[b.ID], .8) || want[a.ID].near(want[b.ID], .5):
			case twofold[service(a)] && twofold[service(b)]:
				unknown++
			default:
				wrong++
				t.Errorf("near, but their texts are not: %s %s, %s %s", a.ID, a.Family, b.ID, b.Family)
			}
		}
	}
	t.Logf("of %d pairs %d are near with true J < .5; %d more on the twofold pages of %d sites", pairs, wrong, unknown, len(twofold))
}
