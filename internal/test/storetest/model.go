package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/override"
)

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Cascade describes a cascade for a detector and for the model. A threshold of 0 disables its condition.
type Cascade struct {
	URL, Title, Content                            docid.Mode
	TitleNear, ContentNear, TitleAgrees, URLAgrees float64
	Window, TTL                                    time.Duration
	Titled                                         bool
	// Pictures count, unless more than the share Common of the docIds have them. Texts from ContentUnsure on are unsure.
	Pictures              bool
	Common, ContentUnsure float64
}

// standard is the cascade of most tests: url exact, title off, content near.
var standard = Cascade{URL: docid.Exact, Content: docid.Near, ContentNear: Threshold}

// Settings returns the settings of a detector.
func (c Cascade) Settings(now func() time.Time) docid.Settings {
	s := docid.Settings{URL: c.URL, Title: c.Title, Content: c.Content, Window: c.Window, TTL: c.TTL, Titled: c.Titled, Now: now}
	for _, m := range []struct {
		maker     *docid.Maker
		threshold float64
	}{{&s.TitleMethod, c.TitleNear}, {&s.ContentMethod, c.ContentNear}, {&s.TitleAgrees, c.TitleAgrees}, {&s.URLAgrees, c.URLAgrees}} {
		if m.threshold > 0 {
			*m.maker = Maker(m.threshold)
		}
	}
	if c.Pictures {
		s.CommonPictures = c.Common
		s.ContentMethod = func(seed uint64, _ []byte) (neardup.Method, error) {
			return Jaccard{Seed: seed, Threshold: c.ContentNear, Unsure: c.ContentUnsure}, nil
		}
	}
	return s
}

// Model is the sequential specification in its simplest form. It searches a list of leaders from the front, and uses maps
// for the rest.
type Model struct {
	Cascade
	Seq     uint64
	leaders []*modelGroup // including those that ended
	living  []*modelGroup
	byNID   map[string]*modelGroup
	ruled   map[[2]string]override.Link // by pair of nids, sorted
}

type modelGroup struct {
	seq          uint64
	nid          string
	time         int64
	title, text  string
	urls, titles map[string]bool
	pictures     []image.Hash        // pictures of the leader that count
	names        map[image.Hash]bool // pictures of all members that count
	members      map[string]*modelMember
	kept         *keptCopy
	expires      int64
	finished     bool
}

type modelMember struct {
	seq        uint64
	own        uint64 // the docId that it made, or 0
	heat       int64
	disagrees  bool
	url, title string
	pictures   []image.Hash
	corrected  uint64 // the change of its correction, or 0
}

type keptCopy struct {
	nid, text string
	heat      int64
}

// Outcome is the part of an answer that must be equal in every store.
type Outcome struct {
	Seq, Leader uint64
	Verdict     neardup.Verdict
	Stage       docid.Stage
	Similarity  float64
	LeaderNID   string
	Disagrees   bool
	Same, Of    int // pictures that confirmed it
}

// NewModel returns an empty model.
func NewModel(c Cascade) *Model {
	return &Model{Cascade: c, byNID: map[string]*modelGroup{}, ruled: map[[2]string]override.Link{}}
}

// Add decides by brute force. at is the time of receipt, and leaders before cutoff do not count. Both are in Unix
// nanoseconds.
func (m *Model) Add(sub docid.Submission, at, cutoff int64) Outcome {
	m.Seq++
	g, out := m.match(sub, cutoff)
	if g == nil {
		g = &modelGroup{seq: m.Seq, nid: sub.ID, time: at, title: sub.Title, text: sub.Text,
			urls: map[string]bool{}, titles: map[string]bool{}, members: map[string]*modelMember{},
			pictures: counted(sub.Pictures), names: map[image.Hash]bool{}}
		if ttl := cmp.Or(sub.TTL, m.TTL); ttl > 0 {
			g.expires = at + int64(ttl)
		}
		m.leaders, m.living = append(m.leaders, g), append(m.living, g)
		out = Outcome{Verdict: neardup.New}
	} else {
		out.Verdict, out.LeaderNID = neardup.Duplicate, g.nid
		if at := m.home(g); at == nil {
			out.LeaderNID = fmt.Sprint("~", g.seq) // the nid may belong to another article by now
		} else {
			g = at
		}
	}
	out.Seq, out.Leader = m.Seq, g.seq
	g.urls[docid.NormalizeURL(sub.URL)], g.titles[sub.Title] = true, true
	g.members[sub.ID] = &modelMember{seq: m.Seq, own: m.Seq, heat: sub.Heat, disagrees: out.Disagrees, url: sub.URL, title: sub.Title,
		pictures: counted(sub.Pictures)}
	g.name(g.members[sub.ID].pictures)
	m.byNID[sub.ID] = g
	if !out.Disagrees && (g.kept == nil || sub.Heat > g.kept.heat) {
		g.kept = &keptCopy{sub.ID, sub.Text, sub.Heat}
	}
	return out
}

