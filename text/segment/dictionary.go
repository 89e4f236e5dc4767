package segment

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/internal/textlines"
)

// maxFrequency limits the frequency of a word, so that the sum over a dictionary never overflows.
const maxFrequency = 1 << 36

// eachLine calls f with every line that is not empty after trimming. Errors begin with name and line number.
func eachLine(name string, r io.Reader, f func(line string) error) error {
	return textlines.Lines(name, r, func(_ int, raw []byte) error {
		line := strings.TrimSpace(string(raw))
		switch {
		case !utf8.ValidString(line):
			return errors.New("not UTF-8")
		case line == "":
			return nil
		}
		return f(line)
	})
}

func parseFrequency(s string) (uint64, error) {
	freq, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("frequency %.80q: not a whole number", s)
	}
	if freq > maxFrequency {
		return 0, fmt.Errorf("frequency %d: too large (want at most %d)", freq, maxFrequency)
	}
	return freq, nil
}
