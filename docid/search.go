package docid

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/internal/span"
)

// search decides on one subject. It queries the store and proves facts until judge has an outcome.
type search struct {
	d *Detector
	s *subject
	proven
	query Query // query of the last round, on which the outcome depends

	candidates, compared, rounds int

	effort int
	holds  bool // a slot of the semaphore
	last   bool // keep the slot until the commit, because this look-up is the last
}

func (d *Detector) search(s *subject) *search {
	j := &search{d: d, s: s}
	j.restart()
	return j
}

// restart drops everything that was proven, because a leader has ended.
func (j *search) restart() {
	j.proven = proven{searched: make([]searched, len(j.s.keySets)), contents: map[content]agreement{}}
	j.query.Since = 0
}

// conclude looks up and judges until there is an outcome to commit. A long judgement looks up again once it has a slot of
// the semaphore, and keeps the slot for the commit. Other long judgements of its bucket wait meanwhile. If all committed at
// once, all but one would conflict and look up again.
func (j *search) conclude(ctx context.Context) (outcome, error) {
	o, err := j.round(ctx)
	if err != nil || !j.long() {
		return o, err
	}
	if err := j.acquire(ctx); err != nil {
		return o, err
	}
	j.last = true
	defer func() { j.last = false }()
	return j.round(ctx)
}

// round looks up the leaders that are new since the last round, and judges.
func (j *search) round(ctx context.Context) (outcome, error) {
	j.rounds++
	began := time.Now()
	err := j.look(ctx)
	span.Record(ctx, "look-up", began, err)
	if err != nil {
		return outcome{}, err
	}
	began = time.Now()
	o, err := j.outcome(ctx)
	span.Record(ctx, "judge", began, err)
	return o, err
}

// outcome judges what was found, and proves what the judgement asks for.
func (j *search) outcome(ctx context.Context) (outcome, error) {
	for {
		o, q := judge(j.s, &j.proven)
		if q == nil {
			j.rest(&j.query)
			err := j.explain(ctx, &o)
			return o, err
		}
		if err := j.prove(ctx, q); err != nil {
			return outcome{}, err
		}
	}
}

// maxPages limits the pages of one key set that a round reads. In a larger bucket, it only searches the newest part.
const maxPages = 64

// look sends one query for all names and keys, and then queries for the rest of each key set.
func (j *search) look(ctx context.Context) error {
	q, f, err := j.lookup(ctx)
	if err != nil {
		return err
	}
	limit := j.d.maxCandidates()
	j.add(j.s, f, limit)
	if j.s.wordless {
		if _, err := j.uncommon(ctx, j.s.extras); err != nil {
			return err
		}
	}
	if err := j.partners(ctx); err != nil {
		return err
	}
	for i := range j.s.keySets {
		page := Query{Since: q.Since, Before: f.Rest, KeySets: q.KeySets[i : i+1]}
		for n := 1; page.Before != 0; n++ {
			if n == maxPages {
				j.searched[i].more = true
				break
			}
			next, err := j.d.index.Lookup(ctx, page)
			if err != nil {
				return err
			}
			j.searched[i].add(next.KeySets[0], j.s.cutoff, limit)
			page.Before = next.Rest
		}
	}
	q.Since = f.At
	j.query = q
	return nil
}

// lookup queries the store. It repeats the query if a ruling was made or an extra became common meanwhile.
func (j *search) lookup(ctx context.Context) (Query, Found, error) {
	for {
		q := j.s.query(j.query.Since)
		j.rest(&q)
		f, err := j.d.index.Lookup(ctx, q)
		if err != nil {
			return q, f, err
		}
		if j.otherwise(f.Common) {
			j.restart()
			continue
		}
		if f.Ruled <= q.Ruled {
			return q, f, nil
		}
		if err := j.d.learnRulings(ctx); err != nil {
			return q, f, err
		}
		at, links := j.d.rulings(j.s.sub.ID)
		if maps.Equal(links, j.s.links) { // the new rulings concern other articles
			j.s.ruled, q.Ruled = at, at
			return q, f, nil
		}
		j.s = j.d.subject(j.s.sub, j.s.request)
		j.restart()
	}
}

// prove makes the comparisons that judge asked for.
func (j *search) prove(ctx context.Context, q *question) error {
	if q.keySet == askContent {
		_, err := j.agrees(ctx, q.content)
		return err
	}
	return j.compareAll(ctx, &j.s.keySets[q.keySet], &j.searched[q.keySet])
}

