package methods_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/neardup/neardup/methods"
)

// A view that is not cached is made for each comparison. Making it must take hardly more memory than it
// reports, otherwise a small bound burdens the garbage collector.
func TestViewsTakeWhatTheySay(t *testing.T) {
	if testing.Short() {
		return // the race detector throws away what a pool holds
	}
	var text strings.Builder
	for i := range 8_000 {
		text.WriteString(strings.Repeat("word ", i%5))
		text.WriteRune(rune('一' + i))
	}
	clean := text.String()
	for _, c := range []string{"minhash", "minhash containment=.9", "minhash lossless=.9"} {
		m, err := methods.New(c)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		said := 0
		m.Prepare(clean)
		runtime.ReadMemStats(&before)
		for range 50 {
			said += m.Prepare(clean).Bytes()
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(said)*3/2 {
			t.Errorf("%s: views of %d bytes took %d to make", m.Spec(), said, took)
		}
	}
}
