package corpus

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Format is the format of an input file.
type Format string

const (
	Auto    Format = "auto"    // detected by the name, or else by the content
	JSONL   Format = "jsonl"   // one JSON object per line
	JSON    Format = "json"    // an array of objects, or consecutive objects
	CSV     Format = "csv"     // RFC 4180, separated by commas or as the header shows
	TSV     Format = "tsv"     // separated by tabs; quoted if cells end with their quote
	Lines   Format = "lines"   // one text per line
	Files   Format = "files"   // each text file is a document
	HTML    Format = "html"    // each HTML file is a document
	WARC    Format = "warc"    // web archive
	Parquet Format = "parquet" // needs its Codec
	Arrow   Format = "arrow"   // IPC, as a file (Feather) or a stream; needs its Codec
	Mbox    Format = "mbox"    // a mailbox, in which each message is a document
	Eml     Format = "eml"     // each file is a message
	Docx    Format = "docx"    // a Word file
	XLSX    Format = "xlsx"    // a sheet of an Excel file
	Images  Format = "images"  // each file is a picture; in formats with fields, WARC and standard input (JSONL), each record is one
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
	// DefaultMaxDocument is the default limit of a record, in bytes.
	DefaultMaxDocument = 16 << 20
	// A compressed file may decompress to freeDecompressed bytes, or to the ratio times its size if that is more. No text
	// has a larger ratio. A gzip file with ratio 1,000 would cost 2 CPU seconds per megabyte.
	freeDecompressed = 256 << 20
	defaultMaxRatio  = 200
)

// Options set how inputs are read. The zero value reads every format that needs no options. Its field names are id, text,
// title, url and time.
type Options struct {
	Format Format // "" is Auto

	// These are names of fields, or column numbers from 1 for CSV and TSV, which then have no header. "" means the usual
	// name: "id", "text", "title", "url" or "time". A record or table without "id" or "text" may have "nid" or "content"
	// instead. Names match exactly, including case. A dot leads into a JSON object or a group of columns (doc.content). []
	// leads into the elements of a list, whose values are joined (messages[].content). If a table lacks a field named here,
	// that is an error. A usual field may be missing, except the text. TextField may name up to MostTexts fields
	// ("title,text"). Their values are joined in that order, with the line "¶" between them.
	IDField, TextField, TitleField, URLField, TimeField string
	// Compare selects the text of a document. OnlyText is the default. With TitleAndText the title is a line before the
	// text.
	Compare Compare
	// HTMLField names a field that holds a web page. The main text of the page becomes the text. "" means none.
	HTMLField string

	// Fields lists further fields, which are stored in Document.Fields: JSON strings and numbers, cells under a header, or
	// columns. A dot leads into an object or a group. If a name ends with ?, the field may be missing in all records.
	Fields []string

	Form // form of the files

	// MaxDocument is the limit of a record, in decompressed bytes. Larger records are rejected. 0 means DefaultMaxDocument.
	MaxDocument int64
	// MaxDecompressed is the limit of a compressed file, in decompressed bytes. The rest counts as damaged. 0 means 200
	// times the compressed size, and at least 256 MiB.
	MaxDecompressed int64
	// SkipDamaged rejects the unreadable rest of a damaged file and continues with the next file. Otherwise Next returns
	// ErrDamaged.
	SkipDamaged bool

	Part // part of the records

	// Stdin is the reader for the input "-".
	Stdin io.Reader
	// SpoolDir is the folder for a copy of standard input, which Again reads. "" keeps no copy.
	SpoolDir string

	// Warn is called if a guess looks wrong, such as the format under Auto. It may be nil.
	Warn func(file, what string)

	// Extract returns the main text of a web page. HTML and WARC need it.
	Extract func(page []byte, charset, url string) (Page, error)
	// Picture returns the text that represents a picture. It also accepts such a text. Images need it. The text field, by
	// default "image", then holds the picture.
	Picture func(data []byte) (text string, err error)
	// Pixels returns the number of pixels of a picture from its text. It is called if Fields contains PixelsField and the
	// record lacks that field. It may be nil.
	Pixels func(text string) int
	// Codecs lists the formats that other packages implement.
	Codecs []Codec
}

