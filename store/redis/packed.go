package redis

import (
	"math/bits"
	"strings"
)

// What functions/map.lua writes, as a look-up reads it.

// extent is how many buckets a map has, and the power of two below that: see functions/map.lua.
type extent struct {
	n, m  uint64
	level int // m = 1 << level
}

func extentOf(n uint64) extent {
	n = max(n, 1)
	level := bits.Len64(n) - 1
	return extent{n, 1 << level, level}
}

// place is the bucket of a field, and how many bytes of it an entry there begins with.
func (e extent) place(field string) (bucket uint64, head int) {
	h, level := six(field[len(field)-6:]), e.level
	if bucket = h & (e.m - 1); bucket < e.n-e.m {
		level, bucket = level+1, h&(2*e.m-1)
	}
	return bucket, len(field) - level/8
}

// Bytes of fields and of their records, of idempotency keys (17) and of filed articles (7) as of keys.
const (
	keyBytes, keyRecord   = 8, 6
	nameBytes, nameRecord = 16, 12
)

// kind is what functions/map.lua's KINDS says of a map: the letter of its buckets' keys, what tells its buckets from those
// of others, and the bytes of a record.
type kind struct {
	letter string
	base   uint64
	record int
}

var keyKind, nameKind = kind{"k", 0, keyRecord}, kind{"a", 1 << 47, nameRecord}

// kindOf is the map in which a field lies that a look-up reads.
func kindOf(field string) kind {
	if len(field) == nameBytes {
		return nameKind
	}
	return keyKind
}

// never was posted, hotter than a bucket can bear: records as functions/map.lua has them.
const (
	never  = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	hotter = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
)

// records are those of a field that its bucket has, joined, oldest first; a hot one
// has older ones in a key of its own.
func records(bucket, field string, head int) (found string, hot bool) {
	record := kindOf(field).record
	width := head + record
	for at := 0; ; {
		i := strings.Index(bucket[at:], field[:head])
		if i < 0 {
			return found, false
		}
		if at += i; at%width != 0 || at+width > len(bucket) {
			at++
			continue
		}
		switch r := bucket[at+head : at+width]; r {
		case never[:record]:
		case hotter[:record]:
			return found, true
		default:
			found = r + found
		}
		at += width
	}
}

// vacant is how many entries are free at the beginning of a bucket of entries so wide.
func vacant(bucket string, width int) int {
	return (len(bucket) - len(strings.TrimLeft(bucket, "\x00"))) / width
}

// extents are the maps that a look-up reads, as they were last seen; heard, those that are asked first.
type (
	extents struct{ keys, names extent }
	heard   struct{ idems, filed extent }
)

// of is the extent of a map.
func (e extents) of(k kind) extent {
	if k == nameKind {
		return e.names
	}
	return e.keys
}
