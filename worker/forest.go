package worker

import (
	"context"
	"io"

	"github.com/neardup/neardup/batch"
)

// forestOrdinals limits the ordinals that Forest holds at once, about 50 bytes each.
const forestOrdinals = 8 << 20

// Forest reads edges, later and earlier, and writes fewer edges of the same components: each ordinal with the first ordinal
// of its component. For up to forestOrdinals ordinals these are the complete components. For more, it starts again with
// empty components.
func (s Stages) Forest(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	return forest(newRows(ctx, in, out, "nn"), forestOrdinals)
}

func forest(l *rows, most int) (Counts, error) {
	f := components{slots: map[batch.Ordinal]int{}}
	err := l.each(func(r row) error {
		later, err := r.ordinal(0)
		if err != nil {
			return err
		}
		earlier, err := r.ordinal(1)
		if err != nil {
			return err
		}
		f.join(later, earlier)
		if len(f.ordinals) < most-1 {
			return nil
		}
		return f.write(l)
	})
	if err == nil {
		err = f.write(l)
	}
	if err == nil {
		err = l.out.Flush()
	}
	return l.counts, err
}

// components is a union-find structure over ordinals.
type components struct {
	slots    map[batch.Ordinal]int
	ordinals []batch.Ordinal
	up       []int // for each slot: a slot closer to the root, which has the first ordinal
}

func (f *components) root(ordinal batch.Ordinal) int {
	slot, ok := f.slots[ordinal]
	if !ok {
		slot = len(f.ordinals)
		f.slots[ordinal] = slot
		f.ordinals, f.up = append(f.ordinals, ordinal), append(f.up, slot)
	}
	return f.rootOf(slot)
}

func (f *components) rootOf(slot int) int {
	for f.up[slot] != slot {
		f.up[slot] = f.up[f.up[slot]]
		slot = f.up[slot]
	}
	return slot
}

func (f *components) join(a, b batch.Ordinal) {
	x, y := f.root(a), f.root(b)
	if f.ordinals[x] < f.ordinals[y] {
		x, y = y, x
	}
	f.up[x] = y
}

// write writes all ordinals and forgets them.
func (f *components) write(l *rows) error {
	for slot, ordinal := range f.ordinals {
		if err := l.write(ordinal, f.ordinals[f.rootOf(slot)]); err != nil {
			return err
		}
	}
	clear(f.slots)
	f.ordinals, f.up = f.ordinals[:0], f.up[:0]
	return nil
}
