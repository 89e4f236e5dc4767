package worker

import (
	"context"
	"io"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/external"
)

// distinctMemory limits the keys of texts that Distinct holds, in bytes. The table of hashes needs the same again.
const distinctMemory = 128 << 20

// Distinct comes between Records and Bucket. All documents with a hash must be in one part. It reads packs of Records.
// It writes the postings of each distinct text as part and pack, divided by key into s.Parts parts. For a copy it
// writes any part, null, ordinal, first and Copy. Its memory is bounded, and the rest is on disk.
func (s Stages) Distinct(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	return s.distinct(ctx, in, out, distinctMemory)
}

func (s Stages) distinct(ctx context.Context, in io.Reader, out io.Writer, memory int) (Counts, error) {
	l := newRows(ctx, in, out, "b")
	d := &distinct{rows: l, memory: memory, files: external.NewFiles("")}
	d.out = packsOf(s.Parts, func(part int, pack []byte) error { return l.write(part, pack, nil, nil, nil) })
	d.out.ranges = s.Ranges
	defer d.files.Close()
	run := d.newRun(0)
	defer run.close()
	err := l.eachPack(func(pack []byte) error { return eachText(pack, run.add) })
	if err == nil {
		err = run.finish()
	}
	return end(l, d.out, err)
}

// distinct holds the state that all runs of the stage share.
type distinct struct {
	*rows
	out    *packs
	memory int
	files  *external.Files // for copies
	buf    []batch.Posting
}

func (d *distinct) post(r textRow, ordinal batch.Ordinal) error {
	d.buf = r.postings(ordinal, d.buf)
	for _, p := range d.buf {
		if err := d.out.add(d.out.part(p.Key()), func(b []byte) []byte { return appendPosting(b, p) }); err != nil {
			return err
		}
	}
	return nil
}

// spills is the number of files among which a run divides the texts that exceed its memory. Three bits of the
// hash select the file.
const spills = 8

// A run finds the first document of each text among the hashes that fit its memory. Further runs process the
// rest by three other bits of the hash each.
type run struct {
	*distinct
	depth  int
	slots  map[[hashLen]byte]int
	firsts []batch.Ordinal // first document of each slot so far
	texts  []byte          // keys of the slots, in order
	copies *external.Array[copied]
	rest   [spills]*external.Spool
}

func (d *distinct) newRun(depth int) *run {
	return &run{distinct: d, depth: depth, slots: map[[hashLen]byte]int{}, copies: external.NewArray[copied](d.files, copiesMemory)}
}

func (r *run) add(t textRow) error {
	hash, ordinal := t.hash(), t.ordinal()
	slot, ok := r.slots[hash]
	switch {
	case !ok && len(r.texts) > 0 && len(r.texts)+len(t) > r.memory:
		return r.later(hash, t)
	case !ok:
		r.slots[hash] = len(r.firsts)
		r.firsts = append(r.firsts, ordinal)
		r.texts = append(r.texts, t...)
		return nil
	}
	if ordinal < r.firsts[slot] {
		ordinal, r.firsts[slot] = r.firsts[slot], ordinal
	}
	_, err := r.copies.Add(copied{int64(slot), ordinal})
	return err
}

func (r *run) later(hash [hashLen]byte, t textRow) (err error) {
	// The last bytes are used, because the first ones selected the part.
	at := hash[hashLen-1-r.depth%16] % spills
	if r.rest[at] == nil {
		r.rest[at] = external.NewSpool(r.files, spillMemory)
	}
	_, err = r.rest[at].Add(string(t))
	return err
}

func (r *run) finish() error {
	texts := r.texts
	for _, first := range r.firsts {
		row, rest, err := nextText(texts)
		if err != nil {
			return err
		}
		if err := r.post(row, first); err != nil {
			return err
		}
		texts = rest
	}
	for i := range r.copies.Len() {
		c, err := r.copies.Get(i)
		if err != nil {
			return err
		}
		part := int64(uint64(c.ordinal) % uint64(len(r.out.parts)))
		if err := r.write(part, nil, c.ordinal, r.firsts[c.slot], Copy); err != nil {
			return err
		}
	}
	r.slots, r.firsts, r.texts = nil, nil, nil
	for _, s := range r.rest {
		if s == nil {
			continue
		}
		next := r.newRun(r.depth + 1)
		err := eachSpilled(s, next.add)
		if err == nil {
			err = next.finish()
		}
		next.close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) close() {
	_ = r.copies.Close() // a temporary file, so errors do not matter
	for _, s := range r.rest {
		if s != nil {
			_ = s.Close()
		}
	}
}
