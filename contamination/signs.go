package contamination

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

func numeric(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// symbolic reports whether a unit can be part of a formula, as a number or a single letter.
func symbolic(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return numeric(s) || (size == len(s) && unicode.IsLetter(r) && !single(r))
}

// signs returns the signs between a unit and the previous one.
func (s side) signs(i int) (found string) {
	start, end := s.gap(i)
	for at := start; at < end; {
		name, next := text.Sign(s.clean, at)
		found += name
		_, size := utf8.DecodeRuneInString(s.clean[at:])
		at = max(next, at+size)
	}
	return found
}

// goesOn returns the sign by which a formula continues after its last unit: a decimal point, or a sign before another
// number or letter. A sign that introduces an answer does not count.
func (s side) goesOn(i int) string {
	start, end := s.gap(i)
	after, left, right := s.clean[start:end], s.at(i-1), s.at(i)
	if after == "." && numeric(left) && numeric(right) {
		return after
	}
	found := s.signs(i)
	if strings.ContainsAny(after, ".?!;:,=。") && !strings.HasPrefix(found, "%") {
		return ""
	}
	if (symbolic(left) && symbolic(right)) || found == "%" {
		return found
	}
	return ""
}

// side is an item or a document, with its clean text and units.
type side struct {
	clean string
	units []unit
}

// at returns a unit, or "" before the first and after the last.
func (s side) at(i int) string {
	if i < 0 || i >= len(s.units) {
		return ""
	}
	return s.clean[s.units[i].start:s.units[i].end]
}

// gap returns the start and the end of the gap before a unit.
func (s side) gap(i int) (start, end int) {
	end = len(s.clean)
	if i > 0 {
		start = int(s.units[i-1].end)
	}
	if i < len(s.units) {
		end = int(s.units[i].start)
	}
	return start, end
}

// excerpt returns the text of a range of units, including a sign before the first unit of all.
func (s side) excerpt(from, to int) string {
	minus := ""
	if from < 0 && strings.HasSuffix(s.signs(0), "-") {
		minus = "-"
	}
	from, to = max(from, 0), min(to, len(s.units)-1)
	if from > to {
		return ""
	}
	return minus + s.clean[s.units[from].start:s.units[to].end]
}

func (s side) numbers(from, to int) (out []string) {
	for i := max(from, 0); i < min(to, len(s.units)); i++ {
		if numeric(s.at(i)) {
			out = append(out, s.at(i))
		}
	}
	return out
}

// reads records the numbers and signs that the document has in place of those of the item. It compares them between the
// pairs, and before and after as far as the item extends.
func (f *Finding) reads(item, doc side, pairs []pairing) {
	note := func(d Difference) {
		if !slices.Contains(f.Differs, d) {
			f.Differs = append(f.Differs, d)
		}
	}
	first, last := pairs[0], pairs[len(pairs)-1]
	trail := int32(len(item.units)) - last.item
	open := pairing{-1, first.doc - first.item - 1}
	ends := append(slices.Clone(pairs), pairing{last.item + trail, last.doc + trail})
	for _, p := range ends {
		theirs := doc.numbers(int(open.doc+1), int(p.doc))
		for k, number := range item.numbers(int(open.item+1), int(p.item)) {
			if k < len(theirs) && theirs[k] != number {
				note(Difference{number, theirs[k]})
			}
		}
		if p.item == open.item+1 {
			i, d := int(p.item), int(p.doc)
			if differs := signsDiffer(item, doc, i, d, p.doc == open.doc+1); differs {
				note(Difference{item.excerpt(i-1, i), doc.excerpt(d-1, d)})
			}
		}
		open = p
	}
}

// signsDiffer compares the signs before a unit of the item with those before its partner in the document. Signs between two
// units count only if the previous units are partners as well.
func signsDiffer(item, doc side, i, d int, next bool) bool {
	switch {
	case i == len(item.units):
		return item.goesOn(i) != doc.goesOn(d)
	case i > 0 && !next:
		return false
	}
	ours, other := item.signs(i), doc.signs(d)
	if i == 0 { // before the first unit, only a minus belongs to the item
		return strings.HasSuffix(ours, "-") != strings.HasSuffix(other, "-")
	}
	return ours != other
}
