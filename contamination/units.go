package contamination

import (
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// unit is a run of letters and digits in a clean text, or a single character of a script without spaces.
type unit struct {
	hash       uint32
	start, end uint32
}

// A shingle is a sequence of units whose sizes add up to shortShingle or longShingle.
const (
	wordSize     = 12
	runeSize     = 9
	shortShingle = 24 // two words or three characters
	longShingle  = 36 // three words or four characters
)

// appendUnits appends the units of a clean text. O(len(clean)).
func appendUnits(dst []unit, clean string) []unit {
	for at := 0; at < len(clean); {
		if b := clean[at]; b < utf8.RuneSelf && !asciiWord[b] {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(clean[at:])
		switch {
		case single(r):
			dst = append(dst, unit{uint32(r)*2654435761 | 1, uint32(at), uint32(at + size)})
			at += size
		case text.IsAlnum(r):
			u := unit{hash: 2166136261, start: uint32(at)}
			at = u.word(clean, at)
			dst = append(dst, u)
		default:
			at += size
		}
	}
	return dst
}

// word reads the letters and digits from clean[at:] on, and returns where they end.
func (u *unit) word(clean string, at int) int {
	h := u.hash
	for at < len(clean) {
		if b := clean[at]; b < utf8.RuneSelf {
			if !asciiWord[b] {
				break
			}
			h = (h ^ uint32(b)) * 16777619
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(clean[at:])
		if single(r) || (!text.IsAlnum(r) && !text.IsMark(r)) {
			break
		}
		h = (h ^ uint32(r)) * 16777619
		at += size
	}
	u.hash, u.end = h&^1, uint32(at) // hashes of words are even, those of characters odd
	return at
}

func single(r rune) bool { return r >= 0xE00 && (text.IsCJK(r) || text.IsUnspaced(r)) }

func (u unit) size() int {
	if u.hash&1 == 1 {
		return runeSize
	}
	return wordSize
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = text.IsAlnum(rune(c))
	}
	return t
}()

// shingles returns the hashes of the shingles that begin with the first unit, or 0 if there are not enough units.
func shingles(units []unit) (short, long uint64) {
	h, size := uint64(0x9e3779b97f4a7c15), 0
	for _, u := range units {
		h = (h ^ uint64(u.hash)) * 0xd6e8feb86659fd93
		h ^= h >> 32
		size += u.size()
		if short == 0 && size >= shortShingle {
			short = h | 1
		}
		if size >= longShingle {
			return short, h*0x9e3779b97f4a7c15 | 1
		}
	}
	return short, 0
}

func sizeOf(units []unit) (n int) {
	for _, u := range units {
		n += u.size()
	}
	return n
}

// rawOffsets maps units of a clean text to offsets in raw, the text before cleaning. It cuts raw at white space and between
// Chinese characters, which cleaning never crosses, and counts the units of the clean pieces.
type rawOffsets struct {
	raw    string
	clean  func(string) string
	units  []unit // scratch
	pieces []piece
	total  int
}

type piece struct {
	start, end int // offsets in raw
	first      int // index of its first unit in the clean text
}

func (p *rawOffsets) cut(raw string) {
	p.raw, p.pieces, p.total = raw, p.pieces[:0], 0
	start := 0
	for at := 0; at < len(raw); {
		b := raw[at]
		if b < utf8.RuneSelf {
			at++
			if b == ' ' || b == '\n' || b == '\t' {
				p.put(start, at)
				start = at
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(raw[at:])
		at += size
		if next, _ := utf8.DecodeRuneInString(raw[at:]); han(r) && han(next) {
			p.put(start, at)
			start = at
		}
	}
	p.put(start, len(raw))
}

// han reports whether a rune is a Chinese character. Such a character never composes with another rune.
func han(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF }

func (p *rawOffsets) put(start, end int) {
	p.units = appendUnits(p.units[:0], p.clean(p.raw[start:end]))
	if len(p.units) == 0 {
		return
	}
	p.pieces = append(p.pieces, piece{start, end, p.total})
	p.total += len(p.units)
}

// of returns the offsets in raw of the units from first to last, possibly with a few extra characters. If they cannot be
// determined, it returns all of raw.
func (p *rawOffsets) of(first, last, units int) (start, end int) {
	if p.total != units {
		return 0, len(p.raw)
	}
	start, _ = p.unit(first)
	_, end = p.unit(last)
	return start, end
}

func (p *rawOffsets) unit(n int) (start, end int) {
	lo, hi := 0, len(p.pieces)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; p.pieces[mid].first <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	at := p.pieces[lo]
	p.units = appendUnits(p.units[:0], p.raw[at.start:at.end])
	here := len(p.units)
	next := p.total
	if lo+1 < len(p.pieces) {
		next = p.pieces[lo+1].first
	}
	if here != next-at.first { // cleaning the whole text gives other units here
		return at.start, at.end
	}
	u := p.units[n-at.first]
	return at.start + int(u.start), at.start + int(u.end)
}
