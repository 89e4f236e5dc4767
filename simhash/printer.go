package simhash

import "github.com/neardup/neardup/feature"

// Printer makes fingerprints of the shingles of texts, each counted as often as
// it occurs, the fastest way: no text's hashes are ever in memory as a whole.
// Not for concurrent use.
type Printer struct {
	cutter  *feature.Cutter
	counter Counter
}

// NewPrinter returns a Printer for shingles hashed with a seed.
func NewPrinter(s feature.Shingle, seed uint64) *Printer {
	return &Printer{cutter: feature.NewCutter(s, seed)}
}

// Fingerprint returns what Of returns for the hashes of a clean text.
// O(len(clean)), no allocation.
func (p *Printer) Fingerprint(clean string) uint64 {
	p.counter.Reset()
	p.cutter.Cut(clean)
	for hashes := p.cutter.Next(); len(hashes) > 0; hashes = p.cutter.Next() {
		p.counter.Add(hashes)
	}
	return p.counter.Fingerprint(TieZero)
}