// compareAll compares the subject with the remaining leaders, in order. If these are only the best of more leaders and none
// is near, it returns an error.
func (j *search) compareAll(ctx context.Context, p *keySet, t *searched) error {
	t.order(j.d.maxCandidates())
	for len(t.left) > 0 {
		j.candidates++
		m, err := j.compare(ctx, p, t.left[0].Leader)
		switch {
		case errors.Is(err, ErrNotFound): // it ended since the look-up
		case err != nil:
			return err
		case m.Near:
			t.best = better(t.best, m.keep())
		case m.Variant && p.stage == StageContent:
			t.variant = better(t.variant, m.keep())
		}
		t.left = t.left[1:]
	}
	if t.more && t.best == nil {
		return fmt.Errorf("%w: more than %d docIds share a key with the article", ErrHotBucket, j.d.maxCandidates())
	}
	return nil
}

// keep copies a match to the heap. Most matches are dropped instead, because they are not near.
func (m matched) keep() *matched { return &m }

// compare compares the subject with a leader. A leader that a ruling excludes is not a match.
func (j *search) compare(ctx context.Context, p *keySet, leader uint64) (matched, error) {
	j.compared++
	if err := j.spend(ctx, j.compareEffort()); err != nil {
		return matched{}, err
	}
	if p.stage == StageOverride {
		return j.compareRuled(ctx, leader)
	}
	m, err := j.compareTexts(ctx, p, leader)
	if err == nil && p.stage == StageContent {
		m, err = j.advised(ctx, m)
	}
	if err == nil && j.s.ruledApart(m.nid) {
		m.Near, m.Variant = false, false
	}
	return m, err
}

// compareTexts compares the subject with a leader by the method of a key set. A near title must meet the same conditions as
// an equal one.
func (j *search) compareTexts(ctx context.Context, p *keySet, leader uint64) (matched, error) {
	if p.method == nil {
		return j.compareEqual(ctx, leader)
	}
	theirs, err := j.viewOf(ctx, leader, p.kind, p.method)
	if err != nil {
		return matched{}, err
	}
	m := matched{leader: leader, agreement: agreement{nid: theirs.nid}, Extras: theirs.Extras, Match: p.method.Compare(j.s.view(p.kind, p.method), theirs.Prepared)}
	if m.Near && p.stage == StageTitle {
		m.agreement, err = j.agrees(ctx, content{leader, StageTitle})
		m.Near = m.identifies && m.apart == nil
	}
	return m, err
}

func (j *search) compareEqual(ctx context.Context, leader uint64) (matched, error) {
	mat, err := j.material(ctx, leader)
	return matched{leader: leader, agreement: agreement{nid: mat.NID}, Extras: mat.Extras, Match: neardup.Match{
		Similarity: 1, Distance: -1, Near: j.s.textOf(viewContent, mat.Title, mat.Text) == j.s.content, Method: j.s.routed, Basis: neardup.BasisEqual}}, err
}

// Limits for the conflicts that are stored with a decision.
const (
	maxConflicts = 16
	maxFact      = 100 // in bytes
)

// explain adds the evidence that the subject is a variant of the leader.
func (j *search) explain(ctx context.Context, o *outcome) error {
	if o.match != nil || o.variant == nil {
		return nil
	}
	if o.variant.apart != nil {
		o.conflicts = append(o.conflicts, *o.variant.apart)
	}
	m, ok := j.d.cascade.content.(neardup.TwoStage)
	if !ok {
		return nil
	}
	theirs, err := j.viewOf(ctx, o.variant.leader, viewContent, m)
	if err != nil {
		return gone(err)
	}
	o.conflicts = append(o.conflicts, bounded(m.Explain(j.s.view(viewContent, m), theirs.Prepared).Evidence)...)
	return nil
}

// bounded limits evidence to the amount that is stored and shown.
func bounded(all []neardup.Conflict) []neardup.Conflict {
	all = all[:min(len(all), maxConflicts)]
	for i, c := range all {
		all[i].A, all[i].B = short(c.A), short(c.B)
	}
	return all
}

// short cuts a fact to maxFact bytes, between two runes.
func short(s string) string {
	if len(s) <= maxFact {
		return s
	}
	return strings.ToValidUTF8(s[:maxFact], "")
}

// gone returns nil if the error means that the leader has ended since the look-up.
func gone(err error) error {
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrEnded) {
		return nil
	}
	return err
}

// maxRounds limits the rounds of a submission. From the second conflict on, a round begins after a random pause of up to
// maxPause, so that not all submissions retry at once.
const (
	maxRounds = 100
	maxPause  = 50 * time.Millisecond
)

// pause waits before a round.
func (j *search) pause(ctx context.Context) error {
	if j.rounds < 3 {
		return ctx.Err()
	}
	j.release()
	return pause.For(ctx, rand.N(min(time.Millisecond<<min(j.rounds, 20), maxPause)))
}
