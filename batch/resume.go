package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/resume"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/inorder"
)

// A run that may be killed writes two logs. The log of reading has a frame for each block of the source, with its items,
// distinct texts and records. The log of comparing has a frame for each block of texts, with their near leaders. Sorting
// and pairing are repeated, because they take less time and their output is larger than both logs.

// Passer is a Block that can be skipped if an earlier run has its result. Other blocks are decoded again.
type Passer interface {
	Pass()
}

// facts returns the inputs and settings that change the result of a run. Memory and workers do not.
func (c *Config) facts() []resume.Fact {
	facts := []resume.Fact{
		{Name: "the method", Value: c.Method.Spec().String()}, {Name: "the normalisation", Value: c.Clean.String()},
		{Name: "--keep", Value: string(c.Keep)}, {Name: "--link", Value: string(c.Link)},
	}
	if len(c.Per) > 0 {
		facts = append(facts, resume.Fact{Name: "--per", Value: strings.Join(c.Per, ",")})
	}
	if c.Overrides.Len() > 0 {
		facts = append(facts, resume.Fact{Name: "the digest of --overrides", Value: c.Overrides.Digest()})
	}
	if c.Reference != nil {
		facts = append(facts, resume.Fact{Name: "the digest of the index", Value: c.Reference.Digest()})
	}
	return facts
}

// begin begins a run or continues one.
func (c *Config) begin() error {
	if c.Resume == nil {
		return nil
	}
	index := ""
	if c.Add != nil {
		index = c.Reference.Digest()
	}
	return c.Resume.Begin(index, c.facts()...)
}

// doneReading is the stored progress of reading.
type doneReading struct {
	log     *resume.Journal
	repeats bool // texts may be repeated
	frame   []byte
}

func (d *doneReading) mayRepeat() bool { return d != nil && d.repeats }

// readBlock is a block of the source. If an earlier run has read it, frame holds the result.
type readBlock struct {
	Block
	frame []byte // nil if no earlier run has read it
	items []scanned
	err   error
}

// resume scans the source. It takes the results of logged blocks from the log, and reads the other blocks.
func (s *scan) resume(ctx context.Context) error {
	log, err := s.cfg.Resume.Journal("read")
	if err != nil {
		return err
	}
	s.done = &doneReading{log: log}
	err = inorder.Map(ctx, s.cfg.Workers, s.nextBlock, s.takeBlock, s.collectBlock)
	if err != nil {
		return errors.Join(err, log.Sync())
	}
	return log.Sync()
}

func (s *scan) nextBlock() (b readBlock, err error) {
	frame, err := s.done.log.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return b, err
	}
	b.Block, b.err = s.src.Next()
	if errors.Is(b.err, io.EOF) && frame != nil {
		return b, fmt.Errorf("%w: the inputs had more records", resume.ErrUnlike)
	}
	b.frame = frame
	return b, b.err
}

func (s *scan) takeBlock(b readBlock) readBlock {
	if b.frame == nil {
		b.items = s.scanBlock(b.Block)
		return b
	}
	if p, ok := b.Block.(Passer); ok {
		p.Pass()
	} else {
		b.Decode(func(*neardup.Document, error) {})
	}
	in := frameReader{b: b.frame}
	in.byte() // whether texts may be repeated
	for len(in.b) > 0 && !in.bad {
		b.items = append(b.items, in.scanned())
	}
	b.err = in.end()
	if b.err != nil {
		return b
	}
	for i := range b.items {
		it := &b.items[i]
		if len(s.cfg.Per) > 0 {
			it.group = groupOf(it.clean, it.digest)
		}
		if it.err == nil && !it.copied && !it.blank && (s.cfg.Overrides.Names(it.doc.ID) || s.known.claim(it.digest)) && s.trainer != nil {
			s.trainer.Add(it.clean)
		}
	}
	return b
}

