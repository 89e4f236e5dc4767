package evidence

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Slots are differences that tell many texts of a corpus apart, as "; documentation" does in a
// list of packages: what stands in one text, " / ", and what stands there in the other, and how many
// texts of the corpus differ from another in just that. A pair alone cannot tell a slot from an edit.
type Slots map[string]int

// LeastSlot is how many texts a difference tells apart at least to be worth listing.
const LeastSlot = 5

const (
	mostSlotBits  = 8
	mostSlotWords = 6 // a longer difference is a passage
)

// bits are what a difference that tells n texts apart says against two being the same: it is that many times
// as likely between two texts that say different things.
func slotBits(n int) int32 { return -min(log2(uint64(n)<<8), mostSlotBits<<8) }

// write writes a section of a table, by count.
func (s Slots) write(out io.Writer) error {
	if len(s) == 0 {
		return nil
	}
	if _, err := fmt.Fprint(out, "\n# Differences that tell texts of a corpus apart, and how many: what leaves this list is an edit again.\n[slots]\n"); err != nil {
		return err
	}
	for _, key := range slices.SortedFunc(maps.Keys(s), func(a, b string) int { return cmp.Or(s[b]-s[a], strings.Compare(a, b)) }) {
		if _, err := fmt.Fprintf(out, "%s = %d\n", strconv.Quote(key), s[key]); err != nil {
			return err
		}
	}
	return nil
}

// read reads a line of the section.
func (s Slots) read(line string) error {
	quoted, err := strconv.QuotedPrefix(line)
	if err != nil {
		return fmt.Errorf("%q does not begin with a difference in quotes", line)
	}
	key, err := strconv.Unquote(quoted)
	if err != nil {
		return fmt.Errorf("%s: %w", quoted, err)
	}
	count, found := strings.CutPrefix(strings.TrimSpace(line[len(quoted):]), "=")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	switch {
	case !found || err != nil || n < 1:
		return fmt.Errorf("%s needs = and how many texts it tells apart", quoted)
	case !strings.Contains(key, Between):
		return fmt.Errorf("%s has no %q between what stands in the two texts", quoted, Between)
	case s[key] > 0:
		return fmt.Errorf("%s again", quoted)
	}
	s[key] = n
	return nil
}

// Between parts what stands in one text from what stands there in the other.
const Between = " / "

// slotOf names what is left of a place: "" where that is nothing, numbers alone, or a passage.
func (p *pair) slotOf(a, b []*excess) string {
	p.sides[0], p.sides[1] = p.sides[0][:0], p.sides[1][:0]
	words := false
	for side, list := range [2][]*excess{a, b} {
		n := 0
		for _, e := range list {
			if e.gone {
				continue
			}
			if n++; n > mostSlotWords {
				return ""
			}
			if n > 1 {
				p.sides[side] = append(p.sides[side], ' ')
			}
			p.sides[side] = append(p.sides[side], e.Text...)
			words = words || !e.Number()
		}
	}
	if !words {
		return ""
	}
	first, second := p.sides[0], p.sides[1]
	if slices.Compare(first, second) > 0 {
		first, second = second, first
	}
	return string(first) + Between + string(second)
}

// name names what is left of a place, and weighs it if it is a slot.
func (p *pair) name(a, b []*excess) {
	if !p.naming && p.recurring == nil {
		return
	}
	key := p.slotOf(a, b)
	if key == "" {
		return
	}
	if p.naming {
		p.named = append(p.named, key)
	}
	if n := p.recurring[key]; n > 0 {
		p.slotBits = max(p.slotBits+slotBits(n), -mostSlotBits<<8)
		one, other, _ := strings.Cut(key, Between)
		p.add(Recurring, one, other, -slotBits(n))
	}
}
