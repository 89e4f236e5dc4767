package docid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/neardup/neardup"
)

// Revision is a change of an article. It does not change earlier answers.
type Revision struct {
	Heat *int64
	Text *string
}

// Update changes the heat or the text of an article. With a text, or if it is the kept copy, the article competes at its
// new heat for being the kept copy. It does not compete if the text contradicts the leader's. Errors: ErrNotFound,
// ErrContended.
func (d *Detector) Update(ctx context.Context, nid string, r Revision) (Entry, error) {
	return untilFirst(func() (Entry, error) {
		c := &Change{SetHeat: r.Heat, Backlog: d.Backlog}
		c.Kind, c.NID, c.Time = KindUpdate, nid, d.now().UnixNano()
		if r.Text != nil {
			c.Article = &Article{}
			c.Article.Text = *r.Text
			c.Evidence.Stage = StageContent // so that the log shows that there was a text
			if err := d.judgeText(ctx, c); err != nil {
				return Entry{}, fmt.Errorf("update %q: %w", nid, err)
			}
		}
		return d.commit(ctx, c)
	})
}

// untilFirst repeats work while another change conflicts with it. It returns ErrContended after maxRounds.
func untilFirst[T any](work func() (T, error)) (done T, err error) {
	for range maxRounds {
		done, err = work()
		if !errors.Is(err, ErrConflict) {
			return done, err
		}
	}
	return done, fmt.Errorf("%w: %d rounds", ErrContended, maxRounds)
}

// judgeText sets whether the new text of an article contradicts its leader. The leader itself may have any text.
func (d *Detector) judgeText(ctx context.Context, c *Change) error {
	m, err := d.index.Catalog().Member(ctx, c.NID)
	if err != nil {
		return err
	}
	c.Leader = m.Leader
	if m.Own() == m.Leader {
		return nil
	}
	var s *subject
	err = d.inSlot(ctx, c.Article.Text, func() { s = d.cascade.subject("", d.clean(c.Article.Text)) })
	if err != nil {
		return err
	}
	j := d.search(s)
	defer j.release()
	a, err := j.agrees(ctx, content{m.Leader, StageURL})
	c.Evidence.Disagrees = a.disagrees
	return err
}

// Delete removes an article and its texts. Its docId stays, along with the keys and the clean text that later articles are
// compared with. It may return ErrNotFound.
func (d *Detector) Delete(ctx context.Context, nid string) (Entry, error) {
	c := &Change{}
	c.Kind, c.NID, c.Time = KindDelete, nid, d.now().UnixNano()
	return d.commit(ctx, c)
}

// End ends a docId. It removes members, texts and keys. The docId is never given again. O(members). Errors: ErrNotFound,
// ErrEnded.
func (d *Detector) End(ctx context.Context, docID string) (Entry, error) {
	leader, err := d.leader(ctx, docID)
	if err != nil {
		return Entry{}, err
	}
	c := &Change{}
	c.Kind, c.Leader, c.Time = KindEnd, leader, d.now().UnixNano()
	return d.commit(ctx, c)
}

// Expire ends up to limit docIds that are due, each in a separate change, and returns their number. A docId lives until a
// caller calls Expire, whatever the clock shows.
func (d *Detector) Expire(ctx context.Context, now time.Time, limit int) (int, error) {
	due, err := d.index.Catalog().Due(ctx, now.UnixNano(), limit)
	if err != nil {
		return 0, fmt.Errorf("find expired docIds: %w", err)
	}
	n := 0
	for _, leader := range due {
		c := &Change{}
		c.Kind, c.Leader, c.Time = KindExpire, leader, now.UnixNano()
		switch _, err := d.commit(ctx, c); {
		case err == nil:
			n++
		case !errors.Is(err, ErrEnded):
			return n, err
		}
	}
	return n, nil
}

// Forget drops the idempotency keys of changes received before a time. It handles about limit changes after from, the
// result of the previous call, and returns the last one handled. For changes without a key it only reads the log. A clock
// that was temporarily ahead does not keep keys longer.
func (d *Detector) Forget(ctx context.Context, from uint64, before time.Time, limit int) (uint64, error) {
	keys := false
	for at, upTo := from, from; ; {
		entries, err := d.index.Catalog().Log(ctx, at, limit)
		if err != nil {
			return from, fmt.Errorf("read the log: %w", err)
		}
		for _, e := range entries {
			keys = keys || e.Idempotency != ""
		}
		now := d.now()
		upTo = old(entries, from, before, now)
		if upTo > from {
			return d.forget(ctx, from, upTo, keys)
		}
		if len(entries) == 0 || len(entries) < limit || entries[len(entries)-1].Time <= now.UnixNano() {
			return from, nil
		}
		at = entries[len(entries)-1].Seq // all changes of the page were made while the clock was ahead
	}
}

