package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/internal/inorder"
	"github.com/zeebo/xxh3"
)

// records holds the result of reading: the collection, and the postings of its texts.
type records struct {
	*collection
	method    neardup.Method            // after training
	stored    *external.Sorted[Posting] // postings of the reference; nil without a reference
	viewCache *viewCache                // views that were made while reading
	outlines  outlines
}

// read runs the first stage, which turns documents into records. It reads and cleans all documents, collapses equal texts,
// makes their records and puts them in the order of Keep.
func (j *job) read(ctx context.Context, src Source) (*records, error) {
	if src == nil {
		return nil, errors.New("batch: no source of documents given")
	}
	s := newScan(j, src)
	if err := s.scan(ctx); err != nil {
		return nil, err
	}
	if s.trainer != nil {
		if err := s.train(ctx); err != nil {
			return nil, err
		}
		if err := s.record(ctx); err != nil {
			return nil, err
		}
	}
	j.sum.Method = s.method.Spec().String()
	j.sum.Texts = int64(s.texts.Len())
	j.sum.ReadTime = time.Since(j.begun)
	if err := s.countSharedIDs(ctx); err != nil {
		return nil, err
	}
	s.set.distinct = !s.mayRepeat()
	r := &records{collection: s.set, method: s.method, viewCache: s.viewCache}
	var err error
	j.postings = s.postings.Len()
	j.byKey, err = s.postings.Sort()
	if err != nil {
		return nil, err
	}
	if s.cfg.Reference != nil {
		if err := s.recall(ctx, r); err != nil {
			return nil, err
		}
	}
	if s.order == nil && s.cfg.Reference == nil {
		s.set.texts, r.outlines = external.TypedArray[position, textRow](s.texts), s.outlines
	} else if err := s.rank(ctx, r); err != nil {
		return nil, err
	}
	return r, s.rule(r)
}

// scan reads the input.
type scan struct {
	*job
	src       Source
	method    neardup.Method
	trainer   neardup.Trainer // not nil while a trainable method is being trained
	known     *knownTexts
	set       *collection // without the texts, which the scan adds
	texts     external.TypedArray[textNo, textRow]
	idHashes  *external.Sorter[keyValue]
	order     *orderer // nil in the order of the input
	postings  *external.Sorter[Posting]
	viewCache *viewCache
	outlines  outlines            // indexed by textNo
	named     map[string][]textNo // texts of the documents that overrides name, by id
	groups    external.TypedArray[textNo, uint64]
	spare     []Posting
	done      *doneReading // nil if progress is not stored
}

func newScan(j *job, src Source) *scan {
	d := j.disk
	s := &scan{
		job: j, src: src, method: j.cfg.Method,
		known: newKnownTexts(j.memory(60)),
		set: &collection{
			docs:     external.NewTypedArray[item, docRow](d, j.memory(30)),
			recalled: external.NewTypedArray[rank, uint32](d, j.memory(15)), reference: j.cfg.Reference,
			times:  external.NewTypedArray[item, int64](d, j.memory(15)),
			ids:    external.NewSpool(d, j.memory(30)),
			bodies: external.NewSpool(d, j.memory(textShare)),
			routes: newRoutes(j.cfg.Method),
		},
		texts:     external.NewTypedArray[textNo, textRow](d, j.memory(60)),
		idHashes:  external.NewSorter[keyValue](d, j.memory(15)),
		postings:  external.NewSorter[Posting](d, j.memory(postingShare)),
		viewCache: &viewCache{memory: j.memory(90)},
		outlines:  outlines{memory: j.memory(outlineShare)},
		named:     map[string][]textNo{},
		groups:    external.NewTypedArray[textNo, uint64](d, j.memory(15)),
	}
	if t, ok := s.method.(neardup.Trainable); ok && j.cfg.Reference == nil {
		s.trainer = t.Trainer(j.memory(120))
	}
	keep, _ := j.cfg.Keep.parse() // newJob has checked it
	if len(keep.keys) > 0 || !keep.input {
		s.set.keep = &preferred{keep, external.NewArray[uint64](d, j.memory(15))}
		s.order = &orderer{preferred: s.set.keep, limit: j.memory(60), runs: external.NewRuns(d)}
	}
	return s
}

