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

// Trainers can count for parts of a corpus, and their counts be added up.
var (
	_ neardup.Portable = (*setTrainer)(nil)
	_ neardup.Portable = (*editTrainer)(nil)
)

// countsMagic starts stored counts and names the version of its format.
const countsMagic = "neardup tally 1\n"

// ErrCounts is wrapped by the error about stored counts that are none, or of
// another method or size.
var ErrCounts = errors.New("not the counts of this method")

// countsWriter writes parts of counts until one fails.
type countsWriter struct {
	out *bufio.Writer
	n   int64
	err error
}

func (w *countsWriter) write(b []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.out.Write(b)
		w.n += int64(n)
	}
}

func (w *countsWriter) number(v uint64) { w.write(binary.LittleEndian.AppendUint64(nil, v)) }

func (w *countsWriter) text(s string) {
	w.number(uint64(len(s)))
	w.write([]byte(s))
}

func (w *countsWriter) slots(slots []atomic.Uint32) {
	w.number(uint64(len(slots)))
	var b [4]byte
	for i := range slots {
		binary.LittleEndian.PutUint32(b[:], slots[i].Load())
		w.write(b[:])
	}
}

func beginCounts(out io.Writer, s neardup.Spec) *countsWriter {
	w := &countsWriter{out: bufio.NewWriterSize(out, 1<<18)}
	w.write([]byte(countsMagic))
	w.text(s.String())
	return w
}

func (w *countsWriter) end() (int64, error) {
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.n, w.err
}

// countsReader reads what countsWriter wrote until something is wrong.
type countsReader struct {
	in  *bufio.Reader
	n   int64
	err error
}

func (r *countsReader) read(b []byte) {
	if r.err == nil {
		var n int
		n, r.err = io.ReadFull(r.in, b)
		r.n += int64(n)
	}
}

func (r *countsReader) number() uint64 {
	var b [8]byte
	r.read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

func (r *countsReader) text(most int) string {
	n := r.number()
	if r.err == nil && n > uint64(most) {
		r.err = fmt.Errorf("%w: a text of %d bytes", ErrCounts, n)
	}
	if r.err != nil {
		return ""
	}
	b := make([]byte, n)
	r.read(b)
	return string(b)
}

// slots calls add with what each slot holds.
func (r *countsReader) slots(want int, add func(i int, v uint32)) {
	if n := r.number(); r.err == nil && n != uint64(want) {
		r.err = fmt.Errorf("%w: %d slots, not %d: it was counted in another memory", ErrCounts, n, want)
	}
	var b [4]byte
	for i := 0; i < want && r.err == nil; i++ {
		r.read(b[:])
		if r.err == nil {
			add(i, binary.LittleEndian.Uint32(b[:]))
		}
	}
}

func openCounts(in io.Reader, s neardup.Spec) *countsReader {
	r := &countsReader{in: bufio.NewReaderSize(in, 1<<18)}
	magic := make([]byte, len(countsMagic))
	r.read(magic)
	if r.err == nil && string(magic) != countsMagic {
		r.err = fmt.Errorf("%w: it does not start with %q", ErrCounts, countsMagic)
	}
	if spec := r.text(1 << 16); r.err == nil && spec != s.String() {
		r.err = fmt.Errorf("%w: it is of %q, not of %q", ErrCounts, spec, s)
	}
	return r
}

func (r *countsReader) end() (int64, error) {
	if r.err != nil {
		return r.n, fmt.Errorf("read counts: %w", r.err)
	}
	return r.n, nil
}

// WriteTo writes the counts: 8 MiB.
func (t *setTrainer) WriteTo(out io.Writer) (int64, error) {
	w := beginCounts(out, t.method.Spec())
	w.slots(t.counts.slots)
	return w.end()
}

// ReadFrom adds the counts that another trainer of the same method wrote.
func (t *setTrainer) ReadFrom(in io.Reader) (int64, error) {
	r := openCounts(in, t.method.Spec())
	r.slots(len(t.counts.slots), func(i int, v uint32) { t.counts.slots[i].Add(v) })
	return r.end()
}

// WriteTo writes the counts of the first pass: 11 MiB, more with more memory.
func (t *editTrainer) WriteTo(out io.Writer) (int64, error) {
	w := beginCounts(out, t.method.Spec())
	w.number(uint64(t.texts.Load()))
	w.slots(t.counts.slots)
	w.slots(t.corpus.few)
	w.slots(t.corpus.over)
	w.number(uint64(len(t.sample.texts)))
	for _, s := range t.sample.texts {
		w.text(s.text)
	}
	return w.end()
}

// ReadFrom adds the counts that another trainer of the same method and memory
// wrote.
func (t *editTrainer) ReadFrom(in io.Reader) (int64, error) {
	r := openCounts(in, t.method.Spec())
	t.texts.Add(int64(r.number()))
	r.slots(len(t.counts.slots), func(i int, v uint32) { t.counts.slots[i].Add(v) })
	r.slots(len(t.corpus.few), t.corpus.addWord)
	r.slots(len(t.corpus.over), func(i int, v uint32) { t.corpus.over[i].Add(v) })
	for n := r.number(); n > 0 && r.err == nil; n-- {
		t.sample.add(r.text(sampleBytes))
	}
	return r.end()
}

// addWord adds the four slots of a word of another trainer, as if each had been
// counted here.
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
