package corpus

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Objects makes WriteJSON write a struct as a row of a table. The file's name selects the format. The columns are the
// fields of the first struct. Lists and objects inside become JSON.
func (f *AtomicFile) Objects(codecs []Codec) (err error) {
	f.table, err = NewTable(f, TableStyle{}, codecs)
	if err == nil {
		f.last = f.table.Close
	}
	return err
}

// fields writes the fields of a struct as a row.
func (t *Table) fields(v any) error {
	var columns []Column
	values := map[string]any{}
	eachField(reflect.Indirect(reflect.ValueOf(v)), func(c Column, value any) {
		columns, values[c.Name] = append(columns, c), value
	})
	if !t.begun {
		t.columns = columns
	}
	row := make([]any, len(t.columns))
	for i, c := range t.columns {
		row[i] = values[c.Name]
	}
	return t.Row(row...)
}

// eachField calls do for each JSON field of a struct. The value of an omitted field is nil.
func eachField(v reflect.Value, do func(c Column, value any)) {
	for i := range v.NumField() {
		field, x := v.Type().Field(i), v.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			eachField(reflect.Indirect(x), do)
			continue
		case name == "-" || name == "" || !field.IsExported():
			continue
		}
		c, of, value := Column{Name: name}, field.Type, any(nil)
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		set := !(x.IsZero() && (option != "" || x.Kind() == reflect.Pointer))
		x = reflect.Indirect(x)
		switch {
		case of.Kind() == reflect.String && set:
			value = x.String()
		case of.Kind() == reflect.String:
		case of.Kind() == reflect.Float64:
			c.Kind = Number
			if set {
				value = x.Float()
			}
		case reflect.Int <= of.Kind() && of.Kind() <= reflect.Int64:
			c.Kind = Integer
			if set {
				value = x.Int()
			}
		case set:
			text, _ := json.Marshal(x.Interface()) // WriteJSON writes such fields, so they marshal
			value = string(text)
		}
		do(c, value)
	}
}
