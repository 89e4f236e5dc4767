package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// Load is how an index was loaded.
type Load struct {
	Tenant string
	Seq    uint64 // its last change
	// Image is the change as of which an image was read. 0: every docId and
	// article was read, because of Why.
	Image uint64
	Why   error
}

// errNoImage is why a folder was read whole that was not stopped in order, or by an
// older program.
var errNoImage = errors.New("no image of it was written before")

// Loads tells how each index was loaded when the store was opened.
func (s *Store) Loads() []Load { return s.loads }

// distrusted is why an image was not used, where that is no failure of its own.
type distrusted struct{ why error }

func (d distrusted) Error() string { return d.why.Error() }
func (d distrusted) Unwrap() error { return d.why }

func distrust(format string, args ...any) error { return distrusted{fmt.Errorf(format, args...)} }

// loadImage fills an empty index from its image and from what came after
// it. An error that is distrusted, or damage, says why all must be read instead; the
// index is then to be emptied.
func (ix *index) loadImage(ctx context.Context, r Reader) error {
	h, err := ix.findImage(r)
	if err != nil {
		return err
	}
	ix.imaged.number = h.number + 1 // if it cannot be used, the next one takes its place
	t := tail{ix: ix, touched: map[uint64]bool{}}
	ix.known = newKnownRows(h.seed)
	read := image{number: h.number, to: h.to, entry: h.entry, seed: h.seed}
	if err := t.replay(ctx, r, h.to); err != nil {
		return err
	}
	err = r.Scan(h.pieceKey(ix, 0), h.pieceKey(ix, h.pieces), func(k, v []byte) error {
		if number(k, 1) != read.pieces {
			return distrust("piece %d of the image is missing", read.pieces)
		}
		if err := decodePiece(k, v, func(d *decoder) error { return t.piece(d, r, &read, h) }); err != nil {
			return err
		}
		read.chain(v)
		return ctx.Err()
	})
	if err == nil && read != *h {
		err = distrust("the image has %d pieces, %d docIds and %d fingerprints of %d, %d and %d", read.pieces, read.leaders, read.prints, h.pieces, h.leaders, h.prints)
	}
	if err != nil {
		return err
	}
	ix.imaged = *h
	if err := t.load(ctx, r, h.to); err != nil {
		return err
	}
	return overgrown(h.prints, uint64(ix.members.Load()))
}

// overgrown distrusts an image most of whose fingerprints must be those of nids that were
// deleted and of keys that were forgotten: these go when all is read again. An article has
// two at most.
func overgrown(prints, articles uint64) error {
	if prints > 4*articles+manyPrints {
		return distrust("the image has %d fingerprints for %d articles: most are of what was deleted", prints, articles)
	}
	return nil
}

const manyPrints = 100_000

// findImage reads the header, and proves that it is of this log.
func (ix *index) findImage(r Reader) (*image, error) {
	h := &image{}
	found, err := read(r, ix.imageKey(), h.get)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, distrusted{errNoImage}
	case h.to > ix.head:
		return nil, distrust("the image is of change %d, the log ends at %d", h.to, ix.head)
	}
	sum, err := ix.entrySum(r, h.to)
	if err == nil && sum != h.entry {
		err = distrust("the image is of another log: change %d is not the one it knows", h.to)
	}
	return h, err
}

// tail is what came after an image.
type tail struct {
	ix      *index
	touched map[uint64]bool // docIds to read anew
}

// replay finds in the log after an image what must be read anew.
func (t *tail) replay(ctx context.Context, r Reader, from uint64) error {
	ix := t.ix
	return r.Scan(ix.key(spaceLog, from+1), after(ix.key(spaceLog)), func(k, v []byte) error {
		e := docid.Entry{Seq: number(k, 0)}
		if err := decode(k, v, func(d *decoder) { getEntry(d, &e) }); err != nil {
			return err
		}
		if !touches(&e, t.touched) {
			return distrust("change %d is of a kind that no image knows: %q", e.Seq, e.Kind)
		}
		if submission(e.Kind) {
			ix.known.add(nidKey(ix.id, e.NID))
			if e.Idempotency != "" {
				ix.known.add(idemKey(ix.id, e.Idempotency))
			}
		}
		return ctx.Err()
	})
}

