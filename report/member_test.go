package report

import (
	"testing"
)

// FuzzMember checks that a stored document is read back unchanged.
func FuzzMember(f *testing.F) {
	f.Add("id", "title", "text\n<script>\u2028\u2029&\"\\\x00\x7f", "中国 \xff\xfe", 7)
	f.Add("", "", "", "", -1)
	f.Fuzz(func(t *testing.T, id, title, text, other string, n int) {
		d := document{ID: id, Title: title, URL: other, Text: text, Cut: n & 0xffff, Source: other}
		var back document
		if err := back.get(d.put(nil)); err != nil || back != d {
			t.Errorf("%+v came back as %+v, %v", d, back, err)
		}
	})
}

func TestDamagedMember(t *testing.T) {
	for _, damaged := range []string{"", "\x05abc", "\x01a\x01b\x01c\x01d\x01e", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		var d document
		if err := d.get([]byte(damaged)); err == nil {
			t.Errorf("%q is a document: %+v", damaged, d)
		}
	}
}
