package weighted

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// The blanks of a form. A weather report, a bulletin or an invoice of another
// day has every sentence of the one before and another number in each; another
// edition of a document has most numbers of the one before. So numbers that
// stand between the same words in both texts are held against each other, but
// for dates and for the numbers of paragraphs, which editions change.
const (
	// mostForm is the length of the longest text, in bytes, that is taken for a
	// form: no edition of a document that was read is that short and has half of
	// its numbers changed, and three of 93 that are longer have.
	mostForm = 8 << 10
	// mostFields bounds the numbers of a text that are kept, which is what
	// the check of a pair costs.
	mostFields = 256
	// leastChanged is how many fields must differ at least, and a share of
	// one in changedShare of those that both texts have.
	leastChanged = 3
	changedShare = 2
)

// field is a number between words.
type field struct {
	place uint64 // hash of the words around it
	value string
}

// fields returns the numbers of a clean text by place, those of a place in the
// order of the text.
func fields(clean string) []field {
	var found []field
	if len(clean) > mostForm {
		return nil
	}
	for at := 0; at < len(clean) && len(found) < mostFields; {
		if !isDigit(clean[at]) {
			at++
			continue
		}
		end := numberEnd(clean, at)
		if end == 0 {
			for end = at; end < len(clean) && (isDigit(clean[end]) || class(rune(clean[end])) == classLetter); {
				end++
			}
			at = end
			continue
		}
		before, left := wordBefore(clean, at)
		after, right := wordAfter(clean, end)
		if left && right && !isDate(before, clean[at:end], after) {
			found = append(found, field{xxh3.HashString(before + "\x00" + after), strings.Clone(decimal(clean[at:end]))})
		}
		at = end
	}
	slices.SortStableFunc(found, func(a, b field) int { return cmp.Compare(a.place, b.place) })
	return slices.Clip(found)
}

// inAddresses are the signs before a number that is part of an address, a name or
// an assignment of a program, which nobody reads.
const inAddresses = "./=&%_?#:"

// wordBefore returns the word before s[at], or two characters of Chinese; ok is
// false where a number, a letter or a sign of an address sticks to it.
func wordBefore(s string, at int) (word string, ok bool) {
	end := at
	for end > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:end])
		if k := class(r); k != classOther {
			if end == at && (k == classLetter || k == classDigit) {
				return "", false
			}
			break
		}
		if end == at && strings.ContainsRune(inAddresses, r) {
			return "", false
		}
		end -= size
	}
	from, runes := end, 0
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if k := class(r); k == classOther || runes == 2 && (k == classHan || k == classRun) {
			break
		}
		from -= size
		runes++
	}
	return neighbour(s[from:end]), true
}

// wordAfter returns the word behind s[at], or a character of Chinese.
func wordAfter(s string, at int) (word string, ok bool) {
	from := at
	for from < len(s) {
		r, size := utf8.DecodeRuneInString(s[from:])
		if k := class(r); k != classOther {
			if from == at && (k == classLetter || k == classDigit) {
				return "", false
			}
			break
		}
		from += size
	}
	end := from
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		k := class(r)
		if k == classOther || end > from && (k == classHan || k == classRun) {
			break
		}
		end += size
	}
	return neighbour(s[from:end]), true
}

// neighbour is a word as it stands around a field: one number is as good as another.
func neighbour(word string) string {
	if strings.Trim(word, "0123456789") == "" {
		return ""
	}
	return word
}

// isDate reports whether a number is a year, the number of a month or a day.
func isDate(before, number, after string) bool {
	if len(number) == 4 && (strings.HasPrefix(number, "19") || strings.HasPrefix(number, "20")) {
		return true
	}
	return len(number) <= 2 && (isMonth(canonical(before)) || isMonth(canonical(after)) || after == "年" || after == "月" || after == "日")
}

// form finds two forms that are filled in differently.
func (j *judge) form(a, b []field) {
	if both, changed, x, y := changedFields(a, b); changed >= leastChanged && changedShare*changed >= both {
		j.add(KindNumber, x, y)
	}
}

// changedFields counts the fields that both texts have, and those in which
// their numbers differ, with the first of them.
func changedFields(a, b []field) (both, changed int, x, y string) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].place < b[0].place:
			a = a[1:]
		case a[0].place > b[0].place:
			b = b[1:]
		default:
			p, q := a[0].value, b[0].value
			a, b = a[1:], b[1:]
			if p != q && renumbered(p, q) {
				continue
			}
			both++
			if p != q {
				if changed++; changed == 1 {
					x, y = p, q
				}
			}
		}
	}
	return both, changed, x, y
}

// renumbered reports whether two numbers may count one paragraph, before and
// after a few others were put in.
func renumbered(p, q string) bool {
	value := func(s string) int {
		if n, err := strconv.Atoi(s); err == nil && len(s) <= 2 {
			return n
		}
		return -1
	}
	x, y := value(p), value(q)
	return x >= 0 && y >= 0 && max(x-y, y-x) <= 2
}
