package contamination_test

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/contamination"
	"github.com/neardup/neardup/internal/test/shared"
)

// lines reads a field of the lines of a packed JSONL file.
func lines(tb testing.TB, name, field string, most int) (out []string) {
	tb.Helper()
	f, err := os.Open(shared.Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var r io.Reader
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(f)
	} else {
		r, err = zstd.NewReader(f)
	}
	if err != nil {
		tb.Fatal(err)
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	seen := map[string]bool{}
	for s.Scan() && len(out) < most {
		var row map[string]any
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			tb.Fatal(err)
		}
		if v, _ := row[field].(string); !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// sentences returns sentences of Chinese texts, of 15 to 80 characters.
func sentences(texts []string, most int) (out []string) {
	seen := map[string]bool{}
	for _, t := range texts {
		for s := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == '。' || r == '\n' }) {
			s = strings.TrimSpace(s)
			if n := utf8.RuneCountInString(s); n >= 15 && n <= 80 && !seen[s] && len(out) < most {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}

func questions(texts []string) iter.Seq2[contamination.Item, error] {
	return func(yield func(contamination.Item, error) bool) {
		for i, q := range texts {
			if !yield(contamination.Item{ID: strconv.Itoa(i), Question: q}, nil) {
				return
			}
		}
	}
}

// language is a language to test, with its words.
type language struct {
	name      string
	questions []string
	hosts     []string
	split     func(string) []string
	join      string
}

// injections are the ways in which an item gets into a text.
var injections = []struct {
	name string
	do   func(rng *rand.Rand, l *language, item string) string
}{
	{"whole", func(_ *rand.Rand, _ *language, item string) string { return "\n\n" + item + "\n\n" }},
	{"re-wrapped", func(rng *rand.Rand, l *language, item string) string {
		words := l.split(item)
		var b strings.Builder
		for i, w := range words {
			switch {
			case i == 0:
			case rng.IntN(8) == 0:
				b.WriteString("\n  ")
			default:
				b.WriteString(l.join)
			}
			b.WriteString(w)
		}
		return "\n" + b.String() + "\n"
	}},
	{"in a line", func(_ *rand.Rand, _ *language, item string) string { return " " + item + " " }},
	{"one edit in 20", func(rng *rand.Rand, l *language, item string) string {
		words := l.split(item)
		other := l.split(l.hosts[rng.IntN(len(l.hosts))])
		var out []string
		for len(words) > 0 {
			n := min(20, len(words))
			at := rng.IntN(20)
			if at >= n { // an edit of a shorter stretch is proportionally rarer
				out = append(out, words...)
				break
			}
			out = append(out, words[:at]...)
			switch w := other[rng.IntN(len(other))]; rng.IntN(3) {
			case 0:
				out = append(out, w)
			case 1:
				out = append(out, w, words[at])
			}
			out = append(out, words[at+1:n]...)
			words = words[n:]
		}
		return " " + strings.Join(out, l.join) + " "
	}},
}

func languages(tb testing.TB) []*language {
	english := lines(tb, "decon/bundled-evals/gsm8k_test-1.jsonl.gz", "question", 600)
	for _, q := range lines(tb, "decon/bundled-evals/mmlu_dev-1.jsonl.gz", "question", 1000) {
		if !strings.ContainsAny(q, "\\^_=") {
			english = append(english, q)
		}
	}
	chinese := regexp.MustCompile(`[0-9A-Za-z]+|.`)
	runes := func(s string) []string { return chinese.FindAllString(s, -1) }
	hosts := func(name string) (out []string) {
		for _, s := range lines(tb, name, "text", 100) {
			out = append(out, string([]rune(s)[:min(2000, utf8.RuneCountInString(s))]))
		}
		return out
	}
	return []*language{
		{"English", english, hosts("ota_terms_versions/docs.jsonl.zst"), strings.Fields, " "},
		{"Chinese", sentences(lines(tb, "zh_laws/docs.jsonl.zst", "text", 60), 800), hosts("zh_lctt_proofread/docs.jsonl.zst"), runes, ""},
	}
}

// Of every hundred items that get into a text ninety-nine are found where they are, and
// in the texts as they were none.
func TestRecall(t *testing.T) {
	if testing.Short() {
		return // nothing of it is concurrent
	}
	for _, l := range languages(t) {
		f, err := contamination.New(questions(l.questions), contamination.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range l.hosts {
			for _, found := range f.Find(host) {
				t.Errorf("%s: a text without an item has %q, as %q: %s", l.name, found.Passage, found.Of, found.Why)
			}
		}
		stubs := f.Items().Stubs
		t.Logf("%s: %d items, %d say too little", l.name, len(l.questions), stubs)
		for k, inject := range injections {
			rng := rand.New(rand.NewPCG(1, uint64(k)))
			found, whole, missed := 0, 0, 0
			for i, q := range l.questions {
				host := l.hosts[rng.IntN(len(l.hosts))]
				at := rng.IntN(len(host))
				for at > 0 && ((host[at] != ' ' && l.join == " ") || !utf8.RuneStart(host[at])) {
					at--
				}
				text := inject.do(rng, l, q)
				start := utf8.RuneCountInString(host[:at])
				end := start + utf8.RuneCountInString(text)
				verdict := best(f.Find(host[:at]+text+host[at:]), strconv.Itoa(i), start, end)
				switch verdict {
				case contamination.Contaminated:
					whole, found = whole+1, found+1
				case contamination.Partial:
					found++
				default:
					missed++
					if missed > stubs && missed < stubs+6 {
						t.Logf("%s, %s: missed %q in %q", l.name, inject.name, q, text)
					}
				}
			}
			sought := float64(len(l.questions) - stubs)
			t.Logf("%s, %s: found %.4f, contaminated %.4f", l.name, inject.name, float64(found)/sought, float64(whole)/sought)
			if float64(found)/sought < .99 {
				t.Errorf("%s, %s: %d of %.0f found", l.name, inject.name, found, sought)
			}
		}
	}
}

// best returns the best verdict on an item between two places, or "" if it was not found.
func best(found []contamination.Finding, item string, start, end int) (v contamination.Verdict) {
	for _, f := range found {
		if common := min(f.End, end) - max(f.Start, start); f.Item == item && 2*common >= f.End-f.Start && v != contamination.Contaminated {
			v = f.Verdict
		}
	}
	return v
}

func BenchmarkFind(b *testing.B) {
	for _, l := range languages(b) {
		b.Run(l.name, func(b *testing.B) {
			f, err := contamination.New(questions(l.questions), contamination.Config{})
			if err != nil {
				b.Fatal(err)
			}
			size := 0
			for _, host := range l.hosts {
				size += len(host)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, host := range l.hosts {
					f.Find(host)
				}
			}
		})
	}
}
