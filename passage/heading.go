package passage

import (
	"strings"
	"unicode/utf8"
)

// keepHeadings keeps a part if cutting it would leave a heading, or a line that ends with a colon, without text. Parts
// separated only by blanks are cut or kept together.
func keepHeadings(s string, parts []Part) {
	for i, n := 0, 0; i < len(parts); i = n {
		n = i + 1
		if parts[i].Stays != "" {
			continue
		}
		for n < len(parts) && parts[n].Stays == "" && strings.TrimSpace(s[parts[n-1].End:parts[n].Start]) == "" {
			n++
		}
		before, after := s[:parts[i].Start], s[parts[n-1].End:]
		stands := i == 0 || parts[i-1].Stays != "" || parts[i-1].End <= lineBefore(s, parts[i].Start) // the line before it stays
		if strings.ContainsRune(":：", lastRune(strings.TrimRight(before, " \t\r\n"))) || (stands && alone(headingAtEnd(before), headingAtStart(after))) {
			for k := i; k < n; k++ {
				parts[k].Stays = Heading
			}
		}
	}
}

// lineBefore returns the start of the last non-blank line before an offset.
func lineBefore(s string, at int) int {
	return strings.LastIndexByte(strings.TrimSpace(s[:at]), '\n') + 1
}

// level is the level of a heading, 1 for the highest of Markdown.
type level int

const (
	noHeading level = 0
	unmarked  level = -1 // the line looks like a heading, but has no mark
	ended     level = -2 // the text has ended
)

// alone reports whether a heading has no text before the next heading. A heading of a lower level counts as text.
func alone(heading, next level) bool {
	return heading != noHeading && next != noHeading && (heading < 0 || next < 0 || next <= heading)
}

// headingAtEnd returns the level of the last line, if it is a heading whose text would follow.
func headingAtEnd(s string) level {
	line := strings.TrimRight(s, " \t\r\n")
	if line == "" || !strings.Contains(s[len(line):], "\n") {
		return noHeading
	}
	at := strings.LastIndexByte(line, '\n') + 1
	if l := underline(line[at:]); l != noHeading {
		if endsBlank(line[:at]) {
			return noHeading // a horizontal rule
		}
		return l
	}
	return headingLevel(s[:at], line[at:])
}

// headingAtStart returns the level of a heading at the start of s, or ended if s is blank.
func headingAtStart(s string) level {
	rest := strings.TrimLeft(s, " \t\r\n")
	line, below, _ := strings.Cut(rest, "\n")
	if rest == "" {
		return ended
	}
	below, _, _ = strings.Cut(below, "\n")
	if l := underline(below); l != noHeading {
		return l
	}
	return headingLevel("\n\n", strings.TrimSpace(line))
}

// underline returns the level of the heading that a line of Markdown underlines.
func underline(line string) level {
	line = strings.TrimSpace(line)
	switch {
	case len(line) < 3:
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return noHeading
}

// endsBlank reports whether the last line is blank, or s is empty.
func endsBlank(s string) bool {
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]) == ""
}

// headingRunes is the greatest length of a heading.
const headingRunes = 80

// headingLevel returns the level of a line that is marked as a heading, or that looks like one because it is short,
// separate and does not end like a sentence.
func headingLevel(before, line string) level {
	if marks := len(line) - len(strings.TrimLeft(line, "#")); marks > 0 {
		return level(marks)
	}
	apart := strings.TrimSpace(before) == "" || strings.HasSuffix(strings.ReplaceAll(before, "\r", ""), "\n\n")
	last, _ := utf8.DecodeLastRuneInString(line)
	if apart && line != "" && utf8.RuneCountInString(line) <= headingRunes && !strings.ContainsRune(".。！？!?;；,，…", last) {
		return unmarked
	}
	return noHeading
}
