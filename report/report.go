// Package report makes the report of a batch: what was removed and why, and the texts of the groups, in one self-contained
// HTML file.
//
// A [Builder] takes all decisions and chooses the groups to show. Then it takes their documents in any order, and writes
// the file. It depends neither on document files nor on the engine.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
	"github.com/zeebo/xxh3"
)

// Options bounds the content of a report.
type Options struct {
	Groups    int    // number of the largest groups whose texts are shown; 0 means 100,000
	Members   int    // documents shown per group; 0 means 1,000
	TextRunes int    // runes shown per text; 0 means 20,000
	TextBytes int64  // total size of texts, beyond which texts are cut to 200 runes; 0 means 256 MiB
	Tmp       string // folder of the temporary file; "" means that of the system
}

func (o Options) withDefaults() Options {
	o.Groups = cmp.Or(o.Groups, 100_000)
	o.Members = cmp.Or(o.Members, 1000)
	o.TextRunes = cmp.Or(o.TextRunes, 20_000)
	o.TextBytes = cmp.Or(o.TextBytes, 256<<20)
	return o
}

// A decision is the stored part of a neardup.Decision, in 32 bytes.
type decision struct {
	id         uint64 // hash of the document's id
	leader     uint64 // hash of the id of its leader, or of the document that it is a variant of
	similarity float64
	distance   int32 // -1 if there is none
	kind       kind
	basis      uint8 // index in Builder.reasons
	occurs     uint16
}

type kind uint8

const (
	kept kind = iota
	equal
	near
	contained
	variant // this kind and the following ones are also kept
	unsure
)

// relations are the bits by which the page knows the relations of a group.
var relations = [...]uint8{equal: 1, near: 2, variant: 4, contained: 8, unsure: 16}

func (k kind) removed() bool { return k != kept && k < variant }

// A Builder builds a report. It needs about 50 bytes per document while it takes decisions, and stores texts
// on disk. It is not safe for concurrent use.
type Builder struct {
	opt       Options
	decisions []decision
	reasons   []Reason
	extra     map[int32]extra
	groups    []group
	members   []int32 // indexes of decisions, group after group
	docNumber []int32 // for each decision: its index in docs plus 1, or 0 if not shown
	docs      []extent
	byID      []int32          // shown decisions, ordered by id
	store     *store           // the shown documents; nil before Choose and after Close
	names     map[string]int32 // name of a source -> its index
	sources   []string
	runes     runeSet
	lab       *Lab
	known     int64 // documents of earlier runs among the decisions
}

// extra holds fields that few decisions have.
type extra struct {
	via       string
	conflicts []neardup.Conflict
	relation  neardup.Relation
}

type group struct {
	leader         int32 // index in decisions
	size, variants int32
	first, shown   int32 // in members
	min, max       float64
	relation       uint8 // sum of relations
}

// store keeps the documents that are shown until the page is written.
type store struct {
	*external.Spool
	files *external.Files
}

// storeMemory bounds the documents in memory, in bytes.
const storeMemory = 32 << 20

// An extent locates a document in the store.
type extent struct {
	at     external.Ref
	length int32 // 0 if not stored
}

// errOrder is the error if the methods of a Builder are called in the wrong order.
var errOrder = errors.New("report: Choose is called too late or too early (call it after the last decision and before the first document)")

// New begins a report.
func New(opt Options) *Builder {
	return &Builder{opt: opt.withDefaults(), extra: map[int32]extra{}, names: map[string]int32{}}
}

// Add adds the next decision. It looks up leaders by id. If several documents share the id, it uses the last one before the
// duplicate.
func (b *Builder) Add(d *neardup.Decision) (number int) { return b.add(d, "") }

// knownID is the prefix for ids of documents from earlier runs, so that they differ from all ids of the run.
const knownID = "\x00known\x00"

// AddKnown adds a document that was decided in an earlier run. It is not counted. AddToKnown adds the decisions
// that name it as the leader.
func (b *Builder) AddKnown(id string) (number int) {
	b.known++
	return b.add(&neardup.Decision{ID: knownID + id, Decision: neardup.New}, "")
}

// AddToKnown adds a decision whose leader AddKnown has added.
func (b *Builder) AddToKnown(d *neardup.Decision) (number int) { return b.add(d, knownID) }

// add adds a decision. The ids of its leaders have a prefix.
func (b *Builder) add(d *neardup.Decision, prefix string) (number int) {
	n := int32(len(b.decisions))
	r := decision{id: xxh3.HashString(d.ID), similarity: d.Similarity, distance: -1}
	if d.Distance != nil {
		r.distance = int32(*d.Distance)
	}
	switch {
	case d.Decision == neardup.Duplicate:
		r.kind, r.leader = near, xxh3.HashString(prefix+d.Leader)
		switch d.Basis {
		case neardup.BasisEqual:
			r.kind = equal
		case neardup.BasisContained:
			r.kind = contained
		}
	case d.VariantOf != "":
		r.kind, r.leader, r.similarity = variant, xxh3.HashString(prefix+d.VariantOf), d.Probability
		if d.Relation == neardup.Unsure {
			r.kind = unsure
		}
	}
	if r.kind != kept {
		r.basis = b.reason(d.Method, d.Basis, r.kind.removed())
	}
	if d.Via != "" || len(d.Conflicts) > 0 || d.Relation != "" {
		b.extra[n] = extra{d.Via, d.Conflicts, d.Relation}
	}
	b.decisions = append(b.decisions, r)
	return int(n)
}

