package ledger

import "testing"

// TestBloom checks that every added key is found, that few others are, and that the bits per key stay bounded.
func TestBloom(t *testing.T) {
	key := func(n int) uint64 { return uint64(n+1) * 0x9e3779b97f4a7c15 }
	for _, n := range []int{0, 1, 1024, 1025, 50_000} {
		var k bloom
		for i := range n {
			k.add(key(i))
		}
		passed := 0
		for i := range n {
			if !k.has(key(i)) {
				t.Fatalf("of %d keys, %d is denied", n, i)
			}
			if k.has(key(n + i)) {
				passed++
			}
		}
		if (k.has(key(n)) && n == 0) || passed > 1+n/20 {
			t.Errorf("of %d keys that are not there %d pass", n, passed)
		}
		if most := 4*n + 2048; k.bytes() > most {
			t.Errorf("%d keys take %d bytes, more than %d", n, k.bytes(), most)
		}
	}
}
