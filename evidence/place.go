package evidence

import (
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/token"
)

// places are where long texts differ, cut and aligned. Texts of a family differ in the same places again and
// again, so those that came last are kept.
type places struct {
	cutter *token.Cutter // made for the first long text, as kept is: together they take half a megabyte
	kept   []place
	other  []token.Token // of places that are not kept
	turn   int           // of the pair at hand
}

// place is what two texts have in one place, and how it differs.
type place struct {
	text   string // what the one has, and then the other
	half   int    // where that begins
	tokens []token.Token
	slots  []slot
	turn   int // of the last pair that it was in
}

const (
	// keptPlaces are how many are kept, each of at most mostKept bytes.
	keptPlaces = 1 << 11
	mostKept   = 256
	// mostTokens bounds what is aligned in one place.
	mostTokens = 1024
)

// begin begins with a pair.
func (p *places) begin(l *token.Lexicon) {
	if p.cutter == nil {
		p.cutter, p.kept = token.NewCutter(l, 0), make([]place, keptPlaces)
	}
	p.other = p.other[:0]
	p.turn++
}

// apart appends the slots of two texts that stand in one place.
func (w *work) apart(a, b string) {
	if len(a)+len(b) > mostKept {
		w.other = w.cut(w.other, a, b)
		return
	}
	k := &w.kept[(xxh3.HashString(a)*0x9e3779b97f4a7c15^xxh3.HashString(b))%keptPlaces]
	switch {
	case k.half == len(a) && len(k.text) == len(a)+len(b) && k.text[:k.half] == a && k.text[k.half:] == b:
		k.turn = w.turn
		w.slots = append(w.slots, k.slots...)
	case k.turn == w.turn: // its tokens are looked at
		w.other = w.cut(w.other, a, b)
	default:
		var text strings.Builder // of its own: that of the views may go
		text.WriteString(a)
		text.WriteString(b)
		k.text, k.half, k.turn = text.String(), len(a), w.turn
		from := len(w.slots)
		k.tokens = w.cut(k.tokens[:0], k.text[:k.half], k.text[k.half:])
		k.slots = append(k.slots[:0], w.slots[from:]...)
	}
}

// cut cuts what two texts have in a place and appends its tokens, and their slots.
func (w *work) cut(tokens []token.Token, a, b string) []token.Token {
	from := len(tokens)
	tokens = append(tokens, w.cutter.Cut(a)...)
	half := len(tokens)
	tokens = append(tokens, w.cutter.Cut(b)...)
	x, y := tokens[from:half], tokens[half:]
	if len(x) <= mostTokens && len(y) <= mostTokens {
		w.alignEither(x, y)
	} else {
		w.slot(slot{a: x, b: y})
	}
	return tokens
}
