package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/redis/rueidis"
)

// Member finds an article by its nid.
func (c catalog) Member(ctx context.Context, nid string) (docid.Member, error) {
	m, err := c.member(ctx, nid)
	if err == nil {
		err = c.settle(ctx, everything)
	}
	return m, err
}

// member reads the row of an article, from the history if it was left to that.
func (c catalog) member(ctx context.Context, nid string) (m docid.Member, err error) {
	others := ""
	for round := range maxRecalls {
		answer, err := c.call(ctx, false, "row", nid, c.field(nid), others)
		if err != nil {
			return m, err
		}
		row, seq, mark, err := rowAnswer(answer)
		switch {
		case err != nil:
			return m, c.s.fail(err)
		case row != "":
			if m, err = memberOf(nid, row); err == nil && wasMoved(row) {
				err = c.moved(ctx, []*docid.Member{&m})
			}
			return m, err
		case seq == 0:
			return m, docid.ErrNotFound
		}
		f, err := c.filed(ctx, nid, seq, mark)
		var other *recall
		switch {
		case err == nil:
			return f.Member, nil
		case errors.As(err, &other):
			others += packSeq(seq)
		case !errors.Is(err, docid.ErrUntold) || round == 2:
			return m, err // else it may have been deleted meanwhile
		}
	}
	return m, fmt.Errorf("%w: an article is moved about all the time", docid.ErrUnavailable)
}

// memberOf reads the row of a member.
func memberOf(nid, row string) (docid.Member, error) {
	var m docid.Member
	if len(row) < 28 || len(row) < 28+16*int(row[27]) {
		return m, fmt.Errorf("%w: row of nid %q", docid.ErrCorrupt, nid)
	}
	a, err := ledger.DecodeArticle([]byte(row[28+16*int(row[27]):]))
	if err != nil {
		return m, fmt.Errorf("%w: row of nid %q: %w", docid.ErrCorrupt, nid, err)
	}
	a.ID, a.Heat = nid, unordered(row[12:20])
	return docid.Member{Article: a, Leader: six(row), Seq: six(row[6:]), Disagrees: (row[20]-'0')%2 == 1}, nil
}

// rowAnswer reads the answer of the function row.
func rowAnswer(answer []rueidis.RedisMessage) (row string, seq, mark uint64, err error) {
	if _, err := status(answer); err != nil {
		return "", 0, 0, err
	}
	if len(answer) != 4 {
		return "", 0, 0, fmt.Errorf("an answer of %d parts", len(answer))
	}
	if row, err = answer[1].ToString(); err != nil {
		return "", 0, 0, err
	}
	if seq, err = numberOf(answer[2]); err != nil {
		return "", 0, 0, err
	}
	mark, err = numberOf(answer[3])
	return row, seq, mark, err
}

