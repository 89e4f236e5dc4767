package contamination

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/internal/intlog"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/token"
)

// The rarest shingles of each stretch of a part are its keys.
const (
	stretch    = 64 // length of a stretch, in shingles
	firstKeys  = 16
	moreKeys   = 8 // keys of each further stretch
	longNeedle = 10 * wordSize
	// mostShared limits the parts with one key that are looked up.
	mostShared = 256
)

type builder struct {
	*Finder
	byText    map[string]int // question or text -> its source
	documents map[uint32]uint32
	cutter    *token.Cutter
	words     *keyword.Splitter // nil until there is Chinese text
	bytes     int64
	units     []unit
	run       []string
}

func (b *builder) add(item *Item) error {
	b.summary.Items++
	clean := text.Default().Clean
	main, answer := clean(item.Question), clean(item.Answer)
	part := Question
	if main == "" {
		main, part = clean(item.Text), Text
	}
	passage := clean(item.Passage)
	n, known := b.byText[main+"\x00"+passage]
	if !known || main == "" {
		n = len(b.items)
		b.items = append(b.items, source{})
		b.byText[main+"\x00"+passage] = n
	}
	s := &b.items[n]
	repeated := known && main != ""
	for i, before := range s.ids {
		if before == item.ID && slices.Equal(s.answers[i], appendUnits(nil, answer)) {
			b.summary.Repeated++
			return nil
		}
	}
	s.ids, s.answers = append(s.ids, item.ID), append(s.answers, appendUnits(nil, answer))
	b.bytes += int64(64 + len(item.ID) + 12*len(s.answers[len(s.answers)-1]))
	if repeated {
		b.summary.Repeated++
	}
	type sought struct {
		part  Part
		clean string
	}
	parts := []sought{{Answer, answer}}
	if !repeated {
		parts = append(parts, sought{part, main}, sought{PassageOfOne, passage})
	}
	for _, p := range parts {
		if p.clean != "" {
			b.needle(needle{source: n, part: p.part, clean: p.clean})
		}
	}
	if b.bytes > b.cfg.Memory {
		return fmt.Errorf("%w: %d items need %d bytes (want at most %d)", ErrMemory, b.summary.Items, b.bytes, b.cfg.Memory)
	}
	return nil
}

// needle adds a part that may be searched.
func (b *builder) needle(n needle) {
	b.units = appendUnits(b.units[:0], n.clean)
	if len(b.units) > mostUnits {
		b.units = b.units[:mostUnits]
		n.clean = n.clean[:b.units[mostUnits-1].end]
	}
	n.weights = b.weigh(n.clean, b.units)
	seen := map[uint32]bool{}
	for _, u := range b.units {
		if !seen[u.hash] {
			seen[u.hash] = true
			b.documents[u.hash]++
		}
	}
	b.needles = append(b.needles, n)
	b.bytes += int64(96 + len(n.clean) + 2*len(n.weights) + 16*min(len(b.units), firstKeys+len(b.units)/stretch*moreKeys))
}

// weigh returns for each unit how rare its word is. The weight of a Chinese word is divided among its characters.
func (b *builder) weigh(clean string, units []unit) []uint16 {
	weights := make([]uint16, len(units))
	put := func(from, to int, word string) {
		sum := uint32(0)
		for _, t := range b.cutter.Cut(word) {
			sum += t.Weight
		}
		for i := from; i < to; i++ {
			weights[i] = uint16(min(sum/uint32(to-from), token.MostWeight))
		}
	}
	for i := 0; i < len(units); {
		j := i
		for j < len(units) && han(firstRune(clean[units[j].start:])) && (j == i || units[j].start == units[j-1].end) {
			j++
		}
		if j == i {
			put(i, i+1, clean[units[i].start:units[i].end])
			i++
			continue
		}
		at := i
		for _, word := range b.cut(clean[units[i].start:units[j-1].end]) {
			n := len([]rune(word))
			put(at, min(at+n, j), word)
			at = min(at+n, j)
		}
		i = j
	}
	return weights
}

