package redis

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/redis/rueidis"
)

// correction are the arguments of one.
func (ix *index) correction(c *docid.Change, a []string) error {
	if c.Ruling == nil {
		return fmt.Errorf("%w: a correction without a ruling", docid.ErrInvalid)
	}
	a[9], a[13] = decimal(c.Ruling.Before), packNames(c.Names)
	if c.Article != nil && (c.Fresh != nil || c.Article.Text != "") {
		a[10] = "=" + string(shrink([]byte(c.Article.Text)))
	}
	a[11] = string(ledger.EncodeCorrection(&docid.Correction{Time: c.Time, Who: c.Ruling.Who, Why: c.Ruling.Why}))
	fresh(c, a)
	return nil
}

// movedOf reads a row of v.
func movedOf(leader uint64, row string) (*docid.Correction, error) {
	if len(row) < 18 {
		return nil, fmt.Errorf("%w: a correction of %d bytes", docid.ErrCorrupt, len(row))
	}
	c, err := ledger.DecodeCorrection([]byte(row[18:]))
	if err != nil {
		return nil, fmt.Errorf("%w: a correction: %w", docid.ErrCorrupt, err)
	}
	c.Leader, c.Own, c.Seq, c.Before = leader, six(row), six(row[6:]), six(row[12:])
	return c, nil
}

// wasMoved reads the flag of a member.
func wasMoved(row string) bool { return row[20] >= '2' }

// moved adds their corrections to members that were moved.
func (c catalog) moved(ctx context.Context, ms []*docid.Member) error {
	if len(ms) == 0 {
		return nil
	}
	nids := make([]string, len(ms))
	for i, m := range ms {
		nids[i] = m.ID
	}
	rows, err := c.do(ctx, c.b().Hmget().Key(c.p+"v").Field(nids...).Build()).ToArray()
	if err != nil {
		return c.s.fail(err)
	}
	for i, r := range rows {
		row, err := r.ToString()
		if rueidis.IsRedisNil(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			return c.s.fail(err)
		}
		if ms[i].Correction, err = movedOf(ms[i].Leader, row); err != nil {
			return err
		}
	}
	return nil
}

// Rulings reads rules in order.
func (c catalog) Rulings(ctx context.Context, after uint64, limit int) ([]docid.Entry, error) {
	entries, err := c.rulings(ctx, after, limit)
	if err == nil {
		err = c.settle(ctx, everything)
	}
	return entries, err
}

func (c catalog) rulings(ctx context.Context, after uint64, limit int) ([]docid.Entry, error) {
	if err := ctx.Err(); err != nil || limit <= 0 {
		return nil, err
	}
	rows, err := c.do(ctx, c.b().Zrangebyscore().Key(c.p+"j").Min("("+decimal(after)).Max("+inf").
		Limit(0, int64(limit)).Build()).AsStrSlice()
	if err != nil {
		return nil, c.s.fail(err)
	}
	entries := make([]docid.Entry, len(rows))
	for i, row := range rows {
		n := 0
		if len(row) >= 8 {
			n = int(row[6]) + 256*int(row[7])
		}
		if len(row) < 8+n {
			return nil, fmt.Errorf("%w: a rule of %d bytes", docid.ErrCorrupt, len(row))
		}
		if entries[i], err = ledger.DecodeEntry([]byte(row[8+n:])); err != nil || entries[i].Ruling == nil {
			return nil, fmt.Errorf("%w: a rule: %w", docid.ErrCorrupt, err)
		}
		entries[i].Seq, entries[i].NID = six(row), row[8:8+n]
	}
	return entries, nil
}
