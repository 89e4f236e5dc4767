package segment

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFrequency bounds the frequency of one word, so that no sum of a
// dictionary in memory overflows.
const maxFrequency = 1 << 36

// dictionary is a list of words sorted by their bytes, each once.
type dictionary struct {
	entries []entry
	total   uint64 // sum of all frequencies, at least 1
}

type entry struct {
	word string
	freq uint64
}

// sort orders the entries and keeps the last of each word.
func (d *dictionary) sort() {
	slices.SortStableFunc(d.entries, func(a, b entry) int { return strings.Compare(a.word, b.word) })
	kept := d.entries[:0]
	for i, e := range d.entries {
		if i+1 == len(d.entries) || d.entries[i+1].word != e.word {
			kept = append(kept, e)
		}
	}
	d.entries = kept
}

// merge adds the words of an overlay, which take precedence over those of d.
func (d *dictionary) merge(o *overlay) {
	for word, freq := range o.freq {
		d.entries = append(d.entries, entry{word, freq})
	}
	d.total = o.total
	d.sort()
}

// eachLine calls f with every line that is not empty after trimming, and adds the line number to an error of f.
func eachLine(r io.Reader, f func(line string) error) error {
	lines := bufio.NewScanner(r)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Text()
		if !utf8.ValidString(line) {
			return fmt.Errorf("line %d: not UTF-8", n)
		}
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if err := f(line); err != nil {
			return fmt.Errorf("line %d: %q: %w", n, shortened(line), err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// shortened keeps an error readable whatever the line.
func shortened(line string) string {
	if len(line) > 80 {
		return strings.ToValidUTF8(line[:80], "") + "..."
	}
	return line
}

func parseFrequency(s string) (uint64, error) {
	freq, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("frequency %q is not a whole number", shortened(s))
	}
	if freq > maxFrequency {
		return 0, fmt.Errorf("frequency %d is above %d", freq, maxFrequency)
	}
	return freq, nil
}
