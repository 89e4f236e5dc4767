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
	var names []string
	for _, f := range d.fields[fieldOthers:] {
		names = append(names, f.Name)
	}
	values := d.Extra(it, names...)
	for i, name := range names {
		value := ""
		if cell := d.rec[fieldOthers+i]; cell != nil { // of a row
			value = utf8Text(cell)
		} else if values[i] != nil {
			value = *values[i]
		}
		if value == "" && d.opt.pixels(name) && doc.Text != "" {
			value = strconv.Itoa(d.opt.Pixels(doc.Text))
		}
		if value == "" {
			value = it.in.partitions[name]
		}
		if value == "" {
			continue
		}
		doc.Fields[name] = value
		if i < mostExtra {
			d.note(1 << (fieldOthers + i))
		}
	}
}

// Cells returns the cells of a row of CSV or TSV, and the names of its columns if there is a header. For items of other
// formats, ok is false.
func (d *Decoder) Cells(it Item) (names, cells []string, ok bool) {
	if !it.in.format.isCells() {
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

// Extra returns further fields of an item by name. They are values of a JSON object, or of a nested one ("meta.source"),
// lists as JSON, or cells of a table with a header. A missing field and null are nil.
func (d *Decoder) Extra(it Item, names ...string) []*string {
	values := make([]*string, len(names))
	if header, cells, ok := d.Cells(it); ok {
		for i, name := range header {
			if at := slices.IndexFunc(names, func(wanted string) bool { return strings.EqualFold(wanted, strings.TrimSpace(name)) }); at >= 0 && i < len(cells) && values[at] == nil {
				values[at] = &cells[i]
			}
		}
		return values
	}
	if it.in.format != JSONL && it.in.format != JSON {
		return values
	}
	var s jsonScan
	s.enters = func(path []byte, kind valueKind) bool {
		return kind == kindObject && slices.ContainsFunc(names, func(name string) bool { return liesBelow(name, path) })
	}
	s.value = func(path []byte, kind valueKind) (bool, error) {
		at := slices.Index(names, string(path))
		if at < 0 {
			return false, nil
		}
		values[at] = nil // drops the value of an earlier duplicate key
		var raw []byte
		var err error
		switch from := s.i; {
		case kind == kindString:
			raw, err = s.str()
		case kind == kindNumber:
			raw, err = s.number()
		case kind == kindArray || kind == kindLiteral:
			err = s.skip()
			value := utf8Text(s.b[from:s.i])
			values[at] = &value
			return true, err
		default:
			return false, nil
		}
		if err == nil {
			var value string
			value, err = jsonText(raw)
			values[at] = &value
		}
		return true, err
	}
	_ = s.walk(it.Raw) // Decode has reported the problem
	return values
}
