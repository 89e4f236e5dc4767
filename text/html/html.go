// Package html takes the main text out of a web page: what its author wrote,
// without menus, related links, advertisements and footers. The extractor is
// trafilatura's; around it stand the charset, limits that hold for hostile
// pages, and a fallback for pages without an article.
package html

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/neardup/neardup/text"
)

// Page is what a web page says.
type Page struct {
	Title     string // of the article, else of the page
	Text      string // main text, one line a paragraph, UTF-8, not normalised
	Canonical string // the page's own name for its address, absolute; or ""
	Charset   string // what the bytes were in, as text.Decode names it
	// Fallback says that no article was found and Text is all visible text.
	Fallback bool
}

// ErrTooLarge, ErrTooDeep and ErrTooComplex are wrapped by the errors of pages
// that are beyond the limits of Options.
var (
	ErrTooLarge   = errors.New("web page is too large")
	ErrTooDeep    = errors.New("web page is nested too deep")
	ErrTooComplex = errors.New("web page has too many elements")
)

// Options are the limits within which a page is read. They are checked on
// its tokens, before a tree is built, and bound memory to about 100 times the
// size of a page and time to a few seconds.
type Options struct {
	Bytes    int // of the raw page and of its UTF-8
	Depth    int // of open elements
	Elements int // start tags, and elements that the parser repeats for open formatting
	Attrs    int // of one element
}

// Defaults returns the limits that Extract applies: pages of people stay a
// tenth below them.
func Defaults() Options {
	return Options{Bytes: 8 << 20, Depth: 500, Elements: 300_000, Attrs: 1000}
}

// Extract returns the main text of a page, within Defaults. declaredCharset
// is what the server said, pageURL where the page came from; both may be
// empty. About 90 pages of news a second.
func Extract(page []byte, declaredCharset, pageURL string) (Page, error) {
	return Defaults().Extract(page, declaredCharset, pageURL)
}

// Extract is the function of the same name within other limits. The error
// wraps text.ErrBinary or one of this package's errors.
func (o Options) Extract(page []byte, declaredCharset, pageURL string) (Page, error) {
	if len(page) > o.Bytes {
		return Page{}, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(page), o.Bytes)
	}
	source, charset, err := text.Decode(page, declaredCharset)
	if err != nil {
		return Page{}, fmt.Errorf("web page: %w", err)
	}
	source = strings.ReplaceAll(source, "\x00", "")
	if err := o.check(source); err != nil {
		return Page{}, err
	}
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return Page{}, fmt.Errorf("parse web page: %w", err)
	}
	base, _ := url.Parse(pageURL)
	out := Page{Charset: charset, Canonical: canonical(root, base), Title: title(root)}
	out.Text, out.Fallback = mainText(root, base)
	return out, nil
}

// An article of up to shortest characters is what the library scrapes together
// when it found none.
const shortest = 100

// mainText asks the library, and takes all visible text where it finds no
// article or would take too long to look.
func mainText(root *html.Node, base *url.URL) (string, bool) {
	whole := visible(root)
	prepare(root)
	if tooMuchWork(root, len(whole)) {
		return whole, true
	}
	found, err := trafilatura.ExtractDocument(root, trafilatura.Options{
		OriginalURL:     base,
		ExcludeComments: true,
		HtmlDateMode:    trafilatura.Disabled,
	})
	if err != nil || utf8.RuneCountInString(found.ContentText) <= shortest {
		return whole, true
	}
	return found.ContentText, false
}

// prepare takes scripts out of the tree. They hold no text but JSON-LD, of
// which the library takes any one of several bodies, by chance. Blocks get a
// line end, lest it join the last word of one and the first of the next.
func prepare(root *html.Node) {
	var scripts []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style:
			scripts = append(scripts, n)
		case !isInline(n.DataAtom) && n.LastChild != nil && n.LastChild.Type == html.TextNode:
			n.LastChild.Data += "\n"
		}
	}
	for _, n := range scripts {
		n.Parent.RemoveChild(n)
	}
}
