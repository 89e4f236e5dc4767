package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
)

// Decoder turns items into documents. It reuses its memory, so each goroutine needs its own.
type Decoder struct {
	opt     *Options
	fields  []Field  // Fields.All
	columns []Column // Reader.columns
	rec     [][]byte // the value of each field in the record, nil if missing; valid until the next record
	json    jsonScan
	nested  bool // a wanted field is inside an object or a list
	cells   [][]byte
	named   uint32 // fields that the record has under their names, not under aliases
	// textEnd is the offset after the text in a JSON record, including the closing quote.
	textEnd int
	seen    *seenFields
	had     uint32 // the bits that seen already has
	file    string // file of the current item
}

// NewDecoder returns a decoder for the items of r, and of r.Again.
func (r *Reader) NewDecoder() *Decoder {
	d := &Decoder{opt: &r.opt, fields: r.fields.All(), columns: r.columns, seen: &r.seen}
	d.rec = make([][]byte, len(d.fields))
	d.json.value, d.json.enters = d.value, d.enters
	for _, f := range d.fields[:fieldOthers] {
		d.nested = d.nested || strings.ContainsAny(f.Name, ".[")
	}
	return d
}

// Decode turns an item into a document. It sets every field of doc and keeps no reference to the item. If it cannot read
// the item, it returns a *RejectError.
func (d *Decoder) Decode(it Item, doc *neardup.Document) error {
	*doc, d.file = neardup.Document{}, it.File
	clear(d.rec)
	d.named = 0
	var err error
	switch it.in.format {
	case JSONL, JSON:
		err = d.jsonl(it, doc)
	case CSV, TSV, XLSX:
		err = d.table(it, doc)
	case Lines:
		doc.Text, err = decodeText(trimEnd(it.Raw), it.in.charset)
	case Files:
		doc.ID = it.path()
		if it.in.command {
			doc.Text, err = d.opt.Command(it.File)
		} else {
			doc.Text, err = decodeFile(it.Raw, d.opt.Charset)
		}
	case Mbox, Eml:
		err = d.mail(it.Raw, doc)
	case Docx:
		doc.ID = it.path()
		err = d.docx(it.Raw, doc)
	case HTML:
		doc.ID = it.path()
		err = d.page(it.Raw, d.opt.Charset, "", doc)
	case Images:
		doc.ID = it.path()
		err = d.convert(it.Raw, doc)
	case WARC:
		err = d.warc(it.Raw, doc)
	default:
		err = d.row(it, doc)
	}
	if err != nil {
		return it.reject(err)
	}
	if d.opt.Compare == TitleAndText && doc.Title != "" {
		doc.Text = doc.Title + "\n" + doc.Text
	}
	if len(d.opt.Fields) > 0 {
		d.extra(it, doc)
	}
	if doc.ID == "" {
		doc.ID = it.path() + ":" + strconv.FormatInt(it.Line, 10)
	}
	return nil
}

// path returns the file's name with slashes, on every system.
func (it *Item) path() string { return filepath.ToSlash(it.File) }

func (d *Decoder) jsonl(it Item, doc *neardup.Document) error {
	if err := d.json.walk(it.Raw); err != nil {
		return err
	}
	d.share()
	if err := d.document(doc, jsonText); err != nil {
		if errors.Is(err, ErrNoField) {
			err = fmt.Errorf("%w; %s", err, d.names(it.Raw))
		}
		return err
	}
	d.note(seenObject)
	return nil
}

// note records for the reader that an object had a field.
func (d *Decoder) note(bit uint32) {
	if d.had&bit == 0 {
		d.had |= bit
		d.seen.Or(bit)
	}
}

// value reads the value of a wanted field.
func (d *Decoder) value(path []byte, kind valueKind) (read bool, err error) {
	at := d.wanted(path, kind)
	if at < 0 {
		return false, nil
	}
	dst, name := &d.rec[at], d.fields[at].Name
	switch {
	case kind == kindString:
		var value []byte
		value, err = d.json.str()
		if d.json.lists > 0 && len(*dst) > 0 {
			value = slices.Concat(*dst, []byte(BetweenTexts), value)
		}
		*dst = value
		if at == fieldText || name == d.fields[fieldText].Name {
			d.textEnd = d.json.i
		}
		return true, err
	case kind == kindNumber && (at == fieldID || at == fieldTime):
		*dst, err = d.json.number()
		return true, err
	case at == fieldTitle || at == fieldURL || at == fieldTime:
	case kind != kindNull:
		return true, notString(name, kind)
	case at != fieldID:
		*dst = append([]byte{}, *dst...) // null counts as an empty text
	}
	return true, d.json.skip()
}

