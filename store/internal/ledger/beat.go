package ledger

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/docid"
)

// A log has a beat: once in a while one server says that time has passed, and each answers with the digest of its
// state as of that entry. At the next beat a server that has another digest than most stops. And what is older
// than so many beats is trimmed, or, where snapshots are made, what the servers that have answered in that time all have
// on disk and a snapshot has too. No time of day matters: whoever has seen a beat for long enough, by his own clock,
// may make the next.

// beat is one of them, or the answer of a server to it.
type beat struct {
	turn uint64 // counts beats
	// answer says that this is one.
	answer bool
	vote
	keep uint64 // for how many beats entries are kept, and a server that is silent counts

	// What came of it: the first offset that is not older, 0 for none; the first that not all servers have on disk.
	trim, wanted uint64
}

// vote is what a server says to a beat.
type vote struct {
	who    uint64 // the server, by where it runs: it stays the same after a restart
	digest uint64
	rules  uint64 // the newest that it knows
}

func (b *beat) put(e *encoder) {
	e.uint(b.turn)
	e.bool(b.answer)
	b.vote.put(e)
	e.uint(b.keep)
}

func (b *beat) get(d *decoder) {
	b.turn, b.answer = d.uint(), d.bool()
	b.vote.get(d)
	b.keep = d.uint()
}

func (v vote) put(e *encoder) {
	e.fixed(v.who)
	e.fixed(v.digest)
	e.uint(v.rules)
}

func (v *vote) get(d *decoder) { v.who, v.digest, v.rules = d.fixed(), d.fixed(), d.uint() }

// beaten is the row of a beat: where it lies, the own digest there, the newest rules that all servers know, and what the
// servers say.
type beaten struct {
	offset, digest, agreed uint64
	votes                  []vote
}

func (r beaten) put(e *encoder) {
	e.uint(r.offset)
	e.fixed(r.digest)
	e.uint(r.agreed)
	e.uint(uint64(len(r.votes)))
	for _, v := range r.votes {
		v.put(e)
	}
}

func (r *beaten) get(d *decoder) {
	r.offset, r.digest, r.agreed = d.uint(), d.fixed(), d.uint()
	r.votes = make([]vote, d.count(17))
	for i := range r.votes {
		r.votes[i].get(d)
	}
}

func beatKey(turn uint64) []byte { return binary.BigEndian.AppendUint64([]byte{spaceBeat}, turn) }

// ErrDiffers stops a server. It is ErrCorrupt too.
var ErrDiffers = fmt.Errorf("%w: the state of this server is not that of the others; it goes on with a copy of another's folder", docid.ErrCorrupt)

// beats are those that are kept, and the last, 0 before the first.
func beats(r Reader) (rows map[uint64]beaten, last uint64, err error) {
	rows = map[uint64]beaten{}
	err = r.Scan([]byte{spaceBeat}, []byte{spaceBeat + 1}, func(k, v []byte) error {
		var row beaten
		err := decode(k, v, row.get)
		last = binary.BigEndian.Uint64(k[1:])
		rows[last] = row
		return err
	})
	return rows, last, err
}

// fold applies a beat at a place, or an answer to the last.
func (p *beat) fold(b Batch, at logPlace) (func(), error) {
	rows, turn, err := beats(b)
	if err != nil {
		return nil, err
	}
	last := rows[turn]
	if p.answer {
		if p.turn != turn || turn == 0 {
			return nil, docid.ErrConflict
		}
		last.votes = append(last.votes, p.vote)
		return func() {}, setBeat(b, turn, last)
	}
	if p.turn != turn+1 {
		return nil, docid.ErrConflict
	}
	if outvoted(last) {
		return nil, ErrDiffers
	}
	if p.turn > p.keep {
		p.trim = rows[p.turn-p.keep].offset
		if err := b.DeleteRange(beatKey(0), beatKey(p.turn-p.keep)); err != nil {
			return nil, err
		}
	}
	var agreed uint64
	p.wanted, agreed = wanted(rows, turn, p.keep)
	return func() {}, setBeat(b, p.turn, beaten{offset: at.Offset, digest: at.digest, agreed: agreed})
}

// ruling is which rules are known.
type ruling struct {
	knows  byte          // the newest that it can apply
	agreed atomic.Uint64 // the newest that all servers know, 0: not known yet
}

// wanted returns the first offset that some server may not have on disk, and the newest rules that all servers know; of
// those that have answered one of the last beats. A server that answers a beat has long synced what it applied up to the
// beat before, and goes on from there if its machine dies.
func wanted(rows map[uint64]beaten, last, keep uint64) (offset, agreed uint64) {
	heard, knows := map[uint64]uint64{}, map[uint64]uint64{}
	for turn, row := range rows {
		for _, v := range row.votes {
			if turn+keep > last && turn >= heard[v.who] {
				heard[v.who], knows[v.who] = turn, v.rules
			}
		}
	}
	first := last
	for who, turn := range heard {
		first = min(first, turn)
		if agreed == 0 || knows[who] < agreed {
			agreed = knows[who]
		}
	}
	return rows[first-min(first, 1)].offset, agreed
}

func setBeat(b Batch, turn uint64, row beaten) error {
	key := beatKey(turn)
	return b.Set(key, sealed(key, row.put))
}

// outvoted reports whether as many servers have one other digest as have the own.
func outvoted(last beaten) bool {
	votes := map[uint64]int{}
	for _, v := range last.votes {
		votes[v.digest]++
	}
	own := votes[last.digest]
	delete(votes, last.digest)
	for _, n := range votes {
		if n >= own {
			return true
		}
	}
	return false
}

// tend beats, and answers beats, until ctx ends.
func (f *follower) tend(ctx context.Context, o Options) {
	every := cmp.Or(o.Beat, time.Minute)
	look := time.NewTicker(every / 10)
	defer look.Stop()
	var seen, answered uint64
	since := time.Now()
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		turn, last, err := f.beaten()
		if err != nil {
			continue // the follower meets it as well
		}
		f.agreed.Store(last.agreed)
		if turn != seen {
			seen, since = turn, time.Now()
		}
		if turn > answered && f.say(ctx, &beat{turn: turn, answer: true, vote: vote{o.Server, last.digest, uint64(f.knows)}}) == nil {
			answered = turn
		}
		next := &beat{turn: turn + 1, keep: cmp.Or(o.Keep, 1440)}
		if time.Since(since) < every || f.say(ctx, next) != nil {
			continue
		}
		if o.Snapshots != nil {
			next.trim = min(next.wanted, o.Snapshots())
		}
		if next.trim > 0 {
			_ = f.log.Trim(ctx, next.trim) // the next beat does it
		}
	}
}

// say proposes a beat or an answer. A refusal says that another was first.
func (f *follower) say(ctx context.Context, b *beat) error {
	wait, cancel := context.WithTimeout(ctx, logWait)
	defer cancel()
	p := &proposal{beat: b}
	err := f.propose(wait, p)
	if errors.Is(err, docid.ErrConflict) {
		return nil
	}
	return err
}

func (f *follower) beaten() (turn uint64, row beaten, err error) {
	v, err := f.s.kv.Snapshot()
	if err != nil {
		return 0, row, err
	}
	defer v.Close()
	rows, turn, err := beats(v)
	return turn, rows[turn], err
}