// scanned is an item of a block after the work that needs no order: it is decoded, cleaned and hashed. It has a record
// unless its text is already known.
type scanned struct {
	doc      neardup.Document
	err      error // set if rejected
	clean    string
	digest   neardup.Digest
	group    uint64 // group of Config.Per
	blank    bool
	known    bool // read by an earlier run
	copied   bool // its text equals that of item no
	no       textNo
	recorded bool
	rec      neardup.Record
	ranks    []uint64         // one for each key of Keep
	view     neardup.Prepared // nil if it is made later, where needed
	outline  []uint64
}

// scan reads the source once. Workers decode and clean blocks and make records. One collector takes the blocks in the order
// of the input, collapses equal texts, spools each distinct text and sorts its postings.
func (s *scan) scan(ctx context.Context) error {
	if s.cfg.Resume != nil {
		return s.resume(ctx)
	}
	return inorder.Map(ctx, s.cfg.Workers, s.src.Next, s.scanBlock, s.collect)
}

func (s *scan) scanBlock(b Block) []scanned {
	var items []scanned
	b.Decode(func(doc *neardup.Document, err error) {
		if err != nil {
			items = append(items, scanned{err: err})
			return
		}
		it := scanned{doc: *doc}
		it.clean = s.cfg.Clean.Clean(doc.Text)
		it.group = s.cfg.group(doc)
		it.digest = digestIn(it.clean, it.group)
		if s.order != nil {
			it.ranks = s.set.keep.of(&it)
		}
		it.doc.Text, it.doc.Title, it.doc.URL, it.doc.Fields = "", "", "", nil
		it.blank = neardup.Blank(it.clean)
		if !it.blank && (s.cfg.Overrides.Names(doc.ID) || s.known.claim(it.digest)) {
			if s.trainer != nil {
				s.trainer.Add(it.clean)
			} else {
				s.recordOne(&it)
			}
		}
		items = append(items, it)
	})
	return items
}

// recordOne makes the record of a text. It also makes the view if the method can do so, the numbers of texts are final, and
// there is room.
func (s *scan) recordOne(it *scanned) {
	outliner, outlines := s.method.(outliner)
	v, ok := s.method.(recordPreparer)
	if ok && s.order == nil && s.cfg.Reference == nil && s.viewCache.room() {
		it.view = v.RecordPrepare(it.clean, &it.rec)
	}
	switch {
	case it.view != nil && outlines:
		it.outline = outliner.Outline(it.view)
	case it.view != nil:
	case outlines:
		it.outline = outliner.RecordOutline(it.clean, &it.rec)
	default:
		s.method.Record(it.clean, &it.rec)
	}
	it.recorded = true
}

// collect takes the items of the next block of the input.
func (s *scan) collect(items []scanned) error {
	for i := range items {
		if err := s.collectOne(&items[i]); err != nil {
			return err
		}
	}
	s.progress("read", s.set.docs.Len(), 0)
	return nil
}

func (s *scan) collectOne(it *scanned) error {
	n := s.set.docs.Len()
	if n == math.MaxUint32 {
		return errors.New("batch: more than 2^32 documents")
	}
	if it.err != nil {
		s.sum.Rejected++
		if err := s.cfg.Reject(n, it.err); err != nil {
			return err
		}
		_, err := s.set.docs.Add(docRow{})
		return err
	}
	no, err := s.textOf(it)
	if err != nil {
		return err
	}
	if s.cfg.Add != nil {
		if err := s.set.times.Put(n, it.doc.Time); err != nil {
			return err
		}
	}
	id, err := s.set.ids.Add(it.doc.ID)
	if err != nil {
		return err
	}
	if err := s.idHashes.Add(keyValue{xxh3.HashString(it.doc.ID), uint64(n)}); err != nil {
		return err
	}
	s.sum.Documents++
	if s.order != nil {
		if err := errors.Join(s.order.add(it, item(n)), s.set.keep.add(item(n), it.ranks)); err != nil {
			return err
		}
	}
	_, err = s.set.docs.Add(docRow{id: id, idLen: uint32(len(it.doc.ID)), text: uint32(no) + 1})
	return err
}

