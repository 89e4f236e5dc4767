package methods_test

import (
	"reflect"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
)

// A view made with the record judges as one made alone, the record is the same, and
// texts that have no Differences by their sketches have none.
func TestViewsMadeWithRecords(t *testing.T) {
	for name, c := range map[string]methods.Config{"auto": {Limit: 60}, "contained": {Limit: 60, Containment: .9}, "lossless": {Limit: 60, Lossless: .9}} {
		m, err := methods.New(c)
		if err != nil {
			t.Fatal(err)
		}
		differing := m.(neardup.Differing)
		docs := sentences(60)
		early, late, sketches := make([]neardup.View, len(docs)), make([]neardup.View, len(docs)), make([]uint64, len(docs))
		made := 0
		for i, d := range docs {
			var with, alone neardup.Record
			m.Record(d.Text, &alone)
			late[i], sketches[i] = m.View(d.Text), alone.Sketch
			if early[i] = late[i]; name == "auto" {
				if v := m.(interface {
					RecordView(clean string, rec *neardup.Record) neardup.View
				}).RecordView(d.Text, &with); v != nil {
					early[i] = v
					made++
				}
				if !reflect.DeepEqual(with, alone) {
					t.Fatalf("%s: record %v, alone %v", d.Text, with, alone)
				}
			}
		}
		silent := 0
		for i := range docs {
			for j := range docs[:i] {
				if got, want := m.Compare(early[i], early[j]), m.Compare(late[i], late[j]); got != want {
					t.Fatalf("%s: %+v, want %+v", name, got, want)
				}
				if !differing.Differs(sketches[i], sketches[j]) {
					if silent++; len(differing.Differences(late[i], late[j])) > 0 {
						t.Fatalf("%s: %q and %q differ", name, docs[i].Text, docs[j].Text)
					}
				}
			}
		}
		if silent == 0 || name == "auto" && made < len(docs)/4 {
			t.Errorf("%s: %d pairs without Differences, %d views with records", name, silent, made)
		}
	}
}
