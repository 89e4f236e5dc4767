package passage

import (
	"context"
	"errors"
	"math"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/internal/inorder"
)

// alike finds wholes that a method calls duplicates. It calls batch.Dedup with each whole as a document.
type alike struct {
	job    *job
	wholes *external.Array[whole]
	found  *external.Sorted[external.KeyValue] // number of a whole -> its leader and the similarity; with Config.First also leader -> duplicate
	read   func(*external.KeyValue) error
	last   int64 // the last whole that next returned, or -1
}

// whole is a sentence, line or paragraph. A whole of no bytes stands for a rejected document.
type whole struct{ item, start, len, rune, runes uint32 }

// findNear reads the documents twice, first to find the wholes, then to decide them.
func findNear(ctx context.Context, open func() (batch.Source, error), cfg Config) (*Spans, error) {
	d := external.NewFiles(cfg.Tmp)
	j := &job{cfg: cfg, disk: d}
	j.store = store{documents: external.NewArray[document](d, j.memory(20)), ids: external.NewSpool(d, j.memory(20))}
	a := &alike{job: j, wholes: external.NewArray[whole](d, j.memory(40)), last: -1}
	if err := a.find(ctx, open); err != nil {
		d.Close()
		return nil, err
	}
	return &Spans{job: j, alike: a}, nil
}

func (a *alike) find(ctx context.Context, open func() (batch.Source, error)) error {
	src, err := open()
	if err != nil {
		return err
	}
	if err := a.findWholes(ctx, src); err != nil {
		return err
	}
	if a.wholes.Len() > math.MaxUint32 {
		return errors.New("passage: more than 2^32 wholes")
	}
	src, err = open()
	if err != nil {
		return err
	}
	cfg := batch.Config{
		Clean: a.job.cfg.Clean, Method: a.job.cfg.Near, Tmp: a.job.cfg.Tmp, Workers: a.job.cfg.Workers, Progress: a.job.cfg.Progress,
		Memory: max(a.job.memory(900), batch.MinMemory),
	}
	found := external.NewSorter[external.KeyValue](a.job.disk, a.job.memory(20))
	add := func(at, from int, similarity float64) error {
		return found.Add(external.KeyValue{uint64(at)<<32 | uint64(from), math.Float64bits(similarity)})
	}
	sum, err := batch.Dedup(ctx, &wholeSource{src, a.job}, cfg, func(o batch.Outcome) error {
		if o.Decision.Decision != neardup.Duplicate {
			return nil
		}
		err := add(o.Item, o.LeaderItem, o.Similarity)
		if err == nil && a.job.cfg.First {
			err = add(o.LeaderItem, o.Item, o.Similarity)
		}
		return err
	})
	if err != nil {
		return err
	}
	a.job.sum.TemporaryBytes = sum.TemporaryBytes
	a.found, err = found.Sort()
	if err == nil {
		a.read, err = a.found.Reader()
	}
	return err
}

// findWholes reads the documents for the first time, and stores the positions of their wholes.
func (a *alike) findWholes(ctx context.Context, src batch.Source) error {
	type texts struct {
		part
		wholes []whole
	}
	work := func(b batch.Block) (all []texts) {
		b.Decode(func(doc *neardup.Document, err error) {
			if err != nil {
				all = append(all, texts{part{err: err}, []whole{{}}})
				return
			}
			t := texts{part: part{doc: neardup.Document{ID: doc.ID}}}
			last, runes := 0, 0
			for _, u := range a.job.wholes(doc.Text) {
				runes += RuneStarts(doc.Text[last:u[0]])
				last = u[0]
				t.wholes = append(t.wholes, whole{0, uint32(u[0]), uint32(u[1] - u[0]), uint32(runes), uint32(RuneStarts(doc.Text[u[0]:u[1]]))})
			}
			a.job.bytes.Add(int64(len(doc.Text)))
			all = append(all, t)
		})
		return all
	}
	return inorder.Map(ctx, a.job.cfg.Workers, src.Next, work, func(all []texts) error {
		for i := range all {
			item := a.job.store.documents.Len()
			if err := a.job.keep(&all[i].part); err != nil {
				return err
			}
			for _, w := range all[i].wholes {
				w.item = uint32(item)
				if _, err := a.wholes.Add(w); err != nil {
					return err
				}
			}
		}
		a.job.sum.TextBytes = a.job.bytes.Load()
		a.job.cfg.Progress(batch.Progress{Phase: "read", Documents: int64(a.job.store.documents.Len())})
		return nil
	})
}

// wholeSource returns each whole as a document, in the order of alike.wholes.
type wholeSource struct {
	batch.Source
	job *job
}

// Next returns the wholes of the next documents.
func (s *wholeSource) Next() (batch.Block, error) {
	b, err := s.Source.Next()
	return wholeBlock{b, s.job}, err
}

type wholeBlock struct {
	batch.Block
	job *job
}

// Decode decodes the wholes of each document.
func (b wholeBlock) Decode(item func(*neardup.Document, error)) {
	b.Block.Decode(func(doc *neardup.Document, err error) {
		if err != nil {
			item(nil, err)
			return
		}
		for _, u := range b.job.wholes(doc.Text) {
			item(&neardup.Document{ID: doc.ID, Text: doc.Text[u[0]:u[1]]}, nil)
		}
	})
}

// next returns the next whole that is like another one: a duplicate with its leader, or a leader with its first duplicate.
// It returns io.EOF after the last.
func (a *alike) next() (span Span, err error) {
	var p external.KeyValue
	for {
		if err := a.read(&p); err != nil {
			return span, err
		}
		if i := int64(p.Key() >> 32); i != a.last {
			a.last = i
			break
		}
	}
	w, at, err := a.positionOf(uint32(p.Key() >> 32))
	if err != nil {
		return span, err
	}
	from, fromAt, err := a.positionOf(uint32(p.Key()))
	return Span{at, int(w.len), fromAt, int(from.len), math.Float64frombits(p.Val()), int(from.runes)}, err
}

// positionOf returns the position of a whole.
func (a *alike) positionOf(i uint32) (whole, Position, error) {
	w, err := a.wholes.Get(int(i))
	if err != nil {
		return w, Position{}, err
	}
	id, err := a.job.store.id(int(w.item))
	return w, Position{Item: int(w.item), ID: id, Byte: int(w.start), Rune: int(w.rune)}, err
}

// sources marks the documents with leaders of wholes in other documents.
func (a *alike) sources(ctx context.Context, sources []bool) error {
	return a.found.Each(ctx, func(p external.KeyValue) error {
		at, err := a.wholes.Get(int(p.Key() >> 32))
		if err != nil {
			return err
		}
		from, err := a.wholes.Get(int(uint32(p.Key())))
		if err == nil && from.item != at.item {
			sources[from.item] = true
		}
		return err
	})
}
