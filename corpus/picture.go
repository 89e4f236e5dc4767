package corpus

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/neardup/neardup"
)

// Pictures are represented by a text that is not in the input. The rest of the package only knows that contents may be
// converted; this file knows that they are pictures.

// converts reports whether contents are converted to texts.
func (o *Options) converts() bool { return o.Format == Images }

// convert makes the text of a picture.
func (d *Decoder) convert(data []byte, doc *neardup.Document) (err error) {
	doc.Text, err = d.opt.Picture(data)
	return err
}

// convertible reports whether contents of a type are converted.
func convertible(kind []byte) bool { return bytes.HasPrefix(mediaType(kind), []byte("image/")) }

// formatOf returns the format of an input that may list pictures. Standard input and a table that the caller named are such
// lists. A table inside a folder is not.
func (o *Options) formatOf(in *input) Format {
	f := FormatOf(in.path)
	switch {
	case !o.converts():
		return o.Format
	case in.path == Stdin:
		return JSONL
	case f == WARC || (f != "" && f.hasFields() && in.named):
		return f
	}
	return Images
}

// pixels reports whether a field is one that every picture has.
func (o *Options) pixels(name string) bool {
	return o.Format == Images && o.Pixels != nil && name == PixelsField
}

// convertField makes the text of a record whose field holds a picture. The field holds its bytes (Parquet), base64, a data
// URL, a path relative to the folder of the file, or an earlier result of Options.Picture.
func (d *Decoder) convertField(doc *neardup.Document, str func([]byte) (string, error)) error {
	value := d.rec[fieldText]
	switch {
	case value == nil:
		return fmt.Errorf("%w %q", ErrNoField, d.fields[fieldText].Name)
	case len(value) == 0:
		return nil // null is not a picture, so there is no text
	case !utf8.Valid(value):
		return d.convert(value, doc)
	}
	s, err := str(value)
	if err != nil {
		return err
	}
	value = []byte(s)
	if bytes.HasPrefix(value, []byte(fingerprinted)) {
		return d.convert(value, doc)
	}
	data, err := unpacked(value)
	if err == nil && data == nil {
		data, err = d.fileOf(s)
	}
	if err != nil {
		return err
	}
	return d.convert(data, doc)
}

// fingerprinted is the beginning of a picture's text.
const fingerprinted = "pdq:"

// unpacked decodes base64 or a data URL. It returns nil for a path.
func unpacked(value []byte) ([]byte, error) {
	if rest, ok := bytes.CutPrefix(value, []byte("data:")); ok {
		_, content, ok := bytes.Cut(rest, []byte(";base64,"))
		if !ok {
			return nil, errors.New("data URL: not base64")
		}
		return base64.StdEncoding.AppendDecode(nil, content)
	}
	// The beginnings of JPEG, PNG, GIF, WebP, BMP and TIFF in base64. A value with such a beginning that is not base64 is a
	// path.
	for _, begins := range []string{"/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR", "Qk0", "SUkqA", "TU0AK"} {
		if bytes.HasPrefix(value, []byte(begins)) {
			if data, err := base64.StdEncoding.AppendDecode(nil, value); err == nil {
				return data, nil
			}
		}
	}
	return nil, nil
}

// fileOf reads the file that a record names.
func (d *Decoder) fileOf(name string) ([]byte, error) {
	if !filepath.IsAbs(name) && d.file != Stdin {
		name = filepath.Join(filepath.Dir(d.file), name)
	}
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%.200s: not a readable file", name) // reading a pipe would wait
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, d.opt.MaxDocument+1))
	if err == nil && int64(len(data)) > d.opt.MaxDocument {
		err = fmt.Errorf("%s: too large (want at most %d bytes)", name, d.opt.MaxDocument)
	}
	return data, err
}
