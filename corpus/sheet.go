//go:build !js

package corpus

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
)

// sheetReader converts a sheet of an Excel file to CSV, so the rest of the code handles it as a table. An empty row becomes
// a blank line, so rows keep their numbers.
type sheetReader struct {
	book   *office
	shared []string
	dates  []bool // for each style: whether it shows a date
	old    bool   // days are counted from 1904
	sheet  *officePart
	name   string // name of its part in the archive
	row    int    // number of rows written so far
	buf    bytes.Buffer
	csv    *csv.Writer
}

// mostColumns is the number of columns in an Excel sheet.
const mostColumns = 16384

// openSheet opens a sheet by its name, or the first sheet if name is "".
func openSheet(file io.ReaderAt, size, most int64, name string) (*sheetReader, error) {
	book, err := openOffice(file, size, most)
	if err != nil {
		return nil, err
	}
	s := &sheetReader{book: book}
	s.csv = csv.NewWriter(&s.buf)
	if err := errors.Join(s.find(name), s.texts(), s.styles()); err != nil {
		return nil, err
	}
	s.sheet, err = book.part(s.name)
	if s.sheet == nil && err == nil {
		err = fmt.Errorf("damaged: it has no part %s", s.name)
	}
	return s, err
}

// find sets the name of the part that holds a sheet.
func (s *sheetReader) find(name string) error {
	var names []string
	id := ""
	err := s.book.each("xl/workbook.xml", func(t xml.Token) (bool, error) {
		e, _ := t.(xml.StartElement)
		switch e.Name.Local {
		case "workbookPr":
			date := attribute(e, "date1904")
			s.old = date == "1" || date == "true"
		case "sheet":
			own := attribute(e, "name")
			names = append(names, own)
			if id == "" && (name == "" || strings.EqualFold(name, own)) {
				for _, a := range e.Attr {
					if a.Name.Space == "r" && a.Name.Local == "id" {
						id = a.Value
					}
				}
			}
		}
		return true, nil
	})
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return errors.New("not an Excel file: it has no sheet")
	case id == "":
		return fmt.Errorf("sheet %q: does not exist (want one of %q)", name, names)
	}
	return s.book.each("xl/_rels/workbook.xml.rels", func(t xml.Token) (bool, error) {
		if e, _ := t.(xml.StartElement); e.Name.Local == "Relationship" && attribute(e, "Id") == id {
			s.name = path.Join("xl", attribute(e, "Target"))
			if target, ok := strings.CutPrefix(attribute(e, "Target"), "/"); ok {
				s.name = target
			}
		}
		return true, nil
	})
}

// texts reads the shared strings.
func (s *sheetReader) texts() error {
	var text strings.Builder
	inText, phonetic := false, false
	return s.book.each("xl/sharedStrings.xml", func(t xml.Token) (bool, error) {
		switch t := t.(type) {
		case xml.StartElement:
			inText = t.Name.Local == "t"
			phonetic = phonetic || t.Name.Local == "rPh"
		case xml.EndElement:
			inText = false
			switch t.Name.Local {
			case "rPh":
				phonetic = false
			case "si":
				s.shared = append(s.shared, text.String())
				text.Reset()
			}
		case xml.CharData:
			if inText && !phonetic {
				text.Write(t)
			}
		}
		return true, nil
	})
}

// styles reads which styles show a number as a date or a time.
func (s *sheetReader) styles() error {
	own := map[string]bool{} // formats that the file defines
	inCells := false
	return s.book.each("xl/styles.xml", func(t xml.Token) (bool, error) {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "numFmt":
				own[attribute(t, "numFmtId")] = isDate(attribute(t, "formatCode"))
			case "cellXfs":
				inCells = true
			case "xf":
				if !inCells {
					break
				}
				id := attribute(t, "numFmtId")
				n, _ := strconv.Atoi(id)
				s.dates = append(s.dates, own[id] || (n >= 14 && n <= 22) || (n >= 27 && n <= 36) || (n >= 45 && n <= 47) || (n >= 50 && n <= 58))
			}
		case xml.EndElement:
			inCells = inCells && t.Name.Local != "cellXfs"
		}
		return true, nil
	})
}

