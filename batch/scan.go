package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"golang.org/x/sync/errgroup"
)

// scanned is one item of a block after the part that needs no order: decoded,
// cleaned, hashed, and with its record if its text had not been seen yet.
type scanned struct {
	doc      neardup.Document
	err      error // rejected
	clean    string
	digest   neardup.Digest
	recorded bool
	rec      neardup.Record
	view     neardup.View // nil: made later, where needed
}

type scanTask struct {
	block Block
	done  chan []scanned
}

// scan reads the source once. Blocks are decoded, cleaned and recorded by the
// workers; one collector takes them in the order of the input, collapses
// equal texts, spools each distinct text and sorts its postings.
func (r *run) scan(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	tasks := make(chan *scanTask)
	queue := make(chan *scanTask, 2*r.cfg.Workers) // bounds the blocks in flight
	g.Go(func() error {
		defer close(tasks)
		defer close(queue)
		return r.feed(ctx, tasks, queue)
	})
	for range r.cfg.Workers {
		g.Go(func() error {
			for t := range tasks {
				t.done <- r.scanBlock(t.block)
			}
			return nil
		})
	}
	g.Go(func() error {
		for t := range queue {
			select {
			case items := <-t.done:
				if err := r.collect(items); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return g.Wait()
}

func (r *run) feed(ctx context.Context, tasks, queue chan<- *scanTask) error {
	for {
		block, err := r.src.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		t := &scanTask{block, make(chan []scanned, 1)}
		for _, ch := range []chan<- *scanTask{queue, tasks} {
			select {
			case ch <- t:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

func (r *run) scanBlock(b Block) []scanned {
	var items []scanned
	b.Decode(func(doc *neardup.Document, err error) {
		if err != nil {
			items = append(items, scanned{err: err})
			return
		}
		s := scanned{doc: *doc}
		s.clean = r.cfg.Clean.Clean(doc.Text)
		s.digest = neardup.DigestOf(s.clean)
		s.doc.Text, s.doc.Title, s.doc.URL = "", "", ""
		if r.seen.claim(s.digest) {
			if r.tally != nil {
				r.tally.Add(s.clean)
			} else {
				r.recordOne(&s)
			}
		}
		items = append(items, s)
	})
	return items
}

// recordOne makes the record of a text, and its view too if that is to be had
// with it, numbers of texts are final, and there is room.
func (r *run) recordOne(s *scanned) {
	if v, ok := r.method.(viewer); ok && r.order == nil && r.views.room() {
		s.view = v.RecordView(s.clean, &s.rec)
	} else {
		r.method.Record(s.clean, &s.rec)
	}
	s.recorded = true
}

// collect takes the items of the next block of the input.
func (r *run) collect(items []scanned) error {
	for i := range items {
		if err := r.collectOne(&items[i]); err != nil {
			return err
		}
	}
	r.cfg.Progress(Progress{Phase: "read", Documents: int64(r.docs.len())})
	return nil
}

func (r *run) collectOne(s *scanned) error {
	item := r.docs.len()
	if item == 1<<32-1 {
		return errors.New("batch: more than 2^32 documents")
	}
	if s.err != nil {
		r.sum.Rejected++
		if err := r.cfg.Reject(item, s.err); err != nil {
			return err
		}
		_, err := r.docs.add(docRow{})
		return err
	}
	no, err := r.textOf(s)
	if err != nil {
		return err
	}
	id, err := r.ids.add(s.doc.ID)
	if err != nil {
		return err
	}
	if err := r.noteID(s.doc.ID); err != nil {
		return err
	}
	r.sum.Documents++
	if r.order != nil {
		if err := r.order.add(s, uint32(item)); err != nil {
			return err
		}
	}
	_, err = r.docs.add(docRow{id: id, idLen: uint32(len(s.doc.ID)), text: no + 1})
	return err
}

// textOf returns the number of the document's text, a new one unless the
// same bytes were seen before.
func (r *run) textOf(s *scanned) (uint32, error) {
	known, ok := r.seen.number(s.digest)
	if ok {
		same, err := r.sameText(known, s.clean)
		if err != nil {
			return 0, err
		}
		if same {
			r.sum.Equal++
			return known, r.texts.update(int(known), func(t *textRow) { t.copies = true })
		}
	}
	at, err := r.spool.add(s.clean)
	if err != nil {
		return 0, err
	}
	if len(s.clean) > 1<<31-1 {
		return 0, fmt.Errorf("batch: document %q has more than 2 GiB of text", s.doc.ID)
	}
	if r.tally == nil && !s.recorded {
		r.method.Record(s.clean, &s.rec)
	}
	no, err := r.texts.add(textRow{
		at: at, len: uint32(len(s.clean)), first: uint32(r.docs.len()),
		sketch: s.rec.Sketch, route: r.routeOf(s.clean),
	})
	if err != nil {
		return 0, err
	}
	r.sum.TextBytes += int64(len(s.clean))
	if s.view != nil {
		r.views.keep(uint32(no), s.view)
	}
	r.seen.assign(s.digest, uint32(no))
	if r.tally != nil {
		return uint32(no), nil
	}
	return uint32(no), r.post(uint32(no), &s.rec, s.digest)
}

func (r *run) sameText(no uint32, clean string) (bool, error) {
	t, err := r.texts.get(int(no))
	if err != nil || int(t.len) != len(clean) {
		return false, err
	}
	b, err := r.spool.read(t.at, int(t.len))
	return string(b) == clean, err
}

// post sorts the keys of a text in. A text without keys gets its digest as
// the only one when the table of seen texts is full: an equal text must still
// be found.
func (r *run) post(no uint32, rec *neardup.Record, digest neardup.Digest) error {
	flags := uint64(indexed | probing)
	if rec.Probe != nil {
		flags = indexed
		for _, k := range rec.Probe {
			if err := r.postings.add(newPosting(k, rec.Sketch, no, probing)); err != nil {
				return err
			}
		}
	}
	for _, k := range rec.Index {
		if err := r.postings.add(newPosting(k, rec.Sketch, no, flags)); err != nil {
			return err
		}
	}
	if len(rec.Index) == 0 && len(rec.Probe) == 0 && r.seen.full() {
		return r.postings.add(newPosting(digest.Key(), rec.Sketch, no, indexed|probing))
	}
	return nil
}

// text returns the clean text by its number.
func (r *run) text(no uint32) (string, error) {
	t, err := r.texts.get(int(no))
	if err != nil {
		return "", err
	}
	b, err := r.spool.read(t.at, int(t.len))
	return asString(b), err
}

func runes(s string) int { return utf8.RuneCountInString(s) }
