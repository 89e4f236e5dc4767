package report

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/text"
)

// A document is the stored form of a document.
type document struct {
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"`
	URL    string `json:"url,omitempty"`
	Text   string `json:"text"`
	Cut    int    `json:"cut,omitempty"` // number of runes shown, if the text is cut
	Source string `json:"source,omitempty"`
	// Picture is a data URL of an image that is shown instead of the text.
	Picture string `json:"picture,omitempty"`
}

type shown struct {
	document
	Decision   neardup.Verdict    `json:"decision"`
	Similarity float64            `json:"similarity,omitempty"`
	Distance   *int32             `json:"distance,omitempty"`
	Basis      string             `json:"basis,omitempty"`
	Method     string             `json:"method,omitempty"`
	Via        string             `json:"via,omitempty"`
	Conflicts  []neardup.Conflict `json:"conflicts,omitempty"`
	Relation   neardup.Relation   `json:"relation,omitempty"`
}

// Close frees the temporary file. A builder that wrote its report is closed
// as well.
func (b *Builder) Close() error {
	if b.store != nil {
		b.store.files.Close()
		b.store = nil
	}
	return nil
}

// Document adds the document of a decision that [Builder.Wants], and ignores all others. source names its
// origin, such as its file. Groups use the host of its address instead if it has one. picture is a data URL
// of a small image to show instead of the text, or "".
func (b *Builder) Document(number int, doc *neardup.Document, source, picture string) error {
	if b.store == nil {
		return errOrder
	}
	if !b.Wants(number) {
		return nil
	}
	d := document{ID: doc.ID, Title: doc.Title, URL: doc.URL, Source: source, Picture: picture}
	if picture == "" {
		d.Text, d.Cut = cut(doc.Text, b.opt.TextRunes)
	}
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	at, err := b.store.Add(string(line))
	b.docs[b.docNumber[number]-1] = extent{at, int32(len(line))}
	return err
}

// cut returns at most the first runes of s, and their number if s is longer.
func cut(s string, runes int) (string, int) {
	if len(s) <= runes {
		return s, 0
	}
	n := 0
	for i := range s {
		if n == runes {
			return s[:i], runes
		}
		n++
	}
	return s, 0
}

// member reads a member. If its document was never added, it returns only the number.
func (b *Builder) member(i int32) (shown, error) {
	n := b.members[i]
	r, at := &b.decisions[n], b.docs[b.docNumber[n]-1]
	s := shown{Decision: neardup.New}
	if r.kind.removed() {
		s.Decision = neardup.Duplicate
	}
	if r.kind != kept {
		s.Similarity = r.similarity
		s.Method, s.Basis = b.reasons[r.basis].Method, b.reasons[r.basis].Basis
		if r.distance >= 0 {
			s.Distance = &r.distance
		}
	}
	if x, ok := b.extra[n]; ok {
		s.Via, s.Conflicts, s.Relation = x.via, x.conflicts, x.relation
	}
	if at.length == 0 {
		s.ID = fmt.Sprintf("decision %d", n+1)
		return s, nil
	}
	line, err := b.store.Read(at.at, int(at.length))
	if err == nil {
		err = json.Unmarshal(line, &s.document)
	}
	return s, err
}

// runeSet is the set of runes in the texts. It determines which of them are traditional.
type runeSet [0x40000 / 64]uint64

func (s *runeSet) add(t string) {
	for _, r := range t {
		if r >= 0x2e80 && r < 0x40000 {
			s[r/64] |= 1 << (r % 64)
		}
	}
}

var simplify, _ = text.ParseNormalizer("simplify")

// simplified lists each traditional character with its simplified form.
func (s *runeSet) simplified() string {
	var out []byte
	for i, word := range s {
		for k := 0; word != 0 && k < 64; k++ {
			if word>>k&1 == 0 {
				continue
			}
			r := string(rune(i*64 + k))
			if to := simplify.Clean(r); to != r && utf8.RuneCountInString(to) == 1 {
				out = append(append(out, r...), to...)
			}
		}
	}
	return string(out)
}
