package batch

// What is numbered, each by a type of its own, so that one cannot be taken
// for another.
type (
	// item is the place of a document in the input, rejected ones counted.
	item uint32
	// rank is the place of a document in the order of Keep.
	rank uint32
	// textNo is the place of a distinct text in the input.
	textNo uint32
	// position is the place of a distinct text in the order of Keep.
	position uint32
)

// table is an array whose indices number one kind of thing.
type table[I ~uint32, T any] struct{ *array[T] }

func newTable[I ~uint32, T any](d *disk, memory int64) table[I, T] {
	return table[I, T]{newArray[T](d, memory)}
}

// grow appends n zero elements.
func (t table[I, T]) grow(n int) error {
	var zero T
	for range n {
		if _, err := t.array.add(zero); err != nil {
			return err
		}
	}
	return nil
}

func (t table[I, T]) add(v T) (I, error) {
	i, err := t.array.add(v)
	return I(i), err
}

func (t table[I, T]) get(i I) (T, error) { return t.array.get(int(i)) }

func (t table[I, T]) update(i I, change func(*T)) error { return t.array.update(int(i), change) }
