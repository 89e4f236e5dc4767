//go:build !js

package corpus

import (
	"archive/zip"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
	"unicode/utf16"
)

// The limits of an Excel sheet.
const (
	mostRows = 1 << 20
	mostCell = 32767 // in units of UTF-16
)

// sheetWriter writes an Excel file with one sheet.
type sheetWriter struct {
	zip   *zip.Writer
	sheet io.Writer
	rows  int
}

// sheetParts holds the parts of an Excel file apart from the sheet.
var sheetParts = [][2]string{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="neardup" sheetId="1" r:id="r1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font/></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>` +
		`<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
	{"xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetFormatPr defaultColWidth="18" defaultRowHeight="15"/><sheetData>`},
}

func newSheetWriter(w io.Writer) (s *sheetWriter, err error) {
	s = &sheetWriter{zip: zip.NewWriter(w)}
	for _, p := range sheetParts {
		s.sheet, err = s.zip.Create(p[0])
		if err == nil {
			_, err = io.WriteString(s.sheet, xml.Header+p[1])
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// row writes a row. A number of more than 15 digits becomes a text, because Excel would round it.
func (s *sheetWriter) row(values []any) error {
	s.rows++
	if s.rows > mostRows {
		return fmt.Errorf("too many rows for a sheet of Excel (want at most %d, or .csv)", mostRows)
	}
	b := []byte("<row>")
	for _, v := range values {
		text := fmt.Sprint(v)
		x, err := strconv.ParseFloat(text, 64)
		_, isText := v.(string)
		switch v := v.(type) {
		case float64:
			text = strconv.FormatFloat(v, 'g', -1, 64)
		case json.Number:
			text = string(v)
		case time.Time:
			style, days := 1, v.Sub(sheetEpoch).Hours()/24
			if days != math.Trunc(days) {
				style = 2
			}
			b = fmt.Appendf(b, `<c s="%d"><v>%s</v></c>`, style, strconv.FormatFloat(days, 'f', -1, 64))
			continue
		case nil:
			b = append(b, "<c/>"...)
			continue
		}
		if !isText && err == nil && math.Abs(x) < 1e15 {
			b = append(append(append(b, "<c><v>"...), text...), "</v></c>"...)
			continue
		}
		if n := len(utf16.Encode([]rune(text))); n > mostCell {
			return fmt.Errorf("row %d: text of %d characters: too long for a cell of Excel (want at most %d, or .csv)", s.rows, n, mostCell)
		}
		if _, err := s.sheet.Write(append(b, `<c t="inlineStr"><is><t xml:space="preserve">`...)); err != nil {
			return err
		}
		if err := xml.EscapeText(s.sheet, []byte(text)); err != nil {
			return err
		}
		b = append(b[:0], "</t></is></c>"...)
	}
	_, err := s.sheet.Write(append(b, "</row>"...))
	return err
}

func (s *sheetWriter) close() error {
	if _, err := io.WriteString(s.sheet, "</sheetData></worksheet>"); err != nil {
		return err
	}
	return s.zip.Close()
}
