package redis

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/redis/rueidis"
)

// Material reads what verification needs of a leader, from the library where it
// was left to that.
func (ix *index) Material(ctx context.Context, leader uint64) (docid.Material, error) {
	var m docid.Material
	if err := ctx.Err(); err != nil {
		return m, err
	}
	b, err := ix.s.c.Do(ctx, ix.s.c.B().Get().Key(ix.p+"t"+decimal(leader)).Build()).AsBytes()
	if rueidis.IsRedisNil(err) {
		return ix.unloaded(ctx, leader)
	}
	if err != nil {
		return m, ix.s.fail(err)
	}
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w)/8 {
		return m, fmt.Errorf("%w: material of leader %d", docid.ErrCorrupt, leader)
	}
	text, err := expand(b[w+8*int(n):])
	if err == nil {
		m, err = ledger.DecodeMaterial(text)
	}
	if err != nil {
		return m, fmt.Errorf("%w: material of leader %d: %w", docid.ErrCorrupt, leader, err)
	}
	if m.NID == "" {
		m.NID = docid.AnonymousNID(leader)
	}
	return m, nil
}

func materialOf(m docid.Material, keys []byte) string {
	b := binary.AppendUvarint(nil, uint64(len(keys)/8))
	return string(append(append(b, keys...), shrink(ledger.EncodeMaterial(&m))...))
}

// Commit makes one change.
func (ix *index) Commit(ctx context.Context, c *docid.Change) (docid.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return docid.Receipt{}, err
	}
	a, err := ix.arguments(ctx, c)
	if err != nil {
		return docid.Receipt{}, err
	}
	function := "commit"
	switch c.Kind {
	case docid.KindDelete, docid.KindEnd, docid.KindExpire, docid.KindForget:
		function = "remove"
	}
	for round := 0; ; round++ {
		answer, err := ix.call(ctx, true, function, a[1:]...)
		if err != nil {
			return docid.Receipt{}, err
		}
		r, err := ix.repeated(ctx, answer, c.NID, c.Request)
		if errors.Is(err, errGone) {
			if _, err = (catalog{ix}).made(ctx, c.Leader); err == nil {
				err = docid.ErrEnded
			}
		}
		var ask *recall
		if !errors.As(err, &ask) || round == maxRecalls {
			return r, err
		}
		if err := ix.recall(ctx, c, a, ask); err != nil {
			return docid.Receipt{}, fmt.Errorf("what the history has of it: %w", err)
		}
	}
}

// width is how many arguments a change has, the first of which is not used so
// that they are numbered as functions/change.lua numbers them.
const width = 34

// arguments are those of the function commit.
func (ix *index) arguments(ctx context.Context, c *docid.Change) ([]string, error) {
	a, err := ix.given(c)
	if err != nil {
		return nil, err
	}
	switch c.Kind {
	case docid.KindForget:
		a[18], err = ix.forgotten(ctx, c.Leader)
	case docid.KindCorrect:
		if err == nil && a[10] == "" {
			a[10], err = ix.moving(ctx, c)
		}
	}
	return a, err
}

// given are those that follow from the change alone.
func (ix *index) given(c *docid.Change) ([]string, error) {
	a := make([]string, width)
	a[1], a[2], a[3] = decimal(c.Query.Seen), string(c.Kind), string(c.Request[:])
	a[4], a[5], a[6], a[7] = string(ledger.EncodeEntry(&c.Entry)), c.NID, decimal(c.Leader), ordered(c.Heat)
	a[27] = ix.field(c.NID)
	a[8], a[23], a[25], a[26] = "0", decimal(c.Backlog), "0", decimal(c.Query.Ruled)
	if ix.s.o.AcceptLoss {
		a[25] = "1"
	}
	if c.Evidence.Disagrees {
		a[8] = "1"
	}
	switch c.Kind {
	case docid.KindNew, docid.KindDuplicate:
		if err := ix.submission(c, a); err != nil {
			return nil, err
		}
		return tell(c, a), nil
	case docid.KindUpdate:
		if a[7] = ""; c.SetHeat != nil {
			a[7] = ordered(*c.SetHeat)
		}
		if c.Article != nil {
			a[10] = "=" + string(shrink([]byte(c.Article.Text)))
		}
		return a, nil
	case docid.KindCorrect:
		return a, ix.correction(c, a)
	case docid.KindRule:
		if c.Ruling == nil || c.Ruling.Other == "" || c.NID == "" {
			return nil, fmt.Errorf("%w: a rule is about two articles", docid.ErrInvalid)
		}
		return a, nil
	case docid.KindEnd, docid.KindExpire:
		if c.Fresh != nil {
			a[18], a[19] = string(packKeys(nil, c.Fresh.Keys)), "1"
		}
		return a, nil
	case docid.KindDelete, docid.KindForget:
		return a, nil
	}
	return nil, fmt.Errorf("%w: change of kind %q", docid.ErrInvalid, c.Kind)
}

func (ix *index) submission(c *docid.Change, a []string) error {
	if c.Article == nil || (c.Kind == docid.KindNew) != (c.Fresh != nil) {
		return fmt.Errorf("%w: a submission without its article", docid.ErrInvalid)
	}
	article := *c.Article
	article.Text = ""
	a[9], a[10] = string(ledger.EncodeArticle(&article)), string(shrink([]byte(c.Article.Text)))
	a[11], a[12], a[13] = idemField(ix.p, c.Idempotency), decimal(c.Query.Since), packNames(c.Names)
	var keys []byte
	for _, p := range c.Query.KeySets {
		keys = packKeys(keys, p.Keys)
	}
	a[14], a[22] = string(keys), packNames(c.Query.Names)
	a[15], a[16], a[17] = c.Evidence.LeaderNID, decimal(c.Evidence.Variant), c.Evidence.VariantNID
	a[28], a[29] = ix.field(c.Evidence.LeaderNID), ix.field(c.Evidence.VariantNID)
	fresh(c, a)
	return nil
}

