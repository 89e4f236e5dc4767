package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGoGuide checks that each block of Go of the guide and of the README is code of an example, because examples
// are compiled and run.
func TestGoGuide(t *testing.T) {
	examples := ""
	for _, dir := range []string{"batch", "batch/standard", "docid"} {
		b, err := os.ReadFile(filepath.Join("../..", dir, "example_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		examples += string(b)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readPage(t, "docs/guides/go.md")+readPage(t, "README.md"), -1)
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
