package textlines

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEach(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "a\nb")
	z.Close()
	for name, c := range map[string]struct {
		content, want string // "number:line" of each
		err           string
	}{
		"empty":              {"", "", ""},
		"blank lines":        {"\n\na\n\r\n", "3:a", ""},
		"no end":             {"a\nb", "1:a 2:b", ""},
		"Windows, with mark": {"\ufeffa\r\nb\r\n", "1:a 2:b", ""},
		"gzip":               {packed.String(), "1:a 2:b", ""},
		"cut gzip":           {packed.String()[:11], "", "FILE:1: unexpected EOF"},
		"no gzip":            {"\x1f\x8b\x08", "", "read FILE: unexpected EOF"},
		"too long":           {"a\n" + strings.Repeat("x", longest+1), "1:a", "FILE:2: longer than 64 MiB"},
		"refused":            {"a\nbad", "1:a", "FILE:2: no good"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := Each(path, func(n int, line []byte) error {
			if string(line) == "bad" {
				return fmt.Errorf("no good")
			}
			got = append(got, fmt.Sprintf("%d:%s", n, line))
			return nil
		})
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		said := ""
		if err != nil {
			said = strings.ReplaceAll(err.Error(), path, "FILE")
		}
		if said != c.err {
			t.Errorf("%s: error %q, want %q", name, said, c.err)
		}
	}
}

func TestObject(t *testing.T) {
	var v struct {
		N int `json:"n"`
	}
	for line, want := range map[string]string{
		`{"n":1}`:       "",
		`{"n":"x"}`:     `field "n" of a thing: invalid type string`,
		`[1]`:           "not a JSON object (want a thing): array",
		`{`:             "not a JSON object (want a thing): column 2: truncated",
		`{"a" 1}`:       `not a JSON object (want a thing): column 6: unexpected "1" (want a colon)`,
		`{"ä":1 中}`:     `not a JSON object (want a thing): column 8: unexpected "中" (want a comma or })`,
		`{"n":[1 2]}`:   `not a JSON object (want a thing): column 9: unexpected "2" (want a comma or ])`,
		"{\n \"n\": x}": `not a JSON object (want a thing): line 2, column 7: unexpected "x" (want a value)`,
		`{n:1}`:         `not a JSON object (want a thing): column 2: unexpected "n" (want a key in quotes)`,
		`{"n":1}}`:      `not a JSON object (want a thing): column 8: unexpected "}" (want the end)`,
		`{"n":tru}`:     `not a JSON object (want a thing): column 9: unexpected "}" (want true)`,
		`{"n":1.}`:      `not a JSON object (want a thing): column 8: unexpected "}" (want a digit)`,
		`{"\q":1}`:      `not a JSON object (want a thing): column 4: unexpected "q" (want a JSON escape)`,
	} {
		said := ""
		if err := Object([]byte(line), &v, "thing"); err != nil {
			said = err.Error()
		}
		if said != want {
			t.Errorf("%s: %q, want %q", line, said, want)
		}
	}
}
