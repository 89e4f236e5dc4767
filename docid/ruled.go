package docid

import (
	"context"
	"encoding/binary"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/override"
)

// What people have ruled about two articles, by their nids, comes before every
// stage. A pair that must be linked gets a key of its own, which both articles
// carry: so the store finds the leader, and guards the commit, as for any key. A
// pair that cannot be is no match of any stage. It is the leader's own nid that
// counts, as in a batch: an article whose partner is no leader is not moved by it.

// rule adds the keys of the pairs that the article must be linked in.
func (s *subject) rule(key []byte) {
	for _, other := range s.Overrides.Partners(s.sub.ID, override.Must) {
		name := keyed(key, string(StageOverride), min(s.sub.ID, other), max(s.sub.ID, other))
		k := []uint64{binary.BigEndian.Uint64(name[:])}
		s.keySets = append(s.keySets, keySet{KeySet: KeySet{Keys: k}, stage: StageOverride})
		s.keys = append(s.keys, k...)
	}
}

// ruledApart reports whether the article and the leader named cannot be linked.
func (s *subject) ruledApart(nid string) bool {
	return s.Overrides.Of(s.sub.ID, nid) == override.Cannot
}

// compareRuled is the match of a leader that the article may have to be linked to.
func (j *search) compareRuled(ctx context.Context, leader uint64) (matched, error) {
	mat, err := j.d.material(ctx, j, leader)
	return matched{leader: leader, nid: mat.NID, Match: neardup.Match{
		Similarity: 1, Distance: -1, Near: j.s.Overrides.Of(j.s.sub.ID, mat.NID) == override.Must,
		Method: j.s.routed(), Basis: neardup.BasisOverride}}, err
}
