package corpus

import (
	"fmt"
	"strings"
	"testing"
)

// A sample has all records of a text or none, another seed has others, and the limit counts what is read.
func TestParts(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `{"id":"%d","text":"%d"}`+"\n", i, i%500)
	}
	path := put(t, t.TempDir(), "a.jsonl", b.String()+"{}\n")
	read := func(p Part) (texts map[string]int, rejected int) {
		r, err := Open([]string{path}, Options{Part: p})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		texts = map[string]int{}
		for doc, err := range r.Documents() {
			if err != nil {
				rejected++
				continue
			}
			texts[doc.Text]++
		}
		return texts, rejected
	}
	for _, c := range []struct {
		part                  Part
		least, most, rejected int // texts
	}{
		{Part{}, 500, 500, 1},
		{Part{Sample: 1}, 500, 500, 1},
		{Part{Sample: .2}, 70, 130, 1},
		{Part{Sample: .2, Seed: 7}, 70, 130, 1},
		{Part{Limit: 500}, 500, 500, 0},
		{Part{Limit: 5}, 5, 5, 0},
		{Part{Limit: 5, Sample: .5}, 5, 5, 0},
	} {
		texts, rejected := read(c.part)
		if n := len(texts); n < c.least || n > c.most || rejected != c.rejected {
			t.Errorf("%+v: %d texts, %d rejects", c.part, n, rejected)
		}
		for text, n := range texts {
			if c.part.Limit == 0 && n != 2 {
				t.Errorf("%+v: %d of 2 records of text %s", c.part, n, text)
			}
		}
	}
	one, _ := read(Part{Sample: .2})
	again, _ := read(Part{Sample: .2})
	other, _ := read(Part{Sample: .2, Seed: 7})
	if fmt.Sprint(one) != fmt.Sprint(again) || fmt.Sprint(one) == fmt.Sprint(other) {
		t.Error("the seed does not decide the sample")
	}
}
