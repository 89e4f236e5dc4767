package external_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/external"
)

// What is added is read back from any offset, wherever it lies.
func TestBytes(t *testing.T) {
	for _, size := range []int{0, 1, 1 << 16, 3 << 16, 700_001} {
		d := external.NewFiles(t.TempDir())
		b := external.NewBytes(d, 2<<16)
		r := rand.New(rand.NewPCG(1, uint64(size)))
		var want strings.Builder
		for want.Len() < size {
			part := make([]byte, min(r.IntN(100_000), size-want.Len()))
			for i := range part {
				part[i] = byte(r.Uint32())
			}
			at, err := b.Add(string(part))
			if err != nil || at != int64(want.Len()) {
				t.Fatalf("added at %d, %v; want %d", at, err, want.Len())
			}
			want.Write(part)
		}
		if err := b.End(); err != nil || b.Len() != int64(size) {
			t.Fatalf("%d bytes, %v; want %d", b.Len(), err, size)
		}
		for range 100 {
			from := r.IntN(size + 1)
			got := make([]byte, r.IntN(size-from+1))
			if err := b.Read(got, int64(from)); err != nil || string(got) != want.String()[from:from+len(got)] {
				t.Fatalf("size %d: %d bytes from %d are others, %v", size, len(got), from, err)
			}
		}
		if err := b.Read(make([]byte, 1), int64(size)); err == nil {
			t.Error("a byte past the end was read")
		}
		if spilled := d.Written() > 0; spilled != (size > 2<<16) {
			t.Errorf("size %d: %d bytes on disk", size, d.Written())
		}
		d.Close()
	}
}
