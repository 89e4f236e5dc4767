package segment

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The states of a character: it begins a word, ends a word, is inside a word, or is a word by itself. Of two equal paths
// the greater state wins, in the same order as jieba's letters.
const (
	begins = iota
	ends
	middle
	single
	states
)

// before lists the two states that may precede each state.
var before = [states][2]uint8{
	begins: {ends, single},
	ends:   {begins, middle},
	middle: {begins, middle},
	single: {ends, single},
}

// never is the cost of what the model has never seen. jieba adds -3.14e100, which absorbs everything added to it. score
// counts these costs instead.
const never = 1

// model is jieba's hidden Markov model: log probabilities in units of 2^-40.
type model struct {
	start [states]int64
	trans [states][states]int64 // from one state to another
	emit  [hanCount][states]int64
}

// readModel reads lines of a name and four costs.
func readModel(r io.Reader) (*model, error) {
	m := &model{}
	for i := range m.emit {
		m.emit[i] = [states]int64{never, never, never, never}
	}
	rows := map[string]*[states]int64{
		"start": &m.start, "fromB": &m.trans[begins], "fromE": &m.trans[ends],
		"fromM": &m.trans[middle], "fromS": &m.trans[single],
	}
	err := eachLine("built-in model", r, func(line string) error {
		fields := strings.Fields(line)
		if len(fields) != 1+states {
			return errors.New("invalid line (want a name and four costs)")
		}
		row := rows[fields[0]]
		if row == nil {
			char, size := utf8.DecodeRuneInString(fields[0])
			if size != len(fields[0]) {
				return errors.New("unknown name")
			}
			if char < firstHan || char > lastHan {
				return nil // never called
			}
			row = &m.emit[char-firstHan]
		}
		return parseCosts(row, fields[1:])
	})
	return m, err
}

func parseCosts(row *[states]int64, fields []string) error {
	for i, f := range fields {
		row[i] = never
		if f == "-" {
			continue
		}
		cost, err := strconv.ParseInt(f, 10, 64)
		if err != nil || cost > 0 {
			return fmt.Errorf("cost %q: invalid", f)
		}
		row[i] = cost
	}
	return nil
}

// score is a log probability. The score with fewer nevers is greater, then the one with the greater sum. A score with a
// never has no sum.
type score struct {
	nevers int
	sum    int64
}

func (a score) plus(cost int64) score {
	if cost == never {
		return score{a.nevers + 1, 0}
	}
	if a.nevers > 0 {
		return a
	}
	return score{0, a.sum + cost}
}

func (a score) less(b score) bool {
	return a.nevers > b.nevers || (a.nevers == b.nevers && a.sum < b.sum)
}

// viterbi holds the memory of one search.
type viterbi struct {
	from []uint8 // for each character: two bits per state, for the preceding state
	path []uint8
}

// joined adds the words of a run of Chinese characters, cut along the most probable states (Viterbi). It cuts forced words
// into characters.
func (c *cutter) joined(run string) {
	path := c.viterbi.solve(c.model, run)
	from := 0
	for i, state := range path {
		end := 3 * (i + 1)
		if state == begins || state == middle {
			continue
		}
		word := run[from:end]
		from = end
		if c.own.forced[word] {
			c.characters(word)
		} else {
			c.words = append(c.words, word)
		}
	}
}

// solve returns the most probable state of each character.
func (v *viterbi) solve(m *model, run string) []uint8 {
	n := len(run) / 3
	v.from = append(v.from[:0], 0)
	var now [states]score
	emit := &m.emit[hanAt(run, 0)]
	for y := range now {
		now[y] = score{}.plus(m.start[y]).plus(emit[y])
	}
	for i := 1; i < n; i++ {
		then := now
		emit = &m.emit[hanAt(run, 3*i)]
		var from uint8
		for y := range now {
			a, b := before[y][0], before[y][1] // a < b, and b wins if both are equal
			sa := then[a].plus(m.trans[a][y]).plus(emit[y])
			sb := then[b].plus(m.trans[b][y]).plus(emit[y])
			now[y] = sb
			if sb.less(sa) {
				now[y], b = sa, a
			}
			from |= b << (2 * y)
		}
		v.from = append(v.from, from)
	}
	state := uint8(single)
	if now[single].less(now[ends]) {
		state = ends
	}
	v.path = append(v.path[:0], v.from...)
	for i := n - 1; i >= 0; i-- {
		v.path[i] = state
		state = v.from[i] >> (2 * state) & 3
	}
	return v.path
}
