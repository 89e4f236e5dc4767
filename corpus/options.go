package corpus

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format names the format of documents in a file.
type Format string

const (
	Auto    Format = "auto"    // by name, otherwise by content
	JSONL   Format = "jsonl"   // a JSON object a line
	JSON    Format = "json"    // an array of objects, or objects one after another
	CSV     Format = "csv"     // RFC 4180; comma, or what the header shows
	TSV     Format = "tsv"     // tab; quotes where cells end with them
	Lines   Format = "lines"   // a text a line
	Files   Format = "files"   // a text file a document
	HTML    Format = "html"    // an HTML file a document
	WARC    Format = "warc"    // web archive
	Parquet Format = "parquet" // needs its Codec
	Arrow   Format = "arrow"   // IPC, a file (Feather) or a stream; needs its Codec
	Mbox    Format = "mbox"    // a mailbox, a message a document
	Eml     Format = "eml"     // a message a file
	Docx    Format = "docx"    // a file of Word
	XLSX    Format = "xlsx"    // a sheet of Excel
	Images  Format = "images"  // a picture a file; of a format with fields, WARC and standard input (JSONL), of each record
)

// Formats lists every format name, Auto first.
func Formats() []Format {
	return []Format{Auto, JSONL, JSON, CSV, TSV, Lines, Files, HTML, WARC, Parquet, Arrow, XLSX, Mbox, Eml, Docx, Images}
}

