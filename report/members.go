package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/text"
)

// document is one as it lies in the temporary file.
type document struct {
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"`
	URL    string `json:"url,omitempty"`
	Text   string `json:"text"`
	Cut    int    `json:"cut,omitempty"` // runes shown, where that is not all
	Source string `json:"source,omitempty"`
}

// shown is a member as the page wants it.
type shown struct {
	document
	Decision   neardup.Verdict    `json:"decision"`
	Similarity float64            `json:"similarity,omitempty"`
	Distance   *int32             `json:"distance,omitempty"`
	Basis      string             `json:"basis,omitempty"`
	Method     string             `json:"method,omitempty"`
	Via        string             `json:"via,omitempty"`
	Conflicts  []neardup.Conflict `json:"conflicts,omitempty"`
}

// create makes the temporary file, without a name as soon as it is open.
func (b *Builder) create() error {
	f, err := os.CreateTemp(b.opt.Tmp, "neardup-report-*")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	b.file, b.out = f, bufio.NewWriterSize(f, 256<<10)
	_ = os.Remove(f.Name()) // where a file in use cannot be removed, Close does
	return nil
}

// Close frees the temporary file. A builder that wrote its report is closed
// as well.
func (b *Builder) Close() error {
	if b.file == nil {
		return nil
	}
	f := b.file
	b.file = nil
	err := f.Close()
	_ = os.Remove(f.Name())
	return err
}

// Document takes the document of a decision that [Builder.Wants]; of others
// nothing is kept. Source is where it is from, such as its file; where it has
// an address, groups go by the host of that.
func (b *Builder) Document(number int, doc *neardup.Document, source string) error {
	if b.file == nil {
		return errOrder
	}
	if !b.Wants(number) {
		return nil
	}
	d := document{ID: doc.ID, Title: doc.Title, URL: doc.URL, Source: source}
	d.Text, d.Cut = cut(doc.Text, b.opt.TextRunes)
	line, err := json.Marshal(&d)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := b.out.Write(line); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	b.docs[b.place[number]-1] = place{b.end, int32(len(line))}
	b.end += int64(len(line))
	return nil
}

// cut returns at most so many runes, and their number if that is not all.
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

// member reads a member; one whose document never came has its number alone.
func (b *Builder) member(i int32) (shown, error) {
	n := b.members[i]
	r, at := &b.rows[n], b.docs[b.place[n]-1]
	s := shown{Decision: neardup.New}
	if r.kind == near || r.kind == equal {
		s.Decision = neardup.Duplicate
	}
	if r.kind != kept {
		s.Similarity = r.similarity
		s.Method, s.Basis = b.reasons[r.basis].Method, b.reasons[r.basis].Basis
		if r.distance >= 0 {
			s.Distance = &r.distance
		}
	}
	x := b.extra[n]
	s.Via, s.Conflicts = x.via, x.conflicts
	if at.length == 0 {
		s.ID = fmt.Sprintf("decision %d", n+1)
		return s, nil
	}
	line := make([]byte, at.length)
	if _, err := b.file.ReadAt(line, at.at); err != nil {
		return s, fmt.Errorf("report: %w", err)
	}
	if err := json.Unmarshal(line, &s.document); err != nil {
		return s, fmt.Errorf("report: %w", err)
	}
	return s, nil
}

// sourceOf names where a document is from: the host of its address, or the
// source it was given with.
func sourceOf(d *document) string {
	if u, err := url.Parse(d.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return d.Source
}

// runeSet is the set of runes that texts have, to say which of them are
// traditional.
type runeSet [0x40000 / 64]uint64

func (s *runeSet) add(t string) {
	for _, r := range t {
		if r >= 0x2e80 && r < 0x40000 {
			s[r/64] |= 1 << (r % 64)
		}
	}
}

// simplified lists each traditional character with its simplified form.
func (s *runeSet) simplified() (string, error) {
	n, err := text.ParseNormalizer("simplify")
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	var out []byte
	for i, word := range s {
		for k := 0; word != 0 && k < 64; k++ {
			if word>>k&1 == 0 {
				continue
			}
			r := string(rune(i*64 + k))
			if to := n.Clean(r); to != r && utf8.RuneCountInString(to) == 1 {
				out = append(append(out, r...), to...)
			}
		}
	}
	return string(out), nil
}
