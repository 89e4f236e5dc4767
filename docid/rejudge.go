package docid

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup"
)

// rejudger is the author of corrections when an index is judged again.
const rejudger = "neardup rebuild"

// Rejudged counts the results of judging an index again.
type Rejudged struct {
	DocIDs   int // docIds that are alive, or were made
	Articles int // articles that were judged, because their text is stored
	Textless int // articles that were not judged, because their text is not stored
	Moved    int // articles that moved to another docId, or to one of their own
	// Together counts docIds that would join an earlier one but stay, because they have other articles that were only
	// compared with their leader.
	Together int
	// Undecided counts articles that keep their docId because too many leaders share a key with them.
	Undecided int
}

// Rejudge judges an index by its new settings and compares that with its docIds: see [Rebuild]. An article changes its
// docId only because of its own text. The change is a correction in the log:
//
//   - an article that the settings do not find like its leader joins the docId that they find, or gets its own;
//   - a docId of one article joins an earlier one that it is like, so that the earlier docId stays;
//   - a docId of several articles stays whole: they were compared with its leader, and with no other;
//   - an article that a person moved stays, as does one whose text is not available.
//
// The index stores the texts of leaders and kept copies. textOf, if not nil, returns other texts by the change that they
// came with. Rejudge calls moved for each article that moves. No client may write at the same time.
func (d *Detector) Rejudge(ctx context.Context, textOf func(seq uint64) (string, bool, error), moved func(Moved) error) (Rejudged, error) {
	if err := d.learnRulings(ctx); err != nil {
		return Rejudged{}, err
	}
	st, err := d.Stats(ctx)
	if err != nil {
		return Rejudged{}, err
	}
	r := rejudging{d: d, textOf: textOf, moved: moved}
	err = eachEntry(ctx, d.index.Catalog(), st.Seq, func(e *Entry) error {
		if !e.Leads() {
			return nil
		}
		if err := r.docID(ctx, e.Seq); err != nil {
			return fmt.Errorf("docId %s: %w", d.ids.DocID(e.Seq), err)
		}
		return nil
	})
	return r.sum, err
}

// rejudging is the state of Rejudge.
type rejudging struct {
	d      *Detector
	textOf func(seq uint64) (string, bool, error)
	moved  func(Moved) error
	sum    Rejudged
}

// rejudgePage is the number of articles of a docId that are read at a time.
const rejudgePage = 1000

// docID judges the articles of a docId. The leader comes last, because by then it may be the only article.
func (r *rejudging) docID(ctx context.Context, leader uint64) error {
	var first *Member
	for after := uint64(0); ; {
		g, err := r.d.index.Catalog().Group(ctx, leader, after, rejudgePage)
		if errors.Is(err, ErrNotFound) || errors.Is(err, ErrEnded) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range g.Members {
			m := &g.Members[i]
			after = m.Seq
			if m.Own() == leader {
				first = m
				continue
			}
			if err := r.follower(ctx, &g, m); err != nil {
				return fmt.Errorf("nid %q: %w", m.ID, err)
			}
		}
		if !g.More {
			break
		}
	}
	r.sum.DocIDs++
	if first == nil { // its article was deleted or moved
		return nil
	}
	return r.leader(ctx, leader, first)
}

// follower judges an article that is not the leader of its docId.
func (r *rejudging) follower(ctx context.Context, g *Group, m *Member) error {
	text, known, err := r.text(g, m)
	switch {
	case err != nil:
		return err
	case !known:
		r.sum.Textless++
		return nil
	case m.Correction != nil && m.Correction.Who != rejudger:
		return nil
	}
	e, err := r.entry(ctx, m.Seq)
	if err != nil {
		return err
	}
	sub := m.Article.Submission()
	sub.Text = text
	s := r.d.subject(&sub, [16]byte{})
	s.cutoff = e.Window
	j := r.d.search(s)
	defer j.release()
	if err := j.against(ctx, g, &e); err != nil {
		return err
	}
	if o, err := j.outcome(ctx); err != nil || o.match != nil {
		r.sum.Articles++
		return err
	}
	why := fmt.Sprintf("by %[2]s not like %[1]s, the leader of its docId", g.NID, s.routed)
	return r.judge(ctx, j, m, text, why, func(other uint64) bool { return other != g.Leader })
}

// text returns the text of an article that is not a leader.
func (r *rejudging) text(g *Group, m *Member) (string, bool, error) {
	switch {
	case g.Kept != nil && g.Kept.ID == m.ID:
		return g.Kept.Text, true, nil
	case r.textOf != nil:
		return r.textOf(m.Seq)
	}
	return "", false, nil
}

