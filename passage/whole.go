package passage

import (
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text"
	"github.com/zeebo/xxh3"
)

// Border is a unit that a cut never divides, or that is compared as a whole.
type Border string

// The borders. Runes are never divided. A paragraph is a run of lines that are not blank.
const (
	WholeWords      Border = "words"
	WholeSentences  Border = "sentences"
	WholeLines      Border = "lines"
	WholeParagraphs Border = "paragraphs"
)

// unitsOf returns the bounds of the sentences, lines or paragraphs of a text, without surrounding white space.
func (b Border) unitsOf(s string) (all [][2]int) {
	at := 0
	add := func(one string) {
		at += strings.Index(s[at:], one)
		all = append(all, [2]int{at, at + len(one)})
		at += len(one)
	}
	switch b {
	case WholeSentences:
		for _, one := range keyword.Sentences(nil, s) {
			last := len(all) - 1
			// A semicolon within a line does not end a sentence that is complete by itself.
			goes := last >= 0 && strings.ContainsRune(";；", lastRune(s[:all[last][1]]))
			add(one)
			if goes && !strings.Contains(s[all[last][1]:all[last+1][0]], "\n") {
				all[last][1] = at
				all = all[:last+1]
			}
		}
	case WholeLines, WholeParagraphs:
		apart := true
		for line := range strings.Lines(s) {
			line = strings.TrimSpace(line)
			switch {
			case line == "":
				apart = true
				continue
			case b == WholeLines || apart:
				add(line)
			default:
				last := len(all) - 1
				add(line)
				all[last][1] = at
				all = all[:last+1]
			}
			apart = false
		}
	}
	return all
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// within returns the largest part from start to end that begins with a unit (sentence, line or paragraph) and ends before
// the start of another.
func within(units [][2]int, start, end int) (from, to int) {
	for i, u := range units {
		if u[0] < start || u[1] > end {
			continue
		}
		if to == 0 {
			from = u[0]
		}
		to = end
		if i+1 < len(units) {
			to = min(end, units[i+1][0])
		}
	}
	return from, to
}

// wholes returns the sentences, lines or paragraphs of a text that are compared: those with the least length and a letter
// or digit.
func (j *job) wholes(s string) (all [][2]int) {
	for _, u := range j.cfg.Whole.unitsOf(s) {
		one := s[u[0]:u[1]]
		if strings.ContainsFunc(one, text.IsWord) && j.cfg.Least.fits(one) {
			all = append(all, u)
		}
	}
	return all
}

// anchors returns the anchors of a text. A unit that is compared as a whole has one window, which is the unit itself.
func (j *job) anchors(s *sampler, text string) []anchor {
	if j.cfg.Whole == "" {
		return s.anchors(text)
	}
	s.all = s.all[:0]
	for _, u := range j.wholes(text) {
		h := mixed(xxh3.HashString(text[u[0]:u[1]]))
		s.all = append(s.all, anchor{key: h, whole: h, at: u[0], lo: u[0], hi: u[1]})
	}
	return s.all
}

// windows appends the windows of a text that begins and ends with a window.
func (j *job) windows(dst []window, text []byte) []window {
	if j.cfg.Whole != "" {
		return append(dst, window{0, len(text)})
	}
	return j.cfg.Least.windows(dst, text)
}

// reach returns the largest number of units by which a window may begin before its anchor.
func (j *job) reach() int {
	if j.cfg.Whole != "" {
		return 0
	}
	return j.cfg.Least.N - j.cfg.Least.gram()
}