// ParseFormat returns the format called name; "" is Auto.
func ParseFormat(name string) (Format, error) {
	if name == "" {
		return Auto, nil
	}
	if f := Format(strings.ToLower(name)); slices.Contains(Formats(), f) {
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q (want %s)", name, strings.Trim(strings.ReplaceAll(fmt.Sprint(Formats()), " ", ", "), "[]"))
}

const (
	// DefaultMaxDocument is the default size of the largest record read.
	DefaultMaxDocument = 16 << 20
	// A compressed file may grow to the larger of the two. Text never has a larger ratio, and a gzip file of
	// ratio 1,000 would cost 2 CPU s a megabyte.
	freeDecompressed = 256 << 20
	defaultMaxRatio  = 200
)

// Options set how inputs are read. The zero value reads every format that needs no options, by the field names
// id, text, title, url and time.
type Options struct {
	Format Format // "" is Auto

	// Names of fields, or numbers of columns from 1 for CSV and TSV (which
	// then have no header). An empty name means the usual one: "id",
	// "text", "title", "url", "time", and of a record or table without
	// "id" or "text" also "nid" or "content". Names match exactly, case included.
	// A dot leads into an object of JSON or a group of columns, doc.content, and [] into
	// the elements of a list, messages[].content, whose values are joined.
	// A field named here that a table does not have is
	// an error; one that is only usual may be missing, except the text.
	// TextField may name several, "title,text", MostTexts at most: what a record has
	// of them is its text, in that order, with the line "¶" between two.
	IDField, TextField, TitleField, URLField, TimeField string
	// Compare selects the text of a document: OnlyText, also if it is "", or TitleAndText, on separate lines.
	Compare Compare
	// HTMLField names a field that holds a web page; its main text becomes
	// the text. Empty: none.
	HTMLField string

	// Fields are the names of further fields that become Document.Fields: strings and numbers of JSON, cells
	// under a header, columns. A dot leads into an object or a group. A name that ends with ? may be missing in
	// all records.
	Fields []string

	Form // of the files

	// MaxDocument is the largest record in bytes, decompressed; larger ones
	// are rejected. 0 means DefaultMaxDocument.
	MaxDocument int64
	// MaxDecompressed is how many bytes one compressed file may hold; what
	// follows is damaged. 0 means 200 times the compressed size, and at
	// least 256 MiB.
	MaxDecompressed int64
	// SkipDamaged makes the unreadable rest of a damaged file a reject, after which the next file is read.
	// Otherwise it is the error ErrDamaged.
	SkipDamaged bool

	Part // of the records

	// Stdin is the source of the input "-".
	Stdin io.Reader
	// SpoolDir is where standard input is copied to while it is read, so
	// that Again can read it again. "" keeps no copy.
	SpoolDir string

	// Warn is called if a guess (of the format, if it is Auto) looks wrong;
	// may be nil.
	Warn func(file, what string)

	// Extract finds the main text of a web page. HTML and WARC need it.
	Extract func(page []byte, charset, url string) (Page, error)
	// Picture makes the text of a picture, and also accepts such a text. Images need it; the text field,
	// "image" by default, then holds the picture.
	Picture func(data []byte) (text string, err error)
	// Pixels returns the pixels of a picture from its text, for the field PixelsField, if Fields contains it
	// and the record does not. May be nil.
	Pixels func(text string) int
	// Codecs are formats that live in packages of their own.
	Codecs []Codec
}

// Form describes files that do not say it themselves.
type Form struct {
	// Delimiter parts the cells of CSV and TSV. 0: comma or tab, or for CSV
	// the one of comma, tab, semicolon and bar under which the header has
	// the text.
	Delimiter byte
	// Charset is the charset of text files and HTML without a declaration; "" detects it.
	Charset string
	// Sheet names the sheet of Excel files; "" is the first.
	Sheet string
	// Command returns the text of a file. It is called for files of the format Files, and with Auto for those of no
	// format that is read. May be nil.
	Command func(path string) (string, error)
}

// Part selects some of the records.
type Part struct {
	// Limit is how many records are read, 0 for all.
	Limit int64
	// Sample is the share of the texts that is read, 0 for all. A hash of the text and of Seed decides, so
	// equal texts are all in the sample or none is.
	Sample float64
	Seed   uint64
}

// PixelsField is the field of a picture that is not a field of its record.
const PixelsField = "pixels"

// Compare names the parts of a record that are compared.
type Compare string

// What can be compared.
const (
	OnlyText     Compare = "text"
	TitleAndText Compare = "title,text"
)

// Page is the content that Options.Extract finds in a web page. Canonical is an absolute address, or "".
type Page struct{ Title, Text, Canonical string }

// Fields holds the resolved names of the fields to read. A field with an empty name is not
// wanted. Required ones were named by the user.
type Fields struct {
	ID, Text, Title, URL, Time, HTML Field
	More                             [MostTexts - 1]Field // of the text, after Text
	Others                           []Field              // Options.Fields
}

// The indexes of the fields in the order of Fields.All.
const (
	fieldID = iota
	fieldText
	fieldTitle
	fieldURL
	fieldTime
	fieldHTML
	fieldMore                               // the first of Fields.More
	fieldOthers = fieldMore + MostTexts - 1 // the first of Options.Fields
)

// All returns the fields in the order of the cells of a row.
func (f *Fields) All() []Field {
	all := append([]Field{f.ID, f.Text, f.Title, f.URL, f.Time, f.HTML}, f.More[:]...)
	return append(all, f.Others...)
}

// Texts returns the fields of the text.
func (f *Fields) Texts() []Field { return append([]Field{f.Text}, f.More[:]...) }

// MostTexts is how many fields a text may be joined of.
const MostTexts = 4

// Field is one field to read. Alias is the name of the classic interface, or "". It counts in a table without a
// column Name, and in an object of JSON without a member Name.
type Field struct {
	Name, Alias string
	Required    bool
}

// Among returns the fields under the names that a table has: the alias of a field that it lacks.
func (f Fields) Among(columns []Column) Fields {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool {
			return strings.EqualFold(c.Name, name) || strings.HasPrefix(c.Name, name+".")
		})
	}
	for _, one := range []*Field{&f.ID, &f.Text} {
		if one.Alias != "" && !has(one.Name) && has(one.Alias) {
			one.Name = one.Alias
		}
	}
	return f
}

// Codec is a format in a package of its own because of what it imports. It is
// safe for concurrent use; what it opens is not.
type Codec interface {
	Format() Format
	// Open starts reading rows. Only the named fields need be read.
	Open(file io.ReaderAt, size int64, fields Fields) (RowReader, error)
	// Create starts writing rows to a file named path. The columns before precede those of the files that rows
	// are copied from.
	Create(w io.Writer, path string, before ...Column) RowWriter
}

// RowReader yields the rows of one file. Next appends one to dst: a cell, by AppendCell, for
// each of Fields.All; io.EOF after the last.
type RowReader interface {
	// Columns returns the columns of the file, those inside groups by their paths with dots.
	Columns() []Column
	Next(dst []byte) ([]byte, error)
	Close() error
}

// RowWriter copies whole rows, all columns, out of files with one schema.
type RowWriter interface {
	// From names the file that the next rows come from.
	From(file io.ReaderAt, size int64) error
	// Copy copies row n, from 0, after values of the columns given to Create. Rows of a file mostly come in
	// order.
	Copy(n int64, before ...any) error
	// Write writes a row that has these columns only.
	Write(values ...any) error
	// Close ends the output. It does not close w.
	Close() error
}

