package contamination

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numeric reports whether a unit has a digit.
func numeric(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// symbolic reports whether a unit may stand in a formula: a number, or a single letter.
func symbolic(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return numeric(s) || size == len(s) && unicode.IsLetter(r) && !single(r)
}

// oneSign maps signs to the one that means the same.
var oneSign = map[rune]rune{'−': '-', '–': '-', '×': '*', '∗': '*', '÷': '/', '∕': '/'}

// signs returns the signs of formulas in what stands between two units, "" of which there is
// none at an end of the text. Hyphens, bullets and emphasis are not signs.
func signs(between, left, right string) string {
	var out []rune
	either := symbolic(left) || symbolic(right)
	both := symbolic(left) && symbolic(right)
	between = strings.ReplaceAll(between, "**", "")
	for i, r := range between {
		if same, ok := oneSign[r]; ok {
			r = same
		}
		size := utf8.RuneLen(r)
		last := i+size >= len(between)
		spaceAfter := !last && between[i+size] == ' '
		switch {
		case r == '-': // between two, or of a number
			if both || last && numeric(right) && (i > 0 || left == "") {
				out = append(out, r)
			}
		case r == '*':
			if symbolic(left) && !(i == 0 && spaceAfter) {
				out = append(out, r)
			}
		case r == '/' || r == '<' || r == '>':
			if both {
				out = append(out, r)
			}
		case r == '%':
			if numeric(left) {
				out = append(out, r)
			}
		case r == '|' || r == '~' || r == '`':
		case r == '^' || unicode.Is(unicode.Sm, r):
			if either {
				out = append(out, r)
			}
		}
	}
	return string(out)
}

// goesOn returns the sign by which a formula goes on after its last unit: a decimal point, one
// before another number or letter, or a percent sign. What leads to an answer is not one.
func goesOn(after, left, right string) string {
	if after == "." && numeric(left) && numeric(right) {
		return after
	}
	if end := strings.IndexAny(after, ".?!;:,=。"); end >= 0 {
		after, right = after[:end], ""
	}
	found := signs(after, left, right)
	if symbolic(left) && symbolic(right) || found == "%" {
		return found
	}
	return ""
}

// side is an item or a document: its clean text, and the units of it.
type side struct {
	clean string
	units []unit
}

// at returns a unit, "" before the first and after the last.
func (s side) at(i int) string {
	if i < 0 || i >= len(s.units) {
		return ""
	}
	return s.clean[s.units[i].start:s.units[i].end]
}

// between returns what stands before a unit, after the one before.
func (s side) between(i int) string {
	start, end := 0, len(s.clean)
	if i > 0 {
		start = int(s.units[i-1].end)
	}
	if i < len(s.units) {
		end = int(s.units[i].start)
	}
	return s.clean[start:end]
}

// span returns the text of units, with the sign before the first of all.
func (s side) span(from, to int) string {
	minus := ""
	if from < 0 && strings.HasSuffix(s.between(0), "-") {
		minus = "-"
	}
	from, to = max(from, 0), min(to, len(s.units)-1)
	if from > to {
		return ""
	}
	return minus + s.clean[s.units[from].start:s.units[to].end]
}

// numbers returns the units from one to another that have digits.
func (s side) numbers(from, to int) (out []string) {
	for i := max(from, 0); i < min(to, len(s.units)); i++ {
		if numeric(s.at(i)) {
			out = append(out, s.at(i))
		}
	}
	return out
}

// reads notes the numbers and the signs that the document has in the place of others: between
// the pairs, and as far before and after them as the item reaches.
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
				note(Difference{item.span(i-1, i), doc.span(d-1, d)})
			}
		}
		open = p
	}
}

// signsDiffer compares the signs before a unit of the item, and before its partner in the
// document. Those inside count where the units before are partners also.
func signsDiffer(item, doc side, i, d int, next bool) bool {
	switch {
	case i == len(item.units):
		return goesOn(item.between(i), item.at(i-1), "") != goesOn(doc.between(d), doc.at(d-1), doc.at(d))
	case i > 0 && !next:
		return false
	}
	ours, other := signs(item.between(i), item.at(i-1), item.at(i)), signs(doc.between(d), doc.at(d-1), doc.at(d))
	if i == 0 { // only a minus reaches into the item
		return strings.HasSuffix(ours, "-") != strings.HasSuffix(other, "-")
	}
	return ours != other
}
