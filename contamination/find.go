package contamination

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/token"
)

type work struct {
	*Finder
	units   []unit
	needle  []unit
	hits    []hit
	cutting token.Cutting
	aligner
	rawOffsets
}

// hit is an occurrence of a needle's key in the document.
type hit struct {
	needle uint32
	begin  int32 // unit at which the needle would begin
	at     uint32
}

// Find returns the items found in a text, in the order of their passages.
func (f *Finder) Find(raw string) []Finding {
	w := f.works.Get().(*work)
	defer f.works.Put(w)
	clean := text.Default().Clean(raw)
	w.units = appendUnits(w.units[:0], clean)
	w.look()
	if len(w.hits) == 0 {
		return nil
	}
	found := w.verify(clean)
	if len(found) == 0 {
		return nil
	}
	found = settle(found)
	w.cut(raw)
	for i := range found {
		w.locate(&found[i], raw)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	return found
}

func (w *work) look() {
	w.hits = w.hits[:0]
	for i := range w.units {
		short, long := shingles(w.units[i:min(i+4, len(w.units))])
		for _, key := range [2]uint64{short, long} {
			if key == 0 {
				continue
			}
			for _, p := range w.index.find(key) {
				w.hits = append(w.hits, hit{p.needle, int32(i) - int32(p.at), p.at})
			}
		}
	}
	slices.SortFunc(w.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.needle, b.needle), cmp.Compare(a.begin, b.begin), cmp.Compare(a.at, b.at))
	})
}

// verify aligns each needle wherever the document has enough of its keys.
func (w *work) verify(clean string) (found []Finding) {
	for hits := w.hits; len(hits) > 0; {
		n := &w.needles[hits[0].needle]
		k, end := 1, int32(-1) // end is the end of the last finding of this needle
		drift := int32(max(16, min(len(n.weights)/2, mostDrift)))
		for k < len(hits) && hits[k].needle == hits[0].needle && hits[k].begin-hits[0].begin <= drift {
			k++
		}
		here := hits[:k]
		hits = hits[k:]
		if !enough(n, here) {
			continue
		}
		if last := len(found) - 1; last >= 0 && found[last].source == n.source && found[last].Part == n.part {
			end = int32(found[last].last)
		}
		if one, ok := w.judge(n, clean, here[0].begin, here[k-1].begin); ok && int32(one.first) > end {
			found = append(found, one)
		}
	}
	return found
}

// enough reports whether enough different keys of a needle were found to align it.
func enough(n *needle, hits []hit) bool {
	if n.keys <= 4 {
		return true
	}
	for _, h := range hits[1:] {
		if h.at != hits[0].at {
			return true
		}
	}
	return false
}

func (w *work) judge(n *needle, clean string, from, to int32) (f Finding, ok bool) {
	w.needle = appendUnits(w.needle[:0], n.clean)
	pairs := w.align(w.needle, n.weights, w.units, int(from), int(to))
	if len(pairs) == 0 {
		return f, false
	}
	sum := uint64(0)
	for _, p := range pairs {
		sum += uint64(n.weights[p.item])
	}
	f = Finding{Part: n.part, Of: n.clean, source: n.source, first: int(pairs[0].doc), last: int(pairs[len(pairs)-1].doc)}
	f.Held = float64(sum) / float64(n.total)
	if f.Held < partialHeld || sum < stubWeight {
		return f, false
	}
	f.Probability = 1
	if len(pairs) < len(w.needle) || f.last-f.first >= len(pairs) { // otherwise the words differ
		result, list := w.explain(n.clean, clean[w.units[f.first].start:w.units[f.last].end], len(w.needle))
		f.Probability = result.Probability()
		f.apart(list)
	}
	same := len(f.Differs) == 0 && !f.negated
	f.reads(side{n.clean, w.needle}, side{clean, w.units}, pairs)
	if same && len(f.Differs) > 0 {
		f.Probability = 0 // the words may be the same
	}
	same = same && len(f.Differs) == 0
	most := f.Held >= w.least(w.needle) || (f.Held >= w.cfg.Least && f.Probability >= near)
	whole := same && most && n.ownHeld(pairs) >= w.cfg.Least
	switch {
	case whole && (n.part == Text || n.part == Question || n.part == WithAnswer):
		f.Verdict = Contaminated
	case whole || f.Held >= w.cfg.Least || sum >= partialWeight:
		f.Verdict = Partial
	default:
		return f, false
	}
	f.Item = w.answered(&f)
	f.Why = w.why(&f, whole)
	return f, true
}

// ownHeld returns the share that the document holds of a needle's own words, which no other item has.
func (n *needle) ownHeld(pairs []pairing) float64 {
	if n.shared == nil {
		return 1
	}
	held, all := 0, 0
	for i, shared := range n.shared {
		if !shared {
			all += int(n.weights[i])
		}
	}
	for _, p := range pairs {
		if !n.shared[p.item] {
			held += int(n.weights[p.item])
		}
	}
	return float64(held) / float64(all)
}

