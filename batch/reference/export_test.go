package reference

// KeyBlocks returns the number of blocks of postings, the most that looking up keys reads.
func (x *Index) KeyBlocks() (n int) {
	for _, p := range x.parts {
		n += p.keys.blocks
	}
	return n
}
