package redis

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// index is the index of one tenant.
type index struct {
	s *Store
	p string // of all its keys
	// tenant is whose it is.
	tenant string
	id     docid.Identity
	// settled is the last change that is known to be on the disks of the replicas.
	settled atomic.Uint64
}

// Identity is what makes the index itself.
func (ix *index) Identity() docid.Identity { return ix.id }

// Catalog reads the rest.
func (ix *index) Catalog() docid.Catalog { return catalog{ix} }

// Outbox feeds sinks.
func (ix *index) Outbox() docid.Outbox { return outbox{ix} }

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// mix spreads keys, a bijection: a method's keys need not be uniform, and the
// buckets of the map want it. (splitmix64's finalizer.)
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func packKeys(b []byte, keys []uint64) []byte {
	for _, k := range keys {
		b = binary.BigEndian.AppendUint64(b, mix(k))
	}
	return b
}

func packNames(names []docid.Name) string {
	var b []byte
	for _, n := range names {
		b = append(b, n[:]...)
	}
	return string(b)
}

// six reads the 48 bits of a number.
func six(s string) uint64 {
	return uint64(s[0])<<40 | uint64(s[1])<<32 | uint64(s[2])<<24 | uint64(s[3])<<16 | uint64(s[4])<<8 | uint64(s[5])
}

// ordered are 8 bytes that lie in the order of the numbers.
func ordered(n int64) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(n)^1<<63))
}

func unordered(s string) int64 { return int64(binary.BigEndian.Uint64([]byte(s)) ^ 1<<63) }

// status reads the first word of an answer.
func status(answer []rueidis.RedisMessage) (string, error) {
	if len(answer) == 0 {
		return "", fmt.Errorf("%w: an empty answer", docid.ErrUnavailable)
	}
	word, err := answer[0].ToString()
	switch word {
	case "behind":
		return word, docid.ErrBehind
	case "notfound":
		return word, docid.ErrNotFound
	case "ended":
		return word, docid.ErrEnded
	case "conflict":
		return word, docid.ErrConflict
	case "backlog":
		return word, docid.ErrBacklog
	case "unfinished":
		return word, docid.ErrUnfinished
	case "invalid":
		return word, fmt.Errorf("%w: a correction that moves nothing", docid.ErrInvalid)
	case "unordered":
		return word, fmt.Errorf("%w: it does not follow the last change that is there", docid.ErrInvalid)
	case "occupied":
		return word, docid.ErrOccupied
	case "untold":
		return word, fmt.Errorf("%w: articles of the docId are not there", docid.ErrUntold)
	case "gone":
		return word, errGone
	case "needed":
		return word, fmt.Errorf("%w: the index has left entries of its log to this sink, and reads them there", docid.ErrInvalid)
	case "mismatch":
		return word, docid.ErrMismatch
	case "taken":
		return word, docid.ErrTaken
	case "evicted":
		return word, fmt.Errorf("%w: Redis has evicted keys (maxmemory-policy), so the index is not whole: empty it and make it again with neardup rebuild", docid.ErrUnavailable)
	case "lost":
		return word, fmt.Errorf("%w: the entry of an answered submission is not in the log", docid.ErrUnavailable)
	}
	return word, err
}

// Lookup finds leaders by name and key, in one call; a second one reads the
// rows of a hot bucket.
func (ix *index) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	var f docid.Found
	if err := ctx.Err(); err != nil {
		return f, err
	}
	var keys []byte
	for _, p := range q.KeySets {
		keys = packKeys(keys, p.Keys)
	}
	postings, hits := q.Bounds()
	answer, err := ix.s.call(ctx, false, "lookup", ix.p, decimal(q.Seen), decimal(q.Since), decimal(q.Before),
		strconv.Itoa(postings), strconv.Itoa(hits), packNames(q.Names), string(keys))
	if err != nil {
		return f, err
	}
	if _, err := status(answer); err != nil {
		return f, err
	}
	a, err := readAnswer(answer)
	if err != nil {
		return f, ix.s.fail(err)
	}
	f.At, f.Rest, f.Ruled = a.at, a.rest, a.ruled
	for _, n := range a.names {
		f.Names = append(f.Names, n.hits())
	}
	rows, err := ix.rows(ctx, a)
	if err != nil {
		return f, err
	}
	for _, p := range q.KeySets {
		f.KeySets = append(f.KeySets, rows.hits(a.runs[:len(p.Keys)], p.Plausible))
		a.runs = a.runs[len(p.Keys):]
	}
	return f, nil
}

