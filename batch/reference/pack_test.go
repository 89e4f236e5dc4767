package reference

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// What packs the blocks of an index holds a few blocks, whatever it has packed: it is there for as long
// as the process, and no bound of memory plans for it.
func TestPackerHoldsLittle(t *testing.T) {
	text := make([]byte, 1<<20) // of one document, so one block
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range text {
		text[i] = 'a' + byte(rng.IntN(12))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	z, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll(text, nil)
	unpack, err := unpacker()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := unpack.DecodeAll(packed, nil); err != nil || string(got) != string(text) {
		t.Fatalf("%d bytes come back as %d, %v", len(text), len(got), err)
	}
	packed = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 3<<20 {
		t.Errorf("%d bytes are held", held)
	}
	runtime.KeepAlive(z)
	runtime.KeepAlive(text)
}
