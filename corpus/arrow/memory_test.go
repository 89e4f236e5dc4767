package arrow

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/neardup/neardup/corpus"
)

// counted counts the bytes that are read.
type counted struct {
	io.ReaderAt
	n int64
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.n += int64(len(b))
	return c.ReaderAt.ReadAt(b, at)
}

// Only wanted columns are read.
func TestReadsWhatIsWanted(t *testing.T) {
	for _, name := range []string{"t.arrow", "t.arrows"} {
		var b bytes.Buffer
		w := newWriter(&b, name, []corpus.Column{{Name: "text"}, {Name: "more"}})
		const size, batches = 1 << 16, 20
		for range batches {
			if err := errors.Join(w.Write("a text", strings.Repeat("more", size/4)), w.flush()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		in := &counted{ReaderAt: bytes.NewReader(b.Bytes())}
		r, err := openReader(in, int64(b.Len()), &corpus.Fields{Text: corpus.Field{Name: "text", Required: true}})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; ; n++ {
			_, err = r.Next(nil)
			if err != nil {
				break
			}
		}
		if err != io.EOF || n != batches || in.n > batches*size/10 {
			t.Errorf("%s: %d rows, %v, %d bytes of %d read", name, n, err, in.n, b.Len())
		}
	}
}

// A batch may be larger than memory: it is read by windows and written in parts.
func TestLargeBatch(t *testing.T) {
	const rows, size = 60, 1 << 20
	text := func(i int) string { return strings.Repeat(string(rune('!'+i)), size+i) }
	var b, kept bytes.Buffer
	w := newWriter(&b, "t.arrow", []corpus.Column{{Name: "text"}})
	err := w.begin()
	for i := range rows {
		for c := range w.own {
			w.own[c].add(text(i))
		}
		w.held++
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	to := newWriter(&kept, "kept.arrow", nil)
	err = to.From(bytes.NewReader(b.Bytes()), int64(b.Len()))
	for i := 1; i < rows; i++ {
		err = errors.Join(err, to.Copy(int64(i)))
	}
	if err := errors.Join(err, to.Close()); err != nil || len(to.to.batches) < 2 {
		t.Fatal(err, len(to.to.batches))
	}
	for first, content := range []*bytes.Buffer{&b, &kept} {
		r, err := openReader(bytes.NewReader(content.Bytes()), int64(content.Len()), &corpus.Fields{Text: corpus.Field{Name: "text", Required: true}})
		if err != nil {
			t.Fatal(err)
		}
		for i := first; i < rows; i++ {
			raw, err := r.Next(nil)
			if err != nil || !bytes.Contains(raw, []byte(text(i))) {
				t.Fatal(i, err)
			}
			if d := r.columns[1][0].buffers[1].of; d.inOpen > (windows+2)*window || d.loaded > window {
				t.Fatalf("%d bytes in windows, %d whole", d.inOpen, d.loaded)
			}
		}
		if _, err := r.Next(nil); err != io.EOF {
			t.Error(err)
		}
	}
}
