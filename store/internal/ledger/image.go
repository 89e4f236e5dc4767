package ledger

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/zeebo/xxh3"
)

// An image is what of an index lies in memory and is not postings, in rows: the
// living docIds with their sizes, and which nids and idempotency keys may be
// there. It says as of which change, and a start reads it and what the log tells
// of since, instead of every docId and article. It is pieces that count only with
// their header. Two images take turns, so that nothing is deleted (what deletes
// makes an engine work at its next start) and a crash leaves the one before.
//
// It is made beside the work, so it may hold more than its change had: a size or an
// end that came later. That does no harm, because whoever reads it reads anew
// from the rows whatever a later change has touched. And nothing is lost with
// it: all of it follows from other rows, and is read from them if the image is missing,
// damaged, or not of this log.
type image struct {
	number  uint64
	to      uint64 // the change as of which it is; 0: there is no image
	entry   uint64 // checksum of the log entry of that change
	seed    uint64 // of the fingerprints
	leaders uint64
	prints  uint64
	pieces  uint64
	sum     uint64 // of the pieces, chained
}

func (h *image) fields() []*uint64 {
	return []*uint64{&h.number, &h.to, &h.entry, &h.seed, &h.leaders, &h.prints, &h.pieces, &h.sum}
}

func (h *image) put(e *encoder) {
	for _, f := range h.fields() {
		e.fixed(*f)
	}
}

func (h *image) get(d *decoder) {
	for _, f := range h.fields() {
		*f = d.fixed()
	}
}

// chain adds a piece to the sum, so that pieces of two images are not mixed.
func (h *image) chain(value []byte) {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], h.sum)
	copy(b[8:], value[len(value)-8:])
	h.sum = xxh3.Hash(b[:])
	h.pieces++
}

const (
	imageLeaders = 4096     // in a piece
	imageBytes   = 64 << 10 // of a piece of fingerprints, about
	imagePieces  = 4        // in one batch
	// imagePart is what part of all changes comes between two images, and not fewer
	// than half as many as there are postings in memory: so an image costs a change the
	// same however large the index is, some 70 bytes, and a start after a kill
	// reads a quarter of the log at most.
	imagePart = 4
	// imageLag is the part of the log that a clean stop leaves to be read.
	imageLag = 256
)

// imageWriter writes one image.
type imageWriter struct {
	image
	ix   *index
	rows []row
}

// renewImage writes an image if so many changes came after the last one.
func (ix *index) renewImage(changes uint64) error {
	head := ix.durable.Load()
	if head-ix.imaged.to < changes {
		return nil
	}
	w := &imageWriter{ix: ix, image: image{number: ix.imaged.number + 1, to: head, seed: ix.known.seed}}
	if err := w.write(); err != nil {
		return fmt.Errorf("write an image of the index: %w", err)
	}
	return nil
}

func (w *imageWriter) write() error {
	if err := w.ix.atSnapshot(func(r Reader) (err error) {
		w.entry, err = w.ix.entrySum(r, w.to)
		return err
	}); err != nil {
		return err
	}
	if err := w.writeLeaders(); err != nil {
		return err
	}
	for shard, whole := 0, false; !whole; {
		// The fingerprints are the writer's, so they are read in it.
		err := w.ix.store.do(context.Background(), func(b Batch) (func(), error) {
			shard = w.addPrints(shard)
			if whole = shard == len(w.ix.known.shards); whole {
				key := w.ix.imageKey()
				w.rows = append(w.rows, row{key, sealed(key, w.put)})
			}
			return w.hand(b)
		})
		if err != nil {
			return err
		}
	}
	w.ix.imaged = w.image
	return nil
}

// imageKey is the row of the header.
func (ix *index) imageKey() []byte { return ix.key(spaceImage, 0) }

// pieceKey is the row of a piece.
func (h *image) pieceKey(ix *index, piece uint64) []byte {
	return ix.key(spaceImagePiece, h.number%2, piece)
}

// entrySum is the checksum of a log entry.
func (ix *index) entrySum(r Reader, seq uint64) (uint64, error) {
	key := ix.key(spaceLog, seq)
	v, err := r.Get(key)
	if err != nil {
		return 0, err
	}
	if _, err := open(key, v); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(v[len(v)-8:]), nil
}

// piece ends a piece.
func (w *imageWriter) piece(e *encoder) {
	if len(e.b) == 0 {
		return
	}
	key := w.pieceKey(w.ix, w.pieces)
	value := e.seal(key)
	w.chain(value)
	w.rows = append(w.rows, row{key, value})
	*e = encoder{}
}

// hand writes the pieces that wait.
func (w *imageWriter) hand(b Batch) (func(), error) {
	for _, r := range w.rows {
		if err := r.write(b); err != nil {
			return nil, err
		}
	}
	w.rows = nil
	return func() {}, nil
}

// writeLeaders writes the docIds that live. One that was ended by a change that
// is not durable yet is left out too: if that change is lost, so is the image,
// which is committed after it.
func (w *imageWriter) writeLeaders() error {
	var e encoder
	var last *leader
	for n := range leaderNo(w.ix.posts.leaders.len()) {
		l := w.ix.posts.leaders.at(n)
		if l.seq > w.to {
			break
		}
		if l.ended.Load() != 0 {
			continue
		}
		putLeader(&e, last, l)
		last = l
		if w.leaders++; w.leaders%imageLeaders == 0 {
			w.piece(&e)
			last = nil
		}
		if len(w.rows) == imagePieces {
			if err := w.ix.store.do(context.Background(), w.hand); err != nil {
				return err
			}
		}
	}
	w.piece(&e)
	return nil
}

// putLeader writes a docId as it differs from the one before in its piece.
func putLeader(e *encoder, before, l *leader) {
	seq, time := uint64(0), int64(0)
	if before != nil {
		seq, time = before.seq, before.time
	}
	e.uint(l.seq - seq)
	e.fixed(l.sketch)
	e.int(l.time - time)
	e.int(l.size.Load())
}

// getLeader reads the docId after l.
func getLeader(d *decoder, l *leader) {
	l.seq += d.uint()
	l.sketch = d.fixed()
	l.time += d.int()
	l.size.Store(d.int())
}

// addPrints adds the fingerprints of shards from one on, some pieces of them, and
// returns the shard after them.
func (w *imageWriter) addPrints(shard int) int {
	var e encoder
	for ; shard < len(w.ix.known.shards) && len(w.rows) < imagePieces; shard++ {
		p := &w.ix.known.shards[shard]
		if p.used == 0 {
			continue
		}
		e.uint(uint64(shard))
		e.uint(uint64(p.used))
		for _, print := range p.slots {
			if print != 0 {
				e.b = binary.BigEndian.AppendUint32(e.b, print)
			}
		}
		w.prints += uint64(p.used)
		if len(e.b) >= imageBytes {
			w.piece(&e)
		}
	}
	w.piece(&e)
	return shard
}

// touches adds to what a start reads anew the docIds that a change may have changed:
// false for a change of a kind that this does not know.
func touches(e *docid.Entry, touched map[uint64]bool) bool {
	switch e.Kind {
	case docid.KindDuplicate, docid.KindDelete, docid.KindEnd, docid.KindExpire:
		touched[e.Leader] = true
	case docid.KindCorrect:
		if e.Ruling == nil {
			return false
		}
		touched[e.Leader], touched[e.Ruling.Before] = true, true
	case docid.KindNew, docid.KindUpdate, docid.KindForget, docid.KindEpoch, docid.KindRule:
	default:
		return false
	}
	return true
}
