package storetest

import (
	"slices"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Model is the sequential specification in the plainest words: a list of
// leaders that is searched from the front, maps for the rest.
type Model struct {
	Method  Jaccard
	Seq     uint64
	leaders []*modelGroup // all that ever were
	living  []*modelGroup
	byNID   map[string]*modelGroup
	asked   map[string]Outcome // by nid and by idempotency key
}

type modelGroup struct {
	seq      uint64
	text     string
	grams    grams
	urls     map[string]bool
	heat     map[string]int64
	kept     *keptCopy
	expires  int64
	finished bool
}

type keptCopy struct {
	nid, text string
	heat      int64
}

// Outcome is what must be equal in every store.
type Outcome struct {
	Seq, Leader uint64
	Verdict     neardup.Verdict
	Stage       docid.Stage
	Similarity  float64
}

// NewModel returns an empty model.
func NewModel(m Jaccard) *Model {
	return &Model{Method: m, byNID: map[string]*modelGroup{}, asked: map[string]Outcome{}}
}

// Add decides by brute force.
func (m *Model) Add(sub docid.Submission, at int64) Outcome {
	m.Seq++
	best, out := (*modelGroup)(nil), Outcome{Seq: m.Seq, Verdict: neardup.Duplicate}
	url := docid.NormalizeURL(sub.URL)
	for _, g := range m.living {
		if best == nil && url != "" && g.urls[url] {
			best, out.Stage, out.Similarity = g, docid.StageURL, 1
		}
	}
	if best == nil {
		best, out.Similarity = m.nearest(sub.Text)
		out.Stage = docid.StageContent
	}
	if best == nil {
		best = &modelGroup{seq: m.Seq, text: sub.Text, grams: m.Method.grams(sub.Text), urls: map[string]bool{}, heat: map[string]int64{}}
		if sub.TTL > 0 {
			best.expires = at + int64(sub.TTL)
		}
		m.leaders, m.living = append(m.leaders, best), append(m.living, best)
		out.Verdict, out.Stage, out.Similarity = neardup.New, "", 0
	}
	out.Leader = best.seq
	m.join(best, sub, url)
	return out
}

func (m *Model) nearest(text string) (*modelGroup, float64) {
	var best *modelGroup
	most := -1.0
	mine := m.Method.grams(text)
	for _, g := range m.living {
		s := jaccard(mine, g.grams)
		if text != "" && g.text == text {
			s = 1
		}
		if len(mine) > 0 && s >= m.Method.Threshold && s > most {
			best, most = g, s
		}
	}
	return best, most
}

func (m *Model) join(g *modelGroup, sub docid.Submission, url string) {
	if url != "" {
		g.urls[url] = true
	}
	g.heat[sub.ID] = sub.Heat
	m.byNID[sub.ID] = g
	if g.kept == nil || sub.Heat > g.kept.heat {
		g.kept = &keptCopy{sub.ID, sub.Text, sub.Heat}
	}
}

// Update changes heat, and text where not nil; false if there is no such nid.
func (m *Model) Update(nid string, heat int64, text *string) bool {
	g := m.byNID[nid]
	if g == nil {
		return false
	}
	m.Seq++
	g.heat[nid] = heat
	switch {
	case g.kept != nil && g.kept.nid == nid:
		g.kept.heat = heat
		if text != nil {
			g.kept.text = *text
		}
	case text != nil && (g.kept == nil || heat > g.kept.heat):
		g.kept = &keptCopy{nid, *text, heat}
	}
	return true
}

// Delete removes an article; false if there is none.
func (m *Model) Delete(nid string) bool {
	g := m.byNID[nid]
	if g == nil {
		return false
	}
	m.Seq++
	delete(m.byNID, nid)
	delete(g.heat, nid)
	if g.kept != nil && g.kept.nid == nid {
		g.kept = nil
	}
	return true
}

// End ends a docId; false if it does not live.
func (m *Model) End(leader uint64) bool {
	for i, g := range m.living {
		if g.seq == leader {
			m.Seq++
			g.finished = true
			m.living = slices.Delete(m.living, i, i+1)
			for nid := range g.heat {
				delete(m.byNID, nid)
			}
			return true
		}
	}
	return false
}

// Living lists the leaders that live.
func (m *Model) Living() []uint64 {
	var seqs []uint64
	for _, g := range m.living {
		seqs = append(seqs, g.seq)
	}
	return seqs
}
