package docid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
)

// Keys of different stages live in one key space of the store, so each stage
// flips its own bits of a method's keys; a method's equal keys stay equal.
const (
	saltEqual   = 0x9ae16a3b2f90404f
	saltTitle   = 0xc949c7defebd8b5d
	saltContent = 0
)

// judge is the work on one submission: what to look up, and the best match of
// each stage among all the leaders seen so far. It lives for one call.
type judge struct {
	d           *Detector
	sub         *Submission
	title, text string // clean
	cutoff      int64  // leaders from before do not count
	request     [16]byte

	query   Query
	stages  []probe // beside query.Probes
	names   []Stage // beside query.Names
	content neardup.Record
	keys    []uint64 // under which a new leader is found

	best     map[Stage]matched
	titled   int // leaders of the title
	views    [viewKinds]neardup.View
	compared int
	effort   int
	seated   bool // has a turn
	last     bool // and keeps it: this look is the last

	candidates, rounds int
}

// probe is how the hits of one group of keys are verified.
type probe struct {
	stage  Stage
	kind   viewKind
	method neardup.Method // nil: equal text
}

// matched is a leader that was verified.
type matched struct {
	leader uint64
	nid    string
	neardup.Match
}

// judge prepares a submission: clean texts, names, keys. O(len(text)).
func (d *Detector) judge(sub *Submission) *judge {
	j := &judge{d: d, sub: sub, best: map[Stage]matched{}}
	j.title, j.text = d.clean(sub.Title), d.clean(sub.Text)
	window := sub.Window
	if window == 0 {
		window = d.Window
	}
	if window > 0 {
		j.cutoff = d.now().Add(-window).UnixNano()
	}
	j.request = keyed(d.askKey, sub.ID, sub.URL, sub.Title, sub.Text, sub.Category, sub.Media, sub.ImageCount,
		strconv.FormatInt(sub.Heat, 10), strconv.FormatInt(sub.Time, 10),
		strconv.FormatInt(int64(sub.Window), 10), strconv.FormatInt(int64(sub.TTL), 10))
	j.addNames()
	j.addTitle()
	j.addContent()
	return j
}

func (j *judge) addNames() {
	if on(j.d.URL) {
		if u := NormalizeURL(j.sub.URL); u != "" {
			j.name(StageURL, u)
		}
	}
	if on(j.d.Title) && !blank(j.title) {
		j.name(StageTitle, j.title)
	}
}

func (j *judge) name(s Stage, text string) {
	j.query.Names = append(j.query.Names, keyed(j.d.nameKey, string(s), text))
	j.names = append(j.names, s)
}

func (j *judge) addTitle() {
	if j.d.Title == Near && !blank(j.title) {
		var rec neardup.Record
		j.d.cascade.title.Record(j.title, &rec)
		j.group(probe{StageTitle, viewTitle, j.d.cascade.title}, rec, saltTitle)
	}
}

func (j *judge) addContent() {
	if !on(j.d.Content) || blank(j.text) {
		return
	}
	j.group(probe{StageContent, viewContent, nil}, neardup.Record{Index: []uint64{digestKey(j.text)}}, saltEqual)
	if m := j.d.cascade.content; m != nil {
		m.Record(j.text, &j.content)
		j.group(probe{StageContent, viewContent, m}, j.content, saltContent)
	}
}

