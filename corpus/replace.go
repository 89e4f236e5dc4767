package corpus

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrReplace is wrapped by the error of CanReplace.
var ErrReplace = errors.New("texts cannot be replaced")

// CanReplace returns nil if Decoder.Replace can replace the texts of all items, or else the reason why it cannot. Web
// pages, Parquet and Arrow have no writer for changed texts, and a text of several fields has no single place.
func (r *Reader) CanReplace() error {
	list := strings.Contains(r.fields.Text.Name, "[]")
	if list || r.fields.More != (Fields{}).More || r.opt.Compare == TitleAndText || r.opt.HTMLField != "" {
		return fmt.Errorf("%w: the text is not the value of one field", ErrReplace)
	}
	for _, in := range r.inputs {
		switch in.format {
		case JSONL, JSON, CSV, TSV, Lines, Files:
		default:
			return fmt.Errorf("%w in %s: %s is read-only", ErrReplace, in.path, in.format)
		}
	}
	return nil
}

// Replace returns the last decoded item with another text, and otherwise unchanged. The result can be passed to a Writer. A
// row of a table is quoted again.
func (d *Decoder) Replace(it Item, text string) (Item, error) {
	var err error
	switch it.in.format {
	case JSONL, JSON:
		it.Raw, err = d.replaceJSON(it.Raw, text)
	case CSV, TSV:
		it.Raw, err = d.replaceCell(it, text)
	case Lines:
		it.Raw, err = replaceLine(it.Raw, text)
	default:
		it.Raw, it.replaced = []byte(text), true
	}
	if err != nil {
		return it, it.reject(fmt.Errorf("%w: %w", ErrReplace, err))
	}
	return it, nil
}

// replaceJSON replaces the string that field has read last.
func (d *Decoder) replaceJSON(raw []byte, text string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return nil, err
	}
	quoted := bytes.TrimRight(b.Bytes(), "\n")
	end := d.textEnd // offset after the closing quote
	start := end - len(d.rec[fieldText]) - 2
	return slices.Concat(raw[:start], quoted, raw[end:]), nil
}

// replaceLine writes another line with the same end.
func replaceLine(raw []byte, text string) ([]byte, error) {
	switch {
	case !utf8.Valid(raw):
		return nil, errors.New("line: not UTF-8")
	case strings.ContainsAny(text, "\r\n"):
		return nil, errors.New("the new text has several lines")
	}
	return slices.Concat([]byte(text), raw[len(trimEnd(raw)):]), nil
}

// replaceCell writes the row with another cell.
func (d *Decoder) replaceCell(it Item, text string) ([]byte, error) {
	if !utf8.Valid(it.Raw) {
		return nil, errors.New("the row is not UTF-8")
	}
	_, cells, _ := d.Cells(it)
	cells[it.in.columns[fieldText]] = text
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = rune(it.in.dialect.delimiter)
	if err := w.Write(cells); err != nil {
		return nil, err
	}
	w.Flush()
	return slices.Concat(trimEnd(b.Bytes()), it.Raw[len(trimEnd(it.Raw)):]), w.Error()
}
