package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/neardup/neardup/docid"
)

// A log has a beat: once in a while one server says that time has passed, and each answers with the digest of its
// state as of that entry. At the next beat a server that has another digest than most stops. And what is older
// than so many beats is trimmed. No time of day matters: whoever has seen a beat for long enough, by his own clock,
// may make the next.

// beat is one of them, or the answer of a server to it.
type beat struct {
	turn uint64 // counts beats
	// vote says that this is an answer, with the digest.
	vote   bool
	digest uint64
	keep   uint64 // how many beats of entries are kept

	trim uint64 // what came of it: the first offset that is kept
}

func (b *beat) put(e *encoder) {
	e.uint(b.turn)
	e.bool(b.vote)
	e.fixed(b.digest)
	e.uint(b.keep)
}

func (b *beat) get(d *decoder) {
	b.turn, b.vote, b.digest, b.keep = d.uint(), d.bool(), d.fixed(), d.uint()
}

// beaten is the row of a beat: where it lies, the own digest there, and those that others have.
type beaten struct {
	offset, digest uint64
	votes          []uint64
}

func (r beaten) put(e *encoder) {
	e.uint(r.offset)
	e.fixed(r.digest)
	putKeys(e, r.votes)
}

func (r *beaten) get(d *decoder) { r.offset, r.digest, r.votes = d.uint(), d.fixed(), getKeys(d) }

func beatKey(turn uint64) []byte { return binary.BigEndian.AppendUint64([]byte{spaceBeat}, turn) }

// errDiffers stops a server.
var errDiffers = fmt.Errorf("%w: the state of this server is not that of the others; it goes on with a copy of another's folder", docid.ErrCorrupt)

// lastBeat is the last beat, 0 before the first.
func lastBeat(r Reader) (turn uint64, row beaten, err error) {
	err = r.Scan([]byte{spaceBeat}, []byte{spaceBeat + 1}, func(k, v []byte) error {
		turn, row = binary.BigEndian.Uint64(k[1:]), beaten{}
		return decode(k, v, row.get)
	})
	return turn, row, err
}

// fold applies a beat at a place, or an answer to the last.
func (p *beat) fold(b Batch, at logPlace) (func(), error) {
	turn, last, err := lastBeat(b)
	if err != nil {
		return nil, err
	}
	if p.vote {
		if p.turn != turn || turn == 0 {
			return nil, docid.ErrConflict
		}
		last.votes = append(last.votes, p.digest)
		return func() {}, setBeat(b, turn, last)
	}
	if p.turn != turn+1 {
		return nil, docid.ErrConflict
	}
	if outvoted(last) {
		return nil, errDiffers
	}
	if p.turn > p.keep {
		var kept beaten
		if _, err := read(b, beatKey(p.turn-p.keep), kept.get); err != nil {
			return nil, err
		}
		p.trim = kept.offset
		if err := b.DeleteRange(beatKey(0), beatKey(p.turn-p.keep)); err != nil {
			return nil, err
		}
	}
	return func() {}, setBeat(b, p.turn, beaten{offset: at.Offset, digest: at.digest})
}

func setBeat(b Batch, turn uint64, row beaten) error {
	key := beatKey(turn)
	return b.Set(key, sealed(key, row.put))
}

// outvoted reports whether as many servers have one other digest as have the own.
func outvoted(last beaten) bool {
	votes := map[uint64]int{}
	for _, digest := range last.votes {
		votes[digest]++
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
func (f *follower) tend(ctx context.Context, every time.Duration, keep uint64) {
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
			continue // whoever reads meets it as well
		}
		if turn != seen {
			seen, since = turn, time.Now()
		}
		if turn > answered && f.say(ctx, &beat{turn: turn, vote: true, digest: last.digest}) == nil {
			answered = turn
		}
		next := &beat{turn: turn + 1, keep: keep}
		if time.Since(since) >= every && f.say(ctx, next) == nil && next.trim > 0 {
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
	return lastBeat(v)
}
