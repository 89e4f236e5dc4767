package ledger

import (
	"encoding/binary"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// The rows. Every key starts with its space. All but the first three continue with the 4-byte number of the
// tenant. Numbers are big-endian, so that rows are sorted by them.
//
//	f                     format version
//	c                     mark of a copy, which must begin an epoch
//	i tenant              number and identity of the index
//	l seq                 log entry                      source
//	d leader              keys, sketch, names: leader    source
//	t leader              title and text to verify with  source
//	k leader              kept copy, whole               source
//	n nid                 member, without text           source
//	r leader name         change that posted the name    source
//	a name leader         index of r by name             made from r
//	m leader seq          nid of a member                made from n
//	x expires leader      due to expire                  made from d
//	q idempotency key     seq of the submission          made from l
//	e seq                 epoch that begins              made from l
//	g                     idempotency keys forgotten     source
//	h segment             header of a segment            made from d and r
//	p segment chunk       postings, then first keys and filter  made from d and r
//	j seq                 rule of a person               made from l
//	o seq                 article pending for sinks      source
//	s sink                what it has, first pending     source
//	y sink                lease of its feeder, with a log
//	u turn                offset of a heartbeat in the log, and the digests of the state there
//	z                     position in the log
//
// Sources exist only once, and a rebuild (Past) reads nothing else. Segments hold the postings of all changes up to
// one, and a start makes the later ones from d and r.
const (
	spaceFormat = 'f'
	spaceCopy   = 'c'
	spaceIndex  = 'i'
	spaceLog    = 'l'
	spaceLeader = 'd'
	spaceText   = 't'
	spaceKept   = 'k'
	spaceNID    = 'n'
	spaceName   = 'r'
	spaceAlias  = 'a'
	spaceMember = 'm'
	spaceExpiry = 'x'
	spaceIdem   = 'q'
	spaceEpoch  = 'e'
	spaceForgot = 'g'

	spaceSegment = 'h'
	spacePosting = 'p'
	spaceRule    = 'j'

	spaceOutbox   = 'o'
	spaceSink     = 's'
	spaceClaim    = 'y'
	spaceBeat     = 'u'
	spacePosition = 'z'
)

// formatVersion must be raised when other programs could misread the rows. Programs with lower numbers were never released.
const formatVersion = 10

// keyOf returns the key of a space, tenant and numbers.
func keyOf(space byte, tenant uint32, numbers ...uint64) []byte {
	k := make([]byte, 5, 32)
	k[0] = space
	binary.BigEndian.PutUint32(k[1:], tenant)
	for _, n := range numbers {
		k = binary.BigEndian.AppendUint64(k, n)
	}
	return k
}

func nidKey(tenant uint32, nid string) []byte { return append(keyOf(spaceNID, tenant), nid...) }

func idemKey(tenant uint32, idem string) []byte { return append(keyOf(spaceIdem, tenant), idem...) }

func nameKey(tenant uint32, leader uint64, n docid.Name) []byte {
	return append(keyOf(spaceName, tenant, leader), n[:]...)
}

func aliasKey(tenant uint32, n docid.Name, leader uint64) []byte {
	return binary.BigEndian.AppendUint64(append(keyOf(spaceAlias, tenant), n[:]...), leader)
}

// nameOf returns the name in the key of a name row, and aliasOf the key of its alias.
func nameOf(k []byte) docid.Name { return docid.Name(k[13:]) }

func aliasOf(tenant uint32, k []byte) []byte { return aliasKey(tenant, nameOf(k), number(k, 0)) }

func sinkKey(tenant uint32, sink string) []byte { return append(keyOf(spaceSink, tenant), sink...) }

func leaseKey(tenant uint32, sink string) []byte { return append(keyOf(spaceClaim, tenant), sink...) }

// expiryKey returns the key of an expiry. It also sorts times before 1970.
func expiryKey(tenant uint32, expires int64, leader uint64) []byte {
	return keyOf(spaceExpiry, tenant, uint64(expires)^1<<63, leader)
}

// after returns the first key after all keys that start with prefix.
func after(prefix []byte) []byte {
	k := append([]byte(nil), prefix...)
	for i := len(k) - 1; i >= 0; i-- {
		k[i]++
		if k[i] != 0 {
			return k[:i+1]
		}
	}
	return nil // impossible, because a prefix begins with a letter
}

// number reads the n-th number of a key made by keyOf.
func number(key []byte, n int) uint64 {
	if at := 5 + 8*n; len(key) >= at+8 {
		return binary.BigEndian.Uint64(key[at:])
	}
	return 0
}

// leaderRow holds the values by which a leader is found.
type leaderRow struct {
	leaderHead
	Digest neardup.Digest // digest of the text, so that Check notices the text of another leader
	Keys   []uint64
}

// leaderHead holds the first fields of a leaderRow. A start reads them for every leader.
type leaderHead struct {
	Time, Expires int64
	Sketch        uint64
}

// keptRow is the kept copy, with the change that made it. It is contested if a change of heat may have made another member
// hotter, whose text is not stored.
type keptRow struct {
	Seq       uint64
	Article   docid.Article
	Contested bool
}

// stored returns the fields of the row of an index.
func (ix *index) stored() []any { return []any{&ix.id, &ix.identity, &ix.unfinished} }

// sealed encodes a row.
func sealed(key []byte, values ...any) []byte {
	c := coder{b: make([]byte, 0, 256)} // enough for most rows
	c.all(values)
	return c.seal(key)
}

// stamp writes the format version into a store that has none.
func stamp(kv KV) error {
	return update(kv, func(b *writes) error {
		was, err := version(b)
		if was == formatVersion {
			err = errStop
		}
		version := uint64(formatVersion)
		b.set([]byte{spaceFormat}, &version)
		return err
	})
}

// set encodes a row and writes it.
func (b *writes) set(key []byte, values ...any) { b.Set(key, sealed(key, values...)) }

// read decodes a row and reports whether it exists.
func read(r Reader, key []byte, values ...any) (bool, error) {
	v, err := r.Get(key)
	if err != nil || v == nil {
		return false, err
	}
	return true, decode(key, v, values...)
}

func decode(key, value []byte, values ...any) error {
	c, err := open(key, value)
	if err != nil {
		return err
	}
	c.all(values)
	return c.close(key)
}
