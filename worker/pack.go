package worker

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// packSize is the approximate size of a pack in bytes. An engine moves one pack instead of hundreds of rows.
const packSize = 16 << 10

// packsHeld limits the unfinished packs in memory. If there are very many parts, packs are written before they are full.
const packsHeld = 64 << 20

// packs collects rows in one pack per part. Rows are little-endian.
type packs struct {
	parts  [][]byte
	ranges bool // parts are ranges of keys instead of shares of hashes
	held   int
	write  func(part int, pack []byte) error
}

// part returns the part of a key or of the first bytes of a hash. Each part has an equal share of all 64-bit numbers.
func (p *packs) part(key uint64) int {
	if !p.ranges {
		key *= 0x9E3779B97F4A7C15
	}
	hi, _ := bits.Mul64(key, uint64(len(p.parts)))
	return int(hi)
}

// add adds a row to the pack of a part. fill appends the row.
func (p *packs) add(part int, fill func([]byte) []byte) error {
	b := p.parts[part]
	if b == nil {
		b = make([]byte, 0, min(packSize+packSize/8, packsHeld/len(p.parts)))
	}
	n := len(b)
	b = fill(b)
	p.parts[part] = b
	p.held += len(b) - n
	if len(b) >= packSize {
		return p.flush(part)
	}
	if p.held >= packsHeld {
		return p.flushAll()
	}
	return nil
}

func (p *packs) flush(part int) error {
	b := p.parts[part]
	p.held -= len(b)
	p.parts[part] = b[:0]
	if len(b) == 0 {
		return nil
	}
	return p.write(part, b)
}

func (p *packs) flushAll() error {
	for part := range p.parts {
		if err := p.flush(part); err != nil {
			return err
		}
	}
	return nil
}

// packsOf makes packs that write writes.
func packsOf(parts int, write func(part int, pack []byte) error) *packs {
	return &packs{parts: make([][]byte, parts), write: write}
}

// eachPack calls fn with each pack, one per row. A pack is valid until fn returns.
func (s *rows) eachPack(fn func(pack []byte) error) error {
	return s.each(func(r row) error { return fn(r.bytes(0)) })
}

// A row of a document consists of hash, ordinal, sketch, the numbers of keys and of probes (or noProbes), the keys and the
// probes.
const (
	hashLen  = 32
	textHead = hashLen + 8 + 8 + 4 + 4
	noProbes = 1<<32 - 1
)

func appendText(b []byte, hash [hashLen]byte, ordinal batch.Ordinal, rec *neardup.Record) []byte {
	b = append(b, hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(ordinal))
	b = binary.LittleEndian.AppendUint64(b, rec.Sketch)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(rec.Index)))
	n := uint32(noProbes)
	if rec.Probe != nil {
		n = uint32(len(rec.Probe))
	}
	b = binary.LittleEndian.AppendUint32(b, n)
	for _, keys := range [][]uint64{rec.Index, rec.Probe} {
		for _, k := range keys {
			b = binary.LittleEndian.AppendUint64(b, k)
		}
	}
	return b
}

type textRow []byte

// size returns the length of the row at the start of r, which must hold at least the head.
func (r textRow) size() int {
	n := uint64(binary.LittleEndian.Uint32(r[48:]))
	if probe := binary.LittleEndian.Uint32(r[52:]); probe != noProbes {
		n += uint64(probe)
	}
	return textHead + int(8*n)
}

// nextText splits off the first row.
func nextText(b []byte) (row textRow, rest []byte, err error) {
	if len(b) < textHead || len(b) < textRow(b).size() {
		return nil, nil, fmt.Errorf("%w: a pack ends inside a text", ErrRow)
	}
	n := textRow(b).size()
	return b[:n], b[n:], nil
}

func eachText(pack []byte, fn func(textRow) error) error {
	for len(pack) > 0 {
		row, rest, err := nextText(pack)
		if err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
		pack = rest
	}
	return nil
}

func (r textRow) hash() [hashLen]byte    { return [hashLen]byte(r[:hashLen]) }
func (r textRow) ordinal() batch.Ordinal { return batch.Ordinal(binary.LittleEndian.Uint64(r[32:])) }

// postings returns the postings of the text at an ordinal. It reuses the memory of buf.
func (r textRow) postings(ordinal batch.Ordinal, buf []batch.Posting) []batch.Posting {
	sketch := binary.LittleEndian.Uint64(r[40:])
	index, probe := binary.LittleEndian.Uint32(r[48:]), binary.LittleEndian.Uint32(r[52:])
	role := batch.Indexed
	if probe == noProbes {
		role |= batch.Probing
	}
	buf = buf[:0]
	for keys := r[textHead:]; len(keys) > 0; keys = keys[8:] {
		if index == 0 {
			role = batch.Probing
		}
		buf = append(buf, batch.NewPosting(binary.LittleEndian.Uint64(keys), sketch, ordinal, role))
		index--
	}
	return buf
}

const postingLen = 24

func appendPosting(b []byte, p batch.Posting) []byte {
	for _, word := range p {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

func eachPosting(pack []byte, fn func(batch.Posting) error) error {
	if len(pack)%postingLen != 0 {
		return fmt.Errorf("%w: a pack ends inside a posting", ErrRow)
	}
	for ; len(pack) > 0; pack = pack[postingLen:] {
		p := batch.Posting{binary.LittleEndian.Uint64(pack), binary.LittleEndian.Uint64(pack[8:]), binary.LittleEndian.Uint64(pack[16:])}
		if p.Role() == 0 {
			return fmt.Errorf("%w: a posting without a role", ErrRow)
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}