// cut splits a run of Chinese characters into words.
func (b *builder) cut(run string) []string {
	if b.words == nil {
		words, err := keyword.DefaultSplitter()
		if err != nil {
			return []string{run} // tests verify that the embedded dictionary can be read
		}
		b.words = &words
	}
	b.run = b.words.Append(b.run[:0], run)
	return b.run
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// end completes the needles. It lowers the weight of words that many items have, drops parts that contain too little, and
// makes the keys.
func (b *builder) end() {
	kept, answers, short := []needle(nil), map[int][]string{}, []needle(nil)
	for _, n := range b.needles {
		if n.part == Answer {
			answers[n.source] = append(answers[n.source], n.clean)
		}
		b.discount(&n)
		switch {
		case n.total >= stubWeight:
			kept = append(kept, n)
		case n.part == Question:
			short = append(short, n)
		}
	}
	for _, n := range short {
		for _, answer := range answers[n.source] {
			both := needle{source: n.source, part: WithAnswer, clean: n.clean + " " + answer}
			both.weights = b.weigh(both.clean, appendUnits(nil, both.clean))
			b.discount(&both)
			if both.total >= stubWeight {
				kept = append(kept, both)
			}
		}
	}
	b.needles = slices.Clip(kept)
	found := make([]bool, len(b.items))
	for i := range b.needles {
		found[b.needles[i].source] = true
	}
	for i, is := range found {
		if !is {
			b.summary.Stubs += len(b.items[i].ids)
			b.summary.StubIDs = append(b.summary.StubIDs, b.items[i].ids...)
		}
	}
	b.share()
	b.byText, b.documents = nil, nil
	b.index = b.makeIndex()
}

// share marks the units of questions and texts whose shingles other items also have. Such units come from a passage with
// several questions, or from a set phrase.
func (b *builder) share() {
	owners := map[uint64]int{} // shingle -> its source, or -1 if several have it
	each := func(n *needle, do func(i, units int, shingle uint64)) {
		b.units = appendUnits(b.units[:0], n.clean)
		for i := range b.units {
			_, long := shingles(b.units[i:])
			size, k := 0, i
			for ; size < longShingle && k < len(b.units); k++ {
				size += b.units[k].size()
			}
			if long != 0 {
				do(i, k-i, long)
			}
		}
	}
	for k := range b.needles {
		n := &b.needles[k]
		each(n, func(_, _ int, shingle uint64) {
			if owner, ok := owners[shingle]; ok && owner != n.source {
				owners[shingle] = -1
			} else {
				owners[shingle] = n.source
			}
		})
	}
	for k := range b.needles {
		n := &b.needles[k]
		shared, own := make([]bool, len(n.weights)), 0
		each(n, func(i, units int, shingle uint64) {
			for u := i; u < i+units && owners[shingle] < 0; u++ {
				shared[u] = true
			}
		})
		for _, is := range shared {
			if !is {
				own++
			}
		}
		if own > 0 && own < len(shared) {
			n.shared = shared
		}
	}
}

// leastItems is the number of items below which words are weighed as if there were that many. So a word of few items is
// rare.
const leastItems = 1 << 13

func (b *builder) discount(n *needle) {
	b.units = appendUnits(b.units[:0], n.clean)
	most := intlog.Ln(uint64(max(b.summary.Items, leastItems)))
	n.total = 0
	for i, u := range b.units {
		own := (most - intlog.Ln(uint64(b.documents[u.hash]))) >> (intlog.Bits - 8)
		n.weights[i] = uint16(min(max(int64(own), token.Unit/4), int64(n.weights[i])))
		n.total += uint64(n.weights[i])
	}
}

// posting is a key of a needle, with the index of its shingle.
type posting struct {
	key    uint64
	needle uint32
	at     uint32
}

type index struct {
	postings []posting
	heads    []uint32 // index of the first posting by the high bits of the key, plus 1
	shift    int
	filter   []uint64 // a Bloom filter of the keys
	bits     int
}

// makeIndex selects the keys. From each stretch it takes the shingles that the fewest needles have, and the heaviest of
// these.
func (b *builder) makeIndex() (x index) {
	counts := map[uint64]uint32{}
	b.eachShingle(func(n *needle, i int, h uint64, weight uint32) { counts[h]++ }, nil)
	type shingle struct {
		posting
		count, weight uint32
	}
	var row []shingle
	take := func(n *needle, most int) {
		slices.SortFunc(row, func(a, b shingle) int {
			return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(b.weight, a.weight), cmp.Compare(a.at, b.at))
		})
		taken := 0
		for i := range row {
			if taken < most && !slices.ContainsFunc(row[:i], func(s shingle) bool { return s.key == row[i].key }) {
				x.postings = append(x.postings, row[i].posting)
				taken++
			}
		}
		n.keys += taken
		row = row[:0]
	}
	number, most := uint32(0), firstKeys
	b.eachShingle(func(n *needle, i int, h uint64, weight uint32) {
		row = append(row, shingle{posting{h, number, uint32(i)}, counts[h], weight})
		if len(row) == stretch {
			take(n, most)
			most = moreKeys
		}
	}, func(n *needle) {
		take(n, most)
		number, most = number+1, firstKeys
	})
	slices.SortFunc(x.postings, func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.needle, b.needle), cmp.Compare(a.at, b.at))
	})
	x.link()
	return x
}

