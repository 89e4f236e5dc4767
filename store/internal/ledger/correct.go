package ledger

import (
	"fmt"
	"math"

	"github.com/neardup/neardup/docid"
)

// planCorrect moves a member: its row, its membership in a docId, its names, and its text if that is stored. Its log entry
// does not change.
func (t *change) planCorrect() error {
	m, err := t.corrected()
	if err != nil {
		return err
	}
	before, own := m.Leader, uint64(0)
	if m.Correction != nil {
		own = m.Correction.Own
	}
	if t.c.NewLeader != nil {
		t.Leader, own = t.Seq, t.Seq
		t.addLeader()
	}
	m.Leader, m.Disagrees, t.Heat = t.Leader, false, m.Heat
	m.Correction = &docid.Correction{
		Seq: t.Seq, Time: t.Time, Leader: t.Leader, Before: before, Own: own, Who: t.Ruling.Who, Why: t.Ruling.Why,
	}
	t.set(nidKey(t.ix.id, m.ID), &m)
	t.del(t.key(spaceMember, before, m.Seq))
	t.set(t.key(spaceMember, m.Leader, m.Seq), &m.ID)
	t.resize(before, -1)
	t.resize(m.Leader, 1)
	if err := t.addNames(); err != nil {
		return err
	}
	return t.moveText(m, before)
}

// corrected returns the member that a correction moves, or an error if it cannot be moved.
func (t *change) corrected() (docid.Member, error) {
	if t.Ruling == nil {
		return docid.Member{}, fmt.Errorf("%w: correction without a ruling", docid.ErrInvalid)
	}
	m, err := t.ix.member(t.b, t.NID)
	switch {
	case err != nil:
		return m, err
	case m.Leader != t.Ruling.Before:
		return m, docid.ErrConflict
	case t.c.NewLeader != nil:
		return m, nil
	case m.Leader == t.Leader:
		return m, fmt.Errorf("%w: the correction moves nothing", docid.ErrInvalid)
	}
	if t.ix.posts.living(t.Leader, math.MaxUint64) == nil {
		return m, docid.ErrEnded
	}
	return m, nil
}

// moveText moves the text of a member that is the kept copy. The old docId then has no kept copy, and the text competes
// with that of the new docId. For other members the text is known only if the change makes a docId.
func (t *change) moveText(m docid.Member, before uint64) error {
	var old, kept keptRow
	if _, err := read(t.b, t.key(spaceKept, before), &old); err != nil {
		return err
	}
	a := m.Article
	left, known := old.Article.ID == m.ID, t.c.NewLeader != nil
	if left {
		t.del(t.key(spaceKept, before))
		t.effect, known, a.Text = docid.KeptLeft, true, old.Article.Text
	}
	if t.c.Article != nil && (t.c.NewLeader != nil || t.c.Article.Text != "") { // or the index is rebuilt
		a.Text = t.c.Article.Text
	}
	there := false
	if t.c.NewLeader == nil {
		var err error
		there, err = read(t.b, t.key(spaceKept, m.Leader), &kept)
		if err != nil {
			return err
		}
	}
	switch hotter := !there || m.Heat > kept.Article.Heat; {
	case known && hotter:
		t.setKept(keptRow{t.Seq, a, t.c.NewLeader == nil && (!there || kept.Contested)})
		t.effect = docid.KeptReplaced
		if left {
			t.effect = docid.KeptMoved
		}
	case there && hotter && !kept.Contested:
		kept.Contested = true
		t.setKept(kept)
	}
	if !t.effect.Replaces() {
		a.Text = ""
	}
	t.waits = &a
	return nil
}

// planRule records a person's ruling on two articles.
func (t *change) planRule() error {
	if r := t.Ruling; r == nil || r.Other == "" || t.NID == "" {
		return fmt.Errorf("%w: ruling about one article (want two)", docid.ErrInvalid)
	}
	if !t.restores {
		if err := t.ruledSince(func(a, b string) bool { return t.c.NID == a && t.c.Ruling.Other == b }); err != nil {
			return err
		}
	}
	t.set(t.key(spaceRule, t.Seq), &t.Entry)
	t.memory = append(t.memory, func() { t.ix.ruled = t.Seq })
	t.after = append(t.after, func() { t.ix.lastRule.Store(t.Seq) })
	return nil
}

// ruledSince returns ErrConflict if a ruling after the last one that the caller knows concerns the change. It calls
// concerns with the two articles of a ruling in both orders.
func (t *change) ruledSince(concerns func(a, b string) bool) error {
	known := t.c.Query.Ruled
	if t.ix.ruled <= known {
		return nil
	}
	return t.b.Scan(t.key(spaceRule, known+1), after(t.key(spaceRule)), func(k, v []byte) error {
		e, err := loggedEntry(k, v)
		if err != nil {
			return err
		}
		if concerns(e.NID, e.Ruling.Other) || concerns(e.Ruling.Other, e.NID) {
			return docid.ErrConflict
		}
		return nil
	})
}

// loadRules finds the last ruling. O(rulings).
func (ix *index) loadRules(r Reader) error {
	err := scan(r, ix.key(spaceRule), func(k, _ []byte) error {
		ix.ruled = number(k, 0)
		return nil
	})
	ix.lastRule.Store(ix.ruled)
	return err
}
