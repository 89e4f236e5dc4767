//go:build full

package main

import (
	"testing"

	"github.com/neardup/neardup/corpus/interop"
)

// Spans that touch or overlap get one mask; places are those of runes.
func TestMasked(t *testing.T) {
	for _, c := range []struct {
		text  string
		spans []interop.Span
		want  string
	}{
		{"中文ab", nil, "中文ab"},
		{"中文ab", []interop.Span{{Start: 0, End: 1}}, "#文ab"},
		{"中文ab", []interop.Span{{Start: 1, End: 4}}, "中#"},
		{"中文ab", []interop.Span{{Start: 0, End: 1}, {Start: 1, End: 2}}, "#ab"},
		{"中文ab", []interop.Span{{Start: 0, End: 3}, {Start: 1, End: 2}}, "#b"},
		{"中文ab", []interop.Span{{Start: 0, End: 1}, {Start: 2, End: 3}}, "#文#b"},
		{"a\xffb", []interop.Span{{Start: 2, End: 3}}, "a\xff#"},
	} {
		if got := masked(c.text, c.spans, "#"); got != c.want {
			t.Errorf("%q without %v: %q, want %q", c.text, c.spans, got, c.want)
		}
	}
}
