package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isHidden reports whether a browser without scripts hides an element.
func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg, atom.Math,
		atom.Select, atom.Textarea, atom.Canvas, atom.Audio, atom.Video:
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || (a.Key == "style" && hides(a.Val)) {
			return true
		}
	}
	return false
}

// hides reports whether a style hides its element.
func hides(style string) bool {
	style = strings.ReplaceAll(style, " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

func isInline(tag atom.Atom) bool {
	switch tag {
	case atom.Span, atom.Abbr, atom.Cite, atom.Mark, atom.Sub, atom.Sup, atom.Q, atom.Label, atom.Time, atom.Ins, atom.Del,
		atom.Kbd, atom.Samp, atom.Var, atom.Bdi, atom.Bdo, atom.Ruby, atom.Wbr, atom.Dfn, atom.Data:
		return true
	}
	return isFormatting(tag)
}