// forget drops the keys of the changes up to a number, if there are any.
func (d *Detector) forget(ctx context.Context, from, upTo uint64, keys bool) (uint64, error) {
	if !keys {
		return upTo, nil
	}
	c := &Change{}
	c.Kind, c.Leader, c.Time = KindForget, upTo, d.now().UnixNano()
	if _, err := d.commit(ctx, c); err != nil {
		return from, err
	}
	return upTo, nil
}

// old returns the last of the changes after from that were received before a time. A change that seems to come
// from the future was made while the clock was ahead. It counts as old as the next change with a plausible
// time.
func old(entries []Entry, from uint64, before, now time.Time) (upTo uint64) {
	upTo = from
	for _, e := range entries {
		switch {
		case e.Time < before.UnixNano():
			upTo = e.Seq
		case e.Time <= now.UnixNano():
			return upTo
		}
	}
	return upTo
}

// commit makes a change that does not depend on a look-up.
func (d *Detector) commit(ctx context.Context, c *Change) (Entry, error) {
	var r Receipt
	var err error
	text := ""
	if c.Article != nil {
		text = c.Article.Text
	}
	if late := d.inSlot(ctx, text, func() { r, err = d.index.Commit(ctx, c) }); late != nil {
		return Entry{}, late
	}
	if errors.Is(err, ErrNotFound) && c.NID != "" {
		return Entry{}, fmt.Errorf("nid %q: %w", c.NID, err)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", c.Kind, err)
	}
	return r.Entry, d.learn(ctx, r)
}

// leader decodes a docId. If its epoch is unknown, it first reads the epochs from the store.
func (d *Detector) leader(ctx context.Context, docID string) (uint64, error) {
	leader, ok := d.ids.Leader(docID)
	if !ok {
		if err := d.learnEpochs(ctx); err != nil {
			return 0, err
		}
		leader, ok = d.ids.Leader(docID)
	}
	if !ok {
		return 0, fmt.Errorf("docId %q: %w", docID, ErrNotFound)
	}
	return leader, nil
}

// Stats returns the counts of the index, and learns new epochs.
func (d *Detector) Stats(ctx context.Context) (Stats, error) {
	st, err := d.index.Catalog().Stats(ctx)
	if err == nil && d.ids.Epoch(st.Seq) != st.Epoch {
		err = d.learnEpochs(ctx)
	}
	return st, err
}

// Member returns an article and its docId by nid, or ErrNotFound.
func (d *Detector) Member(ctx context.Context, nid string) (Member, string, error) {
	m, err := d.index.Catalog().Member(ctx, nid)
	if err != nil {
		return Member{}, "", fmt.Errorf("nid %q: %w", nid, err)
	}
	return m, d.ids.DocID(m.Leader), nil
}

// Group returns a docId with a page of its members. Errors: ErrNotFound, ErrEnded.
func (d *Detector) Group(ctx context.Context, docID string, after uint64, limit int) (Group, error) {
	leader, err := d.leader(ctx, docID)
	if err != nil {
		return Group{}, err
	}
	g, err := d.index.Catalog().Group(ctx, leader, after, limit)
	if err != nil {
		return Group{}, fmt.Errorf("docId %q: %w", docID, err)
	}
	return g, nil
}

// Evidence returns the answer that was given with a change. It returns ErrNotFound if the change was not a submission.
func (d *Detector) Evidence(ctx context.Context, seq uint64) (Answer, error) {
	if seq == 0 {
		return Answer{}, fmt.Errorf("change 0: %w", ErrNotFound)
	}
	es, err := d.index.Catalog().Log(ctx, seq-1, 1)
	if err != nil {
		return Answer{}, fmt.Errorf("change %d: %w", seq, err)
	}
	if len(es) == 0 || es[0].Seq != seq || (es[0].Kind != KindNew && es[0].Kind != KindDuplicate) {
		return Answer{}, fmt.Errorf("change %d: %w", seq, ErrNotFound)
	}
	return d.FromEntry(es[0]), nil
}

// FindURL returns the docIds that an address leads to, the oldest first. It returns none if the stage is off.
func (d *Detector) FindURL(ctx context.Context, raw string) ([]string, error) {
	return d.find(ctx, StageURL, d.URL, NormalizeURL(raw))
}

// FindTitle returns the docIds that a title leads to, the oldest first.
func (d *Detector) FindTitle(ctx context.Context, title string) ([]string, error) {
	return d.find(ctx, StageTitle, d.Title, d.clean(title))
}

