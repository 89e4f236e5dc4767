package methods_test

import (
	"reflect"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
)

// A view made with the record judges as one made alone, and the record is the same.
func TestViewsMadeWithRecords(t *testing.T) {
	for name, c := range map[string]string{"auto": "limit=60", "contained": "limit=60 containment=.9", "lossless": "limit=60 lossless=.9"} {
		m, err := methods.New(c)
		if err != nil {
			t.Fatal(err)
		}
		docs := sentences(60)
		early, late := make([]neardup.Prepared, len(docs)), make([]neardup.Prepared, len(docs))
		made := 0
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
			if !reflect.DeepEqual(with, alone) {
				t.Fatalf("%s: record %v, alone %v", d.Text, with, alone)
			}
		}
		for i := range docs {
			for j := range docs[:i] {
				if got, want := m.Compare(early[i], early[j]), m.Compare(late[i], late[j]); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: %+v, want %+v", name, got, want)
				}
			}
		}
		if made < len(docs)/4 {
			t.Errorf("%s: %d views with records", name, made)
		}
	}
}
