package made

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/text"
)

// textOf is a real text from which pairs are made.
type textOf struct {
	source, id, language string
	name                 string // the subject of a long text, if its source states it
	long                 bool
	body                 string
}

// Lengths of short and long texts, in runes for Chinese and in bytes for English.
var shortRunes = map[string][2]int{"en": {25, 400}, "zh": {8, 160}}
var longRunes = map[string][2]int{"en": {1200, 6000}, "zh": {300, 2500}}

// source is one folder of the shared data.
type source struct {
	folder, file, language string
	short, long            bool
	cut                    func(id, body string) []string // makes short texts from a long one
	most                   int                            // number of short texts to take
}

var sources = []source{
	{folder: "uci_sms", file: "docs.jsonl", language: "en", short: true, most: 1 << 20},
	{folder: "dblp_acm", file: "pairs.jsonl.zst", language: "en", short: true, most: 3000},
	{folder: "minhash_plagiarism_news", file: "articles_1000.train", language: "en", short: true, long: true, cut: sentences, most: 12000},
	{folder: "ota_terms_versions", file: "docs.jsonl.zst", language: "en", short: true, long: true, cut: sentences, most: 12000},
	{folder: "html", file: "maintext.tar.zst", language: "en", short: true, long: true, cut: sentences, most: 12000},
	{folder: "html", file: "maintext.tar.zst", language: "zh", short: true, long: true, cut: sentences, most: 12000},
	{folder: "zh_weibo_hotsearch", file: "titles.tsv.zst", language: "zh", short: true, most: 150000},
	{folder: "zh_lctt_proofread", file: "docs.jsonl.zst", language: "zh", short: true, long: true, cut: sentences, most: 15000},
	{folder: "zh_tidb_docs_versions", file: "docs.jsonl.zst", language: "zh", short: true, long: true, cut: sentences, most: 5000},
	{folder: "zh_laws", file: "docs.jsonl.zst", language: "zh", short: true, long: true, cut: sentences, most: 8000},
	{folder: "zh_edit_pairs", file: "pairs.jsonl", language: "zh", short: true, most: 1 << 20},
}

// readTexts reads the texts of a half, or all texts. It skips repetitions of short ones.
func readTexts(data string, of int, folders []string) ([]textOf, error) {
	var out []textOf
	seen, others := map[string]bool{}, map[string]bool{} // others also covers the other half
	for _, s := range sources {
		if len(folders) > 0 && !slices.Contains(folders, s.folder) {
			continue
		}
		short := 0
		families := map[string]bool{}
		every := 1
		if s.folder == "zh_weibo_hotsearch" {
			every = 3
		}
		err := s.each(data, func(n int, id, family, body string) error {
			if (family != "" && families[family]) || n%every != 0 {
				return nil
			}
			families[family] = true
			other := of >= 0 && half(s.folder+id) != of
			body = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(body, ""), "\r\n", "\n"))
			name := ""
			if s.folder == "ota_terms_versions" {
				if parts := strings.Split(family, "/"); len(parts) == 3 {
					name = parts[1]
				}
			}
			if s.long {
				for i, part := range s.parts(body, id) {
					if !written(part, s.language) {
						continue
					}
					others[part] = others[part] || other
					if other {
						continue
					}
					out = append(out, textOf{source: s.folder, id: fmt.Sprintf("%s.%d", id, i), language: s.language, name: name, long: true, body: part})
				}
			}
			if !s.short {
				return nil
			}
			shorts := []string{body}
			if s.cut != nil {
				shorts = s.cut(id, body)
			}
			for i, b := range shorts {
				limits, n := shortRunes[s.language], utf8.RuneCountInString(b)
				if n < limits[0] || n > limits[1] {
					continue
				}
				others[b] = others[b] || other
				if other || seen[b] || short >= s.most || !written(b, s.language) {
					continue
				}
				seen[b] = true
				short++
				out = append(out, textOf{source: s.folder, id: fmt.Sprintf("%s#%d", id, i), language: s.language, body: b})
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", s.folder, err)
		}
	}
	return slices.DeleteFunc(out, func(t textOf) bool { return others[t.body] }), nil
}