// fields resolves the names of the fields.
func (o *Options) fields() Fields {
	others := []string{o.TitleField, o.URLField, o.TimeField, o.HTMLField}
	pick := func(name, usual, alias string) Field {
		switch {
		case name != "":
			return Field{Name: name, Required: true}
		case slices.Contains(others, alias):
			alias = ""
		}
		return Field{Name: usual, Alias: alias}
	}
	f := Fields{
		ID:    pick(o.IDField, "id", "nid"),
		Text:  pick(o.TextField, "text", "content"),
		Title: pick(o.TitleField, "title", ""),
		URL:   pick(o.URLField, "url", ""),
		Time:  pick(o.TimeField, "time", ""),
		HTML:  Field{Name: o.HTMLField, Required: o.HTMLField != ""},
	}
	if texts := strings.Split(o.TextField, ","); len(texts) > 1 {
		f.Text.Name = texts[0]
		for i, name := range texts[1:] {
			f.More[i] = Field{Name: name, Required: true}
		}
	}
	if o.Format == Images {
		f.Text = pick(o.TextField, "image", "")
	}
	for _, name := range o.Fields {
		name, optional := strings.CutSuffix(name, "?")
		f.Others = append(f.Others, Field{Name: name, Required: !optional})
	}
	f.Text.Required = true
	f.Title.Required = f.Title.Required || o.Compare == TitleAndText
	if o.HTMLField != "" {
		f.Text = Field{} // the page is the text
	}
	return f
}

// hasFields reports whether records of the format have fields with names.
func (f Format) hasFields() bool {
	return !f.isWhole() && f != Lines && f != WARC && f != Mbox
}

// isWhole reports whether a file of the format is one record.
func (f Format) isWhole() bool {
	return f == Files || f == HTML || f == Images || f == Eml || f == Docx
}

// isCells reports whether a record of the format is a row of CSV.
func (f Format) isCells() bool { return f == CSV || f == TSV || f == XLSX }

// codecOf returns the codec of a format, nil if there is none.
func codecOf(codecs []Codec, f Format) Codec {
	for _, c := range codecs {
		if c.Format() == f {
			return c
		}
	}
	return nil
}

// withDefaults fills in what is zero and refuses what cannot work.
func (o Options) withDefaults() (Options, error) {
	format, err := ParseFormat(string(o.Format))
	if err != nil {
		return o, err
	}
	o.Format = format
	if o.MaxDocument == 0 {
		o.MaxDocument = DefaultMaxDocument
	}
	if o.MaxDocument < 0 || o.MaxDecompressed < 0 {
		return o, fmt.Errorf("limits must not be negative")
	}
	if o.Delimiter == '"' || o.Delimiter == '\n' || o.Delimiter == '\r' || o.Delimiter >= 0x80 {
		return o, fmt.Errorf("delimiter %q: cannot separate the cells of a table", o.Delimiter)
	}
	if o.Warn == nil {
		o.Warn = func(string, string) {}
	}
	if o.Compare != "" && o.Compare != OnlyText && o.Compare != TitleAndText {
		return o, fmt.Errorf("compare %q: invalid (want %q or %q)", o.Compare, OnlyText, TitleAndText)
	}
	texts := strings.Split(o.TextField, ",")
	if len(texts) > MostTexts {
		return o, fmt.Errorf("text field %q: %d fields (want at most %d)", o.TextField, len(texts), MostTexts)
	}
	for i, name := range texts {
		if len(texts) > 1 && (name == "" || slices.Contains(texts[:i], name)) {
			return o, fmt.Errorf("text field %q: a name is empty or repeated", o.TextField)
		}
	}
	if o.HTMLField != "" && o.TextField != "" {
		return o, fmt.Errorf("text field %q cannot be combined with HTML field %q", o.TextField, o.HTMLField)
	}
	if o.Format == Images && (o.HTMLField != "" || len(texts) > 1 || o.Compare == TitleAndText) {
		return o, fmt.Errorf("format %s: too many fields (want one field, without title or HTML field)", Images)
	}
	if o.HTMLField != "" && o.Extract == nil {
		return o, fmt.Errorf("HTML field %q: no extractor of main text was given", o.HTMLField)
	}
	return o, nil
}

// supports returns an error if format needs something that was not given.
func (o *Options) supports(f Format) error {
	switch {
	case (f == HTML || f == WARC) && o.Extract == nil:
		return fmt.Errorf("format %s: no extractor of main text was given", f)
	case o.Format == Images && o.Picture == nil:
		return fmt.Errorf("format %s: no decoder of pictures was given", Images)
	case (f == Parquet || f == Arrow) && codecOf(o.Codecs, f) == nil:
		return fmt.Errorf("format %s: no codec was given", f)
	}
	return nil
}
