package image

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/zeebo/xxh3"
)

// Name is the name of the method.
const Name = "images"

// DefaultQuality is the lowest quality of a hash that is compared.
const DefaultQuality = 50

// version is the version of the definition of records and comparison.
const version = 1

// Config configures the method. The zero value is PDQ in its usual form.
type Config struct {
	// Distance is the largest distance of near pictures, 0 to MaxDistance. If nil, it is MaxDistance.
	Distance *int
	// Quality is the lowest quality of a picture that is compared, 1 to 100. If 0, it is DefaultQuality. A picture below it
	// is only a duplicate of equal files.
	Quality int
	// Turned also finds pictures that were rotated by 90, 180 or 270 degrees, or mirrored.
	Turned bool
}

// Method compares pictures by their hashes. A picture is represented by its Fingerprint.String. The method misses no near
// pair.
type Method struct {
	distance, quality int
	turned            bool
}

// New returns the method, or an error about an invalid setting.
func New(c Config) (*Method, error) {
	m := &Method{MaxDistance, DefaultQuality, c.Turned}
	if c.Distance != nil {
		m.distance = *c.Distance
	}
	if err := checkDistance(m.distance); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	if c.Quality != 0 {
		m.quality = c.Quality
	}
	if m.quality < 1 || m.quality > 100 {
		return nil, fmt.Errorf("images: quality %d: out of range (want 1 to 100)", m.quality)
	}
	return m, nil
}

// Spec describes the method and all settings that change its results.
func (m *Method) Spec() neardup.Spec {
	return neardup.Spec{Method: Name, Version: version, Params: []neardup.Param{
		{Name: "distance", Value: strconv.Itoa(m.distance)},
		{Name: "quality", Value: strconv.Itoa(m.quality)},
		{Name: "turned", Value: strconv.FormatBool(m.turned)},
	}}
}

// compared returns the fingerprint of a text. ok is false if it is not compared.
func (m *Method) compared(clean string) (Fingerprint, bool) {
	f, err := Parse(clean)
	return f, err == nil && f.Quality >= m.quality
}

// hashes returns the compared hashes of a fingerprint. The hash of the unturned picture is first.
func (m *Method) hashes(f *Fingerprint) []Hash {
	if !m.turned {
		return f.Hashes[:1]
	}
	return f.Hashes[:f.known()]
}

// Record makes a key of each of the 16 slots of the hash. A search uses the 272 keys of the slots and their neighbours. The
// sketch is a quarter of the hash.
func (m *Method) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	f, ok := m.compared(clean)
	if !ok {
		return
	}
	rec.Sketch = f.Hashes[0][0]
	for turn, h := range m.hashes(&f) {
		for slot := range slots {
			if radius(slot, m.distance) < 0 {
				break
			}
			rec.Index = append(rec.Index, key(slot, h.slot(slot), turn > 0))
			for _, flip := range flips(slot, m.distance) {
				// Two turned pictures match if they match unturned.
				rec.Probe = append(rec.Probe, key(slot, h.slot(slot)^flip, false))
				if turn == 0 && m.turned {
					rec.Probe = append(rec.Probe, key(slot, h.slot(slot)^flip, true))
				}
			}
		}
	}
}

// key returns the key of a slot. Keys of turned pictures differ from those of unturned ones.
func key(slot int, value uint16, turned bool) uint64 {
	k := uint64(slot)<<slotBits | uint64(value)
	if turned {
		k |= 1 << 32
	}
	return k * 0x9e3779b97f4a7c15 // spread over all bits, because engines partition by the highest bits
}

// Plausible reports whether two hashes may be near, from a quarter of each. For turned pictures it always returns true.
func (m *Method) Plausible(a, b uint64) bool {
	return m.turned || bits.OnesCount64(a^b) <= m.distance
}

type view struct {
	hashes   []Hash
	compared bool
}

// Bytes returns the memory of the view.
func (v *view) Bytes() int { return 48 + len(v.hashes)*Bits/8 }

// Prepare parses the fingerprint.
func (m *Method) Prepare(clean string) neardup.Prepared {
	f, ok := m.compared(clean)
	return &view{append([]Hash(nil), m.hashes(&f)...), ok}
}

const basis = "1 - distance/256 of PDQ"

// Compare compares a pair. It is near if both qualities and the distance suffice. With Turned, the distance is the least
// between one picture unturned and the other in any turn, which the basis names.
func (m *Method) Compare(a, b neardup.Prepared) neardup.Match {
	v, w := a.(*view), b.(*view)
	match := neardup.Match{Distance: Bits, Method: Name, Basis: basis}
	if !v.compared || !w.compared {
		match.Basis = fmt.Sprintf("quality below %d", m.quality)
		return match
	}
	turned := 0
	for turn := range max(len(v.hashes), len(w.hashes)) {
		for _, pair := range [2][2]*view{{v, w}, {w, v}} {
			if turn >= len(pair[0].hashes) {
				continue
			}
			if d := pair[0].hashes[turn].Distance(pair[1].hashes[0]); d < match.Distance {
				match.Distance, turned = d, turn
			}
		}
	}
	if turned > 0 {
		match.Basis += ", " + turns[turned].name
	}
	match.Similarity, match.Near = 1-float64(match.Distance)/Bits, match.Distance <= m.distance
	return match
}

func keyOf(h Hash) uint64 {
	var b [Bits / 8]byte
	for i, word := range h {
		binary.LittleEndian.PutUint64(b[8*i:], word)
	}
	return xxh3.Hash(b[:])
}
