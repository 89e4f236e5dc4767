package passage

import (
	"strings"
	"unicode/utf8"
)

// keepHeadings makes parts stay without which a heading before them has no text, or what ends with a
// colon announces nothing.
func keepHeadings(s string, parts []Part) {
	for i := range parts {
		p := &parts[i]
		if p.Stays != "" {
			continue
		}
		if strings.ContainsRune(":：", lastRune(strings.TrimRight(s[:p.Start], " \t\r\n"))) {
			p.Stays = Heading // what it announces would be gone
		}
		if (i == 0 || parts[i-1].Stays != "" || parts[i-1].End <= lineBefore(s, p.Start)) && endsWithHeading(s[:p.Start]) && beginsWithHeading(s[p.End:]) {
			p.Stays = Heading
		}
	}
}

// lineBefore is where the last line before a place begins that is not blank.
func lineBefore(s string, at int) int {
	return strings.LastIndexByte(strings.TrimSpace(s[:at]), '\n') + 1
}

// endsWithHeading reports whether the last line is a heading, under which what follows
// would be its text.
func endsWithHeading(s string) bool {
	line := strings.TrimRight(s, " \t\r\n")
	if line == "" || !strings.Contains(s[len(line):], "\n") {
		return false
	}
	at := strings.LastIndexByte(line, '\n') + 1
	return isHeading(s[:at], line[at:])
}

// beginsWithHeading reports whether no text comes before the next heading or the end.
func beginsWithHeading(s string) bool {
	rest := strings.TrimLeft(s, " \t\r\n")
	line, _, _ := strings.Cut(rest, "\n")
	return rest == "" || isHeading("\n\n", strings.TrimSpace(line))
}

// headingRunes is how long a heading may be.
const headingRunes = 80

// isHeading reports whether a line looks like a heading: it says so, or it is short, stands
// apart and ends like no sentence.
func isHeading(before, line string) bool {
	if strings.HasPrefix(line, "#") {
		return true
	}
	apart := strings.TrimSpace(before) == "" || strings.HasSuffix(strings.ReplaceAll(before, "\r", ""), "\n\n")
	last, _ := utf8.DecodeLastRuneInString(line)
	return apart && line != "" && utf8.RuneCountInString(line) <= headingRunes && !strings.ContainsRune(".。！？!?;；,，…", last)
}