// decodePiece is decode for what says itself what is wrong.
func decodePiece(key, value []byte, get func(*decoder) error) (wrong error) {
	err := decode(key, value, func(d *decoder) {
		if wrong = get(d); wrong != nil {
			d.b = nil
		}
	})
	return errors.Join(wrong, err)
}

// piece reads a piece of an image: docIds first, then fingerprints.
func (t *tail) piece(d *decoder, r Reader, read, h *image) error {
	if read.leaders == h.leaders {
		n, err := t.ix.known.load(d)
		read.prints += uint64(n)
		return err
	}
	return eachLeader(d, func(at *leader) error {
		if read.leaders++; at.seq > h.to {
			return distrust("a docId in the image came after it")
		}
		lives, err := t.lives(r, at.seq)
		if err != nil || !lives {
			return err
		}
		n := t.ix.posts.lead(at.seq, at.sketch, at.time)
		t.ix.posts.leaders.at(n).size.Store(at.size.Load())
		return nil
	})
}

// eachLeader visits the docIds in a piece of an image.
func eachLeader(d *decoder, visit func(*leader) error) error {
	var at leader
	for before := uint64(0); d.more(); before = at.seq {
		if getLeader(d, &at); at.seq <= before || d.err != nil {
			return distrust("docIds in the image are out of order or cut short")
		}
		if err := visit(&at); err != nil {
			return err
		}
	}
	return nil
}

// lives reports whether a docId of the image has not ended since.
func (t *tail) lives(r Reader, seq uint64) (bool, error) {
	if !t.touched[seq] {
		return true, nil
	}
	v, err := r.Get(t.ix.key(spaceLeader, seq))
	return v != nil, err
}

// load reads the docIds after an image, and counts anew the articles of those
// before it that were touched.
func (t *tail) load(ctx context.Context, r Reader, from uint64) error {
	ix := t.ix
	if err := ix.loadLeaders(ctx, r, from); err != nil {
		return err
	}
	if err := ix.count(ctx, r, ix.key(spaceMember, from+1), after(ix.key(spaceMember))); err != nil {
		return err
	}
	for seq := range t.touched {
		_, l := ix.posts.find(seq)
		if l == nil || seq > from {
			continue
		}
		l.size.Store(0)
		if err := ix.count(ctx, r, ix.key(spaceMember, seq), after(ix.key(spaceMember, seq))); err != nil {
			return err
		}
	}
	members := int64(0)
	for n := range leaderNo(ix.posts.leaders.len()) {
		members += ix.posts.leaders.at(n).size.Load()
	}
	ix.leaders.Store(int64(ix.posts.leaders.len()))
	ix.members.Store(members)
	return nil
}

// count counts the articles in a range of rows.
func (ix *index) count(ctx context.Context, r Reader, from, to []byte) error {
	var l *leader
	return r.Scan(from, to, func(k, v []byte) error {
		if err := decode(k, v, func(d *decoder) { _ = d.string() }); err != nil {
			return err
		}
		if seq := number(k, 0); l == nil || l.seq != seq {
			if _, l = ix.posts.find(seq); l == nil {
				return fmt.Errorf("%w: a member of leader %d, which is missing", docid.ErrCorrupt, seq)
			}
		}
		l.size.Add(1)
		return ctx.Err()
	})
}

// load reads a piece of fingerprints, and returns how many there are.
func (k *knownRows) load(d *decoder) (read int, err error) {
	for d.more() {
		shard, n := d.uint(), d.count(4)
		b := d.raw(4 * n)
		if d.err != nil || shard >= uint64(len(k.shards)) {
			return read, distrust("fingerprints in the image are cut short")
		}
		p := &k.shards[shard]
		p.reserve(n)
		for i := range n {
			print := binary.BigEndian.Uint32(b[4*i:])
			if print == 0 {
				return read, distrust("a fingerprint in the image is none")
			}
			p.add(print)
		}
		read += n
	}
	return read, nil
}