// collectBlock collects the items of the next block and logs them.
func (s *scan) collectBlock(b readBlock) error {
	if b.err != nil {
		return b.err
	}
	if b.frame != nil {
		s.done.repeats = s.done.repeats || b.frame[0] != 0
		return s.collect(b.items)
	}
	out := frameWriter{append(s.done.frame[:0], 0)}
	for i := range b.items {
		if err := s.collectOne(&b.items[i]); err != nil {
			return err
		}
		out.scanned(&b.items[i])
	}
	if s.mayRepeat() {
		out.b[0] = 1
	}
	s.done.frame = out.b
	s.progress("read", s.set.docs.Len(), 0)
	return s.done.log.Append(out.b)
}

// doneComparing is the stored progress of comparing.
type doneComparing struct {
	log     *resume.Journal
	reading bool
	frame   []byte
}

func (j *job) doneComparing() (*doneComparing, error) {
	if j.cfg.Resume == nil {
		return nil, nil
	}
	log, err := j.cfg.Resume.Journal("compare")
	return &doneComparing{log: log, reading: true}, err
}

func (d *doneComparing) end() error {
	if d == nil {
		return nil
	}
	return d.log.Sync()
}

// block returns the decisions on the texts of a block if an earlier run has compared them.
func (d *doneComparing) block(l *leading, x *index, b *textBlock, best []state) (known bool, err error) {
	if d == nil || !d.reading {
		return false, nil
	}
	frame, err := d.log.Next()
	if err != nil {
		d.reading = false
		if err == io.EOF {
			err = nil
		}
		return false, err
	}
	in := frameReader{b: frame}
	same := (in.byte() != 0 || !l.job.audit.Samples()) && position(in.uint()) == x.from && position(in.uint()) == x.to && int(in.uint()) == len(b.texts)
	for i := 0; same && i < len(b.texts); i++ {
		same = position(in.uint()) == b.texts[i].position
	}
	if !same { // a different memory bound cuts the texts into other blocks
		d.reading = false
		return false, d.log.Back()
	}
	work := Work{int64(in.uint()), int64(in.uint()), int64(in.uint())}
	for n := in.uint(); n > 0 && !in.bad; n-- {
		l.job.audit.Refuse(uint32(in.uint()), uint32(in.uint()))
	}
	bases := make([]uint8, 0, 4)
	for n := in.uint(); n > 0 && !in.bad; n-- {
		no, err := l.bases.number(neardup.Match{Method: in.string(), Basis: in.string()})
		if err != nil {
			return false, err
		}
		bases = append(bases, no)
	}
	for i := range best {
		in.state(&best[i], bases)
		if int(best[i].leader) >= l.texts.Len() {
			return false, errFrame
		}
	}
	l.sum.Work.add(work)
	return true, in.end()
}

// add logs the decisions on the texts of a block.
func (d *doneComparing) add(l *leading, x *index, b *textBlock, best []state, before Work) error {
	if d == nil {
		return nil
	}
	out := frameWriter{d.frame[:0]}
	out.bool(l.job.audit.Samples())
	for _, n := range []int{int(x.from), int(x.to), len(b.texts)} {
		out.uint(uint64(n))
	}
	for _, t := range b.texts {
		out.uint(uint64(t.position))
	}
	now := l.sum.Work
	for _, n := range []int64{now.Candidates - before.Candidates, now.Verified - before.Verified, now.Near - before.Near} {
		out.uint(uint64(n))
	}
	refused := l.job.audit.Taken()
	out.uint(uint64(len(refused)))
	for _, r := range refused {
		out.uint(uint64(r.Later))
		out.uint(uint64(r.Earlier))
	}
	known := l.bases.all()
	out.uint(uint64(len(known)))
	for _, one := range known {
		out.string(one.method)
		out.string(one.basis)
	}
	for i := range best {
		out.state(&best[i])
	}
	d.frame = out.b
	return d.log.Append(out.b)
}

// all returns the pairs of method and basis, in the order of their numbers.
func (t *basisTable) all() []basis {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.known
}

// rejection returns the stored form of the reason why an item is rejected.
func rejection(err error) corpus.RejectError {
	if one := corpus.Rejected(err); one != nil {
		return *one
	}
	return corpus.RejectError{Reason: err.Error()}
}
