// Package html extracts the main text of a web page: what its author wrote, without menus, related links,
// advertisements and footers. It also detects the charset, limits the work on hostile pages, and has a fallback
// for pages without an article.
package html

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/neardup/neardup/text"
)

// Page is the content of a web page.
type Page struct {
	Title     string // title of the article, otherwise of the page
	Text      string // main text in UTF-8, one line per paragraph, not normalised
	Canonical string // the address that the page gives itself, absolute, or ""
	Charset   string // charset of the bytes, as text.Decode names it
	// Fallback is set if no article was found and Text is all visible text.
	Fallback bool
}

// ErrTooLarge, ErrTooDeep and ErrTooComplex are wrapped by the errors of pages
// that are beyond the limits of Options.
var (
	ErrTooLarge   = errors.New("web page is too large")
	ErrTooDeep    = errors.New("web page is nested too deep")
	ErrTooComplex = errors.New("web page has too many elements")
)

// Options are limits for pages. They are checked on tokens, before a tree is built. They bound the memory to about 100
// times the size of a page. The work is linear in that size.
type Options struct {
	Bytes    int // size of the raw page, and of its UTF-8
	Depth    int // depth of open elements
	Elements int // number of start tags, including elements that the parser repeats for open formatting
	Attrs    int // number of attributes of an element
}

// Defaults returns the limits that Extract applies. Real pages reach at most a tenth of them.
func Defaults() Options {
	return Options{Bytes: 8 << 20, Depth: 500, Elements: 300_000, Attrs: 1000}
}

// Extract returns the main text of a page, within Defaults. declaredCharset comes from the server, and pageURL
// is the page's address; both may be empty. The cost is about 1.5 times the parser's.
func Extract(page []byte, declaredCharset, pageURL string) (Page, error) {
	return Defaults().Extract(page, declaredCharset, pageURL)
}

// Extract extracts the main text within the limits of o. The error wraps text.ErrBinary or one of this
// package's errors.
func (o Options) Extract(page []byte, declaredCharset, pageURL string) (Page, error) {
	if len(page) > o.Bytes {
		return Page{}, fmt.Errorf("%w: %d bytes (want at most %d)", ErrTooLarge, len(page), o.Bytes)
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
	out := Page{Charset: charset}
	out.Title, out.Canonical = head(root, base)
	blocks := blocks(root)
	whole := strings.Join(blocks.lines(nil), "\n")
	out.Text = strings.Join(article(blocks, out.Title), "\n")
	if utf8.RuneCountInString(out.Text) <= shortest {
		out.Text, out.Fallback = whole, true
	}
	return out, nil
}

// An article has more than shortest characters. A shorter text comes from a page without an article.
const shortest = 100