func (b *Builder) reason(method, basis string, removed bool) uint8 {
	i := slices.IndexFunc(b.reasons, func(r Reason) bool { return r.Method == method && r.Basis == basis })
	if i < 0 {
		i = min(len(b.reasons), 255)
		if i == 255 {
			method, basis = "other", "other"
		}
		if i == len(b.reasons) {
			b.reasons = append(b.reasons, Reason{Method: method, Basis: basis})
		}
	}
	if removed {
		b.reasons[i].Count++
	}
	return uint8(i)
}

// Evidence adds the evidence for choosing a threshold. Its pairs must be of the same documents, and the
// caller must call Document on both.
func (b *Builder) Evidence(l *Lab) { b.lab = l }

// Choose selects the groups to show, after the last decision.
func (b *Builder) Choose() error {
	leaderOf, err := b.leaders()
	if err != nil {
		return err
	}
	b.count(leaderOf)
	slices.SortStableFunc(b.groups, func(x, y group) int {
		return cmp.Or(cmp.Compare(y.size+y.variants, x.size+x.variants), cmp.Compare(x.leader, y.leader))
	})
	b.list(leaderOf)
	files := external.NewFiles(b.opt.Tmp)
	b.store = &store{external.NewSpool(files, storeMemory), files}
	return nil
}

// leaders returns for each decision the index of its leader, or -1. If several documents share the leader's id, it takes
// the last one kept before the decision. If there is none, because the decisions have another order, it takes the first one
// that is kept.
func (b *Builder) leaders() ([]int32, error) {
	leaderOf := make([]int32, len(b.decisions))
	last, first := make(map[uint64]int32, len(b.decisions)/2), map[uint64]int32(nil)
	for n := range b.decisions {
		leaderOf[n] = -1
		r := &b.decisions[n]
		if r.kind != kept {
			leader, ok := last[r.leader]
			if !ok {
				if first == nil {
					first = b.firstKept()
				}
				leader, ok = first[r.leader]
			}
			switch {
			case ok:
				leaderOf[n] = leader
			case r.kind.removed():
				return nil, fmt.Errorf("report: decision %d: its leader has no decision", n+1)
			}
		}
		if !r.kind.removed() {
			last[r.id] = int32(n)
		}
	}
	return leaderOf, nil
}

func (b *Builder) firstKept() map[uint64]int32 {
	first := map[uint64]int32{}
	for n := range b.decisions {
		r := &b.decisions[n]
		if _, ok := first[r.id]; !ok && !r.kind.removed() {
			first[r.id] = int32(n)
		}
	}
	return first
}

func (b *Builder) count(leaderOf []int32) {
	at := map[int32]int{}
	for n, leader := range leaderOf {
		if leader < 0 {
			continue
		}
		i, ok := at[leader]
		if !ok {
			i = len(b.groups)
			at[leader] = i
			b.groups = append(b.groups, group{leader: leader, size: 1, min: 1, max: 0})
		}
		g, r := &b.groups[i], &b.decisions[n]
		g.relation |= relations[r.kind]
		if r.kind.removed() {
			g.size, g.min, g.max = g.size+1, min(g.min, r.similarity), max(g.max, r.similarity)
		} else {
			g.variants++
		}
	}
	for i := range b.groups {
		if g := &b.groups[i]; g.max == 0 { // a group with only variants
			g.min = 0
		}
	}
}

// list numbers the members of the groups that are shown.
func (b *Builder) list(leaderOf []int32) {
	b.docNumber = make([]int32, len(b.decisions))
	shown := b.groups[:min(len(b.groups), b.opt.Groups)]
	groupOf := make(map[int32]int, len(shown))
	total := int32(0)
	for i := range shown {
		g := &shown[i]
		g.first, g.shown = total, min(g.size+g.variants, int32(b.opt.Members))
		total += g.shown
		groupOf[g.leader] = i
	}
	b.members = make([]int32, total)
	filled := make([]int32, len(shown))
	for i := range shown {
		b.show(shown[i].first, shown[i].leader)
		filled[i] = 1
	}
	for n, leader := range leaderOf {
		i, ok := groupOf[leader]
		if leader < 0 || !ok || filled[i] == shown[i].shown {
			continue
		}
		b.show(shown[i].first+filled[i], int32(n))
		filled[i]++
	}
}

// show makes a document a member of a group. A variant can be a member of two groups: that of its leader and its own.
func (b *Builder) show(at, number int32) {
	b.members[at] = number
	if b.docNumber[number] == 0 {
		b.docs = append(b.docs, extent{})
		b.docNumber[number] = int32(len(b.docs))
	}
}

// Wants reports whether the report shows the document of a decision.
func (b *Builder) Wants(number int) bool { return number < len(b.docNumber) && b.docNumber[number] > 0 }

// Find returns the number of a decision by the id of its document. If several share the id, each call returns
// the next one. ok is false if none is left. After Choose, ok is also false for documents that are not shown.
func (b *Builder) Find(id string) (number int, ok bool) {
	if b.byID == nil {
		b.byID = make([]int32, len(b.decisions))
		for n := range b.byID {
			b.byID[n] = int32(n)
		}
		slices.SortStableFunc(b.byID, func(x, y int32) int { return cmp.Compare(b.decisions[x].id, b.decisions[y].id) })
	}
	h := xxh3.HashString(id)
	i, found := slices.BinarySearchFunc(b.byID, h, func(n int32, h uint64) int { return cmp.Compare(b.decisions[n].id, h) })
	if !found {
		return 0, false
	}
	first := &b.decisions[b.byID[i]]
	k := i + int(first.occurs)
	if k >= len(b.byID) || b.decisions[b.byID[k]].id != h {
		return 0, false
	}
	if first.occurs < 1<<16-1 {
		first.occurs++
	}
	return int(b.byID[k]), true
}
