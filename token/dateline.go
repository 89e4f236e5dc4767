package token

import (
	"strings"
	"unicode/utf8"
)

// A dateline says before a story who brought it, from where and when: 新华社北京
// 3月5日电, LONDON, Nov 3 (Reuters) -. It is no part of what the story says.

// mostDateline is the length of a dateline in runes.
const mostDateline = 28

var (
	agencies      = []string{"社", "网", "报", "台", "频道"}
	datelineEnds  = []string{"日电", "日讯", "日消息"}
	datelineNames = []string{"(reuters)", "(ap)", "(afp)", "(xinhua)", "(upi)", "(cnn)"}
)

// datelineEnd returns where the story begins behind its dateline; 0 if it has
// none.
func datelineEnd(clean string) int {
	head := firstRunes(clean, mostDateline)
	if !strings.Contains(head, "日") && !strings.Contains(head, "(") { // nearly always
		return 0
	}
	for _, end := range datelineEnds {
		if at := strings.Index(head, end); at > 0 && isDigit(head[at-1]) && !strings.ContainsAny(head[:at], ",。!?;,") && namesAgency(head[:at]) {
			return at + len(end)
		}
	}
	for _, name := range datelineNames {
		if at := strings.Index(head, name); at >= 0 && !strings.ContainsAny(head[:at], "!?;:") {
			return at + len(name)
		}
	}
	return 0
}

// namesAgency reports whether the text begins with the name of who brings news.
func namesAgency(s string) bool {
	for _, name := range agencies {
		if at := strings.Index(s, name); at > 0 && utf8.RuneCountInString(s[:at]) <= 6 {
			return true
		}
	}
	return false
}

func firstRunes(s string, n int) string {
	for at := range s {
		if n == 0 {
			return s[:at]
		}
		n--
	}
	return s
}
