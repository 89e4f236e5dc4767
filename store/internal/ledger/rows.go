package ledger

import (
	"encoding/binary"
	"math"

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

	spaceOutbox = 'o'
	spaceSink   = 's'
	spaceClaim  = 'y'
	spaceBeat   = 'u'
	spacePlace  = 'z'
)

// formatVersion is raised when other programs could misread the rows. The numbers before it were never released.
const formatVersion = 9

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

// expiryKey returns the key of an expiry. It also orders times before 1970.
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
	return nil // impossible, because spaces are letters
}

// number reads the n-th number of a key made by keyOf.
func number(key []byte, n int) uint64 {
	if at := 5 + 8*n; len(key) >= at+8 {
		return binary.BigEndian.Uint64(key[at:])
	}
	return 0
}

// leaderRow holds what a leader is found by.
type leaderRow struct {
	seq     uint64
	time    int64
	expires int64
	sketch  uint64
	keys    []uint64
	digest  neardup.Digest // of the text, so that Check finds a text of another leader
}

func (r *leaderRow) fields(c *coder) {
	ints(c, &r.time, &r.expires)
	c.fixed(&r.sketch)
	c.raw(r.digest[:])
	list(c, &r.keys, 8, (*coder).fixed)
}

// short reads the fields before the digest and the keys.
func (r *leaderRow) short(c *coder) {
	ints(c, &r.time, &r.expires)
	c.fixed(&r.sketch)
	c.b = nil
}

func entryFields(c *coder, v *docid.Entry) {
	texts(c, &v.Kind)
	uints(c, &v.Leader)
	texts(c, &v.NID)
	ints(c, &v.Time, &v.Heat, &v.Window, &v.Expires)
	texts(c, &v.Idempotency)
	c.raw(v.Request[:])
	e := &v.Evidence
	texts(c, &e.Stage)
	texts(c, &e.LeaderNID)
	c.float(&e.Similarity)
	ints(c, &e.Distance)
	texts(c, &e.Method, &e.Basis)
	c.bool(&e.Disagrees)
	uints(c, &e.Variant)
	texts(c, &e.VariantNID)
	texts(c, &e.Relation)
	list(c, &e.Conflicts, 4, conflictFields)
	list(c, &e.SameImages, 68, sameImagesFields)
	if r := &v.Ruling; present(c, r, c.has(*r != nil)) {
		texts(c, &(*r).Who, &(*r).Why, &(*r).Other)
		texts(c, &(*r).Link, &(*r).Was)
		uints(c, &(*r).Before)
	}
}

// bitsUnit is the number of units per bit in stored evidence, as in a score.
const bitsUnit = 256

func conflictFields(c *coder, v *neardup.Conflict) {
	bits := int64(math.Round(v.Bits * bitsUnit))
	texts(c, &v.Kind)
	ints(c, &bits)
	texts(c, &v.A, &v.B)
	if c.reads {
		v.Bits = float64(bits) / bitsUnit
	}
}

func articleFields(c *coder, a *docid.Article) {
	texts(c, &a.ID, &a.Text, &a.Title, &a.URL, &a.Category, &a.Media, &a.ImageCount)
	ints(c, &a.Time, &a.Heat)
	extrasFields(c, &a.Extras)
}

func extrasFields(c *coder, x *docid.Extras) { list(c, &x.Pictures, 33, pictureFields) }

func hashFields(c *coder, h *[4]uint64) {
	for i := range h {
		c.fixed(&h[i])
	}
}

func pictureFields(c *coder, p *docid.Picture) {
	hashFields(c, (*[4]uint64)(&p.Hash))
	uints(c, &p.Quality)
}

func sameImagesFields(c *coder, s *docid.SameImages) {
	uints(c, &s.Leader)
	uints(c, &s.Same, &s.Of)
	hashFields(c, (*[4]uint64)(&s.A))
	hashFields(c, (*[4]uint64)(&s.B))
	uints(c, &s.Distance)
}

func memberFields(c *coder, m *docid.Member) {
	uints(c, &m.Leader, &m.Seq)
	articleFields(c, &m.Article)
	c.bool(&m.Disagrees)
	if present(c, &m.Correction, c.has(m.Correction != nil)) {
		r := m.Correction
		uints(c, &r.Seq, &r.Leader, &r.Before, &r.Own)
		ints(c, &r.Time)
		texts(c, &r.Who, &r.Why)
	}
}

// keptRow is the kept copy and the change that brought it. It is contested once a change of heat may have made
// another member hotter, whose text is not stored.
type keptRow struct {
	seq       uint64
	article   docid.Article
	contested bool
}

func (r *keptRow) fields(c *coder) {
	uints(c, &r.seq)
	articleFields(c, &r.article)
	c.bool(&r.contested)
}

func materialFields(c *coder, m *docid.Material) {
	texts(c, &m.NID, &m.Title, &m.Text)
	extrasFields(c, &m.Extras)
}

// identityFields codes an identity, and whether its index is being restored.
func identityFields(c *coder, number *uint32, id *docid.Identity, unfinished *bool) {
	uints(c, number)
	c.fixed(&id.Seed)
	c.raw(id.Key[:])
	table := string(id.Table)
	texts(c, &id.Spec, &table)
	ints(c, &id.Created)
	if c.reads {
		id.Table = []byte(table)
	}
	c.bool(unfinished)
}

func (ix *index) fields(c *coder) { identityFields(c, &ix.id, &ix.identity, &ix.unfinished) }

// sealed encodes a row.
func sealed(key []byte, fields func(*coder)) []byte {
	var c coder
	fields(&c)
	return c.seal(key)
}

// stamp writes the format of rows into a store that has none.
func stamp(kv KV) error {
	return update(kv, func(b Batch) error {
		was, err := version(b)
		if was == formatVersion {
			err = errStop
		}
		if err != nil {
			return err
		}
		key, version := []byte{spaceFormat}, uint64(formatVersion)
		return b.Set(key, sealed(key, oneUint(&version)))
	})
}

// read decodes a row and reports whether it exists.
func read(r Reader, key []byte, fields func(*coder)) (bool, error) {
	v, err := r.Get(key)
	if err != nil || v == nil {
		return false, err
	}
	return true, decode(key, v, fields)
}

func decode(key, value []byte, fields func(*coder)) error {
	c, err := open(key, value)
	if err != nil {
		return err
	}
	fields(c)
	return c.close(key)
}
