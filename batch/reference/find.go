package reference

import (
	"errors"
	"io"
	"sort"
)

// Finder finds postings by key. Looking up ascending keys is fastest, because each block is read once. It is for one
// goroutine.
type Finder struct {
	parts []*part
	here  []keyBlock // one for each part
}

type keyBlock struct {
	number int // number of the block, plus 1
	bytes  []byte
}

// Finder returns a new Finder.
func (x *Index) Finder() *Finder {
	return &Finder{parts: x.parts, here: make([]keyBlock, len(x.parts))}
}

// Find calls fn with the postings of a key.
func (f *Finder) Find(key uint64, fn func(Posting) error) error {
	for i := range f.parts {
		if err := f.findIn(i, key, fn); err != nil {
			return err
		}
	}
	return nil
}

func (f *Finder) findIn(part int, key uint64, fn func(Posting) error) error {
	keys := f.parts[part].keys
	// The first posting of the key is in the last block that begins with a lower key, or begins the block after it.
	first, err := keys.notBelow(key)
	if err != nil {
		return keys.wrong(err)
	}
	for b := max(first-1, 0); b < keys.blocks; b++ {
		if e, err := keys.entry(b); err != nil || e.tag > key {
			return keys.wrong(err)
		}
		bytes, err := f.load(part, b)
		if err != nil {
			return err
		}
		n := len(bytes) / postingBytes
		for at := sort.Search(n, func(i int) bool { return readPosting(bytes[i*postingBytes:]).Key >= key }); at < n; at++ {
			p := readPosting(bytes[at*postingBytes:])
			if p.Key != key {
				return nil
			}
			if err := fn(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Finder) load(part, block int) ([]byte, error) {
	here := &f.here[part]
	if here.number == block+1 {
		return here.bytes, nil
	}
	var err error
	here.bytes, err = f.parts[part].keys.stored(block, here.bytes)
	if err != nil {
		here.number = 0
		return nil, err
	}
	here.number = block + 1
	return here.bytes, nil
}

func (p *part) postings() func(*Posting) error {
	block, left := 0, []byte(nil)
	var spare []byte
	return func(to *Posting) error {
		for len(left) < postingBytes {
			if block == p.keys.blocks {
				return io.EOF
			}
			var err error
			spare, err = p.keys.stored(block, spare)
			if err != nil {
				return err
			}
			left = spare
			block++
		}
		*to, left = readPosting(left), left[postingBytes:]
		return nil
	}
}

func (p *part) eachPosting(fn func(Posting) error) error {
	next := p.postings()
	for {
		var one Posting
		if err := next(&one); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := fn(one); err != nil {
			return err
		}
	}
}
