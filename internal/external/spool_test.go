package external

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
			d := &Files{dir: t.TempDir()}
			defer d.Close()
			s := NewSpool(d, memory)
			places := make([]Ref, len(strs))
			for i, str := range strs {
				var err error
				if places[i], err = s.Add(str); err != nil {
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
