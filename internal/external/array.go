package external

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// pageLen is the number of elements of a page, the unit of reading and writing.
const pageLen = 1 << 11

// An Array is a growing array of fixed-size elements without pointers. At most a set number of its pages is in memory, and
// the others are in a file. A sequential scan, which is the usual access, moves each page once. A random access to a page
// on disk moves only one element. An Array is safe for concurrent use.
type Array[T any] struct {
	mu       sync.Mutex
	disk     *Files
	pages    []*page[T] // nil if on disk
	resident int
	limit    int
	hand     int
	n        int
	file     *os.File
	asked    int // the page on disk whose element was moved last
	again    int // number of elements of that page that were moved in sequence
	one      T   // the last moved element
}

type page[T any] struct {
	used, dirty bool
	elem        [pageLen]T
}

// NewArray returns an empty array that keeps about memory bytes in memory.
func NewArray[T any](d *Files, memory int64) *Array[T] {
	return &Array[T]{disk: d, limit: max(int(memory/(pageLen*size[T]())), 4)}
}

// Len returns the number of elements.
func (a *Array[T]) Len() int { return a.n }

// Add appends an element and returns its index.
func (a *Array[T]) Add(v T) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.n
	if i%pageLen == 0 {
		p, err := a.makeRoom()
		if err != nil {
			return 0, err
		}
		a.pages = append(a.pages, p)
		a.resident++
	}
	p, err := a.load(i / pageLen)
	if err != nil {
		return 0, err
	}
	p.elem[i%pageLen], p.dirty = v, true
	a.n++
	return i, nil
}

// Get returns element i.
func (a *Array[T]) Get(i int) (v T, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	err = a.visit(i, false, func(at *T) { v = *at })
	return v, err
}

// Update changes element i in place.
func (a *Array[T]) Update(i int, change func(*T)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.visit(i, true, change)
}

// Put sets element i. It first appends zero elements if there are fewer.
func (a *Array[T]) Put(i int, v T) error {
	if err := a.Grow(i + 1 - a.Len()); err != nil {
		return err
	}
	return a.Update(i, func(at *T) { *at = v })
}

// Grow appends n zero elements.
func (a *Array[T]) Grow(n int) error {
	var zero T
	for range n {
		if _, err := a.Add(zero); err != nil {
			return err
		}
	}
	return nil
}

// manyOnPage is the number of consecutive accesses to one page on disk that count as a scan. A read followed by a change of
// the same element is not a scan.
const manyOnPage = 8

// visit calls fn with element i. It moves a single element of a page on disk, but loads the page after
// manyOnPage consecutive visits.
func (a *Array[T]) visit(i int, changes bool, fn func(*T)) error {
	k := i / pageLen
	if a.pages[k] == nil {
		if k != a.asked {
			a.asked, a.again = k, 0
		}
		a.again++
		if a.again < manyOnPage {
			return a.visitOnDisk(i, changes, fn)
		}
	}
	p, err := a.load(k)
	if err != nil {
		return err
	}
	p.dirty = p.dirty || changes
	fn(&p.elem[i%pageLen])
	return nil
}

func (a *Array[T]) visitOnDisk(i int, changes bool, fn func(*T)) error {
	at := int64(i) * size[T]()
	if _, err := a.file.ReadAt(elementBytes(&a.one), at); err != nil {
		return fmt.Errorf("read a temporary page: %w", err)
	}
	fn(&a.one)
	if !changes {
		return nil
	}
	return a.disk.write(a.file, elementBytes(&a.one), at)
}

func elementBytes[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), int(unsafe.Sizeof(*v)))
}

func (a *Array[T]) load(k int) (*page[T], error) {
	if p := a.pages[k]; p != nil {
		p.used = true
		return p, nil
	}
	p, err := a.makeRoom()
	if err != nil {
		return nil, err
	}
	if _, err := a.file.ReadAt(p.bytes(), a.offset(k)); err != nil {
		return nil, fmt.Errorf("read a temporary page: %w", err)
	}
	p.used = true
	a.pages[k] = p
	a.resident++
	return p, nil
}

// makeRoom returns a page to fill. If the limit is reached, it evicts and reuses the least recently used page
// (clock). The page keeps its old content.
func (a *Array[T]) makeRoom() (*page[T], error) {
	for a.resident >= a.limit {
		k := a.hand % len(a.pages)
		a.hand++
		p := a.pages[k]
		if p == nil {
			continue
		}
		if p.used {
			p.used = false
			continue
		}
		if err := a.evict(k, p); err != nil {
			return nil, err
		}
		p.dirty = false
		return p, nil
	}
	return new(page[T]), nil
}

func (a *Array[T]) evict(k int, p *page[T]) error {
	if p.dirty {
		if err := a.disk.open(&a.file); err != nil {
			return err
		}
		if err := a.disk.write(a.file, p.bytes(), a.offset(k)); err != nil {
			return err
		}
	}
	a.pages[k] = nil
	a.resident--
	return nil
}

func (a *Array[T]) offset(k int) int64 { return int64(k) * pageLen * size[T]() }

// size returns the size of an element in bytes.
func size[T any]() int64 {
	var v T
	return int64(unsafe.Sizeof(v))
}

func (p *page[T]) bytes() []byte { return elementBytes(&p.elem) }

// Resident returns the number of pages in memory.
func (a *Array[T]) Resident() int { return a.resident }

// Close removes the file.
func (a *Array[T]) Close() error {
	a.pages = nil
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}
