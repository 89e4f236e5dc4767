package external

// A TypedArray is an array with its own type of index.
type TypedArray[I ~uint32, T any] struct{ *Array[T] }

// NewTypedArray returns an empty array that keeps about memory bytes in memory.
func NewTypedArray[I ~uint32, T any](d *Files, memory int64) TypedArray[I, T] {
	return TypedArray[I, T]{NewArray[T](d, memory)}
}

// Add appends an element and returns its index.
func (t TypedArray[I, T]) Add(v T) (I, error) {
	i, err := t.Array.Add(v)
	return I(i), err
}

// Get returns element i.
func (t TypedArray[I, T]) Get(i I) (T, error) { return t.Array.Get(int(i)) }

// Update changes element i in place.
func (t TypedArray[I, T]) Update(i I, change func(*T)) error { return t.Array.Update(int(i), change) }