// least returns the share of a part that a document must contain. Short parts need a larger share.
func (w *work) least(part []unit) float64 {
	const few, many = 20 * wordSize, 50 * wordSize
	size := min(max(sizeOf(part), few), many)
	lack := 1 - w.cfg.Least
	return 1 - lack/2*(1+float64(size-few)/(many-few))
}

// Texts of at least longText units are compared as long texts.
const longText = 256

// explain returns the evidence that a window means the same as an item.
func (w *work) explain(item, window string, units int) (evidence.Result, []evidence.Evidence) {
	item, window = strings.TrimRight(item, "?. "), strings.TrimRight(window, "?. ") // a window ends with a word, so a final mark is not compared
	if units > longText {
		return w.scorer.Explain(evidence.NewLongView(item), evidence.NewLongView(window))
	}
	if w.cutting.Cutter == nil {
		w.cutting.Cutter = token.NewCutter(w.lexicon, 0)
	}
	w.cutting.Cut(item)
	a := w.cutting.View()
	w.cutting.Cut(window)
	return w.scorer.Explain(a, w.cutting.View())
}

// apart records the numbers and opposites among the evidence against a match.
func (f *Finding) apart(list []evidence.Evidence) {
	for _, e := range list {
		if (e.Feature != evidence.Number && e.Feature != evidence.Opposite) || e.Bits >= 0 {
			continue
		}
		switch d := (Difference{e.A, e.B}); {
		case e.Feature == evidence.Number && (e.A == "" || e.B == ""): // a sign at the edge, which reads has compared
		case d == Difference{}:
			f.negated = true
		case !slices.Contains(f.Differs, d):
			f.Differs = append(f.Differs, d)
		}
	}
}

// beyond is the largest distance of an answer from its question, in units.
const beyond = 64

// answered returns the item of a finding. If several items have the question, it returns the one whose answer comes next to
// it.
func (w *work) answered(f *Finding) string {
	s := &w.items[f.source]
	before, behind := w.units[max(f.first-beyond, 0):f.first], w.units[f.last+1:min(f.last+1+beyond, len(w.units))]
	switch f.Part {
	case Answer, WithAnswer:
		behind = w.units[f.first : f.last+1]
	case PassageOfOne:
		before, behind = nil, nil
	}
	for i, answer := range s.answers {
		if len(answer) > 0 && (holds(behind, answer) || holds(before, answer)) {
			f.Answered = f.Part != Answer
			return s.ids[i]
		}
	}
	return s.ids[0]
}

func (w *work) why(f *Finding, whole bool) string {
	if f.Held == 1 && f.Probability == 1 && whole {
		return "the document has the " + string(f.Part) + " word for word" + beside(f)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the document has %.2f of the %s (words weighted by rarity); ", f.Held, f.Part)
	fmt.Fprintf(&b, "with a probability of %.2f it says the same", f.Probability)
	for _, d := range f.Differs {
		fmt.Fprintf(&b, "; it has %s instead of %s", quoted(d.Passage), quoted(d.Item))
	}
	if f.negated {
		b.WriteString("; only one of them has a negation")
	}
	if !whole && len(f.Differs) == 0 && !f.negated {
		b.WriteString("; only a small part, or a part that other items share")
	}
	return b.String() + beside(f)
}

func beside(f *Finding) string {
	if f.Answered {
		return "; the answer is next to it"
	}
	return ""
}

func quoted(s string) string {
	if s == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", s)
}

// settle marks answers and passages as contaminated if the document has enough of them and their item is contaminated.
// It drops other findings that mostly overlap a contaminated one of another item.
func settle(found []Finding) []Finding {
	whole := map[int]bool{}
	for _, f := range found {
		if f.Verdict == Contaminated {
			whole[f.source] = true
		}
	}
	covered := func(f *Finding) bool {
		return slices.ContainsFunc(found, func(o Finding) bool {
			common := min(f.last, o.last) - max(f.first, o.first) + 1
			return o.Verdict == Contaminated && o.source != f.source && 2*common >= f.last-f.first+1
		})
	}
	var out []Finding
	for i := range found {
		f := found[i]
		switch {
		case f.Verdict == Contaminated:
		case covered(&f):
			continue
		case whole[f.source] && (f.Part == Answer || f.Part == PassageOfOne) && f.Held >= .8:
			f.Verdict = Contaminated
		}
		out = append(out, f)
	}
	return out
}

func (w *work) locate(f *Finding, raw string) {
	start, end := w.of(f.first, f.last, len(w.units))
	f.Start = utf8.RuneCountInString(raw[:start])
	f.End = f.Start + utf8.RuneCountInString(raw[start:end])
	f.Passage = raw[start:end]
}
