package html

import (
	"bytes"
	"strings"
)

// Sniff reports whether the first kilobyte of raw looks like HTML: a doctype, a comment or an XML declaration before the
// first tag of a page, or such a tag itself. Of XML only XHTML counts. It only examines ASCII, so it works in any charset
// except UTF-16.
func Sniff(raw []byte) bool {
	head := bytes.ToLower(raw[:min(len(raw), 1024)])
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n\f")
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			_, rest, ok := bytes.Cut(head, []byte("-->"))
			if !ok {
				return true // the comment is long
			}
			head = rest
		case bytes.HasPrefix(head, []byte("<?xml")):
			_, rest, ok := bytes.Cut(head, []byte("?>"))
			if !ok {
				return false
			}
			head = rest
		default:
			return bytes.HasPrefix(head, []byte("<!doctype html")) || startsWithTag(head)
		}
	}
}

func startsWithTag(head []byte) bool {
	if len(head) == 0 || head[0] != '<' {
		return false
	}
	name := head[1:]
	if end := bytes.IndexAny(name, " \t\r\n\f/>"); end >= 0 {
		name = name[:end]
	} else {
		return false
	}
	const tags = " html head body title meta link script style base div p h1 h2 table br a span article main section header nav img center font iframe ul ol "
	return len(name) > 0 && strings.Contains(tags, " "+string(name)+" ")
}
