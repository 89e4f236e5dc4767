package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// visible returns all text of the body that a browser shows without scripts,
// a line for each block: what remains to be compared when a page has no
// article.
func visible(root *html.Node) string {
	var b strings.Builder
	writeVisible(&b, root)
	var lines []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// writeVisible recurs as deep as the tree, which Options.Depth bounds.
func writeVisible(b *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(strings.NewReplacer("\n", " ", "\r", " ").Replace(n.Data))
		return
	case n.Type == html.ElementNode && isHidden(n):
		return
	}
	block := n.Type == html.ElementNode && !isInline(n.DataAtom)
	if block {
		b.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeVisible(b, c)
	}
	if block {
		b.WriteByte('\n')
	}
}

func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg, atom.Math,
		atom.Select, atom.Textarea, atom.Canvas, atom.Audio, atom.Video:
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" {
			return true
		}
	}
	return false
}

func isInline(tag atom.Atom) bool {
	switch tag {
	case atom.Span, atom.Abbr, atom.Cite, atom.Mark, atom.Sub, atom.Sup, atom.Q, atom.Label, atom.Time, atom.Ins, atom.Del,
		atom.Kbd, atom.Samp, atom.Var, atom.Bdi, atom.Bdo, atom.Ruby, atom.Wbr, atom.Dfn, atom.Data:
		return true
	}
	return isFormatting(tag)
}
