package ledger

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/neardup/neardup/docid"
)

// catalog reads an index for the API and the sinks.
type catalog struct{ ix *index }

// view runs read on the durable state once it has all acknowledged changes.
func (c catalog) view(ctx context.Context, read func(Reader) error) error {
	if err := c.ix.store.current(ctx); err != nil {
		return err
	}
	return c.ix.atSnapshot(read)
}

// scan visits the durable rows of a range. errStop ends it without an error.
func (c catalog) scan(ctx context.Context, from, to []byte, visit func(k, v []byte) error) error {
	return enough(c.view(ctx, func(r Reader) error { return r.Scan(from, to, visit) }))
}

// Member returns an article by its nid.
func (c catalog) Member(ctx context.Context, nid string) (m docid.Member, err error) {
	err = c.view(ctx, func(r Reader) error {
		m, err = c.ix.member(r, nid)
		return err
	})
	return m, err
}

// member returns an article by its nid.
func (ix *index) member(r Reader, nid string) (m docid.Member, err error) {
	there, err := read(r, nidKey(ix.id, nid), &m)
	if err == nil && !there {
		err = docid.ErrNotFound
	}
	return m, err
}

// Group reads a docId and a page of members.
func (c catalog) Group(ctx context.Context, leader, after uint64, limit int) (docid.Group, error) {
	var g docid.Group
	err := c.view(ctx, func(r Reader) error {
		var row leaderRow
		ok, err := read(r, c.ix.key(spaceLeader, leader), &row)
		if err != nil {
			return err
		}
		if !ok {
			return c.ix.absent(r, leader)
		}
		g.Leader, g.Time, g.Expires = leader, row.Time, row.Expires
		return c.fill(r, &g, after, limit)
	})
	return g, err
}

// fill reads size, nid, kept copy and members of a group.
func (c catalog) fill(r Reader, g *docid.Group, from uint64, limit int) error {
	if _, l := c.ix.posts.find(g.Leader); l != nil {
		g.Size = int(l.size.Load())
	}
	e, err := c.ix.entry(r, g.Leader)
	if err != nil {
		return err
	}
	g.NID, _, err = c.ix.leaderNID(r, g.Leader, e.NID)
	if err != nil {
		return err
	}
	var kept keptRow
	if ok, err := read(r, c.ix.key(spaceKept, g.Leader), &kept); err != nil {
		return err
	} else if ok {
		g.Kept, g.KeptSeq = &kept.Article, kept.Seq
	}
	if kept.Contested {
		if err := c.contest(r, g); err != nil {
			return err
		}
	}
	g.Members, g.More, err = c.page(r, g.Leader, from, limit)
	return err
}

// maxContest is the number of members among which the hottest is searched.
const maxContest = 1000

// contest finds the hottest member that is hotter than the kept copy.
func (c catalog) contest(r Reader, g *docid.Group) error {
	members, more, err := c.page(r, g.Leader, 0, maxContest)
	if err == nil {
		g.Contest(members, more)
	}
	return err
}

// page reads a page of members.
func (c catalog) page(r Reader, leader, from uint64, limit int) (ms []docid.Member, more bool, err error) {
	err = r.Scan(after(c.ix.key(spaceMember, leader, from)), after(c.ix.key(spaceMember, leader)), func(k, v []byte) error {
		if len(ms) >= limit {
			more = true
			return errStop
		}
		var nid string
		var m docid.Member
		if err := decode(k, v, &nid); err != nil {
			return err
		}
		_, err := read(r, nidKey(c.ix.id, nid), &m)
		ms = append(ms, m)
		return err
	})
	return ms, more, enough(err)
}

// absent returns ErrEnded or ErrNotFound for a leader without a row.
func (ix *index) absent(r Reader, seq uint64) error {
	v, err := r.Get(ix.key(spaceLog, seq))
	if err != nil || v == nil {
		return errors.Join(err, docid.ErrNotFound)
	}
	e, err := ix.entry(r, seq)
	if err == nil && e.Leads() {
		return docid.ErrEnded
	}
	return errors.Join(err, docid.ErrNotFound)
}

