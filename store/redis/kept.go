package redis

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// kept is a kept copy.
type kept struct {
	docid.Member
	seq       uint64 // the change that made it the kept copy
	contested bool   // a member may be hotter
	text      string // as it is stored; "" if it was left to the library
}

// copyOf reads the kept copy of a docId; nil if there is none.
func (ix *index) copyOf(ctx context.Context, leader uint64) (*kept, error) {
	k, err := ix.copyNow(ctx, leader)
	for n := 0; errors.Is(err, docid.ErrNotFound) && n < maxRecalls; n++ { // deleted meanwhile
		k, err = ix.copyNow(ctx, leader)
	}
	return k, err
}

func (ix *index) copyNow(ctx context.Context, leader uint64) (*kept, error) {
	answer, err := ix.call(ctx, false, "copy", decimal(leader))
	if err != nil {
		return nil, err
	}
	if _, err := status(answer); err != nil || len(answer) == 1 {
		return nil, err
	}
	var parts [4]string // what is known, text, nid, row
	for i := range parts {
		if i+1 < len(answer) {
			if parts[i], err = answer[i+1].ToString(); err != nil {
				return nil, ix.s.fail(err)
			}
		}
	}
	known := parts[0]
	if len(known) != 21 {
		return nil, fmt.Errorf("%w: kept copy of leader %d", docid.ErrCorrupt, leader)
	}
	k := &kept{seq: six(known[8:]), contested: known[14] == '1', text: parts[1]}
	if parts[2] == "" { // its article was left to the history
		k.Member, err = ix.came(ctx, six(known[15:]))
	} else {
		k.Member, err = memberOf(parts[2], parts[3])
	}
	if err != nil {
		return nil, fmt.Errorf("kept copy of leader %d: %w", leader, err)
	}
	k.Heat = unordered(known)
	return k, nil
}

// came is the article that came with a change which was left to the history.
func (ix *index) came(ctx context.Context, seq uint64) (docid.Member, error) {
	e, err := ix.entry(ctx, seq)
	if err != nil {
		return docid.Member{}, err
	}
	m, err := (catalog{ix}).member(ctx, e.NID)
	if err == nil && m.Seq != seq {
		err = docid.ErrNotFound
	}
	return m, err
}

// textOf is the text of a kept copy, from the library where it was left to that.
func (ix *index) textOf(ctx context.Context, leader uint64, k *kept) (string, error) {
	if k.text == "" {
		return ix.keptText(ctx, leader, k.ID)
	}
	text, err := expand([]byte(k.text))
	if err != nil {
		return "", fmt.Errorf("%w: text of the kept copy of leader %d: %w", docid.ErrCorrupt, leader, err)
	}
	return string(text), nil
}

// keeps reads the kept copy of a group.
func (c catalog) keeps(ctx context.Context, g *docid.Group) error {
	k, err := c.copyOf(ctx, g.Leader)
	if err != nil || k == nil {
		return err
	}
	if k.Text, err = c.textOf(ctx, g.Leader, k); err != nil {
		return err
	}
	g.Kept, g.KeptSeq = &k.Article, k.seq
	if !k.contested {
		return nil
	}
	return c.contest(ctx, g)
}

// contest looks for the hottest member that is hotter than the kept copy.
func (c catalog) contest(ctx context.Context, g *docid.Group) error {
	members, more, err := c.page(ctx, g.Leader, 0, docid.MaxContest)
	if err == nil {
		g.Contest(members, more)
	}
	return err
}

// moving is the text of an article that a correction moves, where it is the kept
// copy and its text was left to the library.
func (ix *index) moving(ctx context.Context, c *docid.Change) (string, error) {
	k, err := ix.copyOf(ctx, c.Ruling.Before)
	if err != nil || k == nil || k.ID != c.NID || k.text != "" {
		return "", err
	}
	text, err := ix.keptText(ctx, c.Ruling.Before, k.ID)
	return "=" + string(shrink([]byte(text))), err
}

// keptText reads the text of a kept copy from the library.
func (ix *index) keptText(ctx context.Context, leader uint64, nid string) (string, error) {
	docID, t, err := ix.texts(ctx, leader)
	switch {
	case err != nil:
		return "", err
	case t.Kept == nil || t.Kept.ID != nid:
		return "", fmt.Errorf("kept copy of docId %s: %w", docID, docid.ErrTextless)
	default:
		return t.Kept.Text, nil
	}
}
