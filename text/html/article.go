package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What a run of text is worth as a part of an article is counted in letters.
// The numbers were tried on the labelled pages that docs/web-pages.md names;
// half or twice of each changes F1 by a hundredth at most.
const (
	linkCost = 2.  // letters that one letter inside a link subtracts
	runCost  = 15. // letters that a run needs to be worth anything
	fading   = .8  // of a worth counts one level above, and so the closest element around an article wins
	against  = .5  // of what is below nothing counts above it
	doubt    = .4  // of the worth of an element whose name indicates that it is not an article
	growth   = .1  // more prose makes the element above the article
	purity   = .7  // of what it brings must be prose
)

// article returns the lines of the main text of a page. It takes the element of the greatest worth, without
// parts that are excluded by their links or names. The work is linear in the size of the page.
//
// Main text is long and its links are short (the text and link density of the literature). Here that is one sum
// over the tree, so that an article in paragraphs, in line breaks or in the cells of a table is found alike.
func article(page *block, title string) []string {
	page.weigh()
	best, _ := page.best(1)
	best = best.climb()
	best.trim(best.inArticle(), (best.size-best.linked)/2)
	return dropTitle(best.lines(nil), title)
}

// weigh sums up worth and prose of the runs inside.
func (b *block) weigh() {
	if b.node == nil {
		b.worth = float64(b.size) - linkCost*float64(b.linked) - runCost
		if b.worth > 0 {
			b.prose = b.size - b.linked
		}
		return
	}
	b.unwanted = unwanted(b.node)
	for _, c := range b.inside {
		c.weigh()
		b.worth += max(c.worth, against*c.worth) * below(b.node)
		b.prose += c.prose
	}
	b.worth *= trust(b.node)
	if b.unwanted {
		b.worth *= doubt
		b.prose = 0
	}
}

// below returns the share of the worth inside an element that counts for it. It is 1 for the rows of a table,
// or one cell of a page laid out by tables would outweigh all of them together.
func below(n *html.Node) float64 {
	if isRow(n.DataAtom) {
		return 1
	}
	return fading
}

func isRow(tag atom.Atom) bool {
	return tag == atom.Tr || tag == atom.Tbody || tag == atom.Thead || tag == atom.Tfoot
}

// trust returns more than 1 for elements that are marked as the article.
func trust(n *html.Node) float64 {
	switch {
	case attr(n, "itemprop") == "articleBody":
		return 2
	case n.DataAtom == atom.Article:
		return 1.2
	case n.DataAtom == atom.Main || attr(n, "role") == "main":
		return 1.1
	}
	return 1
}

// best returns the inner element of the greatest worth, and its worth. believed is the factor from the elements
// around it.
func (b *block) best(believed float64) (top *block, worth float64) {
	if !isRow(b.node.DataAtom) {
		top, worth = b, b.worth*believed
	}
	if b.unwanted {
		believed *= doubt
	}
	for _, c := range b.inside {
		if c.node == nil {
			continue
		}
		if d, w := c.best(believed); d != nil && (top == nil || w > worth) {
			top, worth = d, w
		}
	}
	return top, worth
}

// climb returns the highest element above an article of several parts that
// brings more prose and little else.
func (b *block) climb() *block {
	for up := b.above; up != nil; up = up.above {
		more, all := float64(up.prose-b.prose), float64(up.size-b.size)
		if more >= growth*float64(b.prose) && more >= purity*all {
			b = up
		}
	}
	return b
}

func (b *block) inArticle() bool {
	for ; b != nil; b = b.above {
		if b.node.DataAtom == atom.Article {
			return true
		}
	}
	return false
}

// trim removes lists of links, elements that are unwanted by name, and articles inside an article. It removes
// each only if it has less text than most.
func (b *block) trim(within bool, most int) {
	kept := b.inside[:0]
	for _, c := range b.inside {
		if c.node != nil {
			inner := c.node.DataAtom == atom.Article
			foreign := c.unwanted || (inner && within) || (c.worth < 0 && 2*c.linked > c.size)
			if foreign && c.size-c.linked < most {
				continue
			}
			c.trim(within || inner, most)
		}
		kept = append(kept, c)
	}
	b.inside = kept
}

// dropTitle drops the title, and what precedes it, at the start of an article. The title is a separate field,
// and short pages would differ by it.
func dropTitle(lines []string, title string) []string {
	const few, short = 5, 15 // lines, bytes
	for i, line := range lines[:min(len(lines), few)] {
		cut := len(line) > short && strings.HasPrefix(title, line)
		extended := len(title) > short && strings.HasPrefix(line, title) && len(line) < 2*len(title)
		if cut || extended {
			return lines[i+1:]
		}
	}
	return lines
}
