package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/neardup/neardup/docid"
)

// RunLog holds a docid.Log to its contract; open makes an empty one for each test.
func RunLog(t *testing.T, open func(t *testing.T) docid.Log) {
	entry := func(n int) []byte { return fmt.Appendf(nil, "%016d what it says\x00\r\n\xff", n) }
	filled := func(t *testing.T, n int) (docid.Log, []docid.Anchor) {
		l, at := open(t), []docid.Anchor{{}}
		for i := range n {
			offset, err := l.Append(t.Context(), at[i], entry(i+1))
			if err != nil || offset != uint64(i+1) {
				t.Fatalf("append: offset %d, %v", offset, err)
			}
			at = append(at, at[i].Next(entry(i+1)))
		}
		return l, at
	}
	read := func(t *testing.T, l docid.Log, at docid.Anchor) (n int) {
		t.Helper()
		for {
			page, err := l.Read(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				return n
			}
			for _, e := range page {
				if at = at.Next(e); !bytes.Equal(e, entry(int(at.Offset))) {
					t.Fatalf("entry %d is %q", at.Offset, e)
				}
				n++
			}
		}
	}
	t.Run("InOrder", func(t *testing.T) {
		l, at := filled(t, 300)
		for _, from := range []int{0, 1, 150, 299, 300} {
			equal(t, "entries", read(t, l, at[from]), 300-from)
		}
		end, err := l.Durable(t.Context())
		must(t, "durable", err, nil)
		equal(t, "end", end, 300)
	})
	t.Run("Empty", func(t *testing.T) {
		l := open(t)
		end, err := l.Durable(t.Context())
		must(t, "durable", err, nil)
		equal(t, "end", end, 0)
		equal(t, "entries", read(t, l, docid.Anchor{}), 0)
	})
	t.Run("Anchors", func(t *testing.T) {
		l, at := filled(t, 3)
		for what, a := range map[string]docid.Anchor{
			"none, though there are entries": {}, "past the end": {Offset: 4}, "another entry": {Offset: 3, ID: [16]byte{1}}, "another of before": {Offset: 1, ID: at[2].ID},
		} {
			_, err := l.Append(t.Context(), a, entry(9))
			must(t, "append after "+what, err, docid.ErrLogLost)
			if a.Offset > 0 {
				_, err = l.Read(t.Context(), a)
				must(t, "read after "+what, err, docid.ErrLogLost)
			}
		}
		_, err := l.Append(t.Context(), at[1], entry(4)) // others were faster
		must(t, "append", err, nil)
		equal(t, "entries", read(t, l, at[0]), 4)
	})
	t.Run("Trimmed", func(t *testing.T) {
		l, at := filled(t, 5)
		must(t, "trim", l.Trim(t.Context(), 4), nil)
		for n, lost := range []bool{true, true, true, true, false, false} {
			_, err := l.Read(t.Context(), at[n])
			if errors.Is(err, docid.ErrLogLost) != lost {
				t.Errorf("read after %d of a log trimmed to 4: %v", n, err)
			}
		}
		_, err := l.Append(t.Context(), docid.Anchor{}, entry(1))
		must(t, "begin a trimmed log again", err, docid.ErrLogLost)
	})
	t.Run("Together", func(t *testing.T) {
		l, at := filled(t, 1)
		logTogether(t, l, at[1], entry)
	})
}

// logTogether: what many append at one moment is all there, once.
func logTogether(t *testing.T, l docid.Log, at docid.Anchor, entry func(int) []byte) {
	t.Helper()
	var all sync.WaitGroup
	for c := range 8 {
		all.Go(func() {
			for n := range 50 {
				if _, err := l.Append(t.Context(), at, entry(c*50+n+2)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for seen := map[string]bool{}; len(seen) < 400; {
		page, err := l.Read(t.Context(), at)
		if err != nil || len(page) == 0 {
			t.Fatalf("%d of 400 entries, %v", len(seen), err)
		}
		for _, e := range page {
			seen[string(e)], at = true, at.Next(e)
		}
	}
}
