package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The two agree on texts in which much is repeated.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var files []string
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		var b bytes.Buffer
		for range 200 {
			text := ""
			for len(text) < 500 {
				text += strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(30)) + "的"
			}
			line, _ := json.Marshal(map[string]string{"text": text})
			b.Write(append(line, '\n'))
		}
		files = append(files, filepath.Join(t.TempDir(), name))
		if err := os.WriteFile(files[len(files)-1], b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(append([]string{"-least", "30"}, files...), &out); err != nil || strings.Count(out.String(), "\t0\t0\t0\t") != 2 || strings.Contains(out.String(), "\t0\t0\t0\t0\t0") {
		t.Errorf("%v, %s", err, out.String())
	}
	t.Log(out.String())
}

// A window that is missed, or invented, is counted.
func TestDifferences(t *testing.T) {
	c := &texts{text: []byte("abcdefgh abcdefgh, xyz"), begin: []int{0, 8, 22}}
	w := c.repeated(8)
	if !w.later.has(9) || !w.first.has(0) || w.later.count() != 1 || w.first.count() != 1 {
		t.Fatalf("%b %b", w.first, w.later)
	}
	w.later.clear(9)
	w.later.add(12)
	d, err := c.compare(w, config(8, false, 64))
	if err != nil || d != (differences{repeated: 5, spans: 1, missed: 3, invented: 3}) {
		t.Errorf("%+v, %v", d, err)
	}
}
