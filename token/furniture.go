package token

import (
	"strings"
	"unicode/utf8"
)

// Furniture is text around the content: links, the handle of a sender, RT and via, closing hashtags, the dateline of an
// agency, and a label in 【】 or heading marks at the start.

// mostDateline limits a dateline in bytes.
const mostDateline = 72

var (
	agencies     = []string{"(reuters)", "(ap)", "(afp)", "(xinhua)", "(upi)", "(cnn)", "(cp)", "(dpa)", "(kyodo)"}
	datelineEnds = []string{"日电", "日讯", "日消息", "讯 ", "讯:"}
)

// body returns the bounds of a clean text without the furniture at its start and end.
func body(clean string) (from, to int) {
	to = len(clean)
	for from < to {
		at := from + headEnd(clean[from:to])
		if at == from {
			break
		}
		from = at
	}
	for from < to {
		at := from + tailStart(clean[from:to])
		if at == to {
			break
		}
		to = at
	}
	return from, to
}

// headEnd returns the end of the piece of furniture at the start of s, or 0.
func headEnd(s string) int {
	switch {
	case s[0] == ' ' || (s[0] == '#' && strings.TrimLeft(s, "#") != "" && strings.TrimLeft(s, "#")[0] == ' '):
		return len(s) - len(strings.TrimLeft(s, "# "))
	case strings.HasPrefix(s, "【"):
		if end := strings.Index(s, "】"); end > 0 && end <= mostDateline {
			return end + len("】")
		}
	case strings.HasPrefix(s, "rt @") || strings.HasPrefix(s, "mt @"):
		return 3
	case s[0] == '@':
		end := handleEnd(s, 0)
		if end < len(s) && s[end] == ':' {
			end++
		}
		return end
	}
	return datelineEnd(s)
}

// datelineEnd returns where the story begins after its dateline, such as "LONDON, Nov 3 (Reuters) -" or 新华社北京3月5日电.
func datelineEnd(s string) int {
	head := s[:min(len(s), mostDateline)]
	if !strings.Contains(head, "(") && !strings.Contains(head, "日") && !strings.Contains(head, "讯") {
		return 0
	}
	for _, name := range agencies {
		if at := strings.Index(head, name); at >= 0 && !strings.ContainsAny(head[:at], "!?;:") {
			return at + len(name)
		}
	}
	for _, end := range datelineEnds {
		at := strings.Index(head, end)
		if at > 0 && !strings.ContainsAny(head[:at], ",。!?;") && strings.ContainsAny(head[:at], "社网报台") {
			return at + len(end)
		}
	}
	return 0
}

// tailStart returns the start of the piece of furniture at the end of s, or len(s).
func tailStart(s string) int {
	at := strings.LastIndexByte(strings.TrimRight(s, " "), ' ') + 1
	if s[len(s)-1] == ' ' {
		return len(strings.TrimRight(s, " "))
	}
	word := s[at:]
	if at > 0 && ((len(word) > 1 && word[0] == '#' && !isDigit(word[1]) && wordAt(word, 1) > 1) || isLink(s, at)) {
		return at
	}
	if strings.HasPrefix(word, "@") && (strings.HasSuffix(s[:at], " via ") || strings.HasSuffix(s[:at], " h/t ")) {
		return at - len("via ")
	}
	return len(s)
}

// handleEnd returns the end of the handle that begins with the @ at s[at], or at if there is none.
func handleEnd(s string, at int) int {
	if at > 0 {
		if r, _ := utf8.DecodeLastRuneInString(s[:at]); class(r) != classOther {
			return at
		}
	}
	end := at + 1
	for end < len(s) && (isWordByte(s[end]) || s[end] == '_') {
		end++
	}
	if end == at+1 {
		return at
	}
	return end
}

// mostLink limits a link in bytes.
const mostLink = 500

// linkEnd returns the end of the link or email address whose first word is s[at:end]. If it is a plain word, it returns
// end.
func linkEnd(s string, at, end int) int {
	word, rest := s[at:end], s[end:]
	switch {
	case (word == "http" || word == "https" || word == "ftp") && strings.HasPrefix(rest, "://"):
	case word == "www" && strings.HasPrefix(rest, "."):
	case isHost(s, at, end):
	default:
		return end
	}
	to := end
	for to < len(s) && to < end+mostLink && s[to] > ' ' && s[to] < utf8.RuneSelf && strings.IndexByte("<>\"'()", s[to]) < 0 {
		to++
	}
	for strings.IndexByte(".,;:!?", s[to-1]) >= 0 {
		to--
	}
	return to
}

// isLink reports whether s ends with a link that begins at s[at].
func isLink(s string, at int) bool {
	end := wordAt(s, at)
	return end > at && end < len(s) && linkEnd(s, at, end) == len(s)
}

// isHost reports whether a word continues as a host name before a path (t.co/x), or as an email address
// (anna.b@example.org).
func isHost(s string, at, end int) bool {
	to, dots, last := end, 0, at
	for to+1 < min(len(s), end+mostLink) && (s[to] == '.' || s[to] == '-' || s[to] == '_') && isWordByte(s[to+1]) {
		if s[to] == '.' {
			dots, last = dots+1, to+1
		}
		for to++; to < len(s) && isWordByte(s[to]); to++ {
		}
	}
	if to+1 >= len(s) || !isWordByte(s[to+1]) {
		return false
	}
	letters := strings.IndexFunc(s[last:to], func(r rune) bool { return r < 'a' || r > 'z' }) < 0
	return s[to] == '@' || (s[to] == '/' && dots > 0 && letters && to-last >= 2)
}
