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

// Tallies can be counted for parts of a corpus and added up.
var (
	_ neardup.Portable = (*setTally)(nil)
	_ neardup.Portable = (*editTally)(nil)
)

// tallyMagic starts a stored tally and names the version of its format.
const tallyMagic = "neardup tally 1\n"

// ErrTally is wrapped by the error about a stored tally that is none, or of
// another method or size.
var ErrTally = errors.New("not a tally of this method")

// tallyWriter writes parts of a tally until one fails.
type tallyWriter struct {
	out *bufio.Writer
	n   int64
	err error
}

func (w *tallyWriter) write(b []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.out.Write(b)
		w.n += int64(n)
	}
}

func (w *tallyWriter) number(v uint64) { w.write(binary.LittleEndian.AppendUint64(nil, v)) }

func (w *tallyWriter) text(s string) {
	w.number(uint64(len(s)))
	w.write([]byte(s))
}

func (w *tallyWriter) slots(slots []atomic.Uint32) {
	w.number(uint64(len(slots)))
	var b [4]byte
	for i := range slots {
		binary.LittleEndian.PutUint32(b[:], slots[i].Load())
		w.write(b[:])
	}
}

func beginTally(out io.Writer, s neardup.Spec) *tallyWriter {
	w := &tallyWriter{out: bufio.NewWriterSize(out, 1<<18)}
	w.write([]byte(tallyMagic))
	w.text(s.String())
	return w
}

func (w *tallyWriter) end() (int64, error) {
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.n, w.err
}

// tallyReader reads what tallyWriter wrote until something is wrong.
type tallyReader struct {
	in  *bufio.Reader
	n   int64
	err error
}

func (r *tallyReader) read(b []byte) {
	if r.err == nil {
		var n int
		n, r.err = io.ReadFull(r.in, b)
		r.n += int64(n)
	}
}

func (r *tallyReader) number() uint64 {
	var b [8]byte
	r.read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

func (r *tallyReader) text(most int) string {
	n := r.number()
	if r.err == nil && n > uint64(most) {
		r.err = fmt.Errorf("%w: a text of %d bytes", ErrTally, n)
	}
	if r.err != nil {
		return ""
	}
	b := make([]byte, n)
	r.read(b)
	return string(b)
}

// slots calls add with what each slot holds.
func (r *tallyReader) slots(want int, add func(i int, v uint32)) {
	if n := r.number(); r.err == nil && n != uint64(want) {
		r.err = fmt.Errorf("%w: %d slots, not %d: it was counted in another memory", ErrTally, n, want)
	}
	var b [4]byte
	for i := 0; i < want && r.err == nil; i++ {
		r.read(b[:])
		if r.err == nil {
			add(i, binary.LittleEndian.Uint32(b[:]))
		}
	}
}

func openTally(in io.Reader, s neardup.Spec) *tallyReader {
	r := &tallyReader{in: bufio.NewReaderSize(in, 1<<18)}
	magic := make([]byte, len(tallyMagic))
	r.read(magic)
	if r.err == nil && string(magic) != tallyMagic {
		r.err = fmt.Errorf("%w: it does not start with %q", ErrTally, tallyMagic)
	}
	if spec := r.text(1 << 16); r.err == nil && spec != s.String() {
		r.err = fmt.Errorf("%w: it is of %q, not of %q", ErrTally, spec, s)
	}
	return r
}

func (r *tallyReader) end() (int64, error) {
	if r.err != nil {
		return r.n, fmt.Errorf("read tally: %w", r.err)
	}
	return r.n, nil
}

// WriteTo writes the counts: 8 MiB.
func (t *setTally) WriteTo(out io.Writer) (int64, error) {
	w := beginTally(out, t.method.Spec())
	w.slots(t.counts.slots)
	return w.end()
}

// ReadFrom adds the counts that another tally of the same method wrote.
func (t *setTally) ReadFrom(in io.Reader) (int64, error) {
	r := openTally(in, t.method.Spec())
	r.slots(len(t.counts.slots), func(i int, v uint32) { t.counts.slots[i].Add(v) })
	return r.end()
}

// WriteTo writes the counts of the first pass: 11 MiB, more with more memory.
func (t *editTally) WriteTo(out io.Writer) (int64, error) {
	w := beginTally(out, t.method.Spec())
	w.number(uint64(t.texts.Load()))
	w.slots(t.counts.slots)
	w.slots(t.census.few)
	w.slots(t.census.over)
	w.number(uint64(len(t.sample.texts)))
	for _, s := range t.sample.texts {
		w.text(s.text)
	}
	return w.end()
}

// ReadFrom adds the counts that another tally of the same method and memory
// wrote.
func (t *editTally) ReadFrom(in io.Reader) (int64, error) {
	r := openTally(in, t.method.Spec())
	t.texts.Add(int64(r.number()))
	r.slots(len(t.counts.slots), func(i int, v uint32) { t.counts.slots[i].Add(v) })
	r.slots(len(t.census.few), t.census.addWord)
	r.slots(len(t.census.over), func(i int, v uint32) { t.census.over[i].Add(v) })
	for n := r.number(); n > 0 && r.err == nil; n-- {
		t.sample.add(r.text(sampleBytes))
	}
	return r.end()
}

// addWord adds the four slots of a word of another census, as if each had been
// counted here.
func (c *census) addWord(word int, v uint32) {
	for i := range 4 {
		more := v >> (8 * i) & fullSlot
		slot, shift := 4*word+i, 8*uint(i)
		own := c.few[word].Load() >> shift & fullSlot
		fits := min(more, fullSlot-own)
		c.few[word].Add(fits << shift)
		c.over[slot&(1<<overBits-1)].Add(more - fits)
	}
}