func notString(name string, kind valueKind) error {
	if kind == kindObject {
		return fmt.Errorf("field %q: an object (want a string; name a field in it, for example %q)", name, name+".content")
	}
	return fmt.Errorf("field %q: %s (want a string)", name, kind)
}

// enters reports whether a wanted field is below a path, and drops the values of an earlier duplicate of the
// path.
func (d *Decoder) enters(path []byte, _ valueKind) (leads bool) {
	if !d.nested {
		return false
	}
	for i, f := range d.fields[:fieldOthers] {
		if liesBelow(f.Name, path) {
			leads = true
			if d.json.lists == 0 {
				d.rec[i] = nil
			}
		}
	}
	return leads
}

// mostNamed is the number of fields that a message lists.
const mostNamed = 12

// names lists the fields of an object that hold strings or numbers, including nested ones, as suggestions for a message.
func (d *Decoder) names(raw []byte) string {
	names, lists := d.paths(raw, kindString, kindNumber), d.paths(raw, kindArray)
	inLists := 0
	for i, name := range names {
		if strings.Contains(name, "[]") {
			inLists++
		}
		names[i] = fmt.Sprintf("%.60q", name)
	}
	said := "it has " + strings.Join(names[:min(len(names), mostNamed)], ", ")
	if len(names) > mostNamed {
		said += ", ..."
	}
	switch {
	case len(names) == 0 && len(lists) == 0:
		return "no field is a string or a number"
	case len(names) == inLists:
		said = fmt.Sprintf("it has the list %.60q: if these are the records, extract them: jq -c '.%.60s[]'; %s", lists[0], lists[0], said)
	}
	if inLists > 0 {
		said += "; [] joins the texts of a list"
	}
	return said
}

// paths lists the first fields of an object, including nested ones, that hold values of the given kinds.
func (d *Decoder) paths(raw []byte, kinds ...valueKind) (names []string) {
	s := jsonScan{enters: func([]byte, valueKind) bool { return true }}
	s.value = func(path []byte, kind valueKind) (bool, error) {
		if slices.Contains(kinds, kind) && len(names) <= mostNamed && !slices.Contains(names, string(path)) {
			names = append(names, string(path))
		}
		return false, nil
	}
	if err := s.walk(raw); err != nil {
		return nil
	}
	return names
}

// wanted returns the index of a field, or -1 if the field is not wanted. Of duplicate keys the last one counts, as in
// Python, jq and Arrow. An alias counts if its value is a string, or a number for the id, and the record lacks the name.
func (d *Decoder) wanted(key []byte, kind valueKind) int {
	for i := range d.fields[:fieldOthers] {
		if name := d.fields[i].Name; string(key) == name && name != "" {
			d.note(1 << i)
			d.named |= 1 << i
			if d.json.lists == 0 {
				d.rec[i] = nil
			}
			return i
		}
	}
	for _, i := range []int{fieldID, fieldText} {
		usable := kind == kindString || kind == kindNull || (kind == kindNumber && i == fieldID)
		if alias := d.fields[i].Alias; usable && string(key) == alias && alias != "" && d.named>>i&1 == 0 {
			d.note(1 << i)
			d.rec[i] = nil
			return i
		}
	}
	return -1
}

// share copies a value to all fields with the same name, such as an id that is also the URL.
func (d *Decoder) share() {
	for i, f := range d.fields[:fieldOthers] {
		for j, o := range d.fields[:i] {
			if d.rec[i] == nil && f.Name != "" && f.Name == o.Name {
				d.rec[i] = d.rec[j]
			}
		}
	}
}

func (d *Decoder) table(it Item, doc *neardup.Document) error {
	d.cells = it.in.dialect.split(d.cells[:0], it.Raw)
	for i, at := range it.in.columns {
		if at >= 0 && at < len(d.cells) {
			d.rec[i] = d.cells[at]
		}
	}
	if err := d.fits(it.in.dialect); err != nil {
		return err
	}
	return d.document(doc, func(b []byte) (string, error) { return decodeText(b, it.in.charset) })
}

