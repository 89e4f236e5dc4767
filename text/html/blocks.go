package html

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// block is a block element with the blocks inside it, or a run of text between two blocks.
type block struct {
	node   *html.Node // nil for a run
	above  *block
	inside []*block
	text   string // text of a run: white space is folded, and "\n" marks line breaks
	size   int    // weighted number of letters and digits; see weight
	linked int    // part of size inside links

	worth    float64 // computed by weigh
	prose    int     // letters outside links in runs of positive worth
	unwanted bool    // according to its name
}

// blocks builds the tree of blocks below n, without elements that a browser hides.
func blocks(n *html.Node) *block {
	b := builder{top: &block{node: n}}
	b.walk(n)
	b.flush()
	return b.top
}

// builder collects the runs of text of the block at the top of the stack.
type builder struct {
	top    *block
	run    strings.Builder
	size   int // size of the current run
	linked int
	links  int  // number of open links
	gap    bool // white space was read
}

// walk recurses as deep as the tree, whose depth Options.Depth limits.
func (b *builder) walk(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.write(c.Data)
		case c.Type != html.ElementNode || isHidden(c):
		case c.DataAtom == atom.Br:
			b.run.WriteByte('\n')
			b.gap = false
		case c.DataAtom == atom.A:
			b.links++
			b.walk(c)
			b.links--
		case isInline(c.DataAtom):
			b.walk(c)
		default:
			b.block(c)
		}
	}
}

func (b *builder) block(n *html.Node) {
	b.flush()
	above := b.top
	b.top = &block{node: n}
	b.walk(n)
	b.flush()
	b.top.fuse()
	above.add(b.top)
	b.top = above
}

func (b *builder) write(s string) {
	for _, r := range s {
		if unicode.IsSpace(r) {
			b.gap = true
			continue
		}
		if b.gap && b.run.Len() > 0 {
			b.run.WriteByte(' ')
		}
		b.gap = false
		b.run.WriteRune(r)
		n := weight(r)
		b.size += n
		if b.links > 0 {
			b.linked += n
		}
	}
}

// weight returns the amount of text that a rune represents, in Latin letters.
func weight(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		if ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z') || ('0' <= r && r <= '9') {
			return 1
		}
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 3
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return 1
	}
	return 0
}

// flush ends the current run.
func (b *builder) flush() {
	if text := strings.Trim(b.run.String(), " \n"); text != "" {
		b.top.add(&block{text: text, size: b.size, linked: b.linked})
	}
	b.run.Reset()
	b.size, b.linked, b.gap = 0, 0, false
}

func (b *block) add(c *block) {
	if c.node != nil && len(c.inside) == 0 {
		return
	}
	c.above = b
	b.inside = append(b.inside, c)
	b.size += c.size
	b.linked += c.linked
}

// fuse joins each row of a data table into one run. The cells of a table that lays out a page stay blocks.
func (b *block) fuse() {
	const long = 100 // in letters; data cells are shorter
	if b.node.DataAtom != atom.Tr || len(b.inside) < 2 {
		return
	}
	cells := make([]string, 0, len(b.inside))
	for _, c := range b.inside {
		if c.node == nil || len(c.inside) != 1 || c.inside[0].node != nil || c.size > long {
			return
		}
		cells = append(cells, strings.ReplaceAll(c.inside[0].text, "\n", " "))
	}
	b.inside = []*block{{above: b, text: strings.Join(cells, " "), size: b.size, linked: b.linked}}
}

// lines appends the lines of all runs inside the block.
func (b *block) lines(to []string) []string {
	if b.node == nil {
		for line := range strings.SplitSeq(b.text, "\n") {
			line = strings.Trim(line, " ")
			if line != "" {
				to = append(to, line)
			}
		}
	}
	for _, c := range b.inside {
		to = c.lines(to)
	}
	return to
}
