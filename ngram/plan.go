package ngram

import "sync/atomic"

// The plan of the edit method for an index that grows: which substrings a text can have as keys, and how many
// of them it must have. (A batch knows its corpus and uses the keys of pieces.go.)
//
// A pair whose longer text has L runes is near if at most d = allowed(L) edits turn one text into the other.
// Each edit hits at most one of any disjoint substrings, because a changed or deleted rune, or an insertion, is
// inside at most one of them. So of d+1 disjoint substrings of a text one survives and is also a substring of
// the other.
//
// Every text orders its grams (substrings of 1 to 3 runes) by rank, one order for all texts, rare ones first,
// and takes the shortest prefix of the order that holds d+1 disjoint grams. Two near texts share a gram of both
// prefixes. Let a's prefix be the one that ends at the lower rank. One gram of a's prefix survives in b. Its
// rank is at most where a's prefix ends, so it is also before the end of b's prefix. (Prefix filtering by the
// least number of edits that destroy a prefix: Xiao et al., Ed-Join, VLDB 2008; grams of several lengths chosen
// by rarity: Li et al., VGRAM, VLDB 2007; disjoint rare ones: Deng et al., SIGMOD 2014.)
//
// A gram that is not rarer than a shorter one inside it is left out, because it would add a key for the same
// place. That depends only on the gram and the table, so near texts leave out the same grams and the proof
// holds.
//
// A short text may be near a longer one and yet have too few runes for d+1 disjoint grams, at thresholds of
// about .5 and below. Such L use grams of one rune: an insertion hits none of them, so at most allowed(n) of n
// runes are lost to any partner, and n - allowed(n) >= 1. The choice depends on L alone, so both texts of a
// pair agree. A text with partners of both kinds has both prefixes. There is a plan for every length and
// threshold.

// prefix is one part of a text's keys: grams of 1 to q runes, the shortest
// prefix with need disjoint ones.
type prefix struct{ q, need int }

// planned is how many lengths have their plan and allowance tabled.
const planned = 1024

// plans holds what follows from the threshold. The prefixes of a length are derived
// when a text of it comes: at low thresholds all of them take some tenths of a second.
type plans struct {
	threshold float64
	limits    [planned]int32
	prefixes  [planned]atomic.Pointer[[]prefix]
	classes   []lengths
}

func newPlans(threshold float64) *plans {
	p := &plans{threshold: threshold}
	for n := range p.limits {
		p.limits[n] = int32(allowedEdits(threshold, n))
	}
	p.classes = newClasses(p)
	return p
}

// allowed returns the most edits a near pair can have whose longer text has
// longer runes.
func (p *plans) allowed(longer int) int {
	if longer < planned {
		return int(p.limits[longer])
	}
	return allowedEdits(p.threshold, longer)
}

// of returns the prefixes of a text of n > 0 runes.
func (p *plans) of(n int) []prefix {
	if n >= planned {
		return p.derive(n)
	}
	if known := p.prefixes[n].Load(); known != nil {
		return *known
	}
	derived := p.derive(n)
	p.prefixes[n].Store(&derived)
	return derived
}

// derive collects the prefixes for every length that the longer text of a
// near pair with this one can have. What an L needs grows with L.
func (p *plans) derive(n int) []prefix {
	last := longestPartner(p.threshold, n)
	if p.choose(last) == longestGram && n >= planned {
		return []prefix{{longestGram, p.allowed(last) + 1}}
	}
	var all []prefix
	for longer := n; longer <= last; longer++ {
		q, need := p.choose(longer), p.allowed(longer)+1
		if q == 1 {
			need = p.allowed(n) + 1
		}
		all = merge(all, prefix{q, need})
	}
	return all
}

// merge adds a prefix, or raises the need of the one with the same q.
func merge(all []prefix, with prefix) []prefix {
	for i := range all {
		if all[i].q == with.q {
			all[i].need = max(all[i].need, with.need)
			return all
		}
	}
	return append(all, with)
}

// choose returns the longest grams for a pair whose longer text has longer runes. These are grams of up to
// longestGram if the shortest possible partner has d+1 runes, otherwise single runes.
func (p *plans) choose(longer int) int {
	d := p.allowed(longer)
	if longer-d >= d+1 {
		return longestGram
	}
	return 1
}

// longestGram bounds the grams of these keys.
const longestGram = 3

// allowedEdits returns the largest d with float64(longer-d)/float64(longer)
// at or above the threshold.
func allowedEdits(threshold float64, longer int) int {
	d := int((1 - threshold) * float64(longer))
	for d < longer && near(longer-d-1, longer, threshold) {
		d++
	}
	for d > 0 && !near(longer-d, longer, threshold) {
		d--
	}
	return d
}

// longestPartner returns the largest length whose quotient with n is at or
// above the threshold.
func longestPartner(threshold float64, n int) int {
	longer := int(float64(n) / threshold)
	for near(n, longer+1, threshold) {
		longer++
	}
	for longer > n && !near(n, longer, threshold) {
		longer--
	}
	return longer
}

// near applies the rule of every similarity that is a quotient of two numbers.
func near(part, whole int, threshold float64) bool {
	return float64(part)/float64(whole) >= threshold
}
