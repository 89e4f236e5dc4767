// Package override stores rulings of people on pairs of documents: that two are duplicates or not, whatever a method
// decides. Engines treat rulings as edges. A ruled pair is added to the verified pairs, or removed from them.
package override

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/neardup/neardup/internal/textlines"
)

// Link is a ruling.
type Link string

const (
	Must   Link = "must"   // the pair is near
	Cannot Link = "cannot" // the pair is not near
	// Unsure records that a person could not decide. It is not a ruling: the service stores it, but a [Set] does not.
	Unsure Link = "unsure"
)

// Ruling is a line of a file of overrides. It names two ids, in any order.
type Ruling struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Link Link   `json:"link"`
	Who  string `json:"who,omitempty"`
	Time string `json:"time,omitempty"` // RFC 3339; not used
}

// pair holds two different ids, the smaller first.
type pair struct{ a, b string }

func pairOf(a, b string) pair { return pair{min(a, b), max(a, b)} }

// Set holds at most one ruling for each pair. A nil set is empty.
type Set struct {
	links map[pair]Link
	ids   map[string][]string // id -> the other ids of its rulings
}

// Read reads rulings as JSON, one per line, and ignores blank lines. Of several rulings on a pair the last one applies.
// Errors name the line.
func Read(r io.Reader) (*Set, error) {
	s := &Set{}
	err := textlines.Lines("overrides", r, func(_ int, line []byte) error {
		var ruling Ruling
		if err := textlines.Object(line, &ruling, "ruling"); err != nil {
			return err
		}
		return s.Add(ruling)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Add adds a ruling. It replaces an earlier ruling on the pair.
func (s *Set) Add(r Ruling) error {
	switch {
	case r.A == "" || r.B == "":
		return errors.New(`ruling: id is missing (want for example {"a":"x","b":"y","link":"must"})`)
	case r.A == r.B:
		return fmt.Errorf("ruling: both ids are %q", r.A)
	case r.Link != Must && r.Link != Cannot:
		return fmt.Errorf("link %q: invalid (want %s or %s)", r.Link, Must, Cannot)
	}
	if s.links == nil {
		s.links, s.ids = map[pair]Link{}, map[string][]string{}
	}
	if _, known := s.links[pairOf(r.A, r.B)]; !known {
		s.ids[r.A], s.ids[r.B] = append(s.ids[r.A], r.B), append(s.ids[r.B], r.A)
	}
	s.links[pairOf(r.A, r.B)] = r.Link
	return nil
}

// Len returns the number of ruled pairs.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.links)
}

// Names reports whether an id is in a ruling.
func (s *Set) Names(id string) bool { return s != nil && len(s.ids[id]) > 0 }

// Partners returns the ids that one must or cannot be linked with, sorted.
func (s *Set) Partners(id string, link Link) []string {
	if s == nil {
		return nil
	}
	var out []string
	for _, other := range s.ids[id] {
		if s.links[pairOf(id, other)] == link {
			out = append(out, other)
		}
	}
	slices.Sort(out)
	return out
}

// Each calls fn with every ruling, ordered by the ids, until it fails.
func (s *Set) Each(fn func(a, b string, link Link) error) error {
	if s == nil {
		return nil
	}
	order := func(x, y pair) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) }
	for _, p := range slices.SortedFunc(maps.Keys(s.links), order) {
		if err := fn(p.a, p.b, s.links[p]); err != nil {
			return err
		}
	}
	return nil
}

// Digest returns a hash of the rulings, 16 hex digits. Author and time, and the order of ids and lines, do not
// change it.
func (s *Set) Digest() string {
	h := sha256.New()
	_ = s.Each(func(a, b string, link Link) error { // writing to a hash never fails
		var line []byte
		for _, field := range []string{a, b, string(link)} {
			line = binary.LittleEndian.AppendUint32(line, uint32(len(field)))
			line = append(line, field...)
		}
		_, err := h.Write(line)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8])
}
