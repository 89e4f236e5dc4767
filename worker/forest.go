package worker

import (
	"context"
	"io"

	"github.com/neardup/neardup/batch"
)

// forestPlaces limits the places that Forest holds at once, about 50 bytes each.
const forestPlaces = 8 << 20

// Forest reads edges, later and earlier, and writes fewer edges of the same components: each place with the first place of
// its component. For up to forestPlaces places these are the complete components. For more, it starts again with empty
// components.
func (s Stages) Forest(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	return forest(newRows(ctx, in, out, "nn"), forestPlaces)
}

func forest(l *rows, most int) (Counts, error) {
	f := components{slots: map[batch.Ordinal]int{}}
	err := l.each(func(r row) error {
		later, err := r.place(0)
		if err != nil {
			return err
		}
		earlier, err := r.place(1)
		if err != nil {
			return err
		}
		f.join(later, earlier)
		if len(f.places) < most-1 {
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

// components is a union-find structure over places.
type components struct {
	slots  map[batch.Ordinal]int
	places []batch.Ordinal
	up     []int // for each slot: a slot closer to the root, which has the first place
}

func (f *components) root(place batch.Ordinal) int {
	slot, ok := f.slots[place]
	if !ok {
		slot = len(f.places)
		f.slots[place] = slot
		f.places, f.up = append(f.places, place), append(f.up, slot)
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
	if f.places[x] < f.places[y] {
		x, y = y, x
	}
	f.up[x] = y
}

// write writes all places and forgets them.
func (f *components) write(l *rows) error {
	for slot, place := range f.places {
		if err := l.write(place, f.places[f.rootOf(slot)]); err != nil {
			return err
		}
	}
	clear(f.slots)
	f.places, f.up = f.places[:0], f.up[:0]
	return nil
}
