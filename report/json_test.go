package report

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/neardup/neardup"
)

// FuzzMember: what is written without reflection is what encoding/json reads
// as the same, safe in HTML, and what lies in the store comes back.
func FuzzMember(f *testing.F) {
	f.Add("id", "title", "text\n<script>\u2028\u2029&\"\\\x00\x7f", "中国 \xff\xfe", .61, 7)
	f.Add("", "", "", "", 0.0, -1)
	f.Fuzz(func(t *testing.T, id, title, text, other string, similarity float64, n int) {
		if similarity != similarity || similarity > 1e300 || similarity < -1e300 {
			t.Skip("no similarity")
		}
		distance := int32(n)
		m := shown{document: document{ID: id, Title: title, URL: other, Text: text, Cut: n & 0xffff, Source: other},
			Decision: neardup.Duplicate, Similarity: similarity, Basis: other, Method: title, Via: id}
		if n > 0 {
			m.Distance = &distance
			m.Conflicts = []neardup.Conflict{{Kind: "number", A: text, B: other}}
		}
		line := m.appendJSON(nil)
		if strings.ContainsAny(string(line), "<>&\u2028\u2029") {
			t.Errorf("not safe in HTML: %s", line)
		}
		want, err := json.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		var x, y any
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := json.Unmarshal(want, &y); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(x, y) {
			t.Errorf("%s\nwant %s", line, want)
		}
		var back document
		if err := back.get(m.document.put(nil)); err != nil || back != m.document {
			t.Errorf("%+v came back as %+v, %v", m.document, back, err)
		}
	})
}

// TestStore: documents come back from memory, from the file, and from where
// one ends and the other begins; a damaged one is an error.
func TestStore(t *testing.T) {
	s := newStore(t.TempDir())
	s.limit = 10
	defer s.close()
	var at []place
	lines := []string{"four", "five5", "sixsix", "x", "seven77"}
	for _, line := range lines {
		p, err := s.add([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, p)
	}
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	for i, p := range at {
		if got, err := s.read(p); err != nil || string(got) != lines[i] {
			t.Errorf("%q, %v; want %q", got, err, lines[i])
		}
	}
	if len(s.memory) != 9 || s.file == nil {
		t.Errorf("%d bytes in memory, file %v", len(s.memory), s.file)
	}
	for _, damaged := range []string{"", "\x05abc", "\x01a\x01b\x01c\x01d\x01e", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		var d document
		if err := d.get([]byte(damaged)); err == nil {
			t.Errorf("%q is a document: %+v", damaged, d)
		}
	}
}
