package methods_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/text"
)

// language is a text of some sentences.
type language struct {
	name      string
	sentences []string
}

func languages(t *testing.T) []language {
	b, err := os.ReadFile("testdata/languages.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []language
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		if name, ok := strings.CutPrefix(line, "# "); ok && i > 0 && !strings.Contains(name, ".") {
			all = append(all, language{name: name})
		} else if !ok {
			l := &all[len(all)-1]
			l.sentences = append(l.sentences, line)
		}
	}
	return all
}

// join puts sentences together as the language does.
func (l language) join(sentences []string) string {
	if text.IsCJK([]rune(l.sentences[0])[0]) || text.IsUnspaced([]rune(l.sentences[0])[0]) {
		return strings.Join(sentences, "")
	}
	return strings.Join(sentences, " ")
}

// remove takes n runes out of the middle of the i-th sentence, at a word where
// there are words.
func (l language) remove(i, n int) string {
	s := slices.Clone(l.sentences)
	r := []rune(s[i])
	at := len(r) / 2
	for j := at; j < len(r)-n; j++ {
		if r[j] == ' ' {
			at = j
			break
		}
	}
	s[i] = string(r[:at]) + string(r[at+n:])
	return l.join(s)
}

// edits returns typical edits of copied texts. To a reader they all mean the same.
func (l language) edits() map[string]string {
	s := l.sentences
	n := len(s)
	out := map[string]string{
		"moved":    l.join(append(slices.Clone(s[2:]), s[:2]...)),
		"head":     l.join(append([]string{"Reuters 2026-01-02:"}, s...)),
		"foot":     l.join(append(slices.Clone(s), "www.example.org/news/17")),
		"spaces":   strings.ReplaceAll(l.join(s), " ", "\u00A0 "),
		"unmarked": unmarked.Clean(l.join(s)),
	}
	for i := range n {
		out[fmt.Sprint("cut", i)] = l.remove(i, 4)
	}
	return out
}

var unmarked = must(text.ParseNormalizer("zerowidth,nfkc,lower,simplify,space,accents"))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestLanguages makes docs/languages.tsv and the table of docs/languages.md, which has some of its columns. It
// fails if the files differ; with NEARDUP_UPDATE=1 it writes them.
func TestLanguages(t *testing.T) {
	const begin, end = "<!-- table -->\n", "<!-- end of the table -->\n"
	rows := languageRows(t)
	var all, some strings.Builder
	for i, row := range rows {
		fmt.Fprintln(&all, strings.Join(row, "\t"))
		short := []string{row[0], row[5], row[8], row[10]}
		fmt.Fprintln(&some, "|", strings.Join(short, " | "), "|")
		if i == 0 {
			fmt.Fprintln(&some, strings.Repeat("|---", len(short))+"|")
		}
	}
	before, rest, _ := strings.Cut(string(page(t, "languages.md")), begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatal("no table in docs/languages.md")
	}
	for name, want := range map[string]string{"languages.tsv": all.String(), "languages.md": before + begin + some.String() + end + after} {
		if os.Getenv("NEARDUP_UPDATE") != "" {
			if err := os.WriteFile(filepath.Join("..", "docs", name), []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got := string(page(t, name)); got != want {
			t.Errorf("docs/%s has other figures; NEARDUP_UPDATE=1 writes these:\n%s", name, all.String())
		}
	}
}

func page(t *testing.T, name string) []byte {
	b, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil && os.Getenv("NEARDUP_UPDATE") == "" {
		t.Fatal(err)
	}
	return b
}

// languageRows returns the names of the columns, and the figures of each language.
func languageRows(t *testing.T) [][]string {
	rows := [][]string{strings.Split("language,runes,units: auto,units: scripts,sentence cut: auto,sentence cut: scripts,sentence cut: edit,text edited: auto,text edited: scripts,text edited: edit,no marks: default,accents,words lost,others", ",")}
	for _, l := range languages(t) {
		if len(l.sentences) != 6 {
			t.Fatalf("%s has %d sentences", l.name, len(l.sentences))
		}
		row := l.measure()
		if row.text[1] < .85 || row.most > .2 {
			t.Errorf("%s: edited texts down to %.2f, others up to %.2f", l.name, row.text[1], row.most)
		}
		rows = append(rows, strings.Split(fmt.Sprintf("%s,%d,%d,%d,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%d,%.2f", l.name, row.runes, row.units[0], row.units[1],
			row.sentence[0], row.sentence[1], row.sentence[2], row.text[0], row.text[1], row.text[2], row.unmarked, row.folded, row.lost, row.most), ","))
	}
	return rows
}

// languageRow is a line of the table. Of three figures, the first two are
// Jaccard of shingles of three units by auto and by scripts, the third is edit
// similarity.
type languageRow struct {
	runes            int
	units            [2]int
	sentence         [3]float64 // mean over the sentences, four runes cut out of each
	text             [3]float64 // least over the edits of the whole text
	unmarked, folded float64    // Jaccard by scripts with the copy without marks
	lost             int        // distinct units that fold into another
	most             float64    // Jaccard by scripts of different sentences
}

func (l language) measure() languageRow {
	clean := text.Default()
	whole := clean.Clean(l.join(l.sentences))
	row := languageRow{runes: utf8.RuneCountInString(whole), text: [3]float64{1, 1, 1}}
	for i, unit := range []feature.Unit{feature.Auto, feature.Scripts} {
		row.units[i] = len(feature.Shingle{Unit: unit, K: 1}.Append(nil, whole, 0))
	}
	for name, edited := range l.edits() {
		for i, s := range scales(whole, clean.Clean(edited)) {
			if name != "unmarked" && (name != "moved" || i < 2) { // edit similarity is not for texts whose parts move
				row.text[i] = min(row.text[i], s)
			}
		}
	}
	for i, a := range l.sentences {
		one := language{sentences: []string{a}}
		for k, s := range scales(clean.Clean(a), clean.Clean(one.remove(0, 4))) {
			row.sentence[k] += s / float64(len(l.sentences))
		}
		for _, other := range l.sentences[:i] {
			row.most = max(row.most, jaccard(scripts3, clean.Clean(a), clean.Clean(other)))
		}
	}
	bare := l.edits()["unmarked"]
	row.unmarked = jaccard(scripts3, whole, clean.Clean(bare))
	row.folded = jaccard(scripts3, unmarked.Clean(whole), unmarked.Clean(bare))
	words := feature.Shingle{Unit: feature.Scripts, K: 1}
	row.lost = len(feature.Set(words.Append(nil, whole, 0))) - len(feature.Set(words.Append(nil, unmarked.Clean(whole), 0)))
	return row
}

var (
	auto3    = feature.Shingle{Unit: feature.Auto, K: 3}
	scripts3 = feature.Shingle{Unit: feature.Scripts, K: 3}
)

func scales(a, b string) [3]float64 {
	return [3]float64{jaccard(auto3, a, b), jaccard(scripts3, a, b), editSimilarity(a, b)}
}

func jaccard(s feature.Shingle, a, b string) float64 {
	x, y := feature.Set(s.Append(nil, a, 0)), feature.Set(s.Append(nil, b, 0))
	both := feature.IntersectSorted(x, y)
	return float64(both) / float64(len(x)+len(y)-both)
}

var edit = must(ngram.New(ngram.Config{Similarity: ngram.Edit, Threshold: .01}))

func editSimilarity(a, b string) float64 {
	return edit.Compare(edit.Prepare(a), edit.Prepare(b)).Similarity
}
