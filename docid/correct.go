package docid

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Correcting moves an article to another docId. No other change revises an answer. The target is the docId of another
// article (With), a docId (DocID), or, with neither, a docId of its own.
type Correcting struct {
	NID         string
	With, DocID string // at most one of them is set
	// Text is the article's text, which a docId of its own needs. It is ignored if the service stores the text.
	Text     *string
	Who, Why string
}

// Corrected is the last correction of an article, for people.
type Corrected struct {
	Who    string    `json:"who"`
	Why    string    `json:"why,omitempty"`
	Time   time.Time `json:"time"`
	Before string    `json:"before" doc:"Its earlier docId."`
	Seq    uint64    `json:"seq" doc:"The change that moved it."`
}

// Moved is the result of a correction.
type Moved struct {
	Corrected
	NID   string
	DocID string // current docId of the article
	// Unchanged is set if the article already had that docId. Nothing was written then.
	Unchanged bool
}

// Correct moves an article. Repeating a correction returns the same answer. Errors: ErrNotFound, ErrEnded, ErrInvalid,
// ErrLeads, ErrTextUnknown, ErrContended, ErrBacklog, and those of a store.
func (d *Detector) Correct(ctx context.Context, c Correcting) (Moved, error) {
	m, err := untilFirst(func() (Moved, error) { return d.correct(ctx, &c) })
	if err != nil {
		err = fmt.Errorf("correct %q: %w", c.NID, err)
	}
	return m, err
}

// correct finds the target docId and moves the article there. If the article has moved meanwhile, it returns ErrConflict.
func (d *Detector) correct(ctx context.Context, asked *Correcting) (Moved, error) {
	m, _, err := d.Member(ctx, asked.NID)
	if err != nil {
		return Moved{}, err
	}
	target, err := d.target(ctx, asked, &m)
	switch {
	case err != nil:
		return Moved{}, err
	case target == m.Leader && m.Correction == nil && asked.With == "" && asked.DocID == "":
		return Moved{}, ErrLeads
	case target == m.Leader:
		return d.moved(m.ID, m.Leader, m.Correction, true), nil
	}
	c := &Change{Backlog: d.Backlog}
	c.Kind, c.NID, c.Leader, c.Time = KindCorrect, m.ID, target, d.now().UnixNano()
	c.Ruling = &Ruling{Who: asked.Who, Why: asked.Why, Before: m.Leader, Other: asked.With}
	c.Names = d.namesOf(&m.Article)
	if target == 0 {
		if err := d.makeLeader(ctx, c, asked, &m); err != nil {
			return Moved{}, err
		}
	}
	e, err := d.commit(ctx, c)
	if err != nil {
		return Moved{}, err
	}
	return d.moved(m.ID, e.Leader, &Correction{
		Seq: e.Seq, Time: e.Time, Leader: e.Leader, Before: m.Leader, Who: asked.Who, Why: asked.Why,
	}, false), nil
}

// target returns the docId that an article moves to, or 0 if a new one must be made.
func (d *Detector) target(ctx context.Context, asked *Correcting, m *Member) (uint64, error) {
	switch {
	case asked.With != "" && asked.DocID != "":
		return 0, fmt.Errorf("%w: two targets (want the docId of another article, or a named docId)", ErrInvalid)
	case asked.With == asked.NID:
		return 0, fmt.Errorf("%w: an article cannot be split from itself", ErrInvalid)
	case asked.With != "":
		other, _, err := d.Member(ctx, asked.With)
		return other.Leader, err
	case asked.DocID != "":
		leader, err := d.leader(ctx, asked.DocID)
		if err == nil {
			_, err = d.Group(ctx, asked.DocID, 0, 0)
		}
		return leader, err
	}
	_, err := d.index.Catalog().Group(ctx, m.Own(), 0, 0)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrEnded) { // the article does not lead a docId, or that docId has ended
		return 0, nil
	}
	return m.Own(), err
}

// makeLeader makes the article a leader, as if it had been submitted as a new one.
func (d *Detector) makeLeader(ctx context.Context, c *Change, asked *Correcting, m *Member) error {
	sub := m.Article.Submission()
	g, err := d.index.Catalog().Group(ctx, m.Leader, 0, 0)
	switch {
	case errors.Is(err, ErrEnded):
		return ErrConflict // the docId has ended, and with it the article
	case err != nil:
		return err
	case g.Kept != nil && g.Kept.ID == m.ID:
		sub.Text = g.Kept.Text
	case asked.Text != nil:
		sub.Text = *asked.Text
	default:
		return ErrTextUnknown
	}
	s := d.subject(&sub, [16]byte{})
	made := s.change(outcome{}, Query{})
	c.NewLeader, c.Article, c.Expires, c.Evidence = made.NewLeader, made.Article, made.Expires, made.Evidence
	return nil
}

func (d *Detector) moved(nid string, leader uint64, c *Correction, unchanged bool) Moved {
	m := Moved{NID: nid, DocID: d.ids.DocID(leader), Unchanged: unchanged}
	if c != nil {
		m.Corrected = *d.corrected(c)
	}
	return m
}

// corrected converts a correction for people, with docIds instead of numbers.
func (d *Detector) corrected(c *Correction) *Corrected {
	if c == nil {
		return nil
	}
	return &Corrected{Who: c.Who, Why: c.Why, Time: time.Unix(0, c.Time).UTC(), Before: d.ids.DocID(c.Before), Seq: c.Seq}
}

// Corrected returns the last correction of an article, or nil if it was never moved.
func (d *Detector) Corrected(m *Member) *Corrected { return d.corrected(m.Correction) }
