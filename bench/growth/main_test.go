package main

import (
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	head := strings.Join(columns[:6], "\t") + "\n"
	for _, c := range []struct{ in, want, err string }{
		{head + "0\t1000\t1\t100\t20\t3\n0\t10000\t11\t110\t22\t4\n60\t1000\t1\t100\t50\t9\n60\t10000\t11\t110\t70\t10\n", "greeting 60 B", ""},
		{strings.Join(columns, "\t") + "\n0\t1000\t1\t100\t20\t3\t1\t50\n0\t10000\t11\t110\t22\t4\t1\t500\n", "CPU us a text", ""},
		{head, "", "no curve"},
		{"texts\n", "", "columns"},
		{head + "0\tmany\t1\t1\t1\t1\n", "", "line 2"},
		{head + "0\t1\n", "", "2 columns"},
	} {
		var out strings.Builder
		err := draw(strings.NewReader(c.in), &out)
		if !strings.Contains(out.String(), c.want) || (err == nil) != (c.err == "") || (err != nil && !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: error %v, want %q; drawing of %d bytes", c.in, err, c.err, out.Len())
		}
	}
}
