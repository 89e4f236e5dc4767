package redis

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// catalog reads an index for people.
type catalog struct{ *index }

func (c catalog) b() rueidis.Builder { return c.s.c.B() }

func (c catalog) do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	return c.s.c.Do(ctx, cmd)
}

// Group reads a docId and a page of members.
func (c catalog) Group(ctx context.Context, leader, after uint64, limit int) (docid.Group, error) {
	g, err := c.group(ctx, leader, after, limit)
	if err == nil {
		err = c.settle(ctx, everything)
	}
	return g, err
}

func (c catalog) group(ctx context.Context, leader, after uint64, limit int) (docid.Group, error) {
	var g docid.Group
	if err := ctx.Err(); err != nil {
		return g, err
	}
	made, err := c.made(ctx, leader)
	if err != nil {
		return g, err
	}
	row, err := c.do(ctx, c.b().Hget().Key(c.p+"d"+decimal(leader/128)).Field(decimal(leader)).Build()).ToString()
	if rueidis.IsRedisNil(err) {
		return g, docid.ErrEnded
	}
	if err != nil {
		return g, c.s.fail(err)
	}
	if len(row) != rowBytes {
		return g, fmt.Errorf("%w: row of leader %d", docid.ErrCorrupt, leader)
	}
	g.Leader, g.Time, g.Expires, g.NID = leader, unordered(row[8:]), unordered(row[16:]), made.NID
	return g, c.fill(ctx, &g, after, limit)
}

// fill reads what else belongs to a group.
func (c catalog) fill(ctx context.Context, g *docid.Group, after uint64, limit int) error {
	if m, err := c.member(ctx, g.NID); err != nil || m.Own() != g.Leader {
		if err != nil && err != docid.ErrNotFound {
			return err
		}
		g.NID = docid.AnonymousNID(g.Leader)
	}
	sh, err := c.shelved(ctx, g.Leader, nil)
	if err != nil {
		return err
	}
	g.Size = sh.size
	if err := c.keeps(ctx, g); err != nil {
		return err
	}
	g.Members, g.More, err = c.page(ctx, g.Leader, after, limit)
	return err
}

// Due lists what expires by a time.
func (c catalog) Due(ctx context.Context, before int64, limit int) ([]uint64, error) {
	if err := ctx.Err(); err != nil || limit <= 0 {
		return nil, err
	}
	due, err := c.do(ctx, c.b().Zrangebylex().Key(c.p+"x").Min("-").Max("["+ordered(before)+"\xff\xff\xff\xff\xff\xff").
		Limit(0, int64(limit)).Build()).AsStrSlice()
	if err != nil {
		return nil, c.s.fail(err)
	}
	leaders := make([]uint64, len(due))
	for i, d := range due {
		leaders[i] = six(d[8:])
	}
	return leaders, c.there(ctx)
}

// Epochs are those that were begun.
func (c catalog) Epochs(ctx context.Context) ([]docid.Epoch, error) {
	b, err := c.do(ctx, c.b().Hget().Key(c.p+"s").Field("epochs").Build()).ToString()
	if rueidis.IsRedisNil(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.s.fail(err)
	}
	return epochsOf(b), nil
}

func epochsOf(b string) []docid.Epoch {
	var es []docid.Epoch
	for ; len(b) >= 14; b = b[14:] {
		es = append(es, docid.Epoch{First: six(b), Number: binary.BigEndian.Uint64([]byte(b[6:]))})
	}
	return es
}

// Stats counts.
func (c catalog) Stats(ctx context.Context) (docid.Stats, error) {
	answer, err := c.call(ctx, false, "stats")
	if err == nil {
		_, err = status(answer)
	}
	if err != nil {
		return docid.Stats{}, err
	}
	if len(answer) != 6 {
		return docid.Stats{}, fmt.Errorf("%w: an answer of %d parts", docid.ErrUnavailable, len(answer))
	}
	var n [6]int64
	for _, i := range []int{1, 2, 3, 5} {
		if n[i], err = answer[i].AsInt64(); err != nil {
			return docid.Stats{}, c.s.fail(err)
		}
	}
	epochs, err := answer[4].ToString()
	s := docid.Stats{Seq: uint64(n[1]), Leaders: int(n[2]), Members: int(n[3]), Doubtful: n[5] == 1}
	for _, e := range epochsOf(epochs) {
		s.Epoch = e.Number
	}
	return s, c.s.fail(err)
}

// Engine tells how large the maps are.
func (c catalog) Engine(ctx context.Context) (map[string]int64, error) {
	figures := map[string]int64{}
	for name, counts := range map[string]string{"keys": "kc", "names": "ac", "idempotency": "qc", "filed": "fc"} {
		n, err := c.count(ctx, counts)
		if err != nil {
			return nil, err
		}
		figures[name] = int64(n)
	}
	return figures, nil
}
