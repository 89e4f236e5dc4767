package docid

import (
	"context"
	"slices"

	"github.com/neardup/neardup"
)

// content identifies a comparison of the contents of the subject and a leader with the same url or title.
type content struct {
	leader uint64
	stage  Stage
}

// agreement is the result of a comparison of contents. It is zero if the docId has ended.
type agreement struct {
	nid        string
	identifies bool           // the name identifies the docId, unless the advice contradicts it
	disagrees  bool           // the url identifies the docId, but the contents contradict each other
	contents   *neardup.Match // set if the contents were compared and are near
	advice
}

// agrees returns the agreement with a leader. It computes each agreement once.
func (j *search) agrees(ctx context.Context, c content) (agreement, error) {
	a, ok := j.contents[c]
	if ok {
		return a, nil
	}
	a, err := j.agreement(ctx, c)
	err = gone(err)
	if err == nil {
		j.contents[c] = a
	}
	return a, err
}

// agreement compares the contents and, for a title, asks the pictures for advice. If no agreement is required, the url
// or title alone identifies the docId. An equal title joins an article with text to a leader without text only if the
// advice confirms it.
func (j *search) agreement(ctx context.Context, c content) (a agreement, err error) {
	s, title := j.s, c.stage == StageTitle
	kind, m, asked := viewURLAgrees, s.disagrees, s.urlAgrees != nil
	if title {
		kind, m, asked = viewTitleAgrees, s.agrees, s.agrees != nil
	}
	if s.silent {
		m = nil
	}
	theirs, err := j.viewOf(ctx, c.leader, kind, m)
	if err != nil {
		return a, err
	}
	near := s.silent || theirs.empty || theirs.equal(s.text)
	if !near && m != nil {
		match := m.Compare(s.view(kind, m), theirs.Prepared)
		near = match.Near
		if near && title {
			near, err = j.sameFacts(ctx, c.leader)
			if err != nil {
				return a, err
			}
		}
		if near {
			a.contents = &match
		}
	}
	a.nid, a.disagrees, a.identifies = theirs.nid, !near && !title, near || !asked
	if title {
		a.advice, err = j.advise(ctx, c.leader, theirs.Extras)
		if err != nil {
			return agreement{}, err
		}
	}
	if theirs.empty && !s.silent {
		a.identifies = (!title && !asked) || a.same != nil
	} else {
		a.same = nil
	}
	a.identifies = a.identifies && !s.ruledApart(a.nid)
	return a, nil
}

// sameFacts reports whether contents that agree under one title also state the same facts. If they differ in a
// fact, as the warnings of two days do, the title belongs to a series.
func (j *search) sameFacts(ctx context.Context, leader uint64) (bool, error) {
	m := j.s.cascade.content
	if m == nil {
		return true, nil
	}
	if err := j.spend(ctx, j.compareEffort()); err != nil {
		return false, err
	}
	theirs, err := j.viewOf(ctx, leader, viewContent, m)
	if err != nil {
		return false, err
	}
	match := neardup.Explain(m, j.s.view(viewContent, m), theirs.Prepared)
	if match.Unsure {
		return !slices.ContainsFunc(match.Evidence, isFact), nil
	}
	return !match.Variant || match.Overlap, nil
}

func isFact(c neardup.Conflict) bool {
	return c.Kind == neardup.KindNumber || c.Kind == neardup.KindOpposite
}
