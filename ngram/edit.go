package ngram

import (
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/text"
)

// editMethod finds pairs by edit similarity.
type editMethod struct {
	settings
	plans *plans
	run   int // length of the runs in a view
	// corpus holds the counts of the joined corpus. With it, the longer text selects (pieces.go). Without it, both texts
	// have the keys of plan.go.
	corpus    *corpusCounts
	selecting bool // training always chooses pieces.go
}

func (m *editMethod) withTable(t *rarityTable) Method {
	with := *m
	with.table, with.corpus = t, nil
	return &with
}

// Record makes the keys of plan.go. A method trained on a corpus for which these are too expensive makes the keys of
// pieces.go. With Keys = Any the keys are all substrings of M units. The high 16 bits of the sketch hold the number of
// runes, at most 65535. The low 48 bits count the runes of each class (sketch.go).
func (m *editMethod) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	prepared := m.Config.Prepare.Prepare(clean)
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	runes := s.decode(prepared)
	if !slices.ContainsFunc(runes, text.IsAlnum) {
		return
	}
	rec.Sketch = sketchRunes(runes)
	if m.Keys == Any {
		rec.Index = m.anyKeys(rec.Index, prepared, s)
		return
	}
	if m.corpus != nil {
		m.rolesOf(runes, rec, s)
		return
	}
	for _, p := range m.plans.of(len(runes)) {
		s.grams(runes, p.q, m.Seed)
		s.rankGrams(p.q, m.table)
		rec.Index = appendKeys(rec.Index, s.sorted[:s.disjoint(p.q, p.need)], uint8(p.q))
	}
}

// rolesOf makes the keys of both roles. A text is found under the tag of a role, and searches under the tag of the other.
func (m *editMethod) rolesOf(runes []rune, rec *neardup.Record, s *scratch) {
	s.grams(runes, longestPiece, m.Seed)
	m.pieces(s, len(runes))
	m.held(s, len(runes))
	rec.Index = appendKeys(rec.Index, s.chosen, tagSelects)
	rec.Index = appendKeys(rec.Index, s.sorted, tagHolds)
	rec.Probe = make([]uint64, len(rec.Index))
	for i, key := range rec.Index {
		rec.Probe[i] = key ^ tagSelects ^ tagHolds
	}
}

// Plausible compares lengths and letters. An edit changes the length by at most one, and a replaced rune is one letter less
// and another one more. So d edits change the counts by at most 2d in total, less the difference in length.
func (m *editMethod) Plausible(a, b uint64) bool {
	longer, shorter := int(a>>lengthShift), int(b>>lengthShift)
	if longer < shorter {
		longer, shorter = shorter, longer
	}
	if longer == longest {
		return true
	}
	d := m.plans.allowed(longer)
	return longer-shorter <= d && differing(a&bitmap, b&bitmap) <= 2*d-(longer-shorter)
}

// runeView is a text prepared for the edit distance.
type runeView struct {
	runes []rune
	text  string // only kept for the variant guard
	bag   bag
	odd   feature.OddSketch // sketch of the runs
	empty bool              // the text has no letter and no digit
}

// Bytes returns the memory of the view.
func (v *runeView) Bytes() int { return 120 + 4*cap(v.runes) + 8*len(v.odd) }

// bag counts the runes of a text in 32 classes, up to 255 in each. Each Latin letter has its own class.
type bag [32]uint8

func bagOf(runes []rune) (b bag) {
	for _, r := range runes {
		if n := &b[r&31]; *n < 255 {
			*n++
		}
	}
	return b
}

// apart returns a lower bound of the edit distance. An edit removes at most one rune from either side.
func (b *bag) apart(o *bag) int {
	more, less := 0, 0
	for i, n := range b {
		d := int(n) - int(o[i])
		more += max(d, 0)
		less += max(-d, 0)
	}
	return max(more, less)
}

// runLength returns the length of the runs whose counts a view compares. An edit removes at most q runs of q runes and adds
// at most q. Longer runs are shared less often by chance, but an edit changes more of them. So runs of 3 runes rejected most
// random pairs that sketch and bag had let through. At .8, runs of 2, 3 and 4 runes left 41, 5 and 75 % of these pairs in
// generated English, and 85, 36 and 93 % in dblp_acm.
func runLength(threshold float64) int {
	if threshold < .75 {
		return 2
	}
	return 3
}

// oddRuns returns the odd sketch of the runs of q runes. It has enough bits for most runs to have their own.
func oddRuns(runes []rune, q int) feature.OddSketch {
	hashes := runs(runes, q)
	odd := make(feature.OddSketch, feature.OddSketchWords(4*len(hashes)))
	odd.Fill(hashes)
	return odd
}

// runs returns a hash of each run of q runes, in order.
func runs(runes []rune, q int) []uint64 {
	hashes := make([]uint64, max(len(runes)-q+1, 0))
	for i := range hashes {
		h := uint64(q)
		for _, r := range runes[i : i+q] {
			h = feature.Mix(h ^ uint64(uint32(r)))
		}
		hashes[i] = h
	}
	return hashes
}

// Prepare decodes the runes and makes the sketch of the runs.
func (m *editMethod) Prepare(clean string) neardup.Prepared {
	prepared := m.Config.Prepare.Prepare(clean)
	v := &runeView{runes: []rune(prepared)}
	v.empty = !slices.ContainsFunc(v.runes, text.IsAlnum)
	v.bag, v.odd = bagOf(v.runes), oddRuns(v.runes, m.run)
	if m.Variants {
		v.text = prepared
	}
	return v
}

// Measure returns the edit similarity, even if it is small.
func (m *editMethod) Measure(a, b neardup.Prepared) float64 {
	x, y := a.(*runeView), b.(*runeView)
	longer := max(len(x.runes), len(y.runes))
	if longer == 0 {
		return 0
	}
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	return float64(longer-distance(x.runes, y.runes, longer, w)) / float64(longer)
}

// Compare computes the edit distance, up to the limit that the threshold allows.
func (m *editMethod) Compare(a, b neardup.Prepared) neardup.Match {
	x, y := a.(*runeView), b.(*runeView)
	match := neardup.Match{Distance: -1, Method: m.name, Basis: m.basis()}
	if x.empty || y.empty {
		return match
	}
	longer := max(len(x.runes), len(y.runes))
	limit := m.plans.allowed(longer)
	if x.bag.apart(&y.bag) > limit || x.odd.AtLeast(y.odd) > 2*m.run*limit {
		return match
	}
	w := workspaces.Get().(*workspace)
	d := distance(x.runes, y.runes, limit, w)
	workspaces.Put(w)
	if d > limit {
		return match
	}
	match.Distance = d
	return m.similar(match, float64(longer-d)/float64(longer), x.text, y.text)
}
