package image

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/neardup/neardup"
)

// Trainer joins the hashes of all pictures. Then a picture needs only one key, that of its connected group. If the hashes
// do not fit the memory, the keys of Record are used.
func (m *Method) Trainer(memory int64) neardup.Trainer {
	size := int64(128) // bytes per picture while the hashes are joined
	if m.turned {
		size *= Turns
	}
	return &trainer{method: m, room: memory / size}
}

type trainer struct {
	method *Method
	room   int64 // number of pictures that fit

	mu       sync.Mutex
	seen     int64
	pictures [][]Hash
}

// Add adds the hashes of a picture.
func (t *trainer) Add(clean string) {
	f, ok := t.method.compared(clean)
	if !ok {
		return
	}
	hashes := slices.Clone(t.method.hashes(&f))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen++
	if t.seen > t.room {
		t.pictures = nil
		return
	}
	t.pictures = append(t.pictures, hashes)
}

// NextPass returns nil, because one pass is enough.
func (t *trainer) NextPass() neardup.Trainer { return nil }

// Method joins the pictures and returns the joined method. If they do not fit the memory, it returns the original method.
func (t *trainer) Method() neardup.Method {
	if t.seen > t.room {
		return t.method
	}
	j := &joined{Method: t.method}
	var turned []Hash
	var pictures [][]Hash // group by picture, because the final index of its hash is not known yet
	for _, p := range t.pictures {
		j.hashes = append(j.hashes, p[0])
		for _, h := range p[1:] {
			turned, pictures = append(turned, h), append(pictures, p)
		}
	}
	slices.SortFunc(j.hashes, compareHashes)
	j.hashes = slices.Compact(j.hashes)
	j.groups = make([]uint32, len(j.hashes))
	for i := range j.groups {
		j.groups[i] = uint32(i)
	}
	err := SelfJoin(context.Background(), j.hashes, t.method.distance, 0, func(p Pair) error {
		j.link(p.A, p.B)
		return nil
	})
	if err == nil && len(turned) > 0 {
		err = Join(context.Background(), turned, j.hashes, t.method.distance, 0, func(p Pair) error {
			own, _ := j.indexOf(pictures[p.A][0])
			j.link(own, p.B)
			return nil
		})
	}
	if err != nil { // there are too many hashes
		return t.method
	}
	return j
}

func compareHashes(a, b Hash) int {
	return cmp.Or(cmp.Compare(a[3], b[3]), cmp.Compare(a[2], b[2]), cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
}

// joined is a method with the connected groups of hashes.
type joined struct {
	*Method
	hashes []Hash   // sorted hashes
	groups []uint32 // for each hash: a smaller index in its group, or its own index
}

func (j *joined) indexOf(h Hash) (int, bool) {
	return slices.BinarySearchFunc(j.hashes, h, compareHashes)
}

func (j *joined) first(i int) int {
	for int(j.groups[i]) != i {
		i = int(j.groups[i])
	}
	return i
}

// link merges two groups and shortens the paths that it follows.
func (j *joined) link(a, b int) {
	least := min(j.first(a), j.first(b))
	for _, i := range [2]int{a, b} {
		for int(j.groups[i]) != least {
			i, j.groups[i] = int(j.groups[i]), uint32(least)
		}
	}
}

// Record makes one key, from the first hash of the group. A picture that was not joined gets the keys of Method.Record.
func (j *joined) Record(clean string, rec *neardup.Record) {
	f, ok := j.compared(clean)
	at, known := j.indexOf(f.Hashes[0])
	if !ok || !known {
		j.Method.Record(clean, rec)
		return
	}
	rec.Reset()
	rec.Sketch = f.Hashes[0][0]
	rec.Index = append(rec.Index, keyOf(j.hashes[j.first(at)]))
}
