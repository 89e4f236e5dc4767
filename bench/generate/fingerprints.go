package generate

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Fingerprints describe a file of 64-bit values.
type Fingerprints struct {
	Seed  uint64
	Count int
	// Near of 1,000 values are an earlier random one with 0 to Distance bits flipped.
	Near, Distance int
}

// At returns fingerprint i.
func (f Fingerprints) At(i int) uint64 {
	r := newRandom(f.Seed, fingerprintStream+uint64(i))
	value := r.next()
	if i == 0 || r.below(1000) >= f.Near {
		return value
	}
	source := newRandom(f.Seed, fingerprintStream+uint64(r.below(i)))
	value = source.next()
	for range r.below(f.Distance + 1) {
		value ^= 1 << r.below(64)
	}
	return value
}

// WriteBinary writes the values little-endian, 8 bytes each.
func (f Fingerprints) WriteBinary(w io.Writer) error {
	return f.write(w, func(dst []byte, value uint64) []byte {
		return binary.LittleEndian.AppendUint64(dst, value)
	})
}

// WriteHex writes 16 hex digits per line.
func (f Fingerprints) WriteHex(w io.Writer) error {
	const digits = "0123456789abcdef"
	return f.write(w, func(dst []byte, value uint64) []byte {
		for shift := 60; shift >= 0; shift -= 4 {
			dst = append(dst, digits[value>>shift&15])
		}
		return append(dst, '\n')
	})
}

func (f Fingerprints) write(w io.Writer, encode func([]byte, uint64) []byte) error {
	if f.Count < 0 || f.Near < 0 || f.Near > 1000 || f.Distance < 0 || f.Distance > 64 {
		return fmt.Errorf("generate fingerprints: count %d, near %d of 1000, distance %d", f.Count, f.Near, f.Distance)
	}
	buffer := make([]byte, 0, 1<<16+32)
	for i := range f.Count {
		buffer = encode(buffer, f.At(i))
		if len(buffer) >= 1<<16 || i == f.Count-1 {
			if _, err := w.Write(buffer); err != nil {
				return fmt.Errorf("write fingerprints: %w", err)
			}
			buffer = buffer[:0]
		}
	}
	return nil
}
