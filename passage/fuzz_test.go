package passage

import (
	"strings"
	"testing"
)

// For any texts, Find finds what the definition requires.
func FuzzFind(f *testing.F) {
	f.Add("abcdefgh\x00xabcdefghx", byte(0), byte(4))
	f.Add("aaaaaaaaaaaaaaaa\x00aaaaaaaa", byte(0), byte(5))
	f.Add("一二三四五六\x00一二三四五六", byte(1), byte(4))
	f.Add("a b c d e\x00a b, c d e", byte(2), byte(4))
	f.Add("\xe4\xb8\xad\xe4\xb8\xe4\xb8\xad\xe4\xb8\x00\xb8\xad\xe4\xb8", byte(1), byte(4))
	old := leastMemory
	leastMemory = 0
	f.Cleanup(func() { leastMemory = old })
	f.Fuzz(func(t *testing.T, joined string, unit, n byte) {
		l := Length{max(int(n), MinLength), Unit(unit % 3)}
		texts := strings.Split(joined, "\x00")
		check(t, texts, Config{Least: l, Memory: 1 << 20, Workers: 2})
		check(t, texts, Config{Least: l, Memory: 1 << 20, First: true})
	})
}
