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

// Servers that follow a log compare their states by heartbeats. One server appends a heartbeat. Each server answers with
// the digest of its state at that entry. At the next heartbeat, a server stops if its digest was outvoted. Entries older
// than keep heartbeats are trimmed. With snapshots, entries are trimmed once a snapshot contains them and all recently
// heard servers have them on disk. Clocks need not agree, because a server measures the interval between heartbeats by its
// own clock.

// heartbeat is a heartbeat, or the answer of a server to one.
type heartbeat struct {
	Turn   uint64 // number of the heartbeat
	Answer bool
	vote
	Keep uint64 // number of heartbeats for which entries are kept, and for which a silent server counts
}

// vote is a server's answer to a heartbeat.
type vote struct {
	Who    uint64 // identifies the server, even after a restart
	Digest uint64
	Rules  uint64 // newest version that the server knows
}

// heartbeatRow is the row of a heartbeat. It holds the offset, the digest of this server at the offset, the newest rules
// that all servers know, and the votes.
type heartbeatRow struct {
	Offset, Digest, Agreed uint64
	Votes                  []vote
}

func heartbeatKey(turn uint64) []byte { return binary.BigEndian.AppendUint64([]byte{spaceBeat}, turn) }

// ErrDiffers stops a server whose state differs from the others. It wraps ErrCorrupt.
var ErrDiffers = fmt.Errorf("%w: the state of this server differs from that of the others (want a copy of another server's folder)", docid.ErrCorrupt)

// heartbeats returns the stored heartbeats and the number of the last one, or 0 if there is none.
func heartbeats(r Reader) (rows map[uint64]heartbeatRow, last uint64, err error) {
	rows = map[uint64]heartbeatRow{}
	err = scan(r, []byte{spaceBeat}, func(k, v []byte) error {
		var row heartbeatRow
		err := decode(k, v, &row)
		last = binary.BigEndian.Uint64(k[1:])
		rows[last] = row
		return err
	})
	return rows, last, err
}

// fold applies a heartbeat at a position in the log, or an answer to the last heartbeat.
func (p *heartbeat) fold(b *writes, at logPosition) (o outcome, err error) {
	rows, turn, err := heartbeats(b)
	last := rows[turn]
	switch {
	case err != nil:
		return o, err
	case p.Answer && (p.Turn != turn || turn == 0), !p.Answer && p.Turn != turn+1:
		return o, docid.ErrConflict
	case p.Answer:
		last.Votes = append(last.Votes, p.vote)
		b.set(heartbeatKey(turn), &last)
		return outcome{publish: wrote}, nil
	case outvoted(last):
		return o, ErrDiffers
	case p.Turn > p.Keep:
		o.trim = rows[p.Turn-p.Keep].Offset
		b.DeleteRange(heartbeatKey(0), heartbeatKey(p.Turn-p.Keep))
	}
	next := heartbeatRow{Offset: at.Offset, Digest: at.Digest}
	o.wanted, next.Agreed = wanted(rows, turn, p.Keep)
	o.publish = wrote
	b.set(heartbeatKey(p.Turn), &next)
	return o, nil
}

// ruling records which versions of the rules are known.
type ruling struct {
	knows  byte          // newest version that this server can apply
	agreed atomic.Uint64 // newest version that all servers know, or 0 if not yet known
}

// wanted returns the first offset that some server may not have on disk, and the newest rules that all servers know. It
// considers the servers that answered one of the last keep heartbeats. A server that answers a heartbeat has synced all
// entries up to the previous one, and resumes there if its machine fails.
func wanted(rows map[uint64]heartbeatRow, last, keep uint64) (offset, agreed uint64) {
	heard, knows := map[uint64]uint64{}, map[uint64]uint64{}
	for turn, row := range rows {
		for _, v := range row.Votes {
			if turn+keep > last && turn >= heard[v.Who] {
				heard[v.Who], knows[v.Who] = turn, v.Rules
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
	return rows[first-min(first, 1)].Offset, agreed
}

// outvoted reports whether another digest has at least as many votes as that of this server.
func outvoted(last heartbeatRow) bool {
	votes := map[uint64]int{}
	for _, v := range last.Votes {
		votes[v.Digest]++
	}
	own := votes[last.Digest]
	delete(votes, last.Digest)
	for _, n := range votes {
		if n >= own {
			return true
		}
	}
	return false
}

// tend appends and answers heartbeats until ctx ends.
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
		turn, last, err := f.lastHeartbeat()
		if err != nil {
			continue // the follower will get the same error
		}
		f.agreed.Store(last.Agreed)
		if turn != seen {
			seen, since = turn, time.Now()
		}
		if turn > answered {
			if _, err := f.say(ctx, &heartbeat{Turn: turn, Answer: true, vote: vote{o.Server, last.Digest, uint64(f.knows)}}); err == nil {
				answered = turn
			}
		}
		if time.Since(since) < every {
			continue
		}
		next, err := f.say(ctx, &heartbeat{Turn: turn + 1, Keep: cmp.Or(o.Keep, 1440)})
		if err == nil && o.Snapshots != nil {
			next.trim = min(next.wanted, o.Snapshots())
		}
		if next.trim > 0 {
			_ = f.log.Trim(ctx, next.trim) // the next heartbeat trims again
		}
	}
}

// say proposes a heartbeat or an answer. A conflict means that another server did so first, which is not an error.
func (f *follower) say(ctx context.Context, b *heartbeat) (outcome, error) {
	wait, cancel := context.WithTimeout(ctx, logWait)
	defer cancel()
	o, err := f.propose(wait, &proposal{heartbeat: b})
	if errors.Is(err, docid.ErrConflict) {
		return o, nil
	}
	return o, err
}

func (f *follower) lastHeartbeat() (turn uint64, row heartbeatRow, err error) {
	err = atSnapshot(f.s.kv, func(v Snapshot) error {
		rows, last, err := heartbeats(v)
		turn, row = last, rows[last]
		return err
	})
	return turn, row, err
}