// fresh are the arguments of what a new leader adds.
func fresh(c *docid.Change, a []string) {
	f := c.Fresh
	if f == nil {
		return
	}
	keys := packKeys(nil, f.Keys)
	m := f.Material
	m.NID = c.NID
	a[18], a[20] = string(keys), materialOf(m, keys)
	a[19] = string(binary.BigEndian.AppendUint64(nil, f.Sketch)) + ordered(c.Time) + ordered(c.Expires)
	if c.Expires != 0 {
		a[21] = ordered(c.Expires)
	}
}

// forgotten are the fields of the idempotency keys of changes up to one, as far
// as they were not forgotten before.
func (ix *index) forgotten(ctx context.Context, upTo uint64) (string, error) {
	from, err := ix.count(ctx, "forgot")
	if err != nil {
		return "", err
	}
	var fields []byte
	for from < upTo {
		es, err := ix.Catalog().Log(ctx, from, 1000)
		if err != nil {
			return "", err
		}
		if len(es) == 0 {
			break
		}
		for _, e := range es {
			if from = e.Seq; e.Seq <= upTo {
				fields = append(fields, idemField(ix.p, e.Idempotency)...)
			}
		}
	}
	return string(fields), nil
}

// count reads a number of the state; 0 if it is not there.
func (ix *index) count(ctx context.Context, name string) (uint64, error) {
	n, err := ix.s.c.Do(ctx, ix.s.c.B().Hget().Key(ix.p+"s").Field(name).Build()).AsUint64()
	if rueidis.IsRedisNil(err) {
		return 0, nil
	}
	return n, ix.s.fail(err)
}

// receipt reads the answer of commit and replay: how, seq, epoch, entry. Of an answer
// whose entry was left to the history: how, seq, epochs, what it is if the request was
// another. Where it asks for what the history has, the error is a recall.
func (ix *index) receipt(ctx context.Context, answer []rueidis.RedisMessage, nid string, request [16]byte) (docid.Receipt, error) {
	how, err := status(answer)
	if err != nil {
		return docid.Receipt{}, err
	}
	if how == "recall" {
		return docid.Receipt{}, recallOf(answer)
	}
	if len(answer) < 4 {
		return docid.Receipt{}, fmt.Errorf("%w: an answer of %d parts", docid.ErrUnavailable, len(answer))
	}
	seq, err := answer[1].AsInt64()
	if err != nil {
		return docid.Receipt{}, ix.s.fail(err)
	}
	epoch, err := answer[2].ToString()
	if err != nil {
		return docid.Receipt{}, ix.s.fail(err)
	}
	r := docid.Receipt{Replayed: how != "ok"}
	if how == "told" {
		r.Entry, err = ix.told(ctx, uint64(seq), nid, request, answer[3])
		r.Epoch = docid.EpochOf(epochsOf(epoch), r.Leader)
	} else {
		r.Entry, r.Epoch, err = ix.written(uint64(seq), epoch, answer[3])
	}
	if err != nil || len(answer) < 5 {
		return r, err
	}
	moved, err := answer[4].ToString()
	if err != nil || moved == "" {
		return r, ix.s.fail(err)
	}
	r.Moved, err = movedOf(six(moved), moved[6:])
	return r, err
}

// written reads an entry that an answer has, and its epoch.
func (ix *index) written(seq uint64, epoch string, entry rueidis.RedisMessage) (docid.Entry, uint64, error) {
	if len(epoch) != 8 {
		return docid.Entry{}, 0, fmt.Errorf("%w: an epoch of %d bytes", docid.ErrUnavailable, len(epoch))
	}
	fields, err := entry.AsStrSlice()
	if err != nil {
		return docid.Entry{}, 0, ix.s.fail(err)
	}
	e, err := entryOf(seq, fields)
	return e, binary.BigEndian.Uint64([]byte(epoch)), err
}

// entryOf reads an entry of the log: what the caller wrote, and what was decided
// with the change.
func entryOf(seq uint64, fields []string) (docid.Entry, error) {
	f := map[string]string{}
	for i := 0; i+1 < len(fields); i += 2 {
		f[fields[i]] = fields[i+1]
	}
	e, err := ledger.DecodeEntry([]byte(f["e"]))
	if err != nil {
		return e, fmt.Errorf("%w: entry %d of the log: %w", docid.ErrCorrupt, seq, err)
	}
	e.Seq, e.NID = seq, f["n"]
	if e.Leader, err = strconv.ParseUint(f["L"], 10, 64); err != nil {
		return e, fmt.Errorf("%w: entry %d of the log: %w", docid.ErrCorrupt, seq, err)
	}
	if h := f["h"]; len(h) == 8 {
		e.Heat = unordered(h)
	}
	switch f["x"] {
	case "l":
		e.Evidence.LeaderNID = docid.AnonymousNID(e.Leader)
	case "v":
		e.Evidence.VariantNID = docid.AnonymousNID(e.Evidence.Variant)
	}
	return e, nil
}
