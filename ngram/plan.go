package ngram

import "sync/atomic"

// In an index that grows, the edit method uses a plan: which substrings of a text may be keys, and how many of them are
// needed. (A batch knows its corpus, so it uses the keys of pieces.go.)
//
// A pair whose longer text has L runes is near if at most d = allowed(L) edits turn one text into the other. Each edit hits
// at most one of several disjoint substrings, because a changed, deleted or inserted rune is inside at most one of them. So
// at least one of d+1 disjoint substrings is unchanged, and is a substring of the other text.
//
// Every text sorts its grams (substrings of 1 to 3 runes) by rank, rare ones first. The rank of a gram is the same in all
// texts. The text takes the shortest prefix of this order that includes d+1 disjoint grams. Then two near texts share a
// gram of both prefixes. To see this, let a be the text whose prefix ends at the lower rank. One gram of its prefix is
// unchanged in b. The rank of that gram is at most the end of a's prefix, so the gram is in b's prefix as well. (Prefix
// filtering by the least number of edits that destroy a prefix: Xiao et al., Ed-Join, VLDB 2008; grams of several lengths
// chosen by rarity: Li et al., VGRAM, VLDB 2007; disjoint rare ones: Deng et al., SIGMOD 2014.)
//
// A gram that is not rarer than a shorter one inside it is left out, because it would only add a key for the same place.
// That depends only on the gram and the table. So near texts leave out the same grams, and the proof holds.
//
// A short text may be near a longer one and yet have too few runes for d+1 disjoint grams, at thresholds of about .5 and
// below. For such lengths L, the keys are grams of one rune. An insertion hits none of them, so a partner lacks at most
// allowed(n) of n runes, and n - allowed(n) >= 1. The choice depends on L alone, so both texts of a pair agree. A text with
// partners of both kinds has both prefixes. So there is a plan for every length and threshold.

// prefix is one part of a text's keys: the shortest prefix of grams of 1 to q runes that includes need disjoint ones.
type prefix struct{ q, need int }

// planned is the number of lengths whose plan and allowance are stored in tables.
const planned = 1024

// plans holds what follows from the threshold. The prefixes of a length are derived at its first text, because at low
// thresholds deriving all takes some tenths of a second.
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

// allowed returns the largest number of edits in a near pair whose longer text has longer runes.
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

// derive returns the prefixes for all lengths of the longer text in a near pair with a text of n runes. The requirements of
// a length grow with it.
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

// merge adds a prefix, or raises the need of the prefix with the same q.
func merge(all []prefix, with prefix) []prefix {
	for i := range all {
		if all[i].q == with.q {
			all[i].need = max(all[i].need, with.need)
			return all
		}
	}
	return append(all, with)
}

// choose returns the length of the longest grams for a pair whose longer text has longer runes. It is longestGram if the
// shortest possible partner has d+1 runes, otherwise 1.
func (p *plans) choose(longer int) int {
	d := p.allowed(longer)
	if longer-d >= d+1 {
		return longestGram
	}
	return 1
}

// longestGram is the longest gram of these keys, in runes.
const longestGram = 3

// allowedEdits returns the largest d for which float64(longer-d)/float64(longer) is at least the threshold.
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

// longestPartner returns the largest length of a text that can be near one of n runes.
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

// near reports whether a similarity part/whole reaches the threshold. All similarities use this rule.
func near(part, whole int, threshold float64) bool {
	return float64(part)/float64(whole) >= threshold
}