// home returns the current docId of the article that made a docId, or nil if it was deleted.
func (m *Model) home(g *modelGroup) *modelGroup {
	if at := m.byNID[g.nid]; at != nil && at.members[g.nid].own == g.seq {
		return at
	}
	return nil
}

// said returns the ruling on two nids.
func (m *Model) said(a, b string) override.Link { return m.ruled[[2]string{min(a, b), max(a, b)}] }

// match applies the stages in order.
func (m *Model) match(sub docid.Submission, cutoff int64) (*modelGroup, Outcome) {
	var living []*modelGroup
	for _, g := range m.living {
		if g.time >= cutoff && m.said(sub.ID, g.nid) != override.Cannot {
			living = append(living, g)
		}
	}
	for _, g := range living {
		if m.said(sub.ID, g.nid) == override.Must && m.home(g) != nil {
			return g, Outcome{Stage: docid.StageOverride, Similarity: 1}
		}
	}
	if url := docid.NormalizeURL(sub.URL); m.URL == docid.Exact && url != "" {
		for _, g := range living {
			if g.urls[url] && (m.URLAgrees == 0 || m.agree(sub.Text, g.text, m.URLAgrees)) {
				s, near := agreed(sub.Text, g.text, m.contradiction(), 1)
				return g, Outcome{Stage: docid.StageURL, Similarity: s, Disagrees: !near}
			}
		}
	}
	if g, out := m.matchTitle(sub, living); g != nil {
		return g, out
	}
	return m.matchContent(sub, living)
}

func (m *Model) matchTitle(sub docid.Submission, living []*modelGroup) (best *modelGroup, out Outcome) {
	if m.Title == docid.Off || sub.Title == "" {
		return nil, out
	}
	for _, g := range living {
		s := 0.0
		if m.Title == docid.Near {
			s = similarity(sub.Title, g.title)
			if s < m.TitleNear {
				s = 0
			}
		}
		if g.titles[sub.Title] {
			s = 1
		}
		mine, theirs := m.uncommon(counted(sub.Pictures)), m.uncommon(g.pictures)
		same, of := pairs(mine, theirs)
		shown := sub.Text != "" && g.text == "" && confirms(same, of)
		if s > out.Similarity && (shown || m.agree(sub.Text, g.text, m.TitleAgrees)) && !contradict(mine, theirs) {
			best, out = g, Outcome{Stage: docid.StageTitle, Similarity: s}
			if shown {
				out.Same, out.Of = same, of
			}
		}
	}
	if best != nil {
		out.Similarity, _ = agreed(sub.Text, best.text, m.TitleAgrees, out.Similarity)
	}
	return best, out
}

// whole returns the text that the content stage compares.
func (m *Model) whole(title, text string) string {
	if !m.Titled || title == "" {
		return text
	}
	return title + "\n" + text
}

func (m *Model) matchContent(sub docid.Submission, living []*modelGroup) (best *modelGroup, out Outcome) {
	text := m.whole(sub.Title, sub.Text)
	if m.Content == docid.Off || text == "" {
		return nil, out
	}
	own := counted(sub.Pictures)
	for _, g := range living {
		if m.whole(g.title, g.text) == text && !contradict(m.uncommon(own), m.uncommon(g.pictures)) {
			return g, Outcome{Stage: docid.StageContent, Similarity: 1}
		}
	}
	for _, g := range living {
		s := similarity(text, m.whole(g.title, g.text))
		if m.Content != docid.Near || s <= out.Similarity {
			continue
		}
		mine, theirs := m.uncommon(own), m.uncommon(g.pictures)
		same, of := pairs(mine, theirs)
		switch {
		case s >= m.ContentNear && !contradict(mine, theirs):
			best, out = g, Outcome{Stage: docid.StageContent, Similarity: s}
		case s < m.ContentNear && m.ContentUnsure > 0 && s >= m.ContentUnsure && confirms(same, of):
			best, out = g, Outcome{Stage: docid.StageContent, Similarity: s, Same: same, Of: of}
		}
	}
	return best, out
}

// agree reports whether two texts agree. A missing text agrees with any text of the leader, but a text agrees with no
// missing text of the leader.
func (m *Model) agree(mine, theirs string, threshold float64) bool {
	switch {
	case mine == "" || mine == theirs:
		return true
	case theirs == "":
		return false
	}
	return similarity(mine, theirs) >= threshold
}

// contradiction returns the similarity below which two texts contradict each other, from the first threshold that is set.
func (m *Model) contradiction() float64 {
	threshold := cmp.Or(m.URLAgrees, m.TitleAgrees)
	if threshold == 0 && m.Content == docid.Near {
		threshold = m.ContentNear
	}
	return threshold
}

// agreed returns the similarity of a match by a name, and whether the texts do not contradict each other. The similarity is
// that of the texts if both exist, differ and are near. Otherwise it is that of the names.
func agreed(mine, theirs string, threshold, names float64) (float64, bool) {
	if mine == "" || theirs == "" || mine == theirs {
		return names, true
	}
	if s := similarity(mine, theirs); threshold > 0 && s >= threshold {
		return s, true
	}
	return names, false
}

