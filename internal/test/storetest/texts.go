package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/neardup/neardup/docid"
)

// Texts generates families of near texts. Members of a family differ in a few characters, and families in nearly all.
type Texts struct {
	R        *rand.Rand
	Families int
	n        int
}

// NewTexts returns a generator.
func NewTexts(seed uint64, families int) *Texts {
	return &Texts{R: rand.New(rand.NewPCG(seed, 1)), Families: families}
}

// Base returns the text of a family before it is varied.
func Base(family int) string {
	r := rand.New(rand.NewPCG(uint64(family), 7))
	var b strings.Builder
	for b.Len() < 120 {
		b.WriteByte(byte('a' + r.IntN(26)))
	}
	return b.String()
}

// Vary changes up to n characters of a text.
func (t *Texts) Vary(s string, n int) string {
	b := []byte(s)
	for range t.R.IntN(n + 1) {
		b[t.R.IntN(len(b))] = byte('a' + t.R.IntN(26))
	}
	return string(b)
}

// Next returns the next submission: a varied text, sometimes with a url that others share, a heat and an idempotency key.
func (t *Texts) Next() docid.Submission {
	t.n++
	var s docid.Submission
	family := t.R.IntN(t.Families)
	s.ID = fmt.Sprintf("n%d-%d", t.R.Uint32(), t.n)
	s.Text = t.Vary(Base(family), 8)
	s.Heat = int64(t.R.IntN(5))
	if t.R.IntN(4) == 0 {
		s.URL = fmt.Sprintf("http://example.org/%d", t.R.IntN(t.Families*2))
	}
	if t.R.IntN(3) == 0 {
		s.Idempotency = "key-" + s.ID
	}
	return s
}

// NextOf returns Next with all features that a cascade uses: equal or similar titles, missing contents, windows and TTLs.
func (t *Texts) NextOf(c Cascade) docid.Submission {
	s := t.Next()
	if c.Title != docid.Off && t.R.IntN(2) == 0 {
		s.Title = fmt.Sprintf("title of the family %d", t.R.IntN(t.Families))
		if t.R.IntN(2) == 0 {
			s.Title = t.Vary(s.Title, 3)
		}
	}
	if t.R.IntN(8) == 0 {
		s.Text = ""
	}
	if t.R.IntN(6) == 0 {
		s.Text = Base(t.R.IntN(t.Families))
	}
	if c.Pictures {
		s.Pictures = t.pictures()
		if s.Text != "" && t.R.IntN(2) == 0 {
			s.Text = t.Vary(s.Text, 24) // into the unsure range, and beyond it
		}
	}
	if t.R.IntN(3) == 0 {
		s.Window = time.Duration(1+t.R.IntN(12)) * time.Second
	}
	if t.R.IntN(4) == 0 {
		s.TTL = time.Duration(1+t.R.IntN(20)) * time.Second
	}
	return s
}
