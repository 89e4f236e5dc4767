package docid

import (
	"context"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/override"
)

// Keys of all stages share one key space of the store. So each stage flips bits of its own in the keys of a method. Equal
// keys stay equal.
const (
	saltEqual   = 0x9ae16a3b2f90404f
	saltTitle   = 0xc949c7defebd8b5d
	saltContent = 0
)

// subject is a submission prepared for judging: its clean texts, names and keys. It does not depend on the store.
type subject struct {
	*cascade
	sub         *Submission
	ruled       uint64                   // the last ruling at the time of preparation
	links       map[string]override.Link // links that rulings set, by nid
	title, text string                   // clean texts
	content     string                   // the text that the stage content compares
	silent      bool                     // the text has no words
	wordless    bool                     // neither text nor title has words, so there are only extras
	extras
	cutoff  int64 // older leaders do not count
	request [16]byte
	names   []alias
	keySets []keySet
	keys    []uint64 // keys under which a new leader is found
	sketch  uint64
	views   [viewKinds]neardup.Prepared // each is made when first needed
}

// alias is a name of an article, with the stage that looks it up.
type alias struct {
	stage Stage
	name  Name
}

// keySet is a KeySet of a stage, with the method that verifies its leaders.
type keySet struct {
	KeySet
	stage  Stage
	kind   viewKind
	method neardup.Method // nil if the texts must be equal
	// partner is the article that this one must be linked to, in the stage of overrides.
	partner string
}

// request returns the keyed digest that identifies a repeated submission.
func (d *Detector) request(sub *Submission) [16]byte {
	fields := []string{sub.ID, sub.URL, sub.Title, sub.Text, sub.Category, sub.Media, sub.ImageCount,
		strconv.FormatInt(sub.Heat, 10), strconv.FormatInt(sub.Time, 10),
		strconv.FormatInt(int64(sub.Window), 10), strconv.FormatInt(int64(sub.TTL), 10)}
	return keyed(d.askKey, append(fields, sub.Extras.fields()...)...)
}

// subject prepares a submission. O(len(text)).
func (d *Detector) subject(sub *Submission, request [16]byte) *subject {
	return d.subjectOf(sub, d.cascade.subject(d.clean(sub.Title), d.clean(sub.Text)), request)
}

// prepare prepares a submission. It waits for a slot of the semaphore if the text is long.
func (d *Detector) prepare(ctx context.Context, sub *Submission, request [16]byte) (s *subject, err error) {
	err = d.inSlot(ctx, sub.Text, func() { s = d.subject(sub, request) })
	return s, err
}

// subjectOf prepares a submission with clean texts.
func (d *Detector) subjectOf(sub *Submission, s *subject, request [16]byte) *subject {
	s.sub, s.request = sub, request
	s.ruled, s.links = d.rulings(sub.ID)
	window := sub.Window
	if window == 0 {
		window = d.Window
	}
	if window > 0 {
		s.cutoff = d.now().Add(-window).UnixNano()
	}
	s.names, s.extras = d.aliases(sub.URL, s.title), d.extras(sub.Extras)
	s.wordless = len(s.extras) > 0 && s.silent && neardup.Blank(s.title)
	if s.wordless {
		s.names = append(s.names, s.extras.aliases()...)
	}
	s.prepare()
	s.rule(d.nameKey)
	return s
}

// subject returns the subject of a clean title and a clean text.
func (c *cascade) subject(title, text string) *subject {
	return &subject{cascade: c, title: title, text: text, content: c.textOf(viewContent, title, text), silent: neardup.Blank(text)}
}

// aliases returns the names of an article, from its url and clean title.
func (c *cascade) aliases(url, title string) (names []alias) {
	if u := NormalizeURL(url); on(c.URL) && u != "" {
		names = append(names, alias{StageURL, keyed(c.nameKey, string(StageURL), u)})
	}
	if on(c.Title) && !neardup.Blank(title) {
		names = append(names, alias{StageTitle, keyed(c.nameKey, string(StageTitle), title)})
	}
	return names
}

// namesOf returns the names of an article that lead to its docId.
func (c *cascade) namesOf(a *Article) (names []Name) {
	for _, n := range append(c.aliases(a.URL, c.clean(a.Title)), c.extras(a.Extras).aliases()...) {
		names = append(names, n.name)
	}
	return names
}

