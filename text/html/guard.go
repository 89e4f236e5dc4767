package html

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// check reads the tokens of a page in constant memory. It returns an error for pages whose parsing would take
// disproportionate work.
//
// Depth counts start tags without end tags. The optional end tags of paragraphs, list items and table cells are assumed.
// The parser opens formatting elements (<b><p>..) again in every following block, so each block counts once for each of
// them. That defeats an attack with a thousand <font> followed by a hundred thousand <p>.
func (o Options) check(source string) error {
	z := html.NewTokenizer(strings.NewReader(source))
	z.SetMaxBuf(o.Bytes)
	depth, elements, formatting := 0, 0, 0
	for {
		token := z.Next()
		switch token {
		case html.ErrorToken:
			if err := z.Err(); err == html.ErrBufferExceeded {
				return fmt.Errorf("%w: a token of more than %d bytes", ErrTooLarge, o.Bytes)
			}
			return nil
		case html.StartTagToken, html.EndTagToken:
			name, more := z.TagName()
			tag, opened := atom.Lookup(name), 1
			if token == html.EndTagToken {
				opened = -1
			} else if n := attributes(z, more); n > o.Attrs {
				return fmt.Errorf("%w: <%s> has more than %d attributes", ErrTooComplex, tag, o.Attrs)
			}
			switch {
			case isFormatting(tag):
				formatting = max(0, formatting+opened)
			case !endsItself(tag):
				depth = max(0, depth+opened)
			}
			if opened > 0 {
				elements += 1 + formatting
			}
		}
		if depth+formatting > o.Depth {
			return fmt.Errorf("%w: more than %d open elements", ErrTooDeep, o.Depth)
		}
		if elements > o.Elements {
			return fmt.Errorf("%w: more than %d", ErrTooComplex, o.Elements)
		}
	}
}

func attributes(z *html.Tokenizer, more bool) (n int) {
	for more {
		_, _, more = z.TagAttr()
		n++
	}
	return n
}

func isFormatting(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S,
		atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// endsItself reports whether an element has no content, or is closed by the next element of its kind.
func endsItself(tag atom.Atom) bool {
	switch tag {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr,
		atom.P, atom.Li, atom.Dt, atom.Dd, atom.Option, atom.Optgroup, atom.Tr, atom.Td, atom.Th, atom.Tbody, atom.Thead,
		atom.Tfoot, atom.Html, atom.Head, atom.Body, atom.Rt, atom.Rp:
		return true
	}
	return false
}
