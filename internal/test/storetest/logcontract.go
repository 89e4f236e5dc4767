package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/neardup/neardup/docid"
)

// RunLog tests the contract of docid.Log. open makes an empty log for each test.
func RunLog(t *testing.T, open func(t *testing.T) docid.Log) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, openLog)
	}{{"InOrder", logInOrder}, {"Empty", logEmpty}, {"Anchors", logAnchors}, {"Trimmed", logTrimmed}, {"Strange", logStrange}, {"Large", logLarge}, {"Together", logTogether}} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

type openLog func(t *testing.T) docid.Log

func logEntry(n int) []byte { return fmt.Appendf(nil, "%016d what it says\x00\r\n\xff", n) }

// filled returns a log of n entries, and the anchors after 0, 1 ... n of them.
func (open openLog) filled(t *testing.T, n int) (docid.Log, []docid.Anchor) {
	l, at := open(t), []docid.Anchor{{}}
	for i := range n {
		offset, err := l.Append(t.Context(), at[i], logEntry(i+1))
		if err != nil || offset != uint64(i+1) {
			t.Fatalf("append: offset %d, %v", offset, err)
		}
		at = append(at, at[i].Next(logEntry(i+1)))
	}
	return l, at
}

// readLog reads to the end and returns the number of entries. A page may be empty before the end, because a busy log
// returns none in time.
func readLog(t *testing.T, l docid.Log, at docid.Anchor) (n int) {
	t.Helper()
	end, err := l.Durable(t.Context())
	must(t, "durable", err, nil)
	for {
		page, err := l.Read(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 && at.Offset >= end {
			return n
		}
		for _, e := range page {
			at = at.Next(e)
			if !bytes.Equal(e, logEntry(int(at.Offset))) {
				t.Fatalf("entry %d is %q", at.Offset, e)
			}
			n++
		}
	}
}

func logInOrder(t *testing.T, open openLog) {
	l, at := open.filled(t, 300)
	for _, from := range []int{0, 1, 150, 299, 300} {
		equal(t, "entries", readLog(t, l, at[from]), 300-from)
	}
	end, err := l.Durable(t.Context())
	must(t, "durable", err, nil)
	equal(t, "end", end, 300)
}

func logEmpty(t *testing.T, open openLog) {
	l := open(t)
	end, err := l.Durable(t.Context())
	must(t, "durable", err, nil)
	equal(t, "end", end, 0)
	equal(t, "entries", readLog(t, l, docid.Anchor{}), 0)
}

func logAnchors(t *testing.T, open openLog) {
	l, at := open.filled(t, 3)
	for what, a := range map[string]docid.Anchor{
		"none, though there are entries": {}, "past the end": {Offset: 4},
		"another entry": {Offset: 3, ID: [16]byte{1}}, "an earlier one": {Offset: 1, ID: at[2].ID},
	} {
		_, err := l.Append(t.Context(), a, logEntry(9))
		must(t, "append after "+what, err, docid.ErrLogLost)
		if a.Offset > 0 {
			_, err = l.Read(t.Context(), a)
			must(t, "read after "+what, err, docid.ErrLogLost)
		}
	}
	_, err := l.Append(t.Context(), at[1], logEntry(4)) // the other appends were faster
	must(t, "append", err, nil)
	equal(t, "entries", readLog(t, l, at[0]), 4)
}

// logStrange checks that entries which no server wrote are read, and that the log continues after each. They are empty,
// shorter than an id, or long.
func logStrange(t *testing.T, open openLog) {
	l, at := open(t), docid.Anchor{}
	for n, strange := range [][]byte{{}, []byte("short"), bytes.Repeat([]byte("long"), 3<<20), []byte("the last")} {
		_, err := l.Append(t.Context(), at, strange)
		must(t, "append", err, nil)
		page := [][]byte(nil)
		for len(page) == 0 { // a busy log returns none in time
			page, err = l.Read(t.Context(), at)
			must(t, "read", err, nil)
		}
		at = at.Next(strange)
		if len(page) != 1 || !bytes.Equal(page[0], strange) {
			t.Errorf("entry %d: read %d entries", n+1, len(page))
		}
	}
}

// logLarge checks that a page ends with the entry that exceeds 1 MiB.
func logLarge(t *testing.T, open openLog) {
	l, first := open(t), docid.Anchor{}
	entry := func(n int) []byte { return append(logEntry(n), make([]byte, 700<<10)...) }
	at := first
	for n := range 12 {
		_, err := l.Append(t.Context(), at, entry(n))
		must(t, "append", err, nil)
		at = at.Next(entry(n))
	}
	for at = first; at.Offset < 12; {
		page, err := l.Read(t.Context(), at)
		must(t, "read", err, nil)
		if len(page) > 2 {
			t.Errorf("a page of %d entries of 700 KiB", len(page))
		}
		for _, e := range page {
			at = at.Next(e)
		}
	}
}

func logTrimmed(t *testing.T, open openLog) {
	l, at := open.filled(t, 5)
	must(t, "trim", l.Trim(t.Context(), 4), nil)
	for n, lost := range []bool{true, true, true, true, false, false} {
		_, err := l.Read(t.Context(), at[n])
		if errors.Is(err, docid.ErrLogLost) != lost {
			t.Errorf("read after %d of a log trimmed to 4: %v", n, err)
		}
	}
	_, err := l.Append(t.Context(), docid.Anchor{}, logEntry(1))
	must(t, "begin a trimmed log again", err, docid.ErrLogLost)
}

// logTogether checks that entries which several clients append at once are all there, each once.
func logTogether(t *testing.T, open openLog) {
	l, anchors := open.filled(t, 1)
	at := anchors[1]
	var all sync.WaitGroup
	for c := range 8 {
		all.Go(func() {
			for n := range 50 {
				if _, err := l.Append(t.Context(), at, logEntry(c*50+n+2)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for seen := map[string]bool{}; len(seen) < 400; {
		page, err := l.Read(t.Context(), at)
		if err != nil {
			t.Fatalf("%d of 400 entries, %v", len(seen), err)
		}
		if end, err := l.Durable(t.Context()); len(page) == 0 && (err != nil || at.Offset >= end) {
			t.Fatalf("%d of 400 entries, and the log ends, %v", len(seen), err)
		}
		for _, e := range page {
			seen[string(e)], at = true, at.Next(e)
		}
	}
}

// RunProof tests how a store verifies the log that it follows: unchanged, with a different entry, and trimmed. serve opens
// the store with a log. prove returns the number of problems.
func RunProof(t *testing.T, open func(t *testing.T) docid.Log, serve func(docid.Log) (docid.Store, error), prove func(docid.Log) (int, error)) {
	log, kept := Begin(t, open(t)), NewLog()
	store, err := serve(log)
	must(t, "open", err, nil)
	d, err := docid.NewDetector(t.Context(), store, "tenant", Settings())
	must(t, "detector", err, nil)
	for n := range 6 {
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint(n), Base(n)
		_, err := d.Add(t.Context(), sub)
		must(t, "add", err, nil)
	}
	must(t, "close", store.Close(), nil)
	proven := func(what string, log docid.Log, wrong bool, want error) {
		t.Helper()
		problems, err := prove(log)
		must(t, what, err, want)
		if (problems > 0) != wrong {
			t.Errorf("%s: %d problems", what, problems)
		}
	}
	proven("as it is", log, false, nil)
	var last []byte
	must(t, "copy", CopyLog(t.Context(), log, kept, nil), nil)
	altered := open(t)
	must(t, "copy", CopyLog(t.Context(), kept, altered, func(n uint64, e []byte) []byte {
		if n == 6 { // a copy of the previous entry
			e = append(e[:16:16], last[16:]...)
		}
		last = e
		return e
	}), nil)
	proven("an entry is another", altered, true, nil)
	must(t, "trim", altered.Trim(t.Context(), 4), nil)
	proven("trimmed", altered, false, docid.ErrLogLost)
}
