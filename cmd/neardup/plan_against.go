package main

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
)

// besideIndex is what is planned for beside the documents themselves.
type besideIndex struct {
	index *reference.Index // decided against; nil: none
	adds  bool             // documents are added to one
}

// beside opens what is decided against. Files are documents like the inputs, and
// come before them: they become an index.
func (p *planVerb) beside(inputs []string) (b besideIndex, all []string, err error) {
	if err := errors.Join(p.against.check(), p.against.refuse(nil), p.against.settings(&p.method)); err != nil {
		return b, nil, err
	}
	b.adds = p.against.append
	switch {
	case p.against.isIndex():
		b.index, err = reference.Open(p.against.paths[0])
	case len(p.against.paths) > 0 && !b.adds:
		b.adds = true
		inputs = slices.Concat(p.against.paths, inputs)
	}
	return b, inputs, err
}

func (b besideIndex) documents() int64 {
	if b.index == nil {
		return 0
	}
	return int64(b.index.Numbers() - b.index.Removed())
}

func (b besideIndex) close() {
	if b.index != nil {
		_ = b.index.Close() // was only read
	}
}

// lookUps is what looking up keys in an index takes: each block that may hold
// one is read once, so that many keys cost little more than some.
type lookUps struct {
	blocks float64
	price  float64 // seconds of CPU a block
}

// cpu is that of so many keys.
func (l lookUps) cpu(keys float64) float64 {
	if l.blocks == 0 {
		return 0
	}
	return l.price * l.blocks * (1 - math.Exp(-keys/l.blocks))
}

// lookUps measures the price of a block by keys that lie evenly apart.
func (b besideIndex) lookUps() (l lookUps, err error) {
	const most = 4096
	if b.index == nil || b.index.KeyBlocks() == 0 {
		return l, nil
	}
	l.blocks = float64(b.index.KeyBlocks())
	begun, _ := resources()
	finder := b.index.Finder()
	n := min(most, b.index.KeyBlocks())
	for i := range uint64(n) {
		err = errors.Join(err, finder.Find(i*(math.MaxUint64/uint64(n)), func(reference.Posting) error { return nil }))
	}
	ended, _ := resources()
	l.price = (ended - begun).Seconds() / float64(n*b.index.Parts())
	return l, err
}

// adding plans for the adding, as it is when the sample is added to an index of its own.
func (s *sampled) adding(ctx context.Context, cfg batch.Config, f *forecast) error {
	dir, remove, err := heldFolder(cfg.Tmp, "neardup-plan-")
	if err != nil {
		return err
	}
	defer func() { _ = remove() }() // temporary
	at := filepath.Join(dir, "index")
	cfg.Reference = nil
	if err := batch.CreateIndex(at, cfg, nil); err != nil {
		return err
	}
	plain, err := runOver(ctx, s.docs, cfg)
	if err != nil {
		return err
	}
	w, err := reference.Change(at)
	if err != nil {
		return err
	}
	begun, _ := resources()
	cfg.Reference, cfg.Add = w.Index, w
	_, err = batch.Dedup(ctx, batch.Documents(s.docs), cfg, func(batch.Outcome) error { return nil })
	if err == nil {
		err = w.Commit()
	}
	ended, _ := resources()
	bytes := int64(0)
	if err == nil {
		bytes, err = w.Bytes()
	}
	share := 1 / float64(len(s.docs))
	f.Index = s.documents.scaled(float64(bytes) * share)
	f.CPU = f.CPU.plus(s.documents.scaled(max((ended-begun).Seconds()-plain.cpu(), 0) * share).widened())
	return errors.Join(err, w.Close())
}
