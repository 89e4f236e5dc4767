package batch

import (
	"strings"
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
			d := &disk{dir: t.TempDir()}
			defer d.close()
			s := newSpool(d, memory)
			places := make([]place, len(strs))
			for i, str := range strs {
				var err error
				if places[i], err = s.add(str); err != nil {
					t.Fatal(err)
				}
			}
			for i, want := range strs {
				if got, err := s.read(places[i], len(want)); err != nil || string(got) != want {
					t.Errorf("%s in %d bytes: text %d is %d bytes, %v; want %d", name, memory, i, len(got), err, len(want))
				}
			}
		}
	}
}