// group adds the keys of a record to what is searched and to what a leader is
// found under. Only content has a sketch in the store.
func (j *judge) group(p probe, rec neardup.Record, salt uint64) {
	if len(rec.Index) == 0 && len(rec.Probes()) == 0 {
		return
	}
	ask := Probe{Keys: salted(rec.Probes(), salt)}
	if p.stage == StageContent && p.method != nil {
		sketch := rec.Sketch
		ask.Plausible = func(s uint64) bool { return p.method.Plausible(sketch, s) }
	}
	j.query.Probes = append(j.query.Probes, ask)
	j.stages = append(j.stages, p)
	j.keys = append(j.keys, salted(rec.Index, salt)...)
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

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// restart forgets what was found: a leader that counted has ended.
func (j *judge) restart() {
	j.query.Since, j.titled = 0, 0
	clear(j.best)
}

// look asks for leaders that are new since the last look and verifies them.
func (j *judge) look(ctx context.Context) error {
	j.rounds++
	j.query.NameLimit = TitleCrowd + 1
	found, err := j.d.index.Lookup(ctx, j.query)
	if err != nil {
		return err
	}
	if err := j.verify(ctx, found); err != nil {
		return err
	}
	for page := found; page.Rest != 0; {
		q := j.query
		q.Before, q.Names = page.Rest, nil
		if page, err = j.d.index.Lookup(ctx, q); err != nil {
			return err
		}
		if err := j.verifyKeys(ctx, page); err != nil {
			return err
		}
	}
	j.query.Since = found.At
	return nil
}

// verify goes through the stages in order and stops after the first match.
func (j *judge) verify(ctx context.Context, f Found) error {
	if err := j.verifyNames(ctx, f); err != nil {
		return err
	}
	return j.verifyKeys(ctx, f)
}

func (j *judge) verifyKeys(ctx context.Context, f Found) error {
	for i, p := range j.stages {
		if j.settled(p.stage) {
			continue
		}
		for _, h := range sorted(f.Probes[i]) {
			if h.Time < j.cutoff {
				continue
			}
			j.candidates++
			if err := j.try(ctx, p, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// settled reports that what s would find cannot count: an earlier stage has a
// match, or the content is equal to a leader's.
func (j *judge) settled(s Stage) bool {
	for _, earlier := range []Stage{StageURL, StageTitle, StageContent} {
		m, ok := j.bestOf(earlier)
		if earlier == s {
			return s == StageContent && ok && m.Basis == neardup.BasisEqual
		}
		if ok {
			return true
		}
	}
	return false
}

// bestOf is the match of a stage; none for a title that leads to a crowd.
func (j *judge) bestOf(s Stage) (matched, bool) {
	m, ok := j.best[s]
	if s == StageTitle && m.Basis == basisTitle && j.titled > TitleCrowd {
		return matched{}, false
	}
	return m, ok
}

const (
	basisURL   = "equal url"
	basisTitle = "equal title"
)

func (j *judge) verifyNames(ctx context.Context, f Found) error {
	for i, s := range j.names {
		hits := sorted(f.Names[i])
		if s == StageTitle {
			j.titled = len(hits)
		}
		for _, h := range hits {
			if h.Time < j.cutoff || s == StageTitle && (j.titled > TitleCrowd || j.settled(StageTitle)) {
				continue
			}
			j.candidates++
			if err := j.tryName(ctx, s, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// tryName takes a leader that a name leads to; the earliest counts.
func (j *judge) tryName(ctx context.Context, s Stage, h Hit) error {
	if old, ok := j.best[s]; ok && old.Basis != "" && old.Similarity == 1 && old.leader <= h.Leader {
		return nil
	}
	basis := basisURL
	if s == StageTitle {
		basis = basisTitle
		if agrees, err := j.contentsAgree(ctx, h.Leader); err != nil || !agrees {
			return gone(err)
		}
	}
	mat, err := j.material(ctx, h.Leader)
	if err != nil {
		return gone(err)
	}
	j.offer(s, matched{h.Leader, mat.NID, neardup.Match{Similarity: 1, Distance: -1, Near: true, Method: string(Exact), Basis: basis}})
	return nil
}

// contentsAgree says whether the contents do not contradict an equal title.
func (j *judge) contentsAgree(ctx context.Context, leader uint64) (bool, error) {
	if j.d.agrees == nil || blank(j.text) {
		return true, nil
	}
	theirs, err := j.viewOf(ctx, leader, viewAgrees, j.d.agrees)
	if err != nil {
		return false, err
	}
	j.compared++
	return theirs.empty || theirs.equal(j.text) || j.d.agrees.Compare(j.view(viewAgrees, j.d.agrees), theirs.View).Near, nil
}

// try compares the submission with one leader.
func (j *judge) try(ctx context.Context, p probe, h Hit) error {
	if j.compared++; j.compared > j.d.maxCandidates() {
		return fmt.Errorf("%w: over %d", ErrCrowded, j.d.maxCandidates())
	}
	if err := j.spend(ctx, 1); err != nil {
		return err
	}
	if p.method == nil {
		return j.tryEqual(ctx, h.Leader)
	}
	theirs, err := j.viewOf(ctx, h.Leader, p.kind, p.method)
	if err != nil {
		return gone(err)
	}
	m := p.method.Compare(j.view(p.kind, p.method), theirs.View)
	if !m.Near {
		return nil
	}
	if p.stage == StageTitle {
		if agrees, err := j.contentsAgree(ctx, h.Leader); err != nil || !agrees {
			return gone(err)
		}
	}
	j.offer(p.stage, matched{h.Leader, theirs.nid, m})
	return nil
}

func (j *judge) tryEqual(ctx context.Context, leader uint64) error {
	mat, err := j.material(ctx, leader)
	if err != nil {
		return gone(err)
	}
	if mat.Text == j.text {
		j.offer(StageContent, matched{leader, mat.NID, neardup.Match{
			Similarity: 1, Distance: -1, Near: true, Method: j.d.routed(), Basis: neardup.BasisEqual}})
	}
	return nil
}

// gone forgives a leader that ended since the look-up.
func gone(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// offer keeps the better match: equal text, then Better, then the earlier.
func (j *judge) offer(s Stage, m matched) {
	old, ok := j.best[s]
	if !ok || m.Basis == neardup.BasisEqual && old.Basis != neardup.BasisEqual || m.Better(old.Match) ||
		!old.Better(m.Match) && m.leader < old.leader {
		j.best[s] = m
	}
}

func (j *judge) view(kind viewKind, m neardup.Method) neardup.View {
	if j.views[kind] == nil {
		j.views[kind] = m.View(kind.text(j.title, j.text))
	}
	return j.views[kind]
}

// sorted puts hits into the order of their leaders, so that what is compared
// first does not depend on the store.
func sorted(hits []Hit) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(a.Leader, b.Leader) })
	return hits
}

// change is the outcome: what to commit.
func (j *judge) change() *Change {
	article := j.sub.Article
	c := &Change{Query: j.query, Names: j.query.Names, Article: &article}
	c.NID, c.Time, c.Heat = j.sub.ID, j.d.now().UnixNano(), j.sub.Heat
	c.Window, c.Idempotency, c.Request = j.cutoff, j.sub.Idempotency, j.request
	for _, s := range []Stage{StageURL, StageTitle, StageContent} {
		if m, ok := j.bestOf(s); ok {
			c.Kind, c.Leader = KindDuplicate, m.leader
			c.Evidence = Evidence{Stage: s, LeaderNID: m.nid, Similarity: m.Similarity, Distance: m.Distance, Method: m.Method, Basis: m.Basis}
			return c
		}
	}
	c.Kind = KindNew
	c.Evidence = Evidence{Method: j.d.routed(), Distance: -1}
	if ttl := j.ttl(); ttl > 0 {
		c.Expires = c.Time + ttl
	}
	c.Fresh = &Fresh{Keys: j.keys, Sketch: j.content.Sketch, Material: Material{NID: j.sub.ID, Title: j.title, Text: j.text}}
	return c
}

func (j *judge) ttl() int64 {
	if j.sub.TTL > 0 {
		return int64(j.sub.TTL)
	}
	return int64(j.d.TTL)
}

// routed names the method that judges contents.
func (d *Detector) routed() string {
	if d.cascade.content != nil {
		return d.cascade.content.Spec().Method
	}
	return string(Exact)
}
