package arrow

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/neardup/neardup/corpus"
)

// counted tells how many bytes are read.
type counted struct {
	io.ReaderAt
	n int64
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.n += int64(len(b))
	return c.ReaderAt.ReadAt(b, at)
}

// Only what is wanted is read: of a column that nobody wants, nothing.
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
			if _, err = r.Next(); err != nil {
				break
			}
		}
		if err != io.EOF || n != batches || in.n > batches*size/10 {
			t.Errorf("%s: %d rows, %v, %d bytes of %d read", name, n, err, in.n, b.Len())
		}
	}
}