// Form describes properties that files do not state themselves.
type Form struct {
	// Delimiter separates the cells of CSV and TSV. 0 means comma or tab. For CSV it also means semicolon or bar, if the
	// header has the text with that delimiter.
	Delimiter byte
	// Charset is the charset of text files, and of HTML without a declaration. "" detects it.
	Charset string
	// Sheet is the name of the sheet of Excel files; "" means the first.
	Sheet string
	// Command returns the text of a file. It is called for the format Files, and under Auto for files of an unknown format.
	// It may be nil.
	Command func(path string) (string, error)
}

// Part selects some of the records.
type Part struct {
	// Limit is the number of records to read; 0 means all.
	Limit int64
	// Sample is the share of the texts to read; 0 means all. A hash of the text and of Seed selects them, so of equal texts
	// all or none are read.
	Sample float64
	Seed   uint64
}

// PixelsField is a field of pictures that their records need not have.
const PixelsField = "pixels"

// Compare selects the parts of a record that are compared.
type Compare string

// The values of Compare.
const (
	OnlyText     Compare = "text"
	TitleAndText Compare = "title,text"
)

// Page is the content that Options.Extract returns for a web page. Canonical is an absolute address, or "".
type Page struct{ Title, Text, Canonical string }

// Fields holds the resolved names of the fields to read. A field with an empty name is not wanted. A field is required if
// the user named it.
type Fields struct {
	ID, Text, Title, URL, Time, HTML Field
	More                             [MostTexts - 1]Field // further text fields, after Text
	Others                           []Field              // the fields of Options.Fields
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

// MostTexts is the largest number of fields that a text is joined of.
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

// Codec implements a format in a separate package because of its dependencies. It is safe for concurrent use. The readers
// and writers that it returns are not.
type Codec interface {
	Format() Format
	// Open starts reading rows. It may skip all fields but these.
	Open(file io.ReaderAt, size int64, fields Fields) (RowReader, error)
	// Create starts writing rows to a file named path. The columns before come first, then those of the files that rows are
	// copied from.
	Create(w io.Writer, path string, before ...Column) RowWriter
}

// RowReader yields the rows of a file. Next appends one cell to dst for each of Fields.All, by AppendCell. After the last
// row it returns io.EOF.
type RowReader interface {
	// Columns returns the columns of the file. Those inside groups have paths with dots.
	Columns() []Column
	Next(dst []byte) ([]byte, error)
	Close() error
}

// RowWriter copies whole rows from files with one schema.
type RowWriter interface {
	// From sets the file that the next rows come from.
	From(file io.ReaderAt, size int64) error
	// Copy copies row n, counted from 0. The given values of the columns of Create come first. Most callers copy the rows
	// in order.
	Copy(n int64, before ...any) error
	// Write writes a row that only has the columns given to Create.
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
		f.Text = Field{} // the main text of the page is the text
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

// codecOf returns the codec of a format, or nil.
func codecOf(codecs []Codec, f Format) Codec {
	for _, c := range codecs {
		if c.Format() == f {
			return c
		}
	}
	return nil
}

// withDefaults sets defaults and returns an error about invalid options.
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

// supports returns an error if a format needs an option that is missing.
func (o *Options) supports(f Format) error {
	switch {
	case (f == HTML || f == WARC) && o.Extract == nil:
		return fmt.Errorf("format %s: no extractor of main text given", f)
	case o.Format == Images && o.Picture == nil:
		return fmt.Errorf("format %s: no decoder of pictures was given", Images)
	case (f == Parquet || f == Arrow) && codecOf(o.Codecs, f) == nil:
		return fmt.Errorf("format %s: no codec was given", f)
	}
	return nil
}