func (r *rejudging) entry(ctx context.Context, seq uint64) (Entry, error) {
	es, err := r.d.index.Catalog().Log(ctx, seq-1, 1)
	if err == nil && len(es) == 0 {
		err = fmt.Errorf("%w: change %d is missing in the log", ErrCorrupt, seq)
	}
	if err != nil {
		return Entry{}, err
	}
	return es[0], nil
}

// leader judges the article that leads a docId against earlier docIds.
func (r *rejudging) leader(ctx context.Context, leader uint64, m *Member) error {
	if m.Correction != nil && m.Correction.Who != rejudger {
		return nil
	}
	mat, err := r.d.index.Material(ctx, leader)
	if err != nil || neardup.Blank(mat.Text) { // it can only be found by its names
		return err
	}
	e, err := r.entry(ctx, m.Seq)
	if err != nil {
		return err
	}
	sub := m.Article.Submission()
	s := r.d.subjectOf(&sub, r.d.cascade.subject(mat.Title, mat.Text), [16]byte{})
	s.cutoff = e.Window
	j := r.d.search(s)
	defer j.release()
	return r.judge(ctx, j, m, "", "", func(other uint64) bool { return other < leader })
}

// judge judges an article against some leaders, and moves it to the best. If none is like it, it stays, unless why gives
// the reason why it must not. Then it gets its own docId.
func (r *rejudging) judge(ctx context.Context, j *search, m *Member, text, why string, counts func(leader uint64) bool) error {
	r.sum.Articles++
	o, err := j.among(ctx, counts)
	switch {
	case errors.Is(err, ErrHotBucket):
		r.sum.Undecided++
		return nil
	case err != nil:
		return err
	case o.match == nil && why == "":
		return nil
	}
	c := Correcting{NID: m.ID, Who: rejudger, Why: why, Text: &text}
	if match := o.match; match != nil {
		name, home, err := r.d.leaderNID(ctx, match.leader, match.nid)
		if err != nil || home == m.Leader {
			return err
		}
		if why == "" {
			g, err := r.d.index.Catalog().Group(ctx, m.Leader, 0, 0)
			if err != nil {
				return err
			}
			if g.Size > 1 {
				r.sum.Together++
				return nil
			}
		}
		c.DocID = r.d.ids.DocID(home)
		e := match.evidence()
		c.Why = join(why, fmt.Sprintf("like %s by %s: %.4g", name, e.Method, e.Similarity))
	}
	was, err := r.d.Correct(ctx, c)
	if err != nil || was.Unchanged {
		return err
	}
	r.sum.Moved++
	return r.moved(was)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// against makes the leader of one docId the only candidate. If the article was a duplicate of an article that a person
// moved to this docId, the moved article is the candidate. Only the url or title by which the article was found counts,
// because its other names may lead to the docId only through the article itself.
func (j *search) against(ctx context.Context, g *Group, e *Entry) error {
	leader := g.Leader
	switch m, err := j.d.index.Catalog().Member(ctx, e.Evidence.LeaderNID); {
	case err == nil && m.Leader == g.Leader:
		leader = m.Own()
	case err != nil && !errors.Is(err, ErrNotFound):
		return err
	}
	hit := Hit{Leader: leader, Time: g.Time, Shared: 1}
	j.names = make([][]Hit, len(j.s.names))
	for i, a := range j.s.names {
		if e.Leader == g.Leader && e.Evidence.Stage == a.stage {
			j.names[i] = []Hit{hit}
		}
	}
	for i := range j.searched {
		j.searched[i].left = []Hit{hit}
	}
	return nil
}

// among judges an article against those candidates that counts accepts.
func (j *search) among(ctx context.Context, counts func(leader uint64) bool) (outcome, error) {
	j.restart()
	if err := j.look(ctx); err != nil {
		return outcome{}, err
	}
	for i, hits := range j.names {
		j.names[i] = hits[:0]
		for _, h := range hits {
			if !counts(h.Leader) {
				continue
			}
			own, err := j.carries(ctx, h.Leader, j.s.names[i].name)
			if err != nil {
				return outcome{}, err
			}
			if own {
				j.names[i] = append(j.names[i], h)
			}
		}
	}
	for i := range j.searched {
		j.searched[i].left = slices.DeleteFunc(j.searched[i].left, func(h Hit) bool { return !counts(h.Leader) })
	}
	return j.outcome(ctx)
}

// carries reports whether a name belongs to the article that made a docId, not to one that joined it.
func (j *search) carries(ctx context.Context, leader uint64, name Name) (bool, error) {
	mat, err := j.d.index.Material(ctx, leader)
	if err != nil {
		return false, gone(err)
	}
	m, err := j.d.index.Catalog().Member(ctx, mat.NID)
	if err != nil {
		return false, gone(err)
	}
	return m.Own() == leader && slices.Contains(j.d.namesOf(&m.Article), name), nil
}
