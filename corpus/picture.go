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

// The rest of the package knows that contents may be converted: what stands for them is not a text of the input. This
// file says that these are pictures.

// converts reports whether a function makes texts of the contents.
func (o *Options) converts() bool { return o.Format == Images }

// convert makes the text of a picture.
func (d *Decoder) convert(data []byte, doc *neardup.Document) (err error) {
	doc.Text, err = d.opt.Picture(data)
	return err
}

// convertible reports whether a content type is converted.
func convertible(kind []byte) bool { return bytes.HasPrefix(mediaType(kind), []byte("image/")) }

// formatOf returns the format of an input, which may list pictures: standard input does, and a table if it is named.
// Inside a folder it is not a picture.
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

// pixels reports the field that a picture has by itself.
func (o *Options) pixels(name string) bool {
	return o.Format == Images && o.Pixels != nil && name == PixelsField
}

// convertField makes the text of a record whose field is a picture. The field holds its bytes (of Parquet),
// base64, a data URL, a path relative to the folder of the file, or an earlier result of Options.Picture.
func (d *Decoder) convertField(doc *neardup.Document, str func([]byte) (string, error)) error {
	value := d.rec[fieldText]
	switch {
	case value == nil:
		return fmt.Errorf("%w %q", ErrNoField, d.fields[fieldText].Name)
	case len(value) == 0:
		return nil // no picture, as null is not text
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

// fingerprinted is how the text of a picture begins.
const fingerprinted = "pdq:"

// unpacked returns what base64 or a data URL holds; nil for a path.
func unpacked(value []byte) ([]byte, error) {
	if rest, ok := bytes.CutPrefix(value, []byte("data:")); ok {
		_, content, ok := bytes.Cut(rest, []byte(";base64,"))
		if !ok {
			return nil, errors.New("a data URL that is not base64")
		}
		return base64.StdEncoding.AppendDecode(nil, content)
	}
	// How JPEG, PNG, GIF, WebP, BMP and TIFF begin in base64. What begins so and
	// is no base64 is a path.
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
		return nil, fmt.Errorf("%.200s is not a file that can be read", name) // a pipe would be waited for
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, d.opt.MaxDocument+1))
	if err == nil && int64(len(data)) > d.opt.MaxDocument {
		err = fmt.Errorf("%s is longer than %d bytes", name, d.opt.MaxDocument)
	}
	return data, err
}