// packed are leaders with their rows, 30 bytes each: number 6, sketch 8, time 8,
// expiry 8.
type packed string

const rowBytes = 30

func (p packed) hits() []docid.Hit {
	var hits []docid.Hit
	for ; len(p) >= rowBytes; p = p[rowBytes:] {
		hits = append(hits, hitOf(six(string(p)), string(p[6:rowBytes]), 1))
	}
	return hits
}

func hitOf(leader uint64, row string, shared int) docid.Hit {
	return docid.Hit{Leader: leader, Sketch: binary.BigEndian.Uint64([]byte(row)), Time: unordered(row[8:16]), Shared: shared}
}

// answer is what the function lookup says.
type answer struct {
	at, rest uint64
	ruled    uint64 // the last rule
	names    []packed
	runs     []string // of each key: changes, 6 bytes each
	rows     []string // of each leader: number and row; nil: ask for them
	asked    bool     // rows were not sent
}

func readAnswer(m []rueidis.RedisMessage) (a answer, err error) {
	if len(m) < 7 {
		return a, fmt.Errorf("an answer of %d parts", len(m))
	}
	at, err := m[1].AsInt64()
	if err != nil {
		return a, err
	}
	rest, err := m[2].AsInt64()
	if err != nil {
		return a, err
	}
	ruled, err := m[6].AsInt64()
	if err != nil {
		return a, err
	}
	a.at, a.rest, a.ruled = uint64(at), uint64(rest), uint64(ruled)
	names, err := m[3].AsStrSlice()
	if err != nil {
		return a, err
	}
	for _, n := range names {
		a.names = append(a.names, packed(n))
	}
	if a.runs, err = m[4].AsStrSlice(); err != nil {
		return a, err
	}
	if a.asked = m[5].IsNil(); a.asked {
		return a, nil
	}
	a.rows, err = m[5].AsStrSlice()
	return a, err
}

// rows are the rows of leaders; who ended has none.
type rows map[uint64]string

// rows takes the rows of an answer, or reads those of a hot bucket in pieces, so that
// Redis serves others in between. A row never changes.
func (ix *index) rows(ctx context.Context, a answer) (rows, error) {
	out := rows{}
	if !a.asked {
		for _, r := range a.rows {
			if len(r) == rowBytes {
				out[six(r)] = r[6:]
			}
		}
		return out, nil
	}
	groups := map[uint64][]string{} // by hash
	for _, run := range a.runs {
		for ; len(run) >= 6; run = run[6:] {
			leader := six(run)
			if _, known := out[leader]; !known {
				out[leader] = ""
				groups[leader/128] = append(groups[leader/128], decimal(leader))
			}
		}
	}
	var cmds rueidis.Commands
	var asked [][]string
	for g, fields := range groups {
		cmds = append(cmds, ix.s.c.B().Hmget().Key(ix.p+"d"+decimal(g)).Field(fields...).Build())
		asked = append(asked, fields)
	}
	for i, r := range ix.s.c.DoMulti(ctx, cmds...) {
		values, err := r.ToArray()
		if err != nil {
			return nil, ix.s.fail(err)
		}
		for j, v := range values {
			leader, err := strconv.ParseUint(asked[i][j], 10, 64)
			if err != nil {
				return nil, err
			}
			if out[leader], err = v.ToString(); err != nil {
				delete(out, leader)
			}
		}
	}
	return out, nil
}

// hits are the living leaders of the runs of one key set.
func (rs rows) hits(runs []string, plausible func(uint64) bool) []docid.Hit {
	var hits []docid.Hit
	at := map[uint64]int{}
	for _, run := range runs {
		for ; len(run) >= 6; run = run[6:] {
			leader := six(run)
			if i, ok := at[leader]; ok {
				if i >= 0 {
					hits[i].Shared++
				}
				continue
			}
			at[leader] = -1
			row, ok := rs[leader]
			if !ok || len(row) != rowBytes-6 {
				continue
			}
			h := hitOf(leader, row, 1)
			if plausible == nil || plausible(h.Sketch) {
				at[leader] = len(hits)
				hits = append(hits, h)
			}
		}
	}
	return hits
}
