package html

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// title returns og:title, which names the article, else the title element,
// which most sites end with their own name.
func title(root *html.Node) string {
	var og, element string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Meta:
			if og == "" && attr(n, "property") == "og:title" {
				og = attr(n, "content")
			}
		case atom.Title:
			if element == "" && n.FirstChild != nil && n.Namespace == "" {
				element = n.FirstChild.Data
			}
		}
	}
	for _, t := range []string{og, element} {
		if t = strings.Join(strings.Fields(t), " "); t != "" {
			return t
		}
	}
	return ""
}

// canonical returns the absolute http(s) address of link rel=canonical, else
// of og:url.
func canonical(root *html.Node, base *url.URL) string {
	var link, og string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Link:
			if link == "" && strings.EqualFold(attr(n, "rel"), "canonical") {
				link = absolute(attr(n, "href"), base)
			}
		case atom.Meta:
			if og == "" && attr(n, "property") == "og:url" {
				og = absolute(attr(n, "content"), base)
			}
		}
	}
	if link != "" {
		return link
	}
	return og
}

func absolute(ref string, base *url.URL) string {
	u, err := url.Parse(strings.TrimSpace(ref))
	if err != nil || ref == "" {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
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
