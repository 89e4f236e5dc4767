package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/neardup/neardup/docid"
)

// Texts makes families of near texts: members of a family differ in a few
// characters, families in nearly all.
type Texts struct {
	R        *rand.Rand
	Families int
	n        int
}

// NewTexts returns a generator.
func NewTexts(seed uint64, families int) *Texts {
	return &Texts{R: rand.New(rand.NewPCG(seed, 1)), Families: families}
}

// Base is the text of a family before it is varied.
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

// Next is the next submission: a varied text, sometimes with an address that
// others share, a heat and an idempotency key.
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
