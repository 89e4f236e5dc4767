package override

import (
	"fmt"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"one", `{"a":"x","b":"y","link":"must"}`, "x y must;"},
		{"who and when", `{"a":"x","b":"y","link":"cannot","who":"Li","time":"2026-01-02T03:04:05Z"}` + "\n", "x y cannot;"},
		{"the last one holds", `{"a":"x","b":"y","link":"must"}` + "\n\n" + `{"a":"y","b":"x","link":"cannot"}`, "x y cannot;"},
		{"by ids", `{"a":"9","b":"8","link":"must"}` + "\n" + `{"a":"1","b":"2","link":"must"}`, "1 2 must;8 9 must;"},
		{"no JSON", "x", "error: overrides:1: "},
		{"no ids", `{"id_a":"x","id_b":"y","link":"must"}`, `error: overrides:1: ruling: id is missing (want for example {"a":"x","b":"y","link":"must"})`},
		{"one id", "\n" + `{"a":"x","b":"x","link":"must"}`, `error: overrides:2: ruling: both ids are "x"`},
		{"no link", `{"a":"x","b":"y"}`, `error: overrides:1: link "": invalid (want must or cannot)`},
		{"from Windows", "\ufeff" + `{"a":"x","b":"y","link":"must"}` + "\r\n\r\n", "x y must;"},
	} {
		s, err := Read(strings.NewReader(c.in))
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else if err := s.Each(func(a, b string, l Link) error { got += fmt.Sprintf("%s %s %s;", a, b, l); return nil }); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got, c.want) || (c.want == "" && got != "") {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestDigestIsOfTheContents(t *testing.T) {
	digest := func(lines ...string) string {
		s, err := Read(strings.NewReader(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		return s.Digest()
	}
	a, b := `{"a":"x","b":"y","link":"must"}`, `{"a":"u","b":"v","link":"cannot"}`
	if digest(a, b) != digest(b, a) || digest(a) != digest(`{"b":"x","a":"y","link":"must","who":"me"}`) {
		t.Error("order or who counts")
	}
	if digest(`{"a":"x","b":"yz","link":"must"}`) == digest(`{"a":"xy","b":"z","link":"must"}`) {
		t.Error("where an id ends does not count")
	}
	if digest(a) == digest(a, b) || digest(a) == digest(strings.Replace(a, "must", "cannot", 1)) {
		t.Error("a ruling does not count")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"a":"x","b":"y","link":"must"}`)
	f.Fuzz(func(t *testing.T, in string) {
		s, err := Read(strings.NewReader(in))
		if err != nil {
			return
		}
		n := 0
		err = s.Each(func(a, b string, l Link) error {
			n++
			if a >= b || !s.Names(a) || !s.Names(b) || (l != Must && l != Cannot) {
				t.Errorf("ruling %q %q %q", a, b, l)
			}
			return nil
		})
		if err != nil || n != s.Len() {
			t.Errorf("%d rulings of %d (%v)", n, s.Len(), err)
		}
	})
}

func ExampleRead() {
	s, err := Read(strings.NewReader(`{"a":"news-17","b":"news-4","link":"cannot","who":"Li Na"}`))
	fmt.Println(s.Len(), s.Names("news-4"), err)
	// Output: 1 true <nil>
}

// TestPartners: rulings by either id; the last one for a pair holds, and the nil set
// has none.
func TestPartners(t *testing.T) {
	s := &Set{}
	for _, r := range []Ruling{{A: "c", B: "a", Link: Must}, {A: "a", B: "b", Link: Must}, {A: "b", B: "a", Link: Cannot}, {A: "a", B: "d", Link: Must}} {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(s.Partners("b", Cannot), s.Partners("b", Must), s.Partners("c", Must)); got != "[a] [] [a]" {
		t.Errorf("the other sides have %s", got)
	}
	must, cannot := fmt.Sprint(s.Partners("a", Must)), fmt.Sprint(s.Partners("a", Cannot))
	if must != "[c d]" || cannot != "[b]" || s.Partners("z", Must) != nil || (*Set)(nil).Partners("a", Must) != nil {
		t.Errorf("a must be linked with %s, cannot with %s", must, cannot)
	}
}
