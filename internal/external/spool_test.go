package external

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestSpool: what was added is read back from memory and from disk, whatever
// stands before it.
func TestSpool(t *testing.T) {
	long, chunk := strings.Repeat("x", spoolChunk+1), strings.Repeat("y", spoolChunk)
	for _, memory := range []int64{0, spoolChunk, 1 << 30} {
		for name, strs := range map[string][]string{
			"short":                    {"a", "", "bc"},
			"empty after a full chunk": {chunk, "", "a", ""},
			"empty after a long one":   {long, "", "a", long, ""},
		} {
			d := &Files{dir: t.TempDir()}
			defer d.Close()
			s := NewSpool(d, memory)
			places := make([]Ref, len(strs))
			for i, str := range strs {
				var err error
				places[i], err = s.Add(str)
				if err != nil {
					t.Fatal(err)
				}
			}
			for i, want := range strs {
				if got, err := s.Read(places[i], len(want)); err != nil || string(got) != want {
					t.Errorf("%s in %d bytes: text %d is %d bytes, %v; want %d", name, memory, i, len(got), err, len(want))
				}
			}
		}
	}
}

// Added bytes can be read from any offset, in memory and on disk.
func TestSpoolFill(t *testing.T) {
	for _, size := range []int{0, 1, 1 << 16, 3 << 16, 700_001} {
		d := NewFiles(t.TempDir())
		b := NewSpool(d, 2<<16)
		r := rand.New(rand.NewPCG(1, uint64(size)))
		var want strings.Builder
		for want.Len() < size {
			part := make([]byte, min(r.IntN(100_000), size-want.Len()))
			for i := range part {
				part[i] = byte(r.Uint32())
			}
			at, err := b.Add(string(part))
			if err != nil || at != Ref(want.Len()) {
				t.Fatalf("added at %d, %v; want %d", at, err, want.Len())
			}
			want.Write(part)
		}
		if b.Len() != int64(size) {
			t.Fatalf("%d bytes, want %d", b.Len(), size)
		}
		for range 100 {
			from := r.IntN(size + 1)
			got := make([]byte, r.IntN(size-from+1))
			if _, err := b.ReadAt(got, int64(from)); err != nil || string(got) != want.String()[from:from+len(got)] {
				t.Fatalf("size %d: %d bytes from %d are others, %v", size, len(got), from, err)
			}
		}
		if _, err := b.ReadAt(make([]byte, 1), int64(size)); err == nil {
			t.Error("a byte past the end was read")
		}
		if spilled := d.Written() > 0; spilled != (size >= 6<<16) { // a few chunks wait to be written
			t.Errorf("size %d: %d bytes on disk", size, d.Written())
		}
		d.Close()
	}
}

// What was added is read by several while more is added.
func TestSpoolReadsWhileItGrows(t *testing.T) {
	d := NewFiles(t.TempDir())
	defer d.Close()
	s := NewSpool(d, 2*spoolChunk)
	type added struct {
		at   Ref
		text string
	}
	places := make(chan added, 64)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for p := range places {
				if got, err := s.Read(p.at, len(p.text)); err != nil || string(got) != p.text {
					t.Errorf("%d bytes at %d came back as others, %v", len(p.text), p.at, err)
				}
			}
		})
	}
	for i := range 3000 {
		text := strings.Repeat(string(rune('a'+i%26)), i%700)
		at, err := s.Add(text)
		if err != nil {
			t.Fatal(err)
		}
		places <- added{at, text}
	}
	close(places)
	readers.Wait()
}
