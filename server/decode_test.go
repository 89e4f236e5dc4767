package server

import (
	stdjson "encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/server/api"
)

// FuzzDecode: whatever the bytes, decoding ends, and what is let through is what any
// reader of JSON takes for the same.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"nid":"a","NID":"b"}`, `{"content":"\ud83d\ude00","ttlSeconds":1}`, `{"id":"a","Text":"b"}`, `"\ud800"`, `{"title":"\\ud800"}`, `{"url":"x","heat":-1}`, `[[[[`, `{"a`, `"\u`, `null`, `{}{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in input[api.Submission]
		in.decode(data)
		if errs := in.Resolve(nil); len(errs) > 0 {
			if s, ok := errs[0].(huma.StatusError); !ok || (s.GetStatus() != 400 && s.GetStatus() != 422) || !utf8.ValidString(errs[0].Error()) || len(errs[0].Error()) > 500 {
				t.Errorf("%q is refused with %v", data, errs)
			}
			return
		}
		if !utf8.Valid(data) {
			t.Errorf("%q is no UTF-8", data)
		}
		var again api.Submission
		named, _ := renamed(data)
		if err := stdjson.Unmarshal(named, &again); err != nil || !reflect.DeepEqual(again, in.is) {
			t.Errorf("%q is %+v, and elsewhere %+v, %v", data, in.is, again, err)
		}
	})
}

// A body is described as what it holds.
func TestInputSchema(t *testing.T) {
	r := huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)
	if got, want := new(input[api.Batch]).Schema(r), r.Schema(reflect.TypeFor[api.Batch](), true, ""); got.Ref == "" || got.Ref != want.Ref {
		t.Errorf("schema %q, want %q", got.Ref, want.Ref)
	}
}
