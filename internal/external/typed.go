package external

// A Table is an array with its own type of index.
type Table[I ~uint32, T any] struct{ *Array[T] }

// NewTable returns an empty table that keeps about memory bytes in memory.
func NewTable[I ~uint32, T any](d *Files, memory int64) Table[I, T] {
	return Table[I, T]{NewArray[T](d, memory)}
}

// Add appends an element and returns its index.
func (t Table[I, T]) Add(v T) (I, error) {
	i, err := t.Array.Add(v)
	return I(i), err
}

// Get returns element i.
func (t Table[I, T]) Get(i I) (T, error) { return t.Array.Get(int(i)) }

// Update changes element i in place.
func (t Table[I, T]) Update(i I, change func(*T)) error { return t.Array.Update(int(i), change) }
