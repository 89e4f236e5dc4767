package docid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/neardup/neardup"
)

// Neighbor is a docId whose leader is like an article, with the relation between the two.
type Neighbor struct {
	ID         string             `json:"id" doc:"The id of the leader, or after its deletion ~ and the number of the change that added it."`
	DocID      string             `json:"docId"`
	Relation   neardup.Relation   `json:"relation" enum:"duplicate,unsure,variant,overlap,contained,new" doc:"Relation of the article to the leader."`
	Similarity float64            `json:"similarity" doc:"Similarity by the method of the stage; with method auto, the probability that both texts say the same."`
	Evidence   []neardup.Conflict `json:"evidence,omitempty" doc:"Evidence for (above 0 bits) and against (below 0) a duplicate; a is from the article, b from the leader."`
}

// mostNeighbors limits the leaders that Near compares an article with.
const mostNeighbors = 256

// Near returns up to top docIds whose leaders are most like an article by the stage content, the most alike first.
// It stores nothing. It compares the article with the leaders that share the most keys with it, at most 256.
func (d *Detector) Near(ctx context.Context, sub Submission, top int) ([]Neighbor, error) {
	found, err := d.near(ctx, &sub)
	if err != nil {
		return nil, fmt.Errorf("near %q: %w", sub.ID, err)
	}
	return found[:max(0, min(top, len(found)))], nil
}

func (d *Detector) near(ctx context.Context, sub *Submission) ([]Neighbor, error) {
	if err := d.valid(sub); err != nil {
		return nil, err
	}
	if err := d.current(ctx); err != nil {
		return nil, err
	}
	s, err := d.prepare(ctx, sub, [16]byte{})
	if err != nil {
		return nil, err
	}
	return d.search(s).neighbors(ctx)
}

// neighbors compares the subject with leaders, and returns the most alike first.
func (j *search) neighbors(ctx context.Context) ([]Neighbor, error) {
	defer j.release()
	leaders, err := j.mostShared(ctx)
	found := []Neighbor{}
	for _, leader := range leaders {
		n, late := j.neighbor(ctx, leader)
		switch {
		case late == nil:
			found = append(found, n)
		case !errors.Is(late, ErrNotFound): // it has ended since the look-up
			return nil, late
		}
	}
	slices.SortStableFunc(found, func(a, b Neighbor) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found, err
}

// mostShared returns the leaders that share the most keys of the stage content with the subject, whether plausible or not.
func (j *search) mostShared(ctx context.Context) ([]uint64, error) {
	q := Query{}
	for _, p := range j.s.keySets {
		if p.stage == StageContent {
			q.KeySets = append(q.KeySets, KeySet{Keys: p.Keys})
		}
	}
	shared := map[uint64]int{}
	for range maxPages {
		f, err := j.d.index.Lookup(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, h := range slices.Concat(f.KeySets...) {
			if h.Time >= j.s.cutoff {
				shared[h.Leader] += h.Shared
			}
		}
		q.Before = f.Rest
		if f.Rest == 0 {
			break
		}
	}
	leaders := slices.SortedFunc(maps.Keys(shared), func(a, b uint64) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b)) })
	return leaders[:min(len(leaders), mostNeighbors)], nil
}

// neighbor compares the subject with one leader, with a slot of the semaphore, because evidence is expensive.
func (j *search) neighbor(ctx context.Context, leader uint64) (n Neighbor, err error) {
	if err := j.spend(ctx, freeEffort); err != nil {
		return n, err
	}
	m := j.d.cascade.content
	theirs, err := j.viewOf(ctx, leader, viewContent, m)
	if err != nil {
		return n, err
	}
	match := neardup.Match{Similarity: 1, Near: true}
	if !theirs.equal(j.s.content) {
		if m == nil { // they share a key only by chance
			return n, ErrNotFound
		}
		match = neardup.Explain(m, j.s.view(viewContent, m), theirs.Prepared)
	}
	n.Relation, n.Similarity, n.Evidence = match.Relation(), match.Similarity, bounded(match.Evidence)
	id, home, err := j.d.leaderNID(ctx, leader, theirs.nid)
	n.ID, n.DocID = id, j.d.ids.DocID(home)
	return n, err
}
