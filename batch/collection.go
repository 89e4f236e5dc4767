package batch

import (
	"context"
	"slices"
	"unsafe"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/internal/external"
)

// collection is the input: the documents, and their distinct clean texts in the order of Keep.
type collection struct {
	docs   external.TypedArray[item, docRow]
	ids    *external.Spool
	ranked *external.TypedArray[rank, item] // nil in the order of the input, where the rank equals the item
	keep   *preferred                       // nil in the order of the input
	texts  external.TypedArray[position, textRow]
	// renumbered maps a textNo to the position of the text, plus 1. It is nil if they are equal.
	renumbered *external.TypedArray[textNo, position]
	bodies     *external.Spool // the clean texts
	routes     routes
	// The first texts and ranks are documents of the reference. recalled holds their numbers there.
	reference *reference.Index
	recalled  external.TypedArray[rank, uint32]
	times     external.TypedArray[item, int64] // set if the documents are added to the reference
	// rulings are rulings of people about pairs of texts, which override the method.
	rulings rulings
	// distinct is set if no two texts are equal. Otherwise equal texts are found by their keys and compared.
	distinct bool
}

// docRow is the stored part of one item of the input.
type docRow struct {
	id    external.Ref
	idLen uint32
	text  uint32 // the textNo while reading, later the position, plus 1; 0 if rejected
}

// textRow is the stored part of one distinct text.
type textRow struct {
	at     external.Ref
	sketch uint64
	len    uint32
	first  rank   // rank of its first document
	member uint32 // only for pairs: index of its first document in members
	route  uint8
	copies bool // it has more than one document
	blank  bool // it has no words
	stored bool // at is an offset in the reference
}

// id returns the id of an item.
func (c *collection) id(i item) (string, error) {
	d, err := c.docs.Get(i)
	if err != nil {
		return "", err
	}
	b, err := c.ids.Read(d.id, int(d.idLen))
	return string(b), err
}

// itemAt returns the item at a rank.
func (c *collection) itemAt(r rank) (item, error) {
	if c.ranked == nil {
		return item(r), nil
	}
	return c.ranked.Get(r)
}

func (c *collection) idAt(r rank) (string, error) {
	i, err := c.itemAt(r)
	if err != nil {
		return "", err
	}
	return c.id(i)
}

// firstOf returns the item of the first document that has a text.
func (c *collection) firstOf(p position) (item, error) {
	row, err := c.texts.Get(p)
	if err != nil {
		return 0, err
	}
	return c.itemAt(row.first)
}

// text returns a clean text.
func (c *collection) text(p position) (string, error) {
	row, err := c.texts.Get(p)
	if err != nil {
		return "", err
	}
	if row.stored {
		return c.reference.Text(&reference.Row{Text: uint64(row.at), TextLen: row.len})
	}
	b, err := c.bodies.Read(row.at, int(row.len))
	return asString(b), err
}

func (c *collection) equal(a, b position) (bool, error) {
	x, err := c.texts.Get(a)
	if err != nil {
		return false, err
	}
	y, err := c.texts.Get(b)
	if err != nil || x.len != y.len || x.sketch != y.sketch {
		return false, err
	}
	s, err := c.text(a)
	if err != nil {
		return false, err
	}
	t, err := c.text(b)
	return s == t, err
}

// equalMatch returns the match of two documents with the text of a row.
func (c *collection) equalMatch(row textRow) neardup.Match {
	return equalMatch(c.routes.name(row.route))
}

// each calls fn with every document that was read, in the order of Keep.
func (c *collection) each(ctx context.Context, fn func(r rank, i item, p position) error) error {
	return c.eachFrom(ctx, rank(c.recalled.Len()), fn)
}

func (c *collection) eachFrom(ctx context.Context, from rank, fn func(r rank, i item, p position) error) error {
	n := c.docs.Len()
	if c.ranked != nil {
		n = c.ranked.Len()
	}
	for at := int(from); at < n; at++ {
		if at&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		i, err := c.itemAt(rank(at))
		if err != nil {
			return err
		}
		d, err := c.docs.Get(i)
		if err != nil {
			return err
		}
		if d.text == 0 {
			continue
		}
		if err := fn(rank(at), i, position(d.text-1)); err != nil {
			return err
		}
	}
	return nil
}

// Router is a Method that sends each text to one of several methods. The decision names the method that Route returns.
type Router interface {
	Route(clean string) string
}

// routes numbers the methods that texts are sent to. A method that is not a Router is the only one.
type routes struct {
	router Router
	names  []string
}

func newRoutes(m neardup.Method) routes {
	if router, ok := m.(Router); ok {
		return routes{router: router}
	}
	return routes{names: []string{m.Spec().Method}}
}

// of returns the number of the method that a text is sent to. At most 256 methods are distinguished.
func (r *routes) of(clean string) uint8 {
	if r.router == nil {
		return 0
	}
	name := r.router.Route(clean)
	i := slices.Index(r.names, name)
	if i < 0 && len(r.names) < 256 {
		i, r.names = len(r.names), append(r.names, name)
	}
	return uint8(max(i, 0))
}

func (r *routes) name(i uint8) string { return r.names[i] }

func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
