package docid

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/override"
)

// Rulings of people about two articles, by nid, precede every stage. Both articles of a pair that must be linked get a
// common key. So the store finds the leader and guards the commit as for any key. A leader that is older than the ruling is
// found by its nid. A pair that cannot be linked matches in no stage. As in a batch, only the nid of the leader counts: a
// ruling about an article that is not a leader moves no other article.

// ruled holds the rulings up to a change. It is safe for concurrent use.
type ruled struct {
	mu   sync.RWMutex
	at   uint64                              // number of the last ruling
	said map[string]map[string]override.Link // nid -> other nid -> link; each pair is there both ways
}

// of returns the rulings about an article, and the number of the last ruling.
func (r *ruled) of(nid string) (at uint64, said map[string]override.Link) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.at, maps.Clone(r.said[nid])
}

// pair returns the ruling about two articles, and the number of the last ruling.
func (r *ruled) pair(a, b string) (at uint64, said override.Link) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.at, r.said[a][b]
}

// add adds rulings in their order.
func (r *ruled) add(es []Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range es {
		r.at = e.Seq
		for _, p := range [][2]string{{e.NID, e.Ruling.Other}, {e.Ruling.Other, e.NID}} {
			if r.said[p[0]] == nil {
				r.said[p[0]] = map[string]override.Link{}
			}
			r.said[p[0]][p[1]] = e.Ruling.Link
		}
	}
}

// forget drops all rulings.
func (r *ruled) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.said = 0, map[string]map[string]override.Link{}
}

// rulingsPage is the number of rulings read at a time.
const rulingsPage = 1000

// learnRulings reads the rulings since the last call. O(new rulings).
func (d *Detector) learnRulings(ctx context.Context) error {
	d.learning.Lock()
	defer d.learning.Unlock()
	for {
		at, _ := d.ruled.pair("", "")
		es, err := d.index.Catalog().Rulings(ctx, at, rulingsPage)
		if err != nil {
			return fmt.Errorf("read the rulings: %w", err)
		}
		d.ruled.add(es)
		if len(es) < rulingsPage {
			return nil
		}
	}
}

// rulings returns the links between an article and others. Rulings precede the overrides of the settings. at is the number
// of the last ruling.
func (d *Detector) rulings(nid string) (at uint64, links map[string]override.Link) {
	at, said := d.ruled.of(nid)
	links = map[string]override.Link{}
	for _, link := range []override.Link{override.Must, override.Cannot} {
		for _, other := range d.Overrides.Partners(nid, link) {
			links[other] = link
		}
	}
	for other, link := range said {
		if link == override.Must || link == override.Cannot {
			links[other] = link
		}
	}
	return at, links
}

// Rule records a ruling on two articles, which need not exist yet. A link of "" withdraws the ruling. It takes precedence
// over Settings.Overrides. Link Unsure changes no decision. Earlier answers stay; Correct changes them. Errors: ErrInvalid,
// and those of a store.
func (d *Detector) Rule(ctx context.Context, a, b string, r Ruling) (Entry, error) {
	links := []override.Link{override.Must, override.Cannot, override.Unsure, ""}
	switch {
	case a == "" || b == "" || a == b:
		return Entry{}, fmt.Errorf("%w: ruling about one article (want two)", ErrInvalid)
	case !slices.Contains(links, r.Link):
		return Entry{}, fmt.Errorf("%w: invalid ruling (want must, cannot, unsure or empty)", ErrInvalid)
	}
	return untilFirst(func() (Entry, error) {
		at, was := d.ruled.pair(a, b)
		c := &Change{}
		c.Kind, c.NID, c.Time = KindRule, a, d.now().UnixNano()
		c.Query.Ruled = at
		c.Ruling = &Ruling{Who: r.Who, Why: r.Why, Other: b, Link: r.Link, Was: was}
		e, err := d.commit(ctx, c)
		if err == nil || errors.Is(err, ErrConflict) {
			if err := d.learnRulings(ctx); err != nil {
				return e, err
			}
		}
		return e, err
	})
}

// rule adds the keys of the pairs in which the article must be linked.
func (s *subject) rule(key []byte) {
	for _, other := range slices.Sorted(maps.Keys(s.links)) {
		if s.links[other] != override.Must {
			continue
		}
		name := keyed(key, string(StageOverride), min(s.sub.ID, other), max(s.sub.ID, other))
		k := []uint64{binary.BigEndian.Uint64(name[:])}
		s.keySets = append(s.keySets, keySet{KeySet: KeySet{Keys: k}, stage: StageOverride, partner: other})
		s.keys = append(s.keys, k...)
	}
}

// partners adds the leaders that the article must be linked to and that are older than the ruling.
func (j *search) partners(ctx context.Context) error {
	for i, p := range j.s.keySets {
		if p.partner == "" || j.searched[i].best != nil {
			continue
		}
		m, err := j.d.index.Catalog().Member(ctx, p.partner)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(j.searched[i].left, func(h Hit) bool { return h.Leader == m.Own() }) {
			continue
		}
		g, err := j.d.index.Catalog().Group(ctx, m.Own(), 0, 0)
		switch {
		case errors.Is(err, ErrNotFound), errors.Is(err, ErrEnded): // it is not a leader
		case err != nil:
			return err
		default:
			j.searched[i].add([]Hit{{Leader: g.Leader, Time: g.Time, Shared: 1}}, j.s.cutoff, j.d.maxCandidates())
		}
	}
	return nil
}

// ruledApart reports whether a ruling forbids linking the article to a leader.
func (s *subject) ruledApart(nid string) bool {
	return s.links[nid] == override.Cannot
}

// compareRuled returns the match with a leader, if a ruling links the article to it.
func (j *search) compareRuled(ctx context.Context, leader uint64) (matched, error) {
	mat, err := j.material(ctx, leader)
	if err != nil {
		return matched{}, err
	}
	m := matched{leader: leader, agreement: agreement{nid: mat.NID}, Match: neardup.Match{Similarity: 1, Distance: -1, Method: j.s.routed, Basis: neardup.BasisOverride}}
	if j.s.links[mat.NID] == override.Must {
		name, _, err := j.d.leaderNID(ctx, leader, mat.NID)
		m.Near = name == mat.NID // the nid may name another article by now
		return m, err
	}
	return m, nil
}
