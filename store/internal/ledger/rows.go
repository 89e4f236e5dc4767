package ledger

import (
	"encoding/binary"
	"math"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/override"
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
//	p segment chunk       postings                       made from d and r
//	b segment piece       first keys and filter          made from p
//	j seq                 rule of a person               made from l
//	o seq                 article pending for sinks      source
//	s sink                what it has, first pending     source
//	y sink                lease of its feeder, with a log
//	u beat                offset of a heartbeat in the log, and the digests of the state there
//	z                     position in the log
//
// Sources exist only once, and Rebuild derives the other rows from them. Segments hold the postings of all
// changes up to one, and a start makes the later ones from d and r.
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
	spacePiece   = 'b'
	spaceRule    = 'j'

	spaceOutbox = 'o'
	spaceSink   = 's'
	spaceClaim  = 'y'
	spaceBeat   = 'u'
	spacePlace  = 'z'
)

// formatVersion is raised when other programs could misread the rows. The numbers before it were never released.
const formatVersion = 8

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

func sinkKey(tenant uint32, sink string) []byte { return append(keyOf(spaceSink, tenant), sink...) }

func claimKey(tenant uint32, sink string) []byte { return append(keyOf(spaceClaim, tenant), sink...) }

// expiryKey returns the key of an expiry. It also orders times before 1970.
func expiryKey(tenant uint32, expires int64, leader uint64) []byte {
	return keyOf(spaceExpiry, tenant, uint64(expires)^1<<63, leader)
}