func similarity(a, b string) float64 {
	return jaccard(Jaccard{}.grams(a), Jaccard{}.grams(b))
}

// Update changes the heat and the text that are not nil. It returns false if the nid does not exist.
func (m *Model) Update(nid string, heat *int64, text *string) bool {
	g := m.byNID[nid]
	if g == nil {
		return false
	}
	m.Seq++
	me := g.members[nid]
	if heat != nil {
		me.heat = *heat
	}
	own := g.kept != nil && g.kept.nid == nid
	if own {
		g.kept.heat = me.heat
	}
	if text == nil {
		return true
	}
	_, near := agreed(*text, g.text, m.contradiction(), 1)
	me.disagrees = me.own != g.seq && !near
	switch {
	case own && me.disagrees:
		g.kept = nil
	case own:
		g.kept.text = *text
	case !me.disagrees && (g.kept == nil || me.heat > g.kept.heat):
		g.kept = &keptCopy{nid, *text, me.heat}
	}
	return true
}

// hotter returns the hottest member if it is hotter than the kept copy, or "".
func (g *modelGroup) hotter() string {
	name, first := "", (*modelMember)(nil)
	for nid, me := range g.members {
		if g.kept != nil && me.heat > g.kept.heat && !me.disagrees &&
			(first == nil || me.heat > first.heat || (me.heat == first.heat && me.seq < first.seq)) {
			name, first = nid, me
		}
	}
	return name
}

// Delete removes an article. It returns false if the nid does not exist.
func (m *Model) Delete(nid string) bool {
	g := m.byNID[nid]
	if g == nil {
		return false
	}
	m.Seq++
	delete(m.byNID, nid)
	delete(g.members, nid)
	if g.kept != nil && g.kept.nid == nid {
		g.kept = nil
	}
	return true
}

// Rule records a ruling on two nids.
func (m *Model) Rule(a, b string, link override.Link) {
	m.Seq++
	m.ruled[[2]string{min(a, b), max(a, b)}] = link
}

// Correct moves an article to the docId of a leader, or to one of its own if to is 0. text, if not nil, is the text that
// the caller sends. It returns the error that the service returns. moved reports whether anything was written.
func (m *Model) Correct(nid string, to uint64, text *string, at int64) (home uint64, moved bool, err error) {
	from := m.byNID[nid]
	if from == nil {
		return 0, false, docid.ErrNotFound
	}
	me := from.members[nid]
	left := from.kept != nil && from.kept.nid == nid
	target := m.group(to)
	switch own := m.group(me.own); {
	case to == 0 && own == from && me.corrected == 0:
		return 0, false, docid.ErrLeads
	case to == 0 && own != nil:
		target = own
	case to == 0 && !left && text == nil:
		return 0, false, docid.ErrTextUnknown
	case to != 0 && target == nil:
		return 0, false, docid.ErrEnded
	}
	if target == from {
		return from.seq, false, nil
	}
	m.Seq++
	if target == nil {
		whole := ""
		if text != nil {
			whole = *text
		}
		if left {
			whole = from.kept.text
		}
		target = &modelGroup{seq: m.Seq, nid: nid, time: at, title: me.title, text: whole,
			urls: map[string]bool{}, titles: map[string]bool{}, members: map[string]*modelMember{},
			pictures: me.pictures, names: map[image.Hash]bool{}}
		if m.TTL > 0 {
			target.expires = at + int64(m.TTL)
		}
		m.leaders, m.living = append(m.leaders, target), append(m.living, target)
		target.kept, me.own = &keptCopy{nid, whole, me.heat}, m.Seq
	} else if left && (target.kept == nil || me.heat > target.kept.heat) {
		target.kept = &keptCopy{nid, from.kept.text, me.heat}
	}
	if left {
		from.kept = nil
	}
	delete(from.members, nid)
	me.disagrees, me.corrected = false, m.Seq
	target.members[nid], m.byNID[nid] = me, target
	target.urls[docid.NormalizeURL(me.url)], target.titles[me.title] = true, true
	target.name(me.pictures)
	return target.seq, true, nil
}

// group returns a docId, or nil if it has ended.
func (m *Model) group(seq uint64) *modelGroup {
	for _, g := range m.living {
		if g.seq == seq {
			return g
		}
	}
	return nil
}

// End ends a docId. It returns false if it has ended before.
func (m *Model) End(leader uint64) bool {
	for i, g := range m.living {
		if g.seq == leader {
			m.Seq++
			g.finished = true
			m.living = slices.Delete(m.living, i, i+1)
			for nid := range g.members {
				delete(m.byNID, nid)
			}
			return true
		}
	}
	return false
}

// Expire ends the docIds that are due at a time, and returns their number.
func (m *Model) Expire(now int64) (n int) {
	for _, g := range slices.Clone(m.living) {
		if g.expires != 0 && g.expires <= now {
			m.End(g.seq)
			n++
		}
	}
	return n
}

// Living returns the leaders that have not ended.
func (m *Model) Living() []uint64 {
	var seqs []uint64
	for _, g := range m.living {
		seqs = append(seqs, g.seq)
	}
	return seqs
}
