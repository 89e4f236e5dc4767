package redis

import (
	"encoding/binary"
	"slices"

	"github.com/neardup/neardup/docid"
)

// note is what a look-up saw of the buckets, told to Redis with the change that rests on
// it: a bucket that no other change has written since is not read again.
type note struct {
	at      uint64     // as of which change at least
	fields  string     // the names, then the keys
	keys    []string   // of the bucket of each
	buckets []byte     // their numbers, 6 bytes each; those of names have bit 47
	rooms   []room     // of each
	leaders [][]uint64 // of each name
}

// room is where the next entry of a field goes in its bucket and how it begins; empty where there
// is none, or another field of the change has it.
type room struct{ offset, start string }

// mostTold is how many fields are told: what a function unpacks at once is bounded.
const mostTold = 1000

// fieldsOf are the names and the keys that are looked up.
func fieldsOf(q *docid.Query) string {
	b := []byte(packNames(q.Names))
	for _, p := range q.KeySets {
		b = packKeys(b, p.Keys)
	}
	return string(b)
}

// see notes what there is in the buckets of a look-up, one for each field.
func (n *note) see(l *look, values []string) {
	n.at, n.rooms, n.leaders = l.at, make([]room, len(l.fields)), l.names
	taken := make(map[string]bool, len(l.fields))
	for i, f := range l.fields {
		s, k := l.spots[i], kindOf(f)
		width := s.head + k.record
		n.buckets = append(n.buckets, binary.BigEndian.AppendUint64(nil, k.base|s.bucket)[2:]...)
		if free := vacant(values[i], width); free > 0 && !taken[n.keys[i]] {
			taken[n.keys[i]] = true
			n.rooms[i] = room{decimal(uint64((free - 1) * width)), f[:s.head]}
		}
	}
}

// tell adds to the arguments of a submission what the look-up that it rests on saw; the functions
// hear and put read it.
func tell(c *docid.Change, a []string) []string {
	n, ok := c.Query.Note.(*note)
	if !ok || n.at != c.Query.Since || n.fields != a[22]+a[14] || len(n.keys) > mostTold {
		return a
	}
	posted := n.rooms
	if a[18] != a[14] { // a duplicate, or a leader that is found under other keys than it is searched by
		posted = posted[:len(n.leaders)]
	}
	a[33] = string(n.buckets)
	a = slices.Grow(a, 3*len(posted))
	for i, r := range posted {
		if i < len(n.leaders) && slices.Contains(n.leaders[i], c.Leader) {
			r.offset = "=" // it leads there
		}
		a = append(a, n.keys[i], r.offset, r.start)
	}
	return a
}