// after returns the first key after all keys that start with prefix.
func after(prefix []byte) []byte {
	k := append([]byte(nil), prefix...)
	for i := len(k) - 1; i >= 0; i-- {
		if k[i]++; k[i] != 0 {
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

func (r leaderRow) put(e *encoder) {
	e.int(r.time)
	e.int(r.expires)
	e.fixed(r.sketch)
	e.raw(r.digest[:])
	e.uint(uint64(len(r.keys)))
	for _, k := range r.keys {
		e.fixed(k)
	}
}

func (r *leaderRow) get(d *decoder) {
	r.time, r.expires, r.sketch = d.int(), d.int(), d.fixed()
	copy(r.digest[:], d.raw(16))
	r.keys = make([]uint64, d.count(8))
	for i := range r.keys {
		r.keys[i] = d.fixed()
	}
}

// getShort reads the fields before the digest and the keys.
func (r *leaderRow) getShort(d *decoder) {
	r.time, r.expires, r.sketch = d.int(), d.int(), d.fixed()
	d.b = nil
}

func putEntry(e *encoder, v *docid.Entry) {
	e.string(string(v.Kind))
	e.uint(v.Leader)
	e.string(v.NID)
	e.int(v.Time)
	e.int(v.Heat)
	e.int(v.Window)
	e.int(v.Expires)
	e.string(v.Idempotency)
	e.raw(v.Request[:])
	e.string(string(v.Evidence.Stage))
	e.string(v.Evidence.LeaderNID)
	e.float(v.Evidence.Similarity)
	e.int(int64(v.Evidence.Distance))
	e.string(v.Evidence.Method)
	e.string(v.Evidence.Basis)
	if extended(&v.Evidence) || v.Ruling != nil {
		putExtension(e, &v.Evidence)
	}
	if r := v.Ruling; r != nil {
		for _, s := range []string{r.Who, r.Why, r.Other, string(r.Link), string(r.Was)} {
			e.string(s)
		}
		e.uint(r.Before)
	}
}

// extended reports whether evidence has fields that format 2 lacks.
func extended(v *docid.Evidence) bool {
	return v.Disagrees || v.Variant != 0 || len(v.SameImages) > 0
}

func putExtension(e *encoder, v *docid.Evidence) {
	e.uint(flags(v.Disagrees, len(v.SameImages) > 0))
	e.uint(v.Variant)
	e.string(v.VariantNID)
	e.string(string(v.Relation))
	e.uint(uint64(len(v.Conflicts)))
	for _, c := range v.Conflicts {
		e.string(c.Kind)
		e.int(int64(math.Round(c.Bits * bitsUnit)))
		e.string(c.A)
		e.string(c.B)
	}
	putSameImages(e, v.SameImages)
}

func getExtension(d *decoder, v *docid.Evidence) {
	has := d.uint()
	v.Disagrees, v.Variant, v.VariantNID, v.Relation = has&flagYes != 0, d.uint(), d.string(), neardup.Relation(d.string())
	v.Conflicts = make([]neardup.Conflict, d.count(4))
	for i := range v.Conflicts {
		v.Conflicts[i] = neardup.Conflict{Kind: d.string(), Bits: float64(d.int()) / bitsUnit, A: d.string(), B: d.string()}
	}
	v.SameImages = getSameImages(d, has)
}

// bitsUnit is the number of units per bit in stored evidence, as in a score.
const bitsUnit = 256

func getEntry(d *decoder, v *docid.Entry) {
	v.Kind, v.Leader, v.NID = docid.Kind(d.string()), d.uint(), d.string()
	v.Time, v.Heat, v.Window, v.Expires = d.int(), d.int(), d.int(), d.int()
	v.Idempotency = d.string()
	copy(v.Request[:], d.raw(16))
	v.Evidence.Stage, v.Evidence.LeaderNID = docid.Stage(d.string()), d.string()
	v.Evidence.Similarity, v.Evidence.Distance = d.float(), int(d.int())
	v.Evidence.Method, v.Evidence.Basis = d.string(), d.string()
	if d.more() {
		getExtension(d, &v.Evidence)
	}
	if v.Ruling = nil; d.more() {
		v.Ruling = &docid.Ruling{Who: d.string(), Why: d.string(), Other: d.string(), Link: override.Link(d.string()), Was: override.Link(d.string())}
		v.Ruling.Before = d.uint()
	}
}

func putArticle(e *encoder, a *docid.Article) {
	for _, s := range []string{a.ID, a.Text, a.Title, a.URL, a.Category, a.Media, a.ImageCount} {
		e.string(s)
	}
	e.int(a.Time)
	e.int(a.Heat)
}

func getArticle(d *decoder, a *docid.Article) {
	for _, s := range []*string{&a.ID, &a.Text, &a.Title, &a.URL, &a.Category, &a.Media, &a.ImageCount} {
		*s = d.string()
	}
	a.Time, a.Heat = d.int(), d.int()
}

func putMember(e *encoder, m *docid.Member) {
	e.uint(m.Leader)
	e.uint(m.Seq)
	putArticle(e, &m.Article)
	putExtras(e, m.Disagrees, &m.Extras, m.Correction != nil)
	if m.Correction != nil {
		putCorrection(e, m.Correction)
	}
}

func putCorrection(e *encoder, c *docid.Correction) {
	for _, n := range []uint64{c.Seq, c.Leader, c.Before, c.Own} {
		e.uint(n)
	}
	e.int(c.Time)
	e.string(c.Who)
	e.string(c.Why)
}

func getCorrection(d *decoder) *docid.Correction {
	var c docid.Correction
	for _, n := range []*uint64{&c.Seq, &c.Leader, &c.Before, &c.Own} {
		*n = d.uint()
	}
	c.Time, c.Who, c.Why = d.int(), d.string(), d.string()
	return &c
}

func getMember(d *decoder, m *docid.Member) {
	m.Leader, m.Seq = d.uint(), d.uint()
	getArticle(d, &m.Article)
	m.Disagrees = getExtras(d, &m.Extras)
	if m.Correction = nil; d.more() {
		m.Correction = getCorrection(d)
	}
}

// keptRow is the kept copy and the change that brought it. It is contested once a change of heat may have made
// another member hotter, whose text is not stored.
type keptRow struct {
	seq       uint64
	article   docid.Article
	contested bool
}

func (r keptRow) put(e *encoder) {
	e.uint(r.seq)
	putArticle(e, &r.article)
	putExtras(e, r.contested, &r.article.Extras, false)
}

func (r *keptRow) get(d *decoder) {
	r.seq = d.uint()
	getArticle(d, &r.article)
	r.contested = getExtras(d, &r.article.Extras)
}

// nameRow is the change that posted a name. It encodes nothing if that change made the docId.
type nameRow struct{ seq, leader uint64 }

func (r nameRow) put(e *encoder) {
	if r.seq != r.leader {
		e.uint(r.seq)
	}
}

func (r *nameRow) get(d *decoder) {
	if r.seq = r.leader; d.more() {
		r.seq = d.uint()
	}
}

func putMaterial(e *encoder, m *docid.Material) {
	e.string(m.NID)
	e.string(m.Title)
	e.string(m.Text)
	putExtras(e, false, &m.Extras, false)
}

func getMaterial(d *decoder, m *docid.Material) {
	m.NID, m.Title, m.Text = d.string(), d.string(), d.string()
	getExtras(d, &m.Extras)
}

// putIdentity encodes an identity. An unfinished restoration adds a field, so older programs refuse the index.
func putIdentity(e *encoder, number uint32, id *docid.Identity, unfinished bool) {
	e.uint(uint64(number))
	e.fixed(id.Seed)
	e.raw(id.Key[:])
	e.string(id.Spec)
	e.string(string(id.Table))
	e.int(id.Created)
	if unfinished {
		e.bool(true)
	}
}

func getIdentity(d *decoder, number *uint32, id *docid.Identity) (unfinished bool) {
	*number = uint32(d.uint())
	id.Seed = d.fixed()
	copy(id.Key[:], d.raw(32))
	id.Spec, id.Table, id.Created = d.string(), []byte(d.string()), d.int()
	return d.more() && d.bool()
}

// sealed encodes a row.
func sealed(key []byte, put func(*encoder)) []byte {
	var e encoder
	put(&e)
	return e.seal(key)
}

// read decodes a row and reports whether it exists.
func read(r Reader, key []byte, get func(*decoder)) (bool, error) {
	v, err := r.Get(key)
	if err != nil || v == nil {
		return false, err
	}
	return true, decode(key, v, get)
}

func decode(key, value []byte, get func(*decoder)) error {
	d, err := open(key, value)
	if err != nil {
		return err
	}
	get(d)
	return d.close(key)
}
