package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The worth of a run of text as a part of an article is measured in letters. The values were tuned on the labelled pages
// that docs/web-pages.md names. Halving or doubling any of them changes F1 by at most a hundredth.
const (
	linkCost = 2.  // subtracted for each letter inside a link
	runCost  = 15. // subtracted from each run, so that short runs are worth nothing
	fading   = .8  // share of the worth that counts for the parent, so that the closest element around an article wins
	against  = .5  // share of a negative worth that counts for the parent
	doubt    = .4  // factor for an element whose name suggests that it is not an article
	growth   = .1  // increase in prose for which the parent becomes the article
	purity   = .7  // share of the increase that must be prose
)

// article returns the lines of the main text of a page. It selects the element of the greatest worth, and excludes parts by
// their links or names. The work is linear in the size of the page.
//
// Main text is long and has short links (the text density and link density of the literature). Here both are one sum over
// the tree, so an article is found equally well in paragraphs, between line breaks or in table cells.
func article(page *block, title string) []string {
	page.weigh()
	best, _ := page.best(1)
	best = best.climb()
	best.trim(best.inArticle(), (best.size-best.linked)/2)
	return dropTitle(best.lines(nil), title)
}

// weigh computes the worth and the prose of a block from its runs.
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

// below returns the share of the worth of inner elements that counts for an element. It is 1 for table rows, because
// otherwise a single cell of a page laid out by tables would outweigh all of them together.
func below(n *html.Node) float64 {
	if isRow(n.DataAtom) {
		return 1
	}
	return fading
}

func isRow(tag atom.Atom) bool {
	return tag == atom.Tr || tag == atom.Tbody || tag == atom.Thead || tag == atom.Tfoot
}

// trust returns a factor above 1 for elements that are marked as the article.
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

// best returns the inner element of the greatest worth, and that worth. believed is the product of the factors of the
// elements around it.
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

// climb returns the highest element above an article in several parts that adds prose and little else.
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

// trim removes lists of links, elements with unwanted names, and articles inside an article. It only removes those that
// have less text than most.
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

// dropTitle drops the title at the start of an article, and the text before it. The title is a separate field, and would
// make short pages differ.
func dropTitle(lines []string, title string) []string {
	const few, short = 5, 15 // in lines and in bytes
	for i, line := range lines[:min(len(lines), few)] {
		cut := len(line) > short && strings.HasPrefix(title, line)
		extended := len(title) > short && strings.HasPrefix(line, title) && len(line) < 2*len(title)
		if cut || extended {
			return lines[i+1:]
		}
	}
	return lines
}
