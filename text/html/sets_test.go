package html_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/neardup/neardup/text/html"
)

// sample is a page of one of the sets whose texts were made by a tool and
// approved, and that text.
type sample struct {
	name string
	page []byte
	gold string
}

// The sets differ in what they call main text (goose has only its beginning), so a figure is only meaningful
// next to that of another extractor. The floors are those of the previous one, trafilatura's. Single Chinese
// characters count as words.
//
//	go test ./text/html -run PageSets -v
func TestPageSets(t *testing.T) {
	files := archive(t, "html/maintext.tar.zst", func(name string) bool { return !strings.Contains(name, "/scrapinghub_aeb/") })
	for _, set := range []struct {
		name   string
		read   func(map[string][]byte) []sample
		pages  int
		f1     float64
		recall float64
	}{
		{"newspaper", newspaper, 143, .748, .775},
		{"goose", goose, 45, .203, .877},
		{"gne_zh_mit", gne, 20, .700, .922},
		{"mozilla_readability", readability, 130, .936, .928},
	} {
		in := make(map[string][]byte)
		for name, body := range files {
			if _, rest, ok := strings.Cut(name, "/"+set.name+"/"); ok {
				in[rest] = body
			}
		}
		all, tables := measure(t, set.read(in))
		p, r, f := all.f1()
		_, tr, tf := tables.f1()
		t.Logf("%-20s %3.0f pages: precision %.3f recall %.3f F1 %.4f; %2.0f with tables: recall %.3f F1 %.4f",
			set.name, all.pagesR, p, r, f, tables.pagesR, tr, tf)
		if int(all.pagesR) != set.pages || f < set.f1 || r < set.recall {
			t.Errorf("%s: %.0f pages, recall %.4f, F1 %.4f; want %d, %.4f, %.4f", set.name, all.pagesR, r, f, set.pages, set.recall, set.f1)
		}
	}
}

// measure scores all pages, and apart those with eight cells of tables or more.
func measure(t *testing.T, samples []sample) (all, tables score) {
	for _, s := range samples {
		page, err := html.Extract(s.page, "", "")
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		all.add(apart(s.gold), apart(page.Text))
		if strings.Count(strings.ToLower(string(s.page)), "<td") >= 8 {
			tables.add(apart(s.gold), apart(page.Text))
		}
	}
	return all, tables
}

// apart sets Chinese characters apart.
func apart(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 0x2e80 {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func newspaper(files map[string][]byte) (out []sample) {
	for name, body := range files {
		if gold := files["text/"+strings.TrimSuffix(path.Base(name), ".html")+".txt"]; path.Ext(name) == ".html" && gold != nil {
			out = append(out, sample{name, body, string(gold)})
		}
	}
	return out
}

func goose(files map[string][]byte) (out []sample) {
	for name, body := range files {
		var truth struct {
			Expected struct {
				Text string `json:"cleaned_text"`
			}
		}
		page := files[strings.TrimSuffix(name, ".json")+".html"]
		if path.Ext(name) == ".json" && json.Unmarshal(body, &truth) == nil && len([]rune(truth.Expected.Text)) > 20 && page != nil {
			out = append(out, sample{name, page, truth.Expected.Text})
		}
	}
	return out
}

// gne reads one file of results: a line >>>>name>>>> and then an object.
func gne(files map[string][]byte) (out []sample) {
	byName := make(map[string]string)
	parts := strings.Split(string(files["result.txt"]), ">>>>>>>>>>>>>")
	for i := 1; i+1 < len(parts); i += 2 {
		byName[strings.Trim(parts[i], ">")] = strings.Trim(parts[i+1], ">")
	}
	for name, result := range byName {
		var truth struct{ Content string }
		if err := json.NewDecoder(strings.NewReader(result)).Decode(&truth); err == nil && files[name] != nil {
			out = append(out, sample{name, files[name], truth.Content})
		}
	}
	return out
}

func readability(files map[string][]byte) (out []sample) {
	for name, body := range files {
		if path.Base(name) == "source.html" {
			gold := files[path.Dir(name)+"/expected.html"]
			out = append(out, sample{name, body, tagless(string(gold))})
		}
	}
	return out
}

// tagless returns the text of a piece of HTML without scripts.
func tagless(page string) string {
	var b strings.Builder
	inline := " a b i em strong span font code sub sup u small abbr cite mark "
	for z := xhtml.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case xhtml.ErrorToken:
			return b.String()
		case xhtml.TextToken:
			b.Write(z.Text())
		default:
			if name, _ := z.TagName(); !strings.Contains(inline, " "+string(name)+" ") {
				b.WriteByte('\n')
			}
		}
	}
}
