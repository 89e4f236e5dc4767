//go:build full

package main

import "testing"

// A help text stays text in a manual page, whatever its lines begin with.
func TestManualIsText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":         "plain",
		".SH a request": `\&.SH a request`,
		"a\n'b\n.c":     "a\n\\&'b\n\\&.c",
		`--flag \n`:     `\-\-flag \en`,
		"":              "",
	} {
		if got := roff(in); got != want {
			t.Errorf("%q is set as %q, want %q", in, got, want)
		}
	}
}