// fits returns an error if the row lacks the text, or has more non-empty cells than the header. An unquoted text that
// contains a delimiter is split into several cells, so it would be cut.
func (d *Decoder) fits(table dialect) error {
	lacks := d.textless() && d.rec[fieldHTML] == nil
	switch {
	case lacks && table.cells == 0:
		return fmt.Errorf("too few cells in the row: %d", len(d.cells))
	case lacks:
		return fmt.Errorf("cells in the row: %d (want %d, as in the header)", len(d.cells), table.cells)
	case table.cells > 0 && slices.ContainsFunc(d.cells[min(table.cells, len(d.cells)):], func(b []byte) bool { return len(b) > 0 }):
		return fmt.Errorf("cells in the row: %d (want %d, as in the header; a text with %s needs quotes)", len(d.cells), table.cells, delimiterName(table.delimiter))
	}
	return nil
}

func (d *Decoder) row(it Item, doc *neardup.Document) error {
	if err := d.cellsOf(it.Raw); err != nil {
		return err
	}
	for _, i := range []int{fieldText, fieldHTML} {
		if d.rec[i] == nil {
			d.rec[i] = []byte{} // the column exists, and null counts as an empty text
		}
	}
	return d.document(doc, func(b []byte) (string, error) { return utf8Text(b), nil })
}

// ErrNoField is wrapped by the RejectError of a JSON record without a text.
var ErrNoField = errors.New("no field")

// document makes the document of the values in d.rec. str decodes their charset.
func (d *Decoder) document(doc *neardup.Document, str func([]byte) (string, error)) error {
	var errs [4]error
	doc.ID, errs[0] = str(d.rec[fieldID])
	doc.Title, errs[1] = str(d.rec[fieldTitle])
	doc.URL, errs[2] = str(d.rec[fieldURL])
	doc.Time, errs[3] = d.time()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if d.opt.converts() {
		return d.convertField(doc, str)
	}
	if name := d.fields[fieldHTML].Name; name != "" {
		if d.rec[fieldHTML] == nil {
			return fmt.Errorf("%w %q", ErrNoField, name)
		}
		page, err := str(d.rec[fieldHTML])
		if err != nil {
			return err
		}
		return d.page([]byte(page), "utf-8", doc.URL, doc)
	}
	return d.text(doc, str)
}

// textless reports whether the record has none of the text fields.
func (d *Decoder) textless() bool {
	return d.rec[fieldText] == nil && !slices.ContainsFunc(d.rec[fieldMore:fieldOthers], func(b []byte) bool { return b != nil })
}

// BetweenTexts separates two fields of a text, or elements of a list. Cleaning keeps the sign, so the border of
// fields is part of the text.
const BetweenTexts = "\n¶\n"

// text joins the values of the text fields.
func (d *Decoder) text(doc *neardup.Document, str func([]byte) (string, error)) (err error) {
	if d.textless() {
		name := strconv.Quote(d.fields[fieldText].Name)
		for _, f := range d.fields[fieldMore:fieldOthers] {
			if f.Name != "" {
				name += " or " + strconv.Quote(f.Name)
			}
		}
		return fmt.Errorf("%w %s", ErrNoField, name)
	}
	doc.Text, err = str(d.rec[fieldText])
	if err != nil {
		return err
	}
	for _, b := range d.rec[fieldMore:fieldOthers] {
		if len(b) == 0 {
			continue
		}
		part, err := str(b)
		if err != nil {
			return err
		}
		if doc.Text != "" {
			part = doc.Text + BetweenTexts + part
		}
		doc.Text = part
	}
	return nil
}

// time reads the time field. An invalid time is an error only if the caller named the field.
func (d *Decoder) time() (int64, error) {
	t, err := ParseTime(string(d.rec[fieldTime]))
	if err != nil && !d.fields[fieldTime].Required {
		return 0, nil
	}
	return t, err
}

// page extracts the main text of a web page.
func (d *Decoder) page(page []byte, charset, address string, doc *neardup.Document) error {
	p, err := d.opt.Extract(page, charset, address)
	if err != nil {
		return err
	}
	doc.Text = p.Text
	doc.Title, doc.URL = cmp.Or(doc.Title, p.Title), cmp.Or(doc.URL, p.Canonical)
	return nil
}
