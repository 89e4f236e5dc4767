package batch

import "slices"

// featureSetsOf makes the feature sets of a text, unless s.featureSets holds them already.
func (s *search) featureSetsOf(text position) error {
	if s.looked == text+1 {
		return nil
	}
	v, err := s.view(text)
	if err != nil {
		return err
	}
	s.looked, s.featureSets = text+1, s.x.join.method.FeatureSets(s.featureSets[:0], v)
	return nil
}

// joinLeaders adds to the groups all leaders in the buckets of a new leader that were not added yet.
func (s *search) joinLeaders(candidates []candidate) error {
	j := s.x.join
	if j == nil {
		return nil
	}
	for _, c := range candidates {
		if c.role()&Indexed == 0 {
			continue
		}
		lo, hi := s.x.find(c.bucket())
		if hi-lo < joinFrom || j.full {
			continue
		}
		b := j.buckets[lo]
		if b != nil && b.group.useless {
			b.group.members[s.x.pos[hi-1]] = struct{}{} // so that other buckets find the group
			continue
		}
		if b == nil {
			if hi-lo < j.least() {
				continue
			}
			g, err := s.groupOf(candidates, s.x.pos[lo:lo+joinFrom])
			if err != nil {
				return err
			}
			b = &joinedBucket{group: g}
			j.buckets[lo] = b
		}
		if b.group.useless {
			continue
		}
		if err := s.joinBucket(b, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// joinBucket puts the leaders of a bucket into its group.
func (s *search) joinBucket(b *joinedBucket, lo, hi uint32) error {
	j := s.x.join
	for cell := lo + b.joined; cell < hi; cell++ {
		leader := s.x.pos[cell]
		if _, ok := b.group.members[leader]; !ok {
			if err := s.featureSetsOf(leader); err != nil {
				return err
			}
			prefix, known := s.prefixIn(b.group)
			if !known {
				prefix = anything
			}
			j.try(b.group, prefix)
			if b.group.useless {
				return nil
			}
			j.add(b.group, leader, cell, prefix)
			if j.full {
				return nil
			}
		}
		b.joined++
	}
	return nil
}

// groupOf returns the group of a bucket with these leaders. If another bucket of its newest leader has a group with most of
// them, it returns that group; otherwise it makes a new one.
func (s *search) groupOf(candidates []candidate, leaders []position) (*joinGroup, error) {
	var last *joinGroup
	for _, c := range candidates {
		if c.role()&Indexed == 0 {
			continue
		}
		lo, _ := s.x.find(c.bucket())
		b := s.x.join.buckets[lo]
		if b == nil || b.group == last {
			continue
		}
		last = b.group
		common := 0
		for _, text := range leaders {
			if _, ok := last.members[text]; ok {
				common++
			}
		}
		if 2*common >= len(leaders) {
			return last, nil
		}
	}
	counted := map[uint64]uint32{}
	for _, text := range leaders {
		if err := s.featureSetsOf(text); err != nil {
			return nil, err
		}
		for _, o := range s.featureSets {
			for _, f := range o.Features {
				if n := counted[f]; n > 0 || len(counted) < mostFrequent {
					counted[f] = n + 1
				}
			}
		}
	}
	return s.x.join.newGroup(counted), nil
}

// searchedBucket is a joined bucket that a text searches.
type searchedBucket struct {
	*joinedBucket
	lo, hi uint32
}

// gatherJoined collects the plausible leaders of s.joined, group by group.
func (s *search) gatherJoined(t position, sketch uint64, where positionRange) error {
	slices.SortFunc(s.joined, func(a, b searchedBucket) int { return int(a.group.number) - int(b.group.number) })
	for from := 0; from < len(s.joined); {
		to := from + 1
		for to < len(s.joined) && s.joined[to].group == s.joined[from].group {
			to++
		}
		buckets := s.joined[from:to]
		from = to
		found, err := s.byFeatures(t, sketch, buckets, where)
		if err != nil {
			return err
		}
		for _, b := range buckets {
			if found {
				b.lo += b.joined
			}
			s.scan(sketch, b.lo, b.hi, where)
		}
	}
	return nil
}

// byFeatures collects the plausible leaders of one group that share a feature of the prefix of t. If looking at all leaders
// is cheaper, it collects none and returns false.
func (s *search) byFeatures(t position, sketch uint64, buckets []searchedBucket, where positionRange) (bool, error) {
	if err := s.featureSetsOf(t); err != nil {
		return false, err
	}
	g := buckets[0].group
	prefix, known := s.prefixIn(g)
	if !known {
		return false, nil
	}
	most := 0
	for _, b := range buckets {
		most = max(most, int(b.joined))
	}
	s.grouped = s.grouped[:0]
	met := int64(0)
	if !s.x.join.each(g, prefix, most/worthwhile, func(cell uint32) {
		met++
		if p := s.x.pos[cell]; p >= where.from && p < where.to && (sketch == s.x.sketch[cell] || s.method.Plausible(sketch, s.x.sketch[cell])) {
			s.grouped = append(s.grouped, p)
		}
	}) {
		return false, nil
	}
	s.work.Candidates += met
	slices.Sort(s.grouped)
	for _, p := range slices.Compact(s.grouped) {
		// The group also has leaders of other buckets.
		if slices.ContainsFunc(buckets, func(b searchedBucket) bool {
			_, ok := slices.BinarySearch(s.x.pos[b.lo:b.lo+b.joined], p)
			return ok
		}) {
			s.found = append(s.found, p)
		}
	}
	return true, nil
}
