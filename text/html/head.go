package html

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// head returns the title and the canonical address of a page. The title is og:title or the name of the article; otherwise
// it is the title element, which on most sites ends with the name of the site. The address is the absolute http(s) address
// of link rel=canonical, or of og:url.
func head(root *html.Node, base *url.URL) (title, canonical string) {
	var ogTitle, element, link, ogURL string
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Meta:
			switch attr(n, "property") {
			case "og:title":
				ogTitle = cmp.Or(ogTitle, strings.Join(strings.Fields(attr(n, "content")), " "))
			case "og:url":
				ogURL = cmp.Or(ogURL, absolute(attr(n, "content"), base))
			}
		case atom.Title:
			if n.FirstChild != nil && n.Namespace == "" {
				element = cmp.Or(element, strings.Join(strings.Fields(n.FirstChild.Data), " "))
			}
		case atom.Link:
			if strings.EqualFold(attr(n, "rel"), "canonical") {
				link = cmp.Or(link, absolute(attr(n, "href"), base))
			}
		}
	}
	return cmp.Or(ogTitle, element), cmp.Or(link, ogURL)
}

func absolute(ref string, base *url.URL) string {
	u, err := url.Parse(strings.TrimSpace(ref))
	if err != nil || ref == "" {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return ""
	}
	return u.String()
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