// Groups returns a page of the largest docIds. It scans all docIds in memory.
func (c catalog) Groups(ctx context.Context, page docid.GroupPage) ([]docid.GroupSize, error) {
	if err := c.ix.store.current(ctx); err != nil || page.Limit <= 0 {
		return nil, err
	}
	order := func(a, b docid.GroupSize) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Leader, b.Leader))
	}
	var found []docid.GroupSize
	best := func() []docid.GroupSize {
		slices.SortFunc(found, order)
		return found[:min(len(found), page.Limit)]
	}
	least := page.MinSize
	all, at := &c.ix.posts.leaders, c.ix.durable.Load()
	for n := range leaderNo(all.len()) {
		l := all.at(n)
		g := docid.GroupSize{Leader: l.seq, Size: int(l.size.Load())}
		if g.Size < least || l.seq > at || !l.lives(at) || (page.After.Leader != 0 && order(g, page.After) <= 0) {
			continue
		}
		found = append(found, g)
		if len(found) == 2*page.Limit {
			found = best()
			least = found[page.Limit-1].Size + 1 // all docIds found later with this size sort after these
		}
	}
	return best(), ctx.Err()
}

// Log reads entries in order.
func (c catalog) Log(ctx context.Context, from uint64, limit int) ([]docid.Entry, error) {
	return c.entries(ctx, spaceLog, from, limit)
}

// Rulings reads rulings in order.
func (c catalog) Rulings(ctx context.Context, from uint64, limit int) ([]docid.Entry, error) {
	return c.entries(ctx, spaceRule, from, limit)
}

// entries reads the entries of a space.
func (c catalog) entries(ctx context.Context, space byte, from uint64, limit int) (es []docid.Entry, err error) {
	if limit <= 0 {
		return nil, nil
	}
	err = c.view(ctx, func(r Reader) error {
		es, err = c.ix.entries(r, space, from, limit)
		return err
	})
	return es, err
}

// entries reads at most limit entries of a space after change from.
func (ix *index) entries(r Reader, space byte, from uint64, limit int) (es []docid.Entry, err error) {
	err = r.Scan(after(ix.key(space, from)), after(ix.key(space)), func(k, v []byte) error {
		if len(es) == limit {
			return errStop
		}
		e, err := loggedEntry(k, v)
		es = append(es, e)
		return err
	})
	return es, enough(err)
}

// Due lists the docIds that expire by a time.
func (c catalog) Due(ctx context.Context, before int64, limit int) ([]uint64, error) {
	if limit <= 0 {
		return nil, nil
	}
	var due []uint64
	to := append(expiryKey(c.ix.id, before, 1<<64-1), 0)
	err := c.scan(ctx, c.ix.key(spaceExpiry), to, func(k, _ []byte) error {
		due = append(due, number(k, 1))
		if len(due) == limit {
			return errStop
		}
		return nil
	})
	return due, err
}

// Epochs returns the epochs of the index.
func (c catalog) Epochs(ctx context.Context) ([]docid.Epoch, error) {
	err := c.ix.store.current(ctx)
	return *c.ix.epochs.Load(), err
}

// Stats returns the number of docIds and articles and the last change.
func (c catalog) Stats(ctx context.Context) (docid.Stats, error) {
	err := c.ix.store.current(ctx)
	ix, seq := c.ix, c.ix.durable.Load()
	return docid.Stats{
		Seq: seq, Epoch: ix.epochOf(seq), Leaders: int(ix.leaders.Load()), Members: int(ix.members.Load()),
	}, err
}

// Engine returns the number of postings, the number of segments on disk, and their approximate bytes in memory.
func (c catalog) Engine(ctx context.Context) (map[string]int64, error) {
	p := c.ix.posts
	return map[string]int64{
		"keys": int64(p.count()), "memory": int64(p.bytes() + c.ix.nids.bytes()), "segments": int64(len(p.levels.Load().segments)),
	}, ctx.Err()
}
