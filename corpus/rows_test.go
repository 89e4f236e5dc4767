package corpus

import (
	"bytes"
	"slices"
	"testing"
)

// A row of a codec has a cell for each of Fields.All, in their order, and null is none.
func FuzzCells(f *testing.F) {
	f.Add([]byte{2, 'a', 0, 1, 0, 0, 0}, "id", []byte("text"))
	f.Fuzz(func(t *testing.T, raw []byte, id string, other []byte) {
		opt := Options{TextField: "text,more", Fields: []string{"other", "none"}}
		fields := opt.fields()
		d := (&Reader{opt: opt, fields: fields}).NewDecoder()
		_ = d.cellsOf(raw) // bytes that no codec made must not cause a panic
		clear(d.rec)
		row, more := []byte(nil), ""
		for _, field := range fields.All() {
			switch field.Name {
			case "id":
				row = AppendCell(row, id)
			case "other":
				row = AppendCell(row, other)
			case "more":
				row = AppendCell(row, more)
			default:
				row = AppendNull(row)
			}
		}
		if err := d.cellsOf(row); err != nil || string(d.rec[fieldID]) != id || d.rec[fieldText] != nil || d.rec[fieldMore] == nil ||
			len(d.rec) != fieldOthers+2 || !bytes.Equal(d.rec[fieldOthers], other) || d.rec[fieldOthers+1] != nil {
			t.Errorf("%v: %+v", err, d.rec)
		}
		if texts := fields.Texts(); texts[0].Name != "text" || !slices.Contains(texts, fields.More[0]) {
			t.Errorf("texts %v", texts)
		}
	})
}
