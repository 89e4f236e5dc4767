package weighted

import (
	"strings"
	"testing"
)

// TestDifferences: what two texts have in one place is named together, the
// heaviest first, and the other way round it is the same.
func TestDifferences(t *testing.T) {
	m, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{"the meeting is at 10 in berlin", "the meeting is at 12 in berlin", []string{"10/12"}},
		{"江西新增病例29例", "甘肃新增病例14例", []string{"江西/甘肃", "29/14"}},
		{"the report is due", "please note the report is due", []string{"/please note"}},
		{"same words", "same words", nil},
		{"", "words", []string{"/words"}},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			got := map[string]bool{}
			last := 1e9
			for _, d := range m.Differences(m.View(a), m.View(b), 10) {
				if d.Weight > last || d.Weight <= 0 {
					t.Errorf("%+v: weight %v after %v", d, d.Weight, last)
				}
				last = d.Weight
				if swap {
					d.A, d.B = d.B, d.A
				}
				got[d.A+"/"+d.B] = true
			}
			if len(got) != len(c.want) {
				t.Errorf("%q and %q: %v, want %v", a, b, got, c.want)
			}
			for _, want := range c.want {
				if !got[want] {
					t.Errorf("%q and %q: %v, want %v", a, b, got, c.want)
				}
			}
		}
	}
	long := strings.Repeat("words of a long text ", 5000)
	if got := m.Differences(m.View(long+"zebra"), m.View(long+"tiger"), 10); len(got) != 2 || got[0].A+got[0].B == "" {
		t.Errorf("%v", got)
	}
	if got := m.Differences(m.View("a1 b2 c3"), m.View("d4 b2 e5"), 1); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