// prepare adds the key sets and the keys of the clean texts.
func (s *subject) prepare() {
	if m := s.cascade.title; m != nil && on(s.Title) && !neardup.Blank(s.title) {
		s.record(keySet{stage: StageTitle, kind: viewTitle, method: m}, s.title, saltTitle)
	}
	if on(s.Content) && !neardup.Blank(s.content) {
		s.addKeys(keySet{stage: StageContent, kind: viewContent}, neardup.Record{Index: []uint64{digestKey(s.content)}}, saltEqual)
		if m := s.cascade.content; m != nil {
			s.sketch = s.record(keySet{stage: StageContent, kind: viewContent, method: m}, s.content, saltContent)
		}
	}
}

// record adds the keys of a method and returns the sketch. The store only keeps the sketch of the content.
func (s *subject) record(p keySet, text string, salt uint64) (sketch uint64) {
	var rec neardup.Record
	p.method.Record(text, &rec)
	if p.stage == StageContent {
		p.Plausible = func(other uint64) bool { return p.method.Plausible(rec.Sketch, other) }
	}
	s.addKeys(p, rec, salt)
	return rec.Sketch
}

// addKeys adds the keys of a record: the probe keys to the probes, and the others to the keys under which a leader is
// found.
func (s *subject) addKeys(p keySet, rec neardup.Record, salt uint64) {
	if len(rec.Index) == 0 && len(rec.Probes()) == 0 {
		return
	}
	p.Keys = salted(rec.Probes(), salt)
	s.keySets = append(s.keySets, p)
	s.keys = append(s.keys, salted(rec.Index, salt)...)
}

func salted(keys []uint64, salt uint64) []uint64 {
	out := make([]uint64, len(keys))
	for i, k := range keys {
		out[i] = k ^ salt
	}
	return out
}

func digestKey(clean string) uint64 {
	d := neardup.DigestOf(clean)
	var k uint64
	for _, b := range d[:8] {
		k = k<<8 | uint64(b)
	}
	return k
}

func on(m Mode) bool { return m != "" && m != Off }

// view returns the subject's own view for a method.
func (s *subject) view(kind viewKind, m neardup.Method) neardup.Prepared {
	if s.views[kind] == nil {
		s.views[kind] = m.Prepare(s.textOf(kind, s.title, s.text))
	}
	return s.views[kind]
}

// query returns the query for all names and keys of the subject.
func (s *subject) query(since uint64) Query {
	q := Query{Since: since, Ruled: s.ruled, NameLimit: hotName + 1}
	for _, a := range s.names {
		q.Names = append(q.Names, a.name)
	}
	for _, p := range s.keySets {
		q.KeySets = append(q.KeySets, p.KeySet)
	}
	return q
}

// change returns the change that commits an outcome. The outcome depends on the query.
func (s *subject) change(o outcome, q Query) *Change {
	article := s.sub.Article()
	c := &Change{Query: q, Names: q.Names, Article: &article, Backlog: s.Backlog}
	if !s.wordless {
		for _, a := range s.extras.aliases() {
			c.Names = append(c.Names, a.name)
		}
	}
	c.NID, c.Time, c.Heat = s.sub.ID, s.now().UnixNano(), s.sub.Heat
	c.Window, c.Idempotency, c.Request = s.cutoff, s.sub.Idempotency, s.request
	if m := o.match; m != nil {
		c.Kind, c.Leader = KindDuplicate, m.leader
		e := m.evidence()
		c.Evidence = Evidence{Stage: o.stage, LeaderNID: m.nid, Similarity: e.Similarity, Distance: e.Distance,
			Method: e.Method, Basis: e.Basis, Disagrees: m.disagrees, Advice: m.recorded()}
		return c
	}
	c.Kind = KindNew
	c.Evidence = Evidence{Method: s.routed, Distance: -1, Advice: o.alike}
	if neardup.Blank(s.content) {
		c.Evidence.Basis = neardup.BasisBlank
	}
	if v := o.variant; v != nil {
		c.Evidence.Variant, c.Evidence.VariantNID, c.Evidence.Conflicts = v.leader, v.nid, o.conflicts
		c.Evidence.Relation, c.Evidence.Similarity = neardup.RelationOf(v.Unsure, o.conflicts), v.Similarity
	}
	if ttl := s.ttl(); ttl > 0 {
		c.Expires = c.Time + ttl
	}
	c.NewLeader = &NewLeader{Keys: s.keys, Sketch: s.sketch, Material: Material{NID: s.sub.ID, Title: s.title, Text: s.text, Extras: article.Extras}}
	return c
}

func (s *subject) ttl() int64 {
	if s.sub.TTL > 0 {
		return int64(s.sub.TTL)
	}
	return int64(s.TTL)
}