// each calls fn for each text of a source. family is shared by versions of a text.
func (s *source) each(data string, fn func(n int, id, family, body string) error) error {
	path := filepath.Join(data, s.folder, s.file)
	if s.folder == "html" {
		return eachPage(path, s.language, fn)
	}
	return textlines.Each(path, func(n int, line []byte) error {
		switch s.folder {
		case "zh_weibo_hotsearch":
			_, title, _ := strings.Cut(string(line), "\t")
			return fn(n, fmt.Sprintf("line:%d", n), "", title)
		case "minhash_plagiarism_news":
			id, body, _ := strings.Cut(string(line), " ")
			return fn(n, id, "", body)
		}
		var d struct {
			ID, Family, Text string
			TextA            string `json:"text_a"`
			TextB            string `json:"text_b"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		if d.Text == "" {
			d.Text = d.TextB
		}
		if d.Text == "" {
			d.Text = d.TextA
		}
		return fn(n, d.ID, d.Family, d.Text)
	})
}

// parts cuts a long text into parts of random lengths. A part ends with a paragraph or, if there is none, with a sentence.
func (s *source) parts(body, id string) []string {
	limits := longRunes[s.language]
	rng := rand.New(rand.NewPCG(uint64(len(body)), uint64(half(id))))
	var out []string
	for len(out) < 3 && utf8.RuneCountInString(body) >= limits[0] {
		// lengths are spread evenly over the orders of magnitude
		want := limits[0]
		for want < limits[1] && rng.IntN(3) > 0 {
			want = want * 4 / 3
		}
		end := offset(body, want)
		if i := strings.IndexByte(body[end:], '\n'); i >= 0 && i < 1500 {
			end += i + 1
		} else if loc := sentenceEnd.FindStringIndex(body[end:]); loc != nil {
			end += loc[1]
		} else {
			end = len(body)
		}
		if part := strings.TrimSpace(body[:end]); utf8.RuneCountInString(part) <= limits[1]*3/2 {
			out = append(out, part)
		}
		body = strings.TrimSpace(body[end:])
	}
	return out
}

// offset returns the offset of the n-th rune.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

var sentenceEnd = regexp.MustCompile(`[.!?]["”’)]*\s+|[。！？]["”’）]*|\n+`)

// markup matches lines that are not prose.
var markup = regexp.MustCompile("https?:|[`|<>{}\\[\\]\\\\=]|^[-#*>\\s\\d.]+|^\\s*$")

// sentences returns up to 12 sentences of prose in a text, in order.
func sentences(id, body string) []string {
	var out []string
	for start := 0; start < len(body) && len(out) < 12; {
		end, next := len(body), len(body)
		if loc := sentenceEnd.FindStringIndex(body[start:]); loc != nil {
			end, next = start+loc[1], start+loc[1]
		}
		s := strings.TrimSpace(body[start:end])
		start = next
		if markup.MatchString(s) || (len(strings.Fields(s)) < 5 && !hasCJK(s)) || !strings.ContainsAny(s, ".!?。！？") {
			continue
		}
		out = append(out, s)
	}
	return out
}

// written reports whether enough of a text is in the language, so that it is neither code nor French.
func written(s, language string) bool {
	han, letters, odd := 0, 0, 0
	for _, r := range s {
		switch {
		case text.IsCJK(r):
			han++
		case r < 128 && (r|32 >= 'a' && r|32 <= 'z'):
			letters++
		case r >= 128 && unicode.IsLetter(r):
			odd++
		}
	}
	if language == "zh" {
		return han >= 4 && han*2 > letters
	}
	return han == 0 && odd*100 < letters && (letters < 50 || english.MatchString(s))
}

var english = regexp.MustCompile(`(?i)\b(?:the|a|of|to|and|in|for|you|u|is|on|my)\b`)

func hasCJK(s string) bool { return strings.ContainsFunc(s, text.IsCJK) }