// page reads members that joined after a change, in order.
func (c catalog) page(ctx context.Context, leader, after uint64, limit int) (ms []docid.Member, more bool, err error) {
	limit = max(limit, 0)
	for range maxRecalls {
		sh, err := c.shelved(ctx, leader, nil)
		if err != nil {
			return nil, false, err
		}
		if sh.size == sh.here || after >= sh.mark {
			ms, err = c.here(ctx, leader, after, limit+1)
		} else if ms, sh, err = c.both(ctx, leader, after, limit+1, sh.mark); err == nil && !sh.still {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		if more = len(ms) > limit; more {
			ms = ms[:limit]
		}
		return ms, more, nil
	}
	return nil, false, fmt.Errorf("%w: the log is trimmed all the time", docid.ErrUnavailable)
}

// both reads members that are here and those that were left to the history; still is
// false if the log was trimmed meanwhile.
func (c catalog) both(ctx context.Context, leader, after uint64, limit int, mark uint64) ([]docid.Member, shelved, error) {
	var sh shelved
	history, err := c.shelf(mark)
	if err != nil {
		return nil, sh, err
	}
	var ms []docid.Member
	for from := after; len(ms) < limit && from < mark; { // what came later is here
		page, at, err := history.ArticlesOf(ctx, c.tenant, leader, from, max(limit, 100))
		if err != nil {
			return nil, sh, err
		}
		if at < mark {
			return nil, sh, untold(at, mark)
		}
		if len(page) == 0 {
			break
		}
		if sh, err = c.shelved(ctx, leader, page); err != nil {
			return nil, sh, err
		}
		for i := range page {
			if sh.filed[i] == '1' {
				ms = append(ms, page[i].Member)
			}
		}
		from = page[len(page)-1].Seq
	}
	here, err := c.here(ctx, leader, after, limit)
	if err != nil {
		return nil, sh, err
	}
	for _, m := range here { // what came back meanwhile is there twice
		ms = slices.DeleteFunc(ms, func(o docid.Member) bool { return o.Seq == m.Seq })
	}
	ms = append(ms, here...)
	slices.SortFunc(ms, func(a, b docid.Member) int { return cmp.Compare(a.Seq, b.Seq) })
	sh, err = c.shelved(ctx, leader, nil)
	sh.still = sh.mark == mark
	return ms[:min(limit, len(ms))], sh, err
}

// shelved is how many members a docId has.
type shelved struct {
	mark       uint64 // how far the log is trimmed
	size, here int
	filed      string // of each article that was asked for: '1' if it is a member that was left to the history
	still      bool
}

func (c catalog) shelved(ctx context.Context, leader uint64, articles []docid.Filed) (sh shelved, err error) {
	var asked []byte
	for _, f := range articles {
		asked = append(append(asked, c.field(f.ID)...), packSeq(f.Seq)...)
	}
	answer, err := c.call(ctx, false, "shelf", decimal(leader), string(asked))
	if err != nil {
		return sh, err
	}
	if _, err := status(answer); err != nil {
		return sh, err
	}
	if len(answer) != 5 {
		return sh, fmt.Errorf("%w: an answer of %d parts", docid.ErrUnavailable, len(answer))
	}
	var n [3]uint64
	for i := range n {
		if n[i], err = numberOf(answer[i+1]); err != nil {
			return sh, c.s.fail(err)
		}
	}
	sh.filed, err = answer[4].ToString()
	sh.mark, sh.size, sh.here = n[0], int(n[1]), int(n[2])
	if err == nil && len(sh.filed) != len(articles) {
		err = fmt.Errorf("an answer about %d articles of %d", len(sh.filed), len(articles))
	}
	return sh, c.s.fail(err)
}

// here reads members that are not left to the history.
func (c catalog) here(ctx context.Context, leader, after uint64, limit int) ([]docid.Member, error) {
	nids, err := c.do(ctx, c.b().Zrangebyscore().Key(c.p+"m"+decimal(leader)).Min("("+decimal(after)).Max("+inf").
		Limit(0, int64(limit)).Build()).AsStrSlice()
	if err != nil {
		return nil, c.s.fail(err)
	}
	if len(nids) == 0 {
		return nil, nil
	}
	keys := make([]string, len(nids))
	for i, n := range nids {
		keys[i] = c.p + "n" + n
	}
	rows, err := c.do(ctx, c.b().Mget().Key(keys...).Build()).ToArray()
	if err != nil {
		return nil, c.s.fail(err)
	}
	ms := make([]docid.Member, 0, len(rows))
	var moved []*docid.Member
	for i, r := range rows {
		row, err := r.ToString()
		if rueidis.IsRedisNil(err) {
			continue // deleted meanwhile
		}
		m, err := memberOf(nids[i], row)
		if err != nil {
			return nil, err
		}
		if ms = append(ms, m); wasMoved(row) {
			moved = append(moved, &ms[len(ms)-1])
		}
	}
	return ms, c.moved(ctx, moved)
}
