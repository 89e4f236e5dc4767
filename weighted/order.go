package weighted

// besideVerb is how many words on either side of a verb are looked at.
const besideVerb = 4

// order finds two names that have changed their places around a verb with a
// direction, or around the score of a match.
func (j *judge) order() {
	for i := range j.a.tokens {
		switch verb := &j.a.tokens[i]; {
		case j.full():
			return
		case isDirected(verb.text):
			k, once := onlyAt(j.b.tokens, verb.hash)
			if _, alone := onlyAt(j.a.tokens, verb.hash); !once || !alone {
				continue
			}
			if x, y := exchanged(around(j.a.tokens, i, i+1), around(j.b.tokens, k, k+1)); x != nil {
				j.add(KindOrder, x.text+" "+verb.text+" "+y.text, y.text+" "+verb.text+" "+x.text)
			}
		case isScore(j.a.tokens, i):
			j.score(i)
		}
	}
}

// score finds the score at j.a.tokens[i] in the other text, with the sides
// exchanged or the numbers, but not both.
func (j *judge) score(i int) {
	won, lost := &j.a.tokens[i-1], &j.a.tokens[i+1]
	for k := range j.b.tokens {
		if !isScore(j.b.tokens, k) {
			continue
		}
		first, second := &j.b.tokens[k-1], &j.b.tokens[k+1]
		same, reversed := won.value == first.value && lost.value == second.value, won.value == second.value && lost.value == first.value
		if same == reversed { // a draw, or another score, which the numbers tell
			continue
		}
		x, _ := exchanged(around(j.a.tokens, i-1, i+2), around(j.b.tokens, k-1, k+2))
		if reversed == (x == nil) {
			verb := j.a.tokens[i].text
			j.add(KindOrder, won.text+verb+lost.text, first.text+verb+second.text)
			return
		}
	}
}

// isScore reports whether tokens[i] stands between the numbers of a score.
func isScore(tokens []token, i int) bool {
	return i > 0 && i+1 < len(tokens) && tokens[i].text == "比" && tokens[i-1].number() && tokens[i+1].number()
}

// beside are the words before and behind a verb.
type beside struct{ left, right []token }

func around(tokens []token, from, to int) beside {
	return beside{tokens[max(0, from-besideVerb):from], tokens[to:min(len(tokens), to+besideVerb)]}
}

// exchanged returns a word that has moved from the left to the right of a verb
// and one that has moved from the right to the left; nil for none. Light words
// do not count.
func exchanged(a, b beside) (x, y *token) {
	moved := func(from, to, notFrom, notTo []token) *token {
		for i := range from {
			t := &from[i]
			if t.weight >= fewHan && !contains(notFrom, t.hash) && contains(to, t.hash) && !contains(notTo, t.hash) {
				return t
			}
		}
		return nil
	}
	x, y = moved(a.left, b.right, a.right, b.left), moved(a.right, b.left, a.left, b.right)
	if x == nil || y == nil {
		return nil, nil
	}
	return x, y
}

func contains(tokens []token, hash uint64) bool {
	_, found := indexOf(tokens, hash)
	return found
}

func indexOf(tokens []token, hash uint64) (int, bool) {
	for i := range tokens {
		if tokens[i].hash == hash {
			return i, true
		}
	}
	return 0, false
}

// onlyAt returns where a word stands that occurs once.
func onlyAt(tokens []token, hash uint64) (int, bool) {
	i, found := indexOf(tokens, hash)
	return i, found && !contains(tokens[i+1:], hash)
}
