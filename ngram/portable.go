package ngram

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/neardup/neardup"
)

// Trainers can count parts of a corpus, and their counts can be added up.
var (
	_ neardup.Mergeable = (*setTrainer)(nil)
	_ neardup.Mergeable = (*editTrainer)(nil)
)

// countsMagic begins stored counts and names the version of the format.
const countsMagic = "neardup tally 1\n"

// ErrCounts is wrapped by the error about counts that are invalid, or belong to another method or size.
var ErrCounts = errors.New("counts of another method")

// tally writes counts, or reads the counts of another trainer and adds them. One description of the format serves both. It
// stops at the first error.
type tally struct {
	in  *bufio.Reader // nil if it writes
	out *bufio.Writer
	n   int64
	err error
}

func (t *tally) bytes(b []byte) {
	var n int
	switch {
	case t.err != nil:
	case t.in != nil:
		n, t.err = io.ReadFull(t.in, b)
	default:
		n, t.err = t.out.Write(b)
	}
	t.n += int64(n)
}

// reads reports whether the last value was read without an error.
func (t *tally) reads() bool { return t.in != nil && t.err == nil }

// number writes a number, or reads and returns one.
func (t *tally) number(v uint64) uint64 {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 8), v)
	t.bytes(b)
	return binary.LittleEndian.Uint64(b)
}

// text writes a text, or reads and returns one of at most most bytes.
func (t *tally) text(s string, most int) string {
	n := t.number(uint64(len(s)))
	if t.err == nil && n > uint64(most) {
		t.err = fmt.Errorf("%w: text of %d bytes: too long", ErrCounts, n)
	}
	if t.err != nil {
		return ""
	}
	b := make([]byte, n)
	copy(b, s)
	t.bytes(b)
	return string(b)
}

// slots writes slots, or reads slots and calls add with each value.
func (t *tally) slots(slots []atomic.Uint32, add func(i int, v uint32)) {
	want := uint64(len(slots))
	if n := t.number(want); t.err == nil && n != want {
		t.err = fmt.Errorf("%w: %d slots (want %d, so the same --memory)", ErrCounts, n, want)
	}
	var b [4]byte
	for i := 0; i < len(slots) && t.err == nil; i++ {
		binary.LittleEndian.PutUint32(b[:], slots[i].Load())
		t.bytes(b[:])
		if t.reads() {
			add(i, binary.LittleEndian.Uint32(b[:]))
		}
	}
}

func addTo(slots []atomic.Uint32) func(int, uint32) {
	return func(i int, v uint32) { slots[i].Add(v) }
}

func (t *tally) of(s neardup.Spec, all func(*tally)) (int64, error) {
	magic := []byte(countsMagic)
	t.bytes(magic)
	if t.err == nil && string(magic) != countsMagic {
		t.err = fmt.Errorf("%w: wrong start (want %q)", ErrCounts, countsMagic)
	}
	if spec := t.text(s.String(), 1<<16); t.err == nil && spec != s.String() {
		t.err = fmt.Errorf("%w: method %q (want %q)", ErrCounts, spec, s)
	}
	all(t)
	switch {
	case t.in == nil && t.err == nil:
		t.err = t.out.Flush()
	case t.in != nil && t.err != nil:
		t.err = fmt.Errorf("read counts: %w", t.err)
	}
	return t.n, t.err
}

func writing(out io.Writer) *tally { return &tally{out: bufio.NewWriterSize(out, 1<<18)} }
func reading(in io.Reader) *tally  { return &tally{in: bufio.NewReaderSize(in, 1<<18)} }

// WriteTo writes the counts, which take 8 MiB.
func (t *setTrainer) WriteTo(out io.Writer) (int64, error) {
	return writing(out).of(t.method.Spec(), t.tally)
}

// ReadFrom adds the counts written by another trainer of the same method.
func (t *setTrainer) ReadFrom(in io.Reader) (int64, error) {
	return reading(in).of(t.method.Spec(), t.tally)
}

func (t *setTrainer) tally(y *tally) { y.slots(t.counts.slots, addTo(t.counts.slots)) }

// WriteTo writes the counts of the first pass, which take 11 MiB or, with more memory, more.
func (t *editTrainer) WriteTo(out io.Writer) (int64, error) {
	return writing(out).of(t.method.Spec(), t.tally)
}

// ReadFrom adds the counts written by another trainer of the same method and memory.
func (t *editTrainer) ReadFrom(in io.Reader) (int64, error) {
	return reading(in).of(t.method.Spec(), t.tally)
}

func (t *editTrainer) tally(y *tally) {
	if n := y.number(uint64(t.texts.Load())); y.reads() {
		t.texts.Add(int64(n))
	}
	y.slots(t.counts.slots, addTo(t.counts.slots))
	y.slots(t.corpus.few, t.corpus.addWord)
	y.slots(t.corpus.over, addTo(t.corpus.over))
	own := t.sample.texts
	for i := range y.number(uint64(len(own))) {
		if y.in == nil {
			y.text(own[i].text, sampleBytes)
		} else if s := y.text("", sampleBytes); y.reads() {
			t.sample.add(s)
		}
		if y.err != nil {
			return
		}
	}
}

// addWord adds four slots of another trainer, as if their features had been counted here.
func (c *corpusCounts) addWord(word int, v uint32) {
	for i := range 4 {
		more := v >> (8 * i) & fullSlot
		slot, shift := 4*word+i, 8*uint(i)
		own := c.few[word].Load() >> shift & fullSlot
		fits := min(more, fullSlot-own)
		c.few[word].Add(fits << shift)
		c.over[slot&(1<<overBits-1)].Add(more - fits)
	}
}
