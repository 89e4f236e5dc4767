package reference

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/corpus"
	"github.com/zeebo/xxh3"
)

// Added bytes are read back whole, from written files and from files that were copied into one.
func TestBlocksComeBack(t *testing.T) {
	dir := t.TempDir()
	items := []string{"a", strings.Repeat("long ", 9000), "", "b", strings.Repeat("x", blockBytes), "c"}
	for _, pack := range []bool{false, true} {
		one := writeBlocks(t, filepath.Join(dir, "one"), pack, items, nil)
		two := writeBlocks(t, filepath.Join(dir, "two"), pack, items[:2], one)
		off := uint64(0)
		for i, want := range append(append([]string{}, items[:2]...), items...) {
			got, err := two.read(off, len(want))
			if err != nil || string(got) != want {
				t.Errorf("item %d came back as %d bytes, not %d (%v)", i, len(got), len(want), err)
			}
			off += uint64(len(want))
		}
		if _, err := two.read(0, 1<<20); !errors.Is(err, ErrDamaged) {
			t.Errorf("more than was added as one: %v", err)
		}
		if _, err := two.read(off, 1); !errors.Is(err, ErrDamaged) {
			t.Errorf("beyond the end: %v", err)
		}
	}
}

// Of a table of several pages a few are in memory; blocks are found in it by what they hold
// and by their tags, as in a list of all.
func TestTable(t *testing.T) {
	for _, n := range []int{0, 1, pageBlocks - 1, pageBlocks, pageBlocks + 1, 20*pageBlocks + 7} {
		path := filepath.Join(t.TempDir(), "f")
		w, err := newBlockWriter(path, false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n { // blocks of 1 to 3 bytes; tags in threes
			if err := errors.Join(w.add(make([]byte, 1+i%3), uint64(i/3)), w.flush()); err != nil {
				t.Fatal(err)
			}
		}
		sum, err := w.end()
		if err == nil {
			err = corpus.CommitAll(w.out)
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := openBlocks(os.DirFS(filepath.Dir(path)), "f", sum)
		if err != nil {
			t.Fatal(err)
		}
		off := uint64(0)
		for i := range n {
			for range 1 + i%3 {
				if got, err := f.holding(off); got != i || err != nil {
					t.Fatalf("of %d: %d is in block %d, not %d (%v)", n, off, got, i, err)
				}
				off++
			}
			if got, err := f.notBelow(uint64(i / 3)); got != i/3*3 || err != nil {
				t.Fatalf("of %d: tag %d begins with block %d (%v)", n, i/3, got, err)
			}
		}
		if got, err := f.notBelow(uint64(n)); got != n || err != nil {
			t.Fatalf("of %d: a tag above all: %d (%v)", n, got, err)
		}
		// A change to the table of an open file is detected.
		if n > 0 {
			change, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := change.WriteAt([]byte{9}, f.from); err != nil {
				t.Fatal(err)
			}
			change.Close()
			f.pages = [cachedPages]tablePage{}
			if _, err := f.block(0); !errors.Is(err, ErrDamaged) {
				t.Errorf("of %d: a table that was changed: %v", n, err)
			}
		}
		f.file.Close()
	}
}

func writeBlocks(t *testing.T, path string, pack bool, items []string, more *blockFile) *blockFile {
	t.Helper()
	w, err := newBlockWriter(path, pack)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range items {
		if err := w.add([]byte(s), 7); err != nil {
			t.Fatal(err)
		}
	}
	if more != nil {
		if err := w.copyFrom(more); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := w.end()
	if err == nil {
		err = corpus.CommitAll(w.out)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := openBlocks(os.DirFS(filepath.Dir(path)), filepath.Base(path), sum)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.file.Close() })
	return f
}

// Any bytes are a block file or damaged, even with a correct checksum.
func FuzzBlockFile(f *testing.F) {
	f.Add([]byte(magic))
	f.Add(append(make([]byte, 8), magic...))
	f.Add(append(append(bytes.Repeat([]byte{1}, 40), 1, 0, 0, 0, 0, 0, 0, 0), magic...))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		for entries := range len(b)/tableEntry + 1 {
			from := len(b) - endBytes - entries*tableEntry
			if from < 0 {
				break
			}
			file, err := openBlocks(os.DirFS(filepath.Dir(path)), "f", xxh3.Hash(b[from:]))
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
				continue
			}
			for i := range file.blocks {
				if _, err := file.block(i); err != nil && !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
			}
			if err := file.file.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestRowsAndPostingsComeBack(t *testing.T) {
	for _, want := range []Row{
		{},
		{Text: 1, ID: 2, TextLen: 3, IDLen: 4, Sketch: 5, Time: -6, Leader: 7, Distance: -1, Similarity: .8, Kind: Equal, Basis: 9, Route: 10, Removed: true},
		{Text: 1 << 60, ID: 1 << 61, TextLen: 1<<32 - 1, Sketch: 1<<64 - 1, Distance: 3, Kind: Unsure, Blank: true},
	} {
		b := want.append(nil)
		if got := readRow(b); got != want || len(b) != rowBytes {
			t.Errorf("it came back as %+v of %d bytes, not %+v", got, len(b), want)
		}
	}
	for _, want := range []Posting{{}, {1<<64 - 1, MaxDocuments - 1, 3}, {5, 6, 1}} {
		b := want.append(nil)
		if got := readPosting(b); got != want || len(b) != postingBytes {
			t.Errorf("it came back as %+v, not %+v", got, want)
		}
	}
}