// textOf returns the number of the document's text. The number is new unless the same bytes are known. A blank text is
// never a copy.
func (s *scan) textOf(it *scanned) (textNo, error) {
	named := s.cfg.Overrides.Names(it.doc.ID)
	if !it.known && !named && !it.blank {
		if err := s.findCopied(it); err != nil {
			return 0, err
		}
	}
	if it.copied {
		if int(it.no) >= s.texts.Len() {
			return 0, errFrame
		}
		s.copies = true
		return it.no, s.texts.Update(it.no, func(t *textRow) { t.copies = true })
	}
	if len(it.clean) > math.MaxInt32 {
		return 0, fmt.Errorf("batch: document %q has more than 2 GiB of text", it.doc.ID)
	}
	at, err := s.set.bodies.Add(it.clean)
	if err != nil {
		return 0, err
	}
	if s.trainer == nil && !it.recorded && !it.blank {
		s.method.Record(it.clean, &it.rec)
		it.recorded = true
	}
	no, err := s.texts.Add(textRow{
		at: at, len: uint32(len(it.clean)), first: rank(s.set.docs.Len()),
		sketch: it.rec.Sketch, route: s.set.routes.of(it.clean), blank: it.blank,
	})
	if err != nil {
		return 0, err
	}
	if s.trainer != nil && len(s.cfg.Per) > 0 {
		if _, err := s.groups.Add(it.group); err != nil {
			return 0, err
		}
	}
	s.outlines.add(it.outline)
	s.sum.TextBytes += int64(len(it.clean))
	if it.view != nil {
		s.viewCache.keep(position(no), it.view)
	}
	if named {
		s.named[it.doc.ID] = append(s.named[it.doc.ID], no)
	}
	if it.blank {
		s.sum.Blank++
		return no, nil
	}
	if !named {
		s.known.assign(it.digest, no)
	}
	if s.trainer != nil {
		return no, nil
	}
	return no, s.post(no, it.group, &it.rec, it.digest)
}

// findCopied finds an equal earlier text.
func (s *scan) findCopied(it *scanned) error {
	no, ok := s.known.number(it.digest)
	if !ok {
		return nil
	}
	t, err := s.texts.Get(no)
	if err != nil || int(t.len) != len(it.clean) {
		return err
	}
	b, err := s.set.bodies.Read(t.at, int(t.len))
	it.no, it.copied = no, string(b) == it.clean
	return err
}

// mayRepeat reports whether two texts may be equal.
func (s *scan) mayRepeat() bool {
	return s.cfg.Overrides.Len() > 0 || s.cfg.Reference != nil || s.known.full.Load() || s.done.mayRepeat()
}

// post adds the keys of a text to the sorter. If texts may repeat, a text without keys gets its digest as its only key, so
// that equal texts are still found.
func (s *scan) post(no textNo, group uint64, rec *neardup.Record, digest neardup.Digest) error {
	s.spare = AppendPostings(s.spare[:0], rec, Ordinal(no))
	moveInto(s.spare, group)
	if len(s.spare) == 0 && s.mayRepeat() {
		s.spare = append(s.spare, NewPosting(digest.Key(), rec.Sketch, Ordinal(no), Indexed|Probing))
	}
	for _, p := range s.spare {
		if err := s.postings.Add(p); err != nil {
			return err
		}
	}
	return nil
}

// countSharedIDs adds to the summary the number of documents that repeat an id.
func (s *scan) countSharedIDs(ctx context.Context) error {
	ids, err := s.idHashes.Sort()
	if err != nil {
		return err
	}
	defer ids.Close()
	s.idHashes = nil
	first, last, shared := true, keyValue{}, math.MaxInt
	err = ids.Each(ctx, func(p keyValue) error {
		if !first && p.Key() == last.Key() {
			s.sum.SharedIDs++
			shared = min(shared, int(max(p.Val(), last.Val())))
		}
		first, last = false, p
		return nil
	})
	if err == nil && s.sum.SharedIDs > 0 {
		s.sum.SharedID, err = s.set.id(item(shared))
	}
	return err
}
