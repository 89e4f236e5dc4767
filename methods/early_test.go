package methods_test

import (
	"reflect"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
)

// outliner is a method with outlines of long texts.
type outliner interface {
	RecordOutline(clean string, rec *neardup.Record) []uint64
	Outline(view neardup.Prepared) []uint64
	Unlike(a, b []uint64) bool
}

// A view made with the record judges as one made alone, and the record is the same.
func TestViewsMadeWithRecords(t *testing.T) {
	for name, c := range map[string]string{"auto": "limit=60", "contained": "limit=60 containment=.9", "lossless": "limit=60 lossless=.9"} {
		m, err := methods.New(c)
		if err != nil {
			t.Fatal(err)
		}
		docs := sentences(60)
		early, late := make([]neardup.Prepared, len(docs)), make([]neardup.Prepared, len(docs))
		outlined := make([][]uint64, len(docs))
		made, unlike := 0, 0
		for i, d := range docs {
			var with, alone neardup.Record
			m.Record(d.Text, &alone)
			early[i], late[i] = m.Prepare(d.Text), m.Prepare(d.Text)
			v := m.(interface {
				RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared
			}).RecordPrepare(d.Text, &with)
			if v != nil {
				early[i] = v
				made++
			}
			if o, ok := m.(outliner); ok {
				outlined[i] = o.RecordOutline(d.Text, &with)
				if of := o.Outline(early[i]); v != nil && !reflect.DeepEqual(of, outlined[i]) {
					t.Fatalf("%s: outline %v with the record, %v of the view", d.Text, outlined[i], of)
				}
			}
			if !reflect.DeepEqual(with, alone) {
				t.Fatalf("%s: record %v, alone %v", d.Text, with, alone)
			}
		}
		for i := range docs {
			for j := range docs[:i] {
				got, want := m.Compare(early[i], early[j]), m.Compare(late[i], late[j])
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: %+v, want %+v", name, got, want)
				}
				if outlined[i] == nil || outlined[j] == nil || !m.(outliner).Unlike(outlined[i], outlined[j]) {
					continue
				}
				unlike++
				if want.Near || want.Variant {
					t.Fatalf("%s and %s: unlike by their outlines, but %+v", docs[i].Text, docs[j].Text, want)
				}
			}
		}
		if made < len(docs)/4 {
			t.Errorf("%s: %d views with records", name, made)
		}
		if (unlike > 0) != (name == "auto") {
			t.Errorf("%s: outlines rule out %d pairs", name, unlike)
		}
	}
}
