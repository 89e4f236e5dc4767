package corpus

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
)

// Decoder makes documents of items. It reuses its memory; one for each
// goroutine.
type Decoder struct {
	opt    *Options
	fields Fields
	rec    fieldBytes
	json   jsonScan
	path   []byte // of the object being read: the names it lies under, each with its dot
	nested bool   // a wanted field lies in an object or a list
	lists  int    // that the value being read lies in, by a wanted name
	cells  [][]byte
	// textEnd is where the text of a record of JSON ends, its quote included.
	textEnd int
	seen    *seenFields
	had     uint32 // what it noted there
	file    string // of the item at hand
}

// NewDecoder returns a decoder for the items of r, and of r.Again.
func (r *Reader) NewDecoder() *Decoder {
	d := &Decoder{opt: &r.opt, fields: r.fields, seen: &r.seen}
	for _, t := range d.targets() {
		d.nested = d.nested || strings.ContainsAny(t.field.Name, ".[")
	}
	return d
}

// Decode makes a document of an item; every field of doc is set. What it
// cannot read is a *RejectError. The document keeps nothing of the item.
func (d *Decoder) Decode(it Item, doc *neardup.Document) error {
	*doc = neardup.Document{}
	d.rec, d.file = fieldBytes{}, it.File
	var err error
	switch it.in.format {
	case JSONL, JSON:
		err = d.jsonl(it, doc)
	case CSV, TSV:
		err = d.table(it, doc)
	case Lines:
		doc.Text, err = decodeText(trimEnd(it.Raw), it.in.charset)
	case Files:
		doc.ID = it.path()
		doc.Text, err = decodeFile(it.Raw, d.opt.Charset)
	case HTML:
		doc.ID = it.path()
		err = d.page(it.Raw, d.opt.Charset, "", doc)
	case Images:
		doc.ID = it.path()
		err = d.picture(it.Raw, doc)
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

// path is the file's name with slashes on every system.
func (it *Item) path() string { return filepath.ToSlash(it.File) }

func (d *Decoder) jsonl(it Item, doc *neardup.Document) error {
	d.path = d.path[:0]
	if err := d.json.object(trimEnd(it.Raw), d.member); err != nil {
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

// note tells the reader what an object had.
func (d *Decoder) note(bit uint32) {
	if d.had&bit == 0 {
		d.had |= bit
		d.seen.Or(bit)
	}
}

// member takes one member of an object if it is a wanted field, or holds one:
// "doc.content" names a member with that key, or the content of the object doc.
func (d *Decoder) member(key []byte) error {
	outer := len(d.path)
	if outer == 0 {
		return d.field(key)
	}
	d.path = append(d.path, key...)
	err := d.field(d.path)
	d.path = d.path[:outer]
	return err
}

// field reads the value of a member by its whole name.
func (d *Decoder) field(key []byte) error {
	dst, name := d.wanted(key)
	if dst == nil {
		return d.within(key)
	}
	kind, err := d.json.kind()
	if err != nil {
		return err
	}
	switch {
	case kind == kindString:
		var value []byte
		value, err = d.json.str()
		if d.lists > 0 && len(*dst) > 0 {
			value = slices.Concat(*dst, []byte(BetweenTexts), value)
		}
		*dst = value
		if name == d.fields.Text.Name {
			d.textEnd = d.json.i
		}
		return err
	case kind == kindNumber && (dst == &d.rec.ID || dst == &d.rec.Time):
		*dst, err = d.json.number()
		return err
	case kind == kindNull && dst != &d.rec.ID && dst != &d.rec.Title && dst != &d.rec.URL && dst != &d.rec.Time:
		*dst = append([]byte{}, *dst...) // no text is an empty one
	case kind != kindNull && dst != &d.rec.Title && dst != &d.rec.URL && dst != &d.rec.Time:
		return notString(name, kind)
	}
	return d.json.skip()
}

func notString(name string, kind valueKind) error {
	if kind == kindObject {
		return fmt.Errorf("field %q is an object, not a string: name what lies in it, as in %q", name, name+".content")
	}
	return fmt.Errorf("field %q is %s, not a string", name, kind)
}

// within reads a value of which nothing is wanted but what may lie in it.
func (d *Decoder) within(key []byte) error {
	leads := d.nested && d.leads(key)
	if !leads || d.json.i == len(d.json.b) {
		return d.json.skip()
	}
	outer := len(d.path)
	defer func() { d.path = d.path[:outer] }()
	switch valueKind(d.json.b[d.json.i]) {
	case kindObject:
		d.path = append(append(d.path[:0], key...), '.')
		return d.json.members(d.member)
	case kindArray:
		d.path = append(append(d.path[:0], key...), "[]"...)
		return d.list(len(d.path))
	}
	return d.json.skip()
}

// list reads the elements of a list, which d.path names with so many bytes.
func (d *Decoder) list(size int) error {
	d.lists++
	defer func() { d.lists-- }()
	return d.json.elements(']', func() error {
		d.path = d.path[:size]
		if d.json.i < len(d.json.b) && d.json.b[d.json.i] == byte(kindObject) {
			d.path = append(d.path, '.')
			return d.json.members(d.member)
		}
		return d.field(d.path)
	})
}

// leads reports whether a wanted field lies below key, and forgets what an earlier
// duplicate of key had there.
func (d *Decoder) leads(key []byte) (leads bool) {
	for _, t := range d.targets() {
		if !liesBelow(t.field.Name, key) {
			continue
		}
		leads = true
		if d.lists == 0 {
			*t.dst = nil
		}
	}
	return leads
}

// mostNamed is how many fields of a record a message lists.
const mostNamed = 12

// names lists the fields of an object that hold strings or numbers, and those in
// its objects: what could have been meant.
func (d *Decoder) names(raw []byte) string {
	names := d.paths(raw, kindString, kindNumber)
	for i := range names {
		names[i] = fmt.Sprintf("%.60q", names[i])
	}
	lists, joins := d.paths(raw, kindArray), ""
	if len(lists) > 0 {
		joins = fmt.Sprintf("the field %.60q joins the texts in its list", lists[0]+"[].content")
	}
	switch {
	case len(names) == 0 && len(lists) > 0:
		return fmt.Sprintf("it has the list %.60q: if the records lie there, jq -c '.%.60s[]' takes them out; %s", lists[0], lists[0], joins)
	case len(names) == 0:
		return "it has no string and no number"
	case len(names) > mostNamed:
		names = append(names[:mostNamed], "...")
	}
	said := "it has " + strings.Join(names, ", ")
	if len(lists) > 0 {
		said += "; " + joins
	}
	return said
}

// paths are the fields of an object that hold values of some kinds, and those in its
// objects; of many the first.
func (d *Decoder) paths(raw []byte, kinds ...valueKind) (names []string) {
	var s jsonScan
	err := s.walk(raw, func([]byte) bool { return true }, func(path []byte, kind valueKind) (bool, error) {
		if slices.Contains(kinds, kind) && len(names) <= mostNamed {
			names = append(names, string(path))
		}
		return false, nil
	})
	if err != nil {
		return nil
	}
	return names
}

// others are fields of an object that no document has.
func (d *Decoder) others(raw []byte) []string {
	all := d.targets()
	return slices.DeleteFunc(d.paths(raw, kindString, kindNumber, kindArray, kindLiteral), func(name string) bool {
		return slices.ContainsFunc(all[:], func(t target) bool { return t.field != &d.fields.Time && t.field.Name == name })
	})
}

// target is a wanted field and where its bytes go.
type target struct {
	field *Field
	dst   *[]byte
}

func (d *Decoder) targets() [6 + MostTexts - 1]target {
	all := [...]target{
		{&d.fields.ID, &d.rec.ID}, {&d.fields.Text, &d.rec.Text}, {&d.fields.Title, &d.rec.Title},
		{&d.fields.URL, &d.rec.URL}, {&d.fields.Time, &d.rec.Time}, {&d.fields.HTML, &d.rec.HTML},
		{}, {}, {},
	}
	for i := range d.fields.More {
		all[6+i] = target{&d.fields.More[i], &d.rec.More[i]}
	}
	return all
}

// wanted returns where a field goes, nil if it is not wanted. Of duplicate keys the last
// counts, as in Python, jq and Arrow.
func (d *Decoder) wanted(key []byte) (*[]byte, string) {
	for i, t := range d.targets() {
		if string(key) == t.field.Name && t.field.Name != "" {
			d.note(1 << i)
			if d.lists == 0 {
				*t.dst = nil
			}
			return t.dst, t.field.Name
		}
	}
	return nil, ""
}

// share gives a value to every other field of the same name: the URL may be
// the id.
func (d *Decoder) share() {
	all := d.targets()
	for i, t := range all {
		for _, o := range all[:i] {
			if *t.dst == nil && t.field.Name != "" && t.field.Name == o.field.Name {
				*t.dst = *o.dst
			}
		}
	}
}

func (d *Decoder) table(it Item, doc *neardup.Document) error {
	d.cells = it.in.dialect.split(d.cells[:0], it.Raw)
	cell := func(i int) []byte {
		if i < 0 || i >= len(d.cells) {
			return nil
		}
		return d.cells[i]
	}
	c := &it.in.columns
	d.rec = fieldBytes{ID: cell(c.id), Text: cell(c.text), Title: cell(c.title),
		URL: cell(c.url), Time: cell(c.time), HTML: cell(c.html)}
	for i, at := range c.more {
		d.rec.More[i] = cell(at)
	}
	if err := d.fits(it.in.dialect); err != nil {
		return err
	}
	return d.document(doc, func(b []byte) (string, error) { return decodeText(b, it.in.charset) })
}

// fits returns an error if the row lacks the text, or has more cells than the header
// that hold something: a text with a delimiter in it and no quotes lies in several, and
// would be cut.
func (d *Decoder) fits(table dialect) error {
	lacks := d.textless() && d.rec.HTML == nil
	switch {
	case lacks && table.cells == 0:
		return fmt.Errorf("cells in the row: only %d", len(d.cells))
	case lacks:
		return fmt.Errorf("cells in the row: only %d, in the header: %d", len(d.cells), table.cells)
	case table.cells > 0 && slices.ContainsFunc(d.cells[min(table.cells, len(d.cells)):], func(b []byte) bool { return len(b) > 0 }):
		return fmt.Errorf("cells in the row: %d, in the header: %d; a text with %s in it needs quotes", len(d.cells), table.cells, delimiterName(table.delimiter))
	}
	return nil
}

func (d *Decoder) row(it Item, doc *neardup.Document) error {
	c := codecOf(d.opt.Codecs, it.in.format)
	if c == nil {
		return fmt.Errorf("no codec for %s", it.in.format)
	}
	if err := d.cellsOf(it.Raw); err != nil {
		return err
	}
	for _, dst := range []*[]byte{&d.rec.Text, &d.rec.HTML} {
		if *dst == nil {
			*dst = []byte{} // the column is there, and null is an empty text
		}
	}
	return d.document(doc, func(b []byte) (string, error) { return utf8Text(b), nil })
}

// ErrNoField is wrapped by the reason of a record of JSON that has no text.
var ErrNoField = errors.New("no field")

// document makes the document of d.rec; str decodes its charset.
func (d *Decoder) document(doc *neardup.Document, str func([]byte) (string, error)) error {
	var errs [4]error
	doc.ID, errs[0] = str(d.rec.ID)
	doc.Title, errs[1] = str(d.rec.Title)
	doc.URL, errs[2] = str(d.rec.URL)
	doc.Time, errs[3] = d.time()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if d.opt.Format == Images {
		return d.pictureOfField(doc, str)
	}
	if d.fields.HTML.Name != "" {
		if d.rec.HTML == nil {
			return fmt.Errorf("%w %q", ErrNoField, d.fields.HTML.Name)
		}
		page, err := str(d.rec.HTML)
		if err != nil {
			return err
		}
		return d.page([]byte(page), "utf-8", doc.URL, doc)
	}
	return d.text(doc, str)
}

// textless reports that the record has none of the fields of the text.
func (d *Decoder) textless() bool {
	return d.rec.Text == nil && !slices.ContainsFunc(d.rec.More[:], func(b []byte) bool { return b != nil })
}

// BetweenTexts stands between two fields of a text, or elements of a list. Cleaning keeps the sign, so where one
// field ends and the next begins is a part of the text.
const BetweenTexts = "\n¶\n"

// text joins what the record has of the fields of the text.
func (d *Decoder) text(doc *neardup.Document, str func([]byte) (string, error)) (err error) {
	if d.textless() {
		name := strconv.Quote(d.fields.Text.Name)
		for _, f := range d.fields.More {
			if f.Name != "" {
				name += " or " + strconv.Quote(f.Name)
			}
		}
		return fmt.Errorf("%w %s", ErrNoField, name)
	}
	if d.rec.Text != nil {
		if doc.Text, err = str(d.rec.Text); err != nil {
			return err
		}
	}
	for _, b := range d.rec.More {
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

// time reads the time field. One that cannot be read is an error only if the
// caller asked for the field.
func (d *Decoder) time() (int64, error) {
	if len(d.rec.Time) == 0 {
		return 0, nil
	}
	t, err := ParseTime(string(d.rec.Time))
	if err != nil && !d.fields.Time.Required {
		return 0, nil
	}
	return t, err
}

// page finds the main text of a web page.
func (d *Decoder) page(page []byte, charset, address string, doc *neardup.Document) error {
	p, err := d.opt.Extract(page, charset, address)
	if err != nil {
		return err
	}
	doc.Text = p.Text
	if doc.Title == "" {
		doc.Title = p.Title
	}
	if doc.URL == "" {
		doc.URL = absolute(p.Canonical)
	}
	return nil
}

// absolute returns a canonical link if it stands for itself.
func absolute(link string) string {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || !u.IsAbs() {
		return ""
	}
	return u.String()
}
