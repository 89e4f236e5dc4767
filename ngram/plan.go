package ngram

// The plan of the edit method: how long the substrings are that a text is cut
// into, and how many of them its keys must hold.
//
// A pair with the longer text of L runes is near if at most d = allowed(L)
// edits turn one into the other. Cut a text into its q-grams, with q-1 marks
// beyond each end. Grams that do not overlap are hit one edit each (a changed
// or deleted rune is in one of them, an insertion falls into the inside of one
// of them), so of d+1 grams that do not overlap one survives and is a gram of
// the other text as well.
//
// Each text orders its grams by rank, the same order for all texts, and takes
// the shortest prefix of the order that holds d+1 disjoint grams. Two near
// texts share a gram of both prefixes: of the two let a's prefix end at the
// lower rank. One gram of a's prefix survives in b; its rank is at most where
// a's prefix ends, so it lies before the end of b's prefix too. (Prefix
// filtering by the least number of edits that destroy the prefix: Xiao et al.,
// Ed-Join, VLDB 2008; disjoint rare grams: Qin et al., SIGMOD 2011.)
//
// q is a function of L alone, so both texts of a pair agree on it; a text
// whose partners' L ask for different q carries the prefixes of each. With
// q = 1 no marks are needed and an insertion hits nothing, so of a text of n
// runes at most allowed(n) are lost to any partner, and n - allowed(n) >= 1:
// for every length and threshold there is a plan.

// prefix is one part of a text's keys: grams of q runes, the shortest prefix
// with need disjoint ones.
type prefix struct{ q, need int }

// planned is how many lengths have their plan and allowance tabled.
const planned = 1024

// plans holds what follows from the threshold.
type plans struct {
	threshold float64
	limits    [planned]int32
	prefixes  [planned][]prefix
	far       int // q of longer texts of planned runes or more
}

func newPlans(threshold float64) *plans {
	p := &plans{threshold: threshold}
	for n := range p.limits {
		p.limits[n] = int32(allowedEdits(threshold, n))
	}
	p.far = p.chooseFar()
	for n := 1; n < planned; n++ {
		p.prefixes[n] = p.derive(n)
	}
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
	if n < planned {
		return p.prefixes[n]
	}
	return p.derive(n)
}

// derive collects the prefixes for every length that the longer text of a
// near pair with this one can have.
func (p *plans) derive(n int) []prefix {
	var all []prefix
	last := longestPartner(p.threshold, n)
	for longer := n; longer <= last; longer++ {
		q := p.far
		if longer >= planned {
			longer = last // q is the same from here on, the need grows
		} else {
			q = p.choose(longer)
		}
		need := p.allowed(longer) + 1
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

// choose returns q for a pair whose longer text has longer runes: the longest
// grams, up to longestGram, of which the shortest possible partner still has
// room for spare times as many disjoint ones as it needs. Longer grams are
// rarer; room lets the rare ones be chosen.
func (p *plans) choose(longer int) int {
	need := allowedEdits(p.threshold, longer) + 1
	shorter := longer - need + 1
	for q := longestGram; q > 1; q-- {
		if float64(room(shorter, q)) >= spare*float64(need) {
			return q
		}
	}
	return 1
}

// Measured on headlines and SMS at .8: 3 and 1.2 scan the fewest entries with
// the fewest keys; grams of 4 double the keys of headlines, room for 1.5 times
// the need leaves SMS with grams of 2 and three times the scanning.
const (
	longestGram = 3
	spare       = 1.2
)

// chooseFar is choose for every length from planned on: room is at least
// threshold*L/q and the need at most (1-threshold)*L+1, whose quotient rises
// with L.
func (p *plans) chooseFar() int {
	for q := longestGram; q > 1; q-- {
		if p.threshold*planned/float64(q) >= spare*((1-p.threshold)*planned+2) {
			return q
		}
	}
	return 1
}

// room returns how many disjoint q-grams a text of n runes has, marks
// included.
func room(n, q int) int { return (n + 2*(q-1)) / q }

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

// near is the rule of every similarity that is a quotient of two numbers.
func near(part, whole int, threshold float64) bool {
	return float64(part)/float64(whole) >= threshold
}
