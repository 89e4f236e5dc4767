package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	tests := []struct {
		args string
		size func(int) bool
		err  string
	}{
		{"-documents 3 -median 50 -max 60", func(n int) bool { return n > 150 && n < 600 }, ""},
		{"-bytes 10000 -language chinese", func(n int) bool { return n > 10000 }, ""},
		{"-fingerprints 10", func(n int) bool { return n == 80 }, ""},
		{"-fingerprints 10 -hex", func(n int) bool { return n == 170 }, ""},
		{"-of paragraphs ../generate.go", func(n int) bool { return n > 3000 }, ""},
		{"-of sentences -documents 5 ../generate.go", func(n int) bool { return n > 200 }, ""},
		{"-of verses ../generate.go", nil, "neither sentences, paragraphs nor pages"},
		{"-of sentences", nil, "needs files"},
		{"", nil, "one of -documents"},
		{"-documents 1 -language latin", nil, "language"},
	}
	for _, test := range tests {
		var out bytes.Buffer
		err := run(strings.Fields(test.args), &out, io.Discard)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q: error %v, want %q", test.args, err, test.err)
			}
			continue
		}
		if err != nil || !test.size(out.Len()) {
			t.Errorf("%q: %d bytes, %v", test.args, out.Len(), err)
		}
	}
}