// eachShingle calls fn with the shingles of all needles, and end after each needle.
func (b *builder) eachShingle(fn func(n *needle, i int, hash uint64, weight uint32), end func(*needle)) {
	for k := range b.needles {
		n := &b.needles[k]
		b.units = appendUnits(b.units[:0], n.clean)
		long := sizeOf(b.units) >= longNeedle
		for i := range b.units {
			short, h := shingles(b.units[i:])
			if !long {
				h = short
			}
			if h == 0 {
				break
			}
			weight := uint32(0)
			for _, w := range n.weights[i:min(i+3, len(n.weights))] {
				weight += uint32(w)
			}
			fn(n, i, h, weight)
		}
		if end != nil {
			end(n)
		}
	}
}

func (x *index) link() {
	log := max(bits.Len(uint(2*len(x.postings))), 6)
	x.shift, x.heads = 64-log, make([]uint32, 1<<log)
	x.bits = max(bits.Len(uint(16*len(x.postings))), 10)
	x.filter = make([]uint64, 1<<(x.bits-6))
	for i, p := range x.postings {
		if i > 0 && x.postings[i-1].key == p.key {
			continue
		}
		x.filter[p.key>>(64-x.bits)>>6] |= 1 << (p.key >> (64 - x.bits) & 63)
		slot := p.key >> x.shift
		for x.heads[slot] != 0 {
			slot = (slot + 1) & uint64(len(x.heads)-1)
		}
		x.heads[slot] = uint32(i) + 1
	}
}

func (x *index) find(key uint64) []posting {
	if x.filter[key>>(64-x.bits)>>6]>>(key>>(64-x.bits)&63)&1 == 0 {
		return nil
	}
	for slot := key >> x.shift; ; slot = (slot + 1) & uint64(len(x.heads)-1) {
		head := x.heads[slot]
		if head == 0 {
			return nil
		}
		if from := x.postings[head-1:]; from[0].key == key {
			n := 1
			for n < len(from) && n < mostShared && from[n].key == key {
				n++
			}
			return from[:n]
		}
	}
}

func holds(doc, row []unit) bool {
	for i := 0; i+len(row) <= len(doc); i++ {
		if slices.EqualFunc(doc[i:i+len(row)], row, func(a, b unit) bool { return a.hash == b.hash }) {
			return true
		}
	}
	return false
}