func (d *Detector) find(ctx context.Context, s Stage, m Mode, text string) ([]string, error) {
	if !on(m) || neardup.Blank(text) {
		return nil, nil
	}
	if _, err := d.index.Catalog().Stats(ctx); err != nil { // waits until the index has what other servers acknowledged
		return nil, fmt.Errorf("find by %s: %w", s, err)
	}
	f, err := d.index.Lookup(ctx, Query{Names: []Name{keyed(d.nameKey, string(s), text)}})
	if err != nil {
		return nil, fmt.Errorf("find by %s: %w", s, err)
	}
	var ids []string
	slices.SortFunc(f.Names[0], func(a, b Hit) int { return cmp.Compare(a.Leader, b.Leader) })
	for _, h := range f.Names[0] {
		ids = append(ids, d.ids.DocID(h.Leader))
	}
	return ids, nil
}

// Comparison describes how two articles match, stage by stage.
type Comparison struct {
	URL     neardup.Match `json:"url"`
	Title   neardup.Match `json:"title"`
	Content neardup.Match `json:"content"`
	// Relation is the relation of the contents.
	Relation neardup.Relation `json:"relation" enum:"duplicate,unsure,variant,overlap,contained,new" doc:"Relation of the content of a to that of b; only overlap and contained depend on their order."`
	// Contained is empty if neither content contains the other.
	Contained string `json:"contained,omitempty" enum:"a,b" doc:"The article whose content the other one contains, if --method of the service has containment; the similarity of content is then the share of its passages in the other."`
	// Images is nil if an article has no picture that counts.
	Images *ImagesInCommon `json:"images,omitempty" doc:"The pictures that both articles have, including common ones."`
}

// Compare compares two articles as the cascade would, without the store. Like other long comparisons, it waits for a slot
// of the semaphore. If the context ends, it stops before the next text. The match of the contents has the Evidence, if
// their method has any.
func (d *Detector) Compare(ctx context.Context, a, b Submission) (c Comparison, err error) {
	if err := d.Semaphore.Acquire(ctx); err != nil {
		return c, err
	}
	defer d.Semaphore.Release()
	c.URL = equality(NormalizeURL(a.URL), NormalizeURL(b.URL), basisURL)
	c.Title, err = d.compare(ctx, a.Title, b.Title, d.cascade.title, basisTitle)
	if err != nil {
		return Comparison{}, err
	}
	c.Content, err = d.compare(ctx, a.Text, b.Text, d.cascade.content, neardup.BasisEqual)
	if err != nil {
		return Comparison{}, err
	}
	if err := d.compareContained(ctx, &c, a.Text, b.Text); err != nil {
		return Comparison{}, err
	}
	c.Relation, c.Images = c.Content.Relation(), d.compareExtras(a.Extras, b.Extras)
	return c, ctx.Err()
}

// compareContained determines which of two contents contains the other, if the method measures containment.
func (d *Detector) compareContained(ctx context.Context, c *Comparison, a, b string) error {
	if c.Content.Basis == neardup.BasisContained {
		c.Contained = "a"
	}
	if m := d.cascade.content; m == nil || c.Content.Near ||
		!slices.ContainsFunc(m.Spec().Params, func(p neardup.Param) bool { return p.Name == "containment" }) {
		return nil
	}
	m, err := d.compare(ctx, b, a, d.cascade.content, neardup.BasisEqual)
	if m.Basis == neardup.BasisContained {
		m.Evidence = c.Content.Evidence
		c.Content, c.Contained = m, "b"
	}
	return err
}

func (d *Detector) compare(ctx context.Context, a, b string, m neardup.Method, basis string) (neardup.Match, error) {
	var clean [2]string
	for i, text := range []string{a, b} {
		if err := ctx.Err(); err != nil {
			return neardup.Match{}, err
		}
		clean[i] = d.clean(text)
	}
	e := equality(clean[0], clean[1], basis)
	if e.Near || m == nil || neardup.Blank(clean[0]) || neardup.Blank(clean[1]) {
		return e, nil
	}
	var views [2]neardup.Prepared
	for i, text := range clean {
		if err := ctx.Err(); err != nil {
			return neardup.Match{}, err
		}
		views[i] = m.Prepare(text)
	}
	e = neardup.Explain(m, views[0], views[1])
	e.Evidence = bounded(e.Evidence)
	return e, nil
}

func equality(a, b, basis string) neardup.Match {
	if a == b && !neardup.Blank(a) {
		return neardup.Match{Similarity: 1, Distance: -1, Near: true, Method: string(Exact), Basis: basis}
	}
	return neardup.Match{Distance: -1, Method: string(Exact), Basis: basis}
}