// isDate reports whether a number format has parts of a date outside of quotes and brackets.
func isDate(format string) bool {
	quoted, bracket := false, false
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case !bracket && strings.IndexByte("ymdhsYMDHS", c) >= 0:
			return true
		}
	}
	return false
}

// Read reads the sheet as CSV.
func (s *sheetReader) Read(p []byte) (int, error) {
	for s.buf.Len() == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	return s.buf.Read(p)
}

// next writes the next row into buf. It returns io.EOF after the last.
func (s *sheetReader) next() error {
	var row []string
	var c sheetCell
	for {
		t, err := s.sheet.RawToken()
		if err == io.EOF {
			return err
		}
		if err != nil {
			return fmt.Errorf("damaged: %s: %w", s.name, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			c.inText = t.Name.Local == "v" || t.Name.Local == "t"
			switch t.Name.Local {
			case "row":
				row = nil
				if err := s.skipTo(attribute(t, "r")); err != nil {
					return err
				}
			case "c":
				c = sheetCell{kind: attribute(t, "t"), style: attribute(t, "s"), column: columnOf(attribute(t, "r"), len(row))}
			case "rPh":
				c.phonetic = true
			}
		case xml.CharData:
			if c.inText && !c.phonetic {
				c.text += string(t)
			}
		case xml.EndElement:
			c.inText = false
			switch t.Name.Local {
			case "rPh":
				c.phonetic = false
			case "c":
				if c.column < len(row) || c.column >= mostColumns {
					return fmt.Errorf("damaged: %s: a cell of row %d is out of order", s.name, s.row+1)
				}
				row = append(row, make([]string, c.column-len(row)+1)...)
				row[c.column], err = s.value(c)
				if err != nil {
					return err
				}
			case "row":
				return s.write(row)
			}
		}
	}
}

// sheetCell is the current cell.
type sheetCell struct {
	kind, style, text string
	column            int
	inText, phonetic  bool
}

// columnOf returns the column of a cell reference such as AB12, or next if the reference is missing.
func columnOf(place string, next int) int {
	n := 0
	for i := 0; i < len(place) && place[i] >= 'A' && place[i] <= 'Z' && n <= mostColumns; i++ {
		n = n*26 + int(place[i]-'A') + 1
	}
	if n == 0 {
		return next
	}
	return n - 1
}

// skipTo writes a blank line for each omitted row.
func (s *sheetReader) skipTo(number string) error {
	n, err := strconv.Atoi(number)
	if number == "" {
		return nil
	}
	if err != nil || n <= s.row || n > mostRows {
		return fmt.Errorf("damaged: %s: row %q after row %d", s.name, clip(number), s.row)
	}
	for ; s.row < n-1; s.row++ {
		s.buf.WriteByte('\n')
	}
	return nil
}

func (s *sheetReader) write(row []string) error {
	s.row++
	if strings.Join(row, "") == "" {
		row = nil
	}
	if len(row) == 0 {
		return s.buf.WriteByte('\n')
	}
	err := s.csv.Write(row)
	s.csv.Flush()
	return errors.Join(err, s.csv.Error())
}

// sheetEpoch is day 0 of the dates of Excel from March 1900 on.
var sheetEpoch = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

// value returns the text of a cell. A date becomes 2006-01-02, with the time of day if it has one.
func (s *sheetReader) value(c sheetCell) (string, error) {
	if c.kind == "s" {
		n, err := strconv.Atoi(c.text)
		if err != nil || n < 0 || n >= len(s.shared) {
			return "", fmt.Errorf("damaged: %s: row %d: text %q does not exist", s.name, s.row+1, clip(c.text))
		}
		return s.shared[n], nil
	}
	style, _ := strconv.Atoi(c.style)
	days, err := strconv.ParseFloat(c.text, 64)
	if (c.kind != "" && c.kind != "n") || err != nil || style < 0 || style >= len(s.dates) || !s.dates[style] || days < 0 || days > 2958466 {
		return c.text, nil
	}
	epoch := sheetEpoch
	if s.old {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at := epoch.AddDate(0, 0, int(days)).Add(time.Duration((days - float64(int(days))) * 86400 * float64(time.Second))).Round(time.Second)
	switch {
	case days < 1:
		return at.Format(time.TimeOnly), nil
	case days == float64(int(days)):
		return at.Format(time.DateOnly), nil
	}
	return at.Format(time.DateTime), nil
}
