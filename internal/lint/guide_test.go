package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGoGuide wants each block of Go of the guide to be code of an example, because examples
// are compiled and run.
func TestGoGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/go.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := ""
	for _, dir := range []string{"batch", "docid"} {
		b, err := os.ReadFile(filepath.Join("../..", dir, "example_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		examples += string(b)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) == 0 {
		t.Error("the guide has no Go")
	}
	for _, block := range blocks {
		code := ""
		for line := range strings.Lines(block[1]) {
			if line != "\n" {
				code += "\t"
			}
			code += line
		}
		if !strings.Contains(examples, code) {
			t.Errorf("no example has\n%s", block[1])
		}
	}
}
