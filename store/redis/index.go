package redis

import (
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
	// mark is what Redis must hold under y; "" while the index is made again.
	mark string
	// settled is the last change that is known to be on the disks of the replicas.
	settled atomic.Uint64
	extents atomic.Pointer[extents]
	heard   atomic.Pointer[heard]
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
	case "another":
		return word, errAnother
	case "notfound":
		return word, docid.ErrNotFound
	case "ended":
		return word, docid.ErrEnded
	case "conflict":
		return word, docid.ErrConflict
	case "keyless":
		return word, docid.ErrKeyless
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
