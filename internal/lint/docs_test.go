package lint

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s:]*)\)`) // to this repository: no scheme
	heading  = regexp.MustCompile(`^#+ (.+)$`)
	testName = regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9]*`)
	conflict = regexp.MustCompile(`^(<<<<<<<|>>>>>>>) `)
)

// What the pages name is there: files, headings of pages and tests. No page is left half merged.
func TestPagesNameWhatIsThere(t *testing.T) {
	tests := testNames(t)
	for _, page := range tracked(t) {
		if !strings.HasSuffix(page, ".md") || strings.Contains(page, "testdata/") {
			continue
		}
		for i, line := range strings.Split(readPage(t, page), "\n") {
			if conflict.MatchString(line) {
				t.Errorf("%s:%d is left from a merge: %s", page, i+1, line)
			}
			for _, name := range testName.FindAllString(line, -1) {
				if !tests[name] {
					t.Errorf("%s:%d there is no test %s", page, i+1, name)
				}
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if broken := brokenLink(t, page, m[1]); broken != "" {
					t.Errorf("%s:%d %s", page, i+1, broken)
				}
			}
		}
	}
}

// brokenLink describes what is wrong with a link of a page, or returns "".
func brokenLink(t *testing.T, page, to string) string {
	file, anchor, _ := strings.Cut(to, "#")
	target := page
	if file != "" {
		target = path.Join(path.Dir(filepath.ToSlash(page)), file)
	}
	if _, err := os.Stat(filepath.Join(root(), target)); err != nil {
		return "there is no file " + target
	}
	if anchor == "" {
		return ""
	}
	for line := range strings.Lines(readPage(t, target)) {
		if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil && anchorOf(m[1]) == anchor {
			return ""
		}
	}
	return target + " has no heading #" + anchor
}

// anchorOf returns the anchor of a heading: letters and digits in lower case, spaces as hyphens.
func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case strings.ContainsRune("`,.:;?!()'\"/&", r):
			return -1
		}
		return r
	}, strings.ToLower(title))
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(), page))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// testNames returns the names of all tests, including those of bench/.
func testNames(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && s.isTest() && strings.HasPrefix(f.Name.Name, "Test") {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
