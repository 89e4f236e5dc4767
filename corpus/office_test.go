package corpus

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup"
)

// zipped returns a zip archive of parts, name and content in turn.
func zipped(t testing.TB, parts ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, parts[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// workbook returns an Excel file of sheets, name and rows in turn, with what Excel puts into one.
func workbook(t testing.TB, sheets ...string) string {
	parts := []string{
		"xl/sharedStrings.xml", `<sst><si><t>text</t></si><si><r><t>in </t></r><r><t>parts</t></r><rPh><t>no</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy&quot;d&quot;"/><numFmt numFmtId="165" formatCode="0&quot;d&quot;"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
	}
	book, rels := "", ""
	for i := 0; i < len(sheets); i += 2 {
		book += fmt.Sprintf(`<sheet name="%s" sheetId="%d" r:id="r%d"/>`, sheets[i], i+1, i)
		rels += fmt.Sprintf(`<Relationship Id="r%d" Target="worksheets/s%d.xml"/>`, i, i)
		parts = append(parts, fmt.Sprintf("xl/worksheets/s%d.xml", i), "<worksheet><sheetData>"+sheets[i+1]+"</sheetData></worksheet>")
	}
	return zipped(t, append(parts, "xl/workbook.xml", "<workbook><sheets>"+book+"</sheets></workbook>", "xl/_rels/workbook.xml.rels", "<Relationships>"+rels+"</Relationships>")...)
}

const header = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>More</t></is></c></row>`

// readAs returns what the documents of a file are: file:line id title fields text, or the reason of a reject.
func readAs(t testing.TB, path string, opt Options) (out string) {
	r, err := Open([]string{path}, opt)
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	dec := r.NewDecoder()
	for it, err := range r.Items() {
		var doc neardup.Document
		if err == nil {
			err = dec.Decode(it, &doc)
		}
		if err != nil {
			out += strings.ReplaceAll(err.Error(), path, "FILE") + "\n"
			continue
		}
		fields := strings.TrimPrefix(fmt.Sprint(doc.Fields), "map[]")
		out += strings.ReplaceAll(fmt.Sprintf("%d %s|%s|%s|%q\n", it.Line, doc.ID, doc.Title, fields, doc.Text), path, "FILE")
	}
	return out
}

func TestSheets(t *testing.T) {
	row := func(cells string) string { return header + `<row r="3">` + cells + `</row>` }
	more := Options{Fields: []string{"more"}}
	for _, c := range []struct {
		name, content string
		opt           Options
		want          string
	}{
		{"a shared text, a row of its number, a name in another case", workbook(t, "a", row(`<c r="A3" t="s"><v>1</v></c><c r="B3"><v>1E-3</v></c>`)), more,
			`3 FILE:3||map[more:1E-3]|"in parts"` + "\n"},
		{"dates as they are read", workbook(t, "a", row(`<c r="A3" t="str"><v>x</v></c><c r="B3" s="1"><v>45321.5</v></c>`)), more, `3 FILE:3||map[more:2024-01-30 12:00:00]|"x"` + "\n"},
		{"a format of its own", workbook(t, "a", row(`<c t="str"><v>x</v></c><c s="2"><v>45321</v></c>`)), more, `3 FILE:3||map[more:2024-01-30]|"x"` + "\n"},
		{"a unit in quotes is not a date", workbook(t, "a", row(`<c t="str"><v>x</v></c><c s="3"><v>45321</v></c>`)), more, `3 FILE:3||map[more:45321]|"x"` + "\n"},
		{"the sheet that is named", workbook(t, "a", "", "My Sheet", row(`<c t="str"><v>x&lt;</v></c>`)), Options{Form: Form{Sheet: "my sheet"}}, `3 FILE:3|||"x<"` + "\n"},
		{"no such sheet", workbook(t, "a", ""), Options{Form: Form{Sheet: "b"}}, "FILE: sheet \"b\": does not exist (want one of [\"a\"]): the rest of the file cannot be read\n"},
		{"lines in a cell do not change the number of the row", workbook(t, "a", header+`<row r="2"><c t="str"><v>a`+"\n"+`"b"</v></c></row><row r="3"><c t="str"><v>c</v></c></row>`), Options{},
			`2 FILE:2|||"a\n\"b\""` + "\n" + `3 FILE:3|||"c"` + "\n"},
		{"no text", workbook(t, "a", `<row><c t="str"><v>body</v></c></row>`), Options{},
			"FILE: no column \"text\" (want one of \"body\", or the number of a column, from 1)\n"},
		{"a text that is missing", workbook(t, "a", row(`<c t="s"><v>2</v></c>`)), Options{}, "FILE:2: damaged: xl/worksheets/s0.xml: row 3: text \"2\" does not exist: the rest of the file cannot be read\n"},
		{"cells out of order", workbook(t, "a", row(`<c r="B3"/><c r="A3"/>`)), Options{}, "FILE:2: damaged: xl/worksheets/s0.xml: a cell of row 3 is out of order: the rest of the file cannot be read\n"},
		{"a row far away", workbook(t, "a", `<row r="99999999"></row>`), Options{}, "FILE: damaged: xl/worksheets/s0.xml: row \"99999999\" after row 0: the rest of the file cannot be read\n"},
		{"a bomb", workbook(t, "a", strings.Repeat(" ", 1<<20)+header), Options{MaxDecompressed: 1 << 16}, "FILE: damaged: xl/worksheets/s0.xml: decompressed data: too large (want at most 65536 bytes): the rest of the file cannot be read\n"},
		{"not a zip", "a text", Options{}, "FILE: damaged: zip: not a valid zip file: the rest of the file cannot be read\n"},
		{"another zip", zipped(t, "a", "b"), Options{}, "FILE: not an Excel file: it has no sheet: the rest of the file cannot be read\n"},
	} {
		path := put(t, t.TempDir(), "a.xlsx", c.content)
		if got := readAs(t, path, c.opt); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// What is written is read again: numbers as numbers, texts that look like numbers or formulas as texts.
func TestWrittenSheets(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "a.csv", "id,text,n\n007,=1+1,12\n1,\"two\nlines <&>\",1.5\n12345678901234567890,\"\",x\n"+
		"4,a,2024-02-29\n5,b,1999-12-31 23:59:59\n6,c,1900-01-31\n7,d,2024-02-29 00:00:00\n8,e,12:30:00\n")
	opt := Options{Fields: []string{"n"}}
	want := `2 007||map[n:12]|"=1+1"` + "\n" + `3 1||map[n:1.5]|"two\nlines <&>"` + "\n" + `4 12345678901234567890||map[n:x]|""` + "\n" +
		`5 4||map[n:2024-02-29]|"a"` + "\n" + `6 5||map[n:1999-12-31 23:59:59]|"b"` + "\n" + `7 6||map[n:1900-01-31]|"c"` + "\n" +
		`8 7||map[n:2024-02-29 00:00:00]|"d"` + "\n" + `9 8||map[n:12:30:00]|"e"` + "\n"
	for _, to := range []string{"b.xlsx", "c.xlsx"} {
		r, err := Open([]string{path}, opt)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(dir, to)
		w, err := NewWriter(path, r)
		if err != nil {
			t.Fatal(err)
		}
		for it, err := range r.Items() {
			if err == nil {
				err = w.Write(it)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		r.Close()
		if got := readAs(t, path, opt); got != want {
			t.Errorf("%s:\n got %s\nwant %s", to, got, want)
		}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<c><v>12</v></c>", `<c s="1"><v>45351</v></c>`, `<c s="2"><v>36525.99998842592</v></c>`, "<c t=\"inlineStr\"><is><t xml:space=\"preserve\">007</t>"} {
		f, err := z.Open("xl/worksheets/sheet1.xml")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(f); err != nil || !strings.Contains(b.String(), part) {
			t.Errorf("%s: not in %s", part, b.String())
		}
	}
}

func TestWordFiles(t *testing.T) {
	const core, body = `<p><title> A title</title></p>`, "word/document.xml"
	for _, c := range []struct{ name, content, want string }{
		{"paragraphs, tabs, breaks", zipped(t, body, `<w:document><w:p><w:r><w:t>A</w:t><w:tab/><w:t>b</w:t><w:br/></w:r></w:p><w:p><w:t>c</w:t></w:p></w:document>`, "docProps/core.xml", core),
			`1 FILE|A title||"A\tb\n\nc"` + "\n"},
		{"what was deleted is not text, nor a field's code", zipped(t, body, `<w:p><w:del><w:delText>x</w:delText></w:del><w:instrText>PAGE</w:instrText><w:t>a</w:t></w:p>`), `1 FILE|||"a"` + "\n"},
		{"a text box is one text", zipped(t, body, `<mc:Choice><w:t>a</w:t></mc:Choice><mc:Fallback><w:t>a</w:t></mc:Fallback>`), `1 FILE|||"a"` + "\n"},
		{"damaged XML", zipped(t, body, `<w:p`), "FILE:1: damaged: word/document.xml: XML syntax error on line 1: unexpected EOF\n"},
		{"entities are not expanded", zipped(t, body, `<!DOCTYPE a [<!ENTITY x "y">]><w:t>&x;</w:t>`), "FILE:1: damaged: word/document.xml: XML syntax error on line 1: invalid character entity &x;\n"},
		{"a bomb", zipped(t, body, strings.Repeat(" ", 1<<20)+"<w:t>a</w:t>"), "FILE:1: damaged: word/document.xml: decompressed data: too large (want at most 65536 bytes)\n"},
		{"another zip", zipped(t, "a", "b"), "FILE:1: not a Word file: it has no word/document.xml\n"},
		{"not a zip", "a text", "FILE:1: damaged: zip: not a valid zip file\n"},
	} {
		path := put(t, t.TempDir(), "a.docx", c.content)
		if got := readAs(t, path, Options{MaxDecompressed: 1 << 16}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func FuzzOffice(f *testing.F) {
	f.Add([]byte(workbook(f, "a", header+`<row r="3"><c r="A3" t="s"><v>1</v></c></row>`)))
	f.Add([]byte(zipped(f, "word/document.xml", `<w:p><w:t>a</w:t></w:p>`)))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"a.xlsx", "a.docx"} {
			readAs(t, put(t, t.TempDir(), name, string(content)), Options{MaxDecompressed: 1 << 20})
		}
	})
}

// FuzzSheet changes the XML of a sheet, which a change of the archive seldom reaches.
func FuzzSheet(f *testing.F) {
	f.Add(header + `<row r="3"><c r="A3" t="s"><v>1</v></c><c s="1"><v>1e9</v></c></row>`)
	f.Fuzz(func(t *testing.T, rows string) {
		readAs(t, put(t, t.TempDir(), "a.xlsx", workbook(t, "a", rows)), Options{MaxDecompressed: 1 << 20})
	})
}
