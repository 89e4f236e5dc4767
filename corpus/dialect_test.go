package corpus

import (
	"strings"
	"testing"
)

// Each row has a table, its detected dialect, and its texts.
func TestDialects(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		opt                 Options
		want                string
	}{
		{"csv without a name", "-", "id,text\n1,\"a, b\"\n", Options{}, "a, b"},
		{"tsv without a name", "-", "id\ttext\n1\ta, b\n", Options{}, "a, b"},
		{"semicolons without a name", "-", "id;text\n1;a, b\n", Options{}, "a, b"},
		{"the text has another name", "-", "id|body\n1|a, b\n", Options{TextField: "body"}, "a, b"},
		{"a page in a cell", "-", "id,page\n1,<p>a</p>\n", Options{HTMLField: "page", Extract: tagless}, "a"},
		{"csv with semicolons", "a.csv", "\xef\xbb\xbfid;text\r\n1;\"a;\r\nb\"\r\n", Options{}, "a;\r\nb"},
		{"csv as Excel is told to read it", "a.csv", "\xef\xbb\xbfsep=;\r\nid;title, subtitle, lead;text\r\n1;;a,b\r\n", Options{}, "a,b"},
		{"the same by a number", "a.csv", "sep=|\nid|text\n1|a;b\n", Options{TextField: "2"}, "text|a;b"},
		{"the same against a delimiter that is given", "a.csv", "\"sep=;\"\nid,text\n1,a;b\n", Options{Form: Form{Delimiter: ','}}, "a;b"},
		{"the same in UTF-16", "a.csv", "\xff\xfes\x00e\x00p\x00=\x00;\x00\n\x00i\x00d\x00;\x00t\x00e\x00x\x00t\x00\n\x001\x00;\x00-N\n\x00", Options{}, "中"},
		{"a last row with line ends in it and none after it", "a.csv", "id,text\n1,\"a\nb\"", Options{}, "a\nb"},
		{"a column that is named like it", "a.csv", "sep=,text\n1,a\n", Options{}, "a"},
		{"csv with tabs", "a.csv", "id\ttext\n1\ta\n", Options{}, "a"},
		{"csv, the header decides for the comma", "a.csv", "id,text\n1,a;b\n", Options{}, "a;b"},
		{"a given delimiter", "a.csv", "1#a,b\n2#c;d\n", Options{TextField: "2", Form: Form{Delimiter: '#'}}, "a,b|c;d"},
		{"a given delimiter says that it is a table", "-", "id^text\n1^a\n", Options{Form: Form{Delimiter: '^'}}, "a"},
		{"quoted tsv", "a.tsv", "id\ttext\n1\t\"a\tb\nc\"\n2\t\"\"\"d\"\"\"\n3\te\n", Options{}, "a\tb\nc|\"d\"|e"},
		{"quoted tsv, the header too", "a.tsv", "\"id\"\t\"text\"\r\n\"1\"\t\"a\r\nb\"\r\n", Options{}, "a\r\nb"},
		{"quoted tsv and a stray quote", "a.tsv", "id\ttext\n1\t\"a\"\n2\t\"b\" c\n3\t\"d\ne\"\n4\t\"f\n5\tg\n", Options{}, "a|\"b\" c|d\ne|\"f|g"},
		{"tsv with quotes in the text", "a.tsv", "id\ttext\n1\t\"a\" b\n2\t\"c\n3\td\"\n", Options{}, "\"a\" b|\"c|d\""},
		{"the header is no UTF-8", "a.csv", "Nr;\xdcbersicht\r\n1;a, b\r\n", Options{TextField: "Übersicht"}, "a, b"},
		{"the header is UTF-16", "-", "\xff\xfei\x00d\x00;\x00t\x00e\x00x\x00t\x00\n\x001\x00;\x00-N\n\x00", Options{}, "中"},
		{"an object of UTF-16", "-", "\xff\xfe{\x00\"\x00t\x00e\x00x\x00t\x00\"\x00:\x00\"\x00-N\"\x00}\x00\n\x00", Options{}, "中"},
		{"empty cells behind the last column", "a.csv", "id;text\n1;a;;\n", Options{}, "a"},
		{"not a table", "-", "some text, and more\nid, text\n", Options{}, "some text, and more|id, text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.file
			if path == "-" {
				c.opt.Stdin = strings.NewReader(c.content)
			} else {
				path = put(t, t.TempDir(), c.file, c.content)
			}
			res := read(t, c.opt, path)
			if got := res.texts(); got != c.want || len(res.rejects) > 0 {
				t.Errorf("got %q, rejects %q; want %q", got, res.rejects, c.want)
			}
		})
	}
}

// A guess that looks wrong gives a warning.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"1\ta b\n2\tc d\n3\te f\n4\tg\n", "looks like a table separated by tab"},
		{"1,2026,a\n2,2026,b\n3,2026,c\n4,2026,d\n", "looks like a table separated by ','"},
		{"<?xml version=\"1.0\"?>\n<a>x</a>\n", "begins like XML"},
		{"{'text': 'a'}\n{'text': 'b'}\n", "begins like JSON"},
		{"a text\nanother, shorter\nand a third, with commas, two\nand more\n", ""},
		{"{\"text\":\"a\"}\n", ""},
	} {
		var got []string
		read(t, Options{Warn: func(_, what string) { got = append(got, what) }, Stdin: strings.NewReader(c.content)}, "-")
		if (c.want == "" && got != nil) || (c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want))) {
			t.Errorf("%.20q: warnings %q, want %q", c.content, got, c.want)
		}
	}
}

// Bytes that are not text in any charset are refused, in every format of texts.
func TestJunkIsRefused(t *testing.T) {
	random := make([]byte, 6000)
	for i, x := 0, uint32(1); i < len(random); i++ {
		x = x*1664525 + 1013904223
		random[i] = byte(x >> 24)
	}
	for name, content := range map[string]string{
		"random": string(random), "zeros": "head" + strings.Repeat("\x00", 300) + "tail", "PDF": "%PDF-1.7\n1 0 obj", "PNG": "\x89PNG\r\n\x1a\n",
		"Word of old": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "program": "\x7fELF\x02\x01\x01",
	} {
		for _, format := range []Format{Auto, Lines, Files, CSV, TSV} {
			opt := Options{Format: format, Stdin: strings.NewReader(content)}
			if format == CSV || format == TSV {
				opt.TextField = "1"
			}
			if res := read(t, opt, "-"); len(res.docs) > 0 || len(res.rejects) != 1 {
				t.Errorf("%s as %s: %d documents, rejects %q", name, format, len(res.docs), res.rejects)
			}
		}
	}
}

func TestParseDelimiter(t *testing.T) {
	for s, want := range map[string]byte{",": ',', "tab": '\t', `\t`: '\t', "\t": '\t', "|": '|'} {
		if got, err := ParseDelimiter(s); got != want || err != nil {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"", ",,", "\"", "\n", "é"} {
		if _, err := ParseDelimiter(s); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}
