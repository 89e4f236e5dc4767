//go:build !js

package corpus

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/neardup/neardup"
)

// office is a Word or Excel file, which is a zip archive of XML parts. most limits the total size of all parts.
type office struct {
	zip  *zip.Reader
	most int64
	read int64
}

func openOffice(file io.ReaderAt, size, most int64) (*office, error) {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	return &office{zip: z, most: mostOf(most, size)}, nil
}

// each calls do for the tokens of a part until it returns false. A missing part has no tokens.
func (o *office) each(name string, do func(xml.Token) (bool, error)) error {
	part, err := o.part(name)
	if part == nil || err != nil {
		return err
	}
	defer part.Close()
	for {
		token, err := part.RawToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("damaged: %s: %w", name, err)
		}
		if more, err := do(token); !more || err != nil {
			return err
		}
	}
}

// part opens a part, or returns nil if it is missing.
func (o *office) part(name string) (*officePart, error) {
	f, err := o.zip.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("damaged: %s: %w", name, err)
	}
	p := &officePart{Closer: f}
	p.Decoder = xml.NewDecoder(&decompressed{r: f, given: &o.read, most: func() int64 { return o.most }})
	return p, nil
}

type officePart struct {
	*xml.Decoder
	io.Closer
}

// attribute returns an attribute by its name without prefix.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// docx makes the document of a Word file from its text, one line per paragraph, and its title.
func (d *Decoder) docx(raw []byte, doc *neardup.Document) error {
	o, err := openOffice(bytes.NewReader(raw), int64(len(raw)), d.opt.MaxDecompressed)
	if err != nil {
		return err
	}
	var text strings.Builder
	inText, fallback, found := false, 0, false
	err = o.each("word/document.xml", func(t xml.Token) (bool, error) {
		switch t := t.(type) {
		case xml.StartElement:
			found = true
			inText = t.Name.Local == "t"
			switch t.Name.Local {
			case "Fallback": // the fallback repeats the text box
				fallback++
			case "tab":
				text.WriteByte('\t')
			case "br", "cr":
				text.WriteByte('\n')
			}
		case xml.EndElement:
			inText = false
			switch t.Name.Local {
			case "Fallback":
				fallback--
			case "p":
				text.WriteByte('\n')
			}
		case xml.CharData:
			if inText && fallback == 0 {
				text.Write(t)
			}
		}
		if int64(text.Len()) > d.opt.MaxDocument {
			return false, tooLong(1, d.opt.MaxDocument)
		}
		return true, nil
	})
	switch {
	case err != nil:
		return err
	case !found:
		return errors.New("not a Word file: it has no word/document.xml")
	}
	doc.Text = strings.TrimSpace(text.String())
	title := false
	return o.each("docProps/core.xml", func(t xml.Token) (bool, error) {
		switch t := t.(type) {
		case xml.StartElement:
			title = t.Name.Local == "title"
		case xml.EndElement:
			title = false
		case xml.CharData:
			if title {
				doc.Title = strings.TrimSpace(string(t))
			}
		}
		return true, nil
	})
}
