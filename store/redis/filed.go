package redis

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/redis/rueidis"
)

// fieldBytes are those of the field under which the change of an article is filed whose
// row was left to the history. Two nids of a billion share one now and then, and whose
// change it is tells the history.
const fieldBytes = 7

// field is that of an nid, "" for none.
func (ix *index) field(nid string) string {
	if nid == "" {
		return ""
	}
	h := hmac.New(sha256.New, ix.id.Key[:])
	h.Write([]byte("neardup: filed\x00" + nid))
	return string(h.Sum(nil)[:fieldBytes])
}

// packSeq are the 48 bits of a number.
func packSeq(seq uint64) string { return string(binary.BigEndian.AppendUint64(nil, seq)[2:]) }

// recall asks for what the history has: of the article that came with a change, or of a
// docId. mark is how far the log was trimmed; 0 says that the change is that of another nid.
type recall struct{ seq, mark uint64 }

func (r *recall) Error() string {
	return fmt.Sprintf("%v: what it has of change %d was moved about meanwhile", docid.ErrUnavailable, r.seq)
}

// Unwrap: who asks too often gives up.
func (r *recall) Unwrap() error { return docid.ErrUnavailable }

// maxRecalls is how often it is asked again, since the log was trimmed meanwhile.
const maxRecalls = 20

func recallOf(answer []rueidis.RedisMessage) error {
	var n [2]uint64
	for i := range n {
		if i+1 >= len(answer) {
			return fmt.Errorf("%w: an answer of %d parts", docid.ErrUnavailable, len(answer))
		}
		v, err := numberOf(answer[i+1])
		if err != nil {
			return err
		}
		n[i] = v
	}
	return &recall{n[0], n[1]}
}

// numberOf reads a number, which an argument makes a string.
func numberOf(m rueidis.RedisMessage) (uint64, error) {
	if m.IsInt64() {
		n, err := m.AsInt64()
		return uint64(n), err
	}
	return m.AsUint64()
}

// recall adds to the arguments of a change what the history has.
func (ix *index) recall(ctx context.Context, c *docid.Change, a []string, ask *recall) error {
	if ask.mark == 0 {
		a[30] += packSeq(ask.seq)
		return nil
	}
	a[31] = decimal(ask.mark)
	if c.Kind == docid.KindEnd || c.Kind == docid.KindExpire {
		var err error
		a[32], err = ix.gathered(ctx, c.Leader, ask.mark)
		return err
	}
	f, err := ix.filed(ctx, c.NID, ask.seq, ask.mark)
	var other *recall
	switch {
	case err == nil:
		a[32] = rowOf(f)
	case errors.As(err, &other):
		a[30] += packSeq(ask.seq)
		err = nil
	}
	return err
}

// filed is what the history has of an article that came with a change, while the log was
// trimmed up to mark at least. A recall if the change is that of another nid, ErrUntold.
func (ix *index) filed(ctx context.Context, nid string, seq, mark uint64) (*docid.Filed, error) {
	history, err := ix.shelf(seq)
	if err != nil {
		return nil, err
	}
	found, at, err := history.Articles(ctx, ix.tenant, []string{nid})
	switch {
	case err != nil:
		return nil, err
	case at >= mark && len(found) == 1 && found[0].Seq == seq:
		return &found[0], nil
	case at < mark:
		return nil, untold(at, mark)
	}
	e, err := ix.entry(ctx, seq)
	if err == nil && e.NID != nid {
		err = &recall{seq: seq}
	}
	if err == nil {
		err = fmt.Errorf("%w: the row of nid %q is another", docid.ErrUntold, nid)
	}
	return nil, err
}

// untold refuses a history that has changes up to one, and was left more.
func untold(at, mark uint64) error {
	return fmt.Errorf("%w: it has those up to %d, and was left those up to %d", docid.ErrUntold, at, mark)
}

// shelf is the history, of which change seq is wanted.
func (ix *index) shelf(seq uint64) (docid.History, error) {
	history := ix.s.history.Load()
	if history == nil {
		return nil, fmt.Errorf("%w: change %d was left to a history, and none is given", docid.ErrUnavailable, seq)
	}
	return *history, nil
}

// rowOf is the row of a member, as functions/articles.lua writes it.
func rowOf(f *docid.Filed) string {
	flag := "0"
	if f.Disagrees {
		flag = "1"
	}
	row := packSeq(f.Leader) + packSeq(f.Seq) + ordered(f.Heat) + flag + packSeq(f.Seq)
	return row + string([]byte{byte(len(f.Names))}) + packNames(f.Names) + string(ledger.EncodeArticle(&f.Article))
}

// gathered are the members of a docId that came up to a change, as the function finish
// reads them.
func (ix *index) gathered(ctx context.Context, leader, mark uint64) (string, error) {
	history, err := ix.shelf(mark)
	if err != nil {
		return "", err
	}
	var all []byte
	for after := uint64(0); ; {
		page, err := history.ChangesOf(ctx, ix.tenant, leader, after, 1000)
		if err != nil {
			return "", err
		}
		for i := range page {
			d := &page[i]
			if after = d.Seq; after > mark {
				return string(all), nil
			}
			if d.Kind == docid.KindNew || d.Kind == docid.KindDuplicate {
				all = append(append(all, ix.field(d.NID)...), packSeq(d.Seq)...)
				all = append(append(all, byte(len(d.Names))), packNames(d.Names)...)
			}
		}
		if len(page) < 1000 {
			return string(all), nil
		}
	}
}

// shelve lists the articles of entries that the history has as they are here, as the
// function trim reads them.
func (ix *index) shelve(ctx context.Context, entries []docid.Entry) (string, error) {
	var nids, keys []string
	for _, e := range entries {
		switch e.Kind {
		case docid.KindNew, docid.KindDuplicate, docid.KindUpdate:
			if !slices.Contains(nids, e.NID) {
				nids, keys = append(nids, e.NID), append(keys, ix.p+"n"+e.NID)
			}
		}
	}
	if len(nids) == 0 {
		return "", nil
	}
	history, err := ix.shelf(entries[0].Seq)
	if err != nil {
		return "", err
	}
	rows, err := ix.s.c.Do(ctx, ix.s.c.B().Mget().Key(keys...).Build()).ToArray()
	if err != nil {
		return "", ix.s.fail(err)
	}
	found, _, err := history.Articles(ctx, ix.tenant, nids)
	if err != nil {
		return "", err
	}
	told := map[string]*docid.Filed{}
	for i := range found {
		told[found[i].ID] = &found[i]
	}
	var all []byte
	for i, nid := range nids {
		row, err := rows[i].ToString()
		f := told[nid]
		if rueidis.IsRedisNil(err) || f == nil {
			continue // deleted, or bound to another there
		}
		if err != nil {
			return "", ix.s.fail(err)
		}
		m, err := memberOf(nid, row)
		if err != nil {
			return "", err
		}
		if !wasMoved(row) && reflect.DeepEqual(m, f.Member) && covers(f.Names, row) {
			all = append(append(all, ix.field(nid)...), packSeq(m.Seq)...)
			all = append(binary.BigEndian.AppendUint32(all, uint32(len(nid))), nid...)
		}
	}
	return string(all), nil
}

// covers reports whether names have all that the row of a member has.
func covers(names []docid.Name, row string) bool {
	for at := 28; at < 28+16*int(row[27]); at += 16 {
		if !slices.Contains(names, docid.Name([]byte(row[at:at+16]))) {
			return false
		}
	}
	return len(names) < 256
}
