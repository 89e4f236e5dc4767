package corpus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
)

// extra reads Options.Fields.
func (d *Decoder) extra(it Item, doc *neardup.Document) {
	doc.Fields = make(map[string]string, len(d.opt.Fields))
	values := make([]string, len(d.rec.Others))
	for i, value := range d.rec.Others { // of a row
		values[i] = utf8Text(value)
	}
	if len(values) == 0 {
		values = d.Extra(it, d.opt.Fields...)
	}
	for i, value := range values {
		if value == "" && d.opt.pixels(d.opt.Fields[i]) && doc.Text != "" {
			value = strconv.Itoa(d.opt.Pixels(doc.Text))
		}
		if value == "" {
			continue
		}
		doc.Fields[d.opt.Fields[i]] = value
		if i < mostExtra {
			d.note(1 << (firstExtra + i))
		}
	}
}

// Cells returns the cells of a row of CSV or TSV, and the names of its columns,
// nil where there is no header; false for items of other formats.
func (d *Decoder) Cells(it Item) (names, cells []string, ok bool) {
	if it.in.format != CSV && it.in.format != TSV {
		return nil, nil, false
	}
	for _, c := range it.in.dialect.split(nil, it.Raw) {
		cell, err := decodeText(c, it.in.charset)
		if err != nil {
			cell = utf8Text(c)
		}
		cells = append(cells, cell)
	}
	return it.in.names, cells, true
}

// Extra returns what an item says in further fields, by their names: strings and
// numbers of an object of JSON, or of one within it ("meta.source"), cells of a table with a
// header; "" where there is none.
func (d *Decoder) Extra(it Item, names ...string) []string { return d.named(it, false, names) }

// List is Extra for a field that may be a list of JSON: that comes as it is written.
func (d *Decoder) List(it Item, name string) string { return d.named(it, true, []string{name})[0] }

func (d *Decoder) named(it Item, lists bool, names []string) []string {
	values := make([]string, len(names))
	if header, cells, ok := d.Cells(it); ok {
		for i, name := range header {
			if at := slices.Index(names, strings.TrimSpace(name)); at >= 0 && i < len(cells) && values[at] == "" {
				values[at] = cells[i]
			}
		}
		return values
	}
	if it.in.format == JSONL || it.in.format == JSON {
		x := extraScan{jsonScan{maxDepth: d.opt.MaxDepth}, lists, names, values, nil}
		_ = x.object(trimEnd(it.Raw), x.member) // Decode has said what is wrong with it
	}
	return values
}

// extraScan finds the values of names in an object.
type extraScan struct {
	jsonScan
	lists         bool // are values, too
	names, values []string
	path          []byte
}

func (x *extraScan) member(key []byte) error {
	outer := len(x.path)
	x.path = append(x.path, key...)
	defer func() { x.path = x.path[:outer] }()
	kind, err := x.kind()
	if err != nil {
		return err
	}
	at := slices.Index(x.names, string(x.path))
	var raw []byte
	switch wanted := at >= 0 && x.values[at] == ""; {
	case wanted && kind == kindString:
		raw, err = x.str()
	case wanted && kind == kindNumber:
		raw, err = x.number()
	case wanted && kind == kindArray && x.lists:
		from := x.i
		if err = x.array(); err == nil {
			x.values[at] = utf8Text(x.b[from:x.i])
		}
		return err
	case kind == kindObject && x.leads():
		x.path = append(x.path, '.')
		return x.members(x.member)
	default:
		return x.skip()
	}
	if err == nil {
		x.values[at], err = jsonText(raw)
	}
	return err
}

// leads reports whether a name lies below the path.
func (x *extraScan) leads() bool {
	return slices.ContainsFunc(x.names, func(name string) bool {
		return len(name) > len(x.path) && name[len(x.path)] == '.' && name[:len(x.path)] == string(x.path)
	})
}
