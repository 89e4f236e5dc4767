package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// module is the path all packages begin with.
const module = "github.com/neardup/neardup"

// source is one Go file of the module.
type source struct {
	path string // from the root, with slashes
	file *ast.File
	set  *token.FileSet
	text string
}

func (s source) dir() string {
	if i := strings.LastIndexByte(s.path, '/'); i >= 0 {
		return s.path[:i]
	}
	return ""
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// isProduct: neither a test nor a main package, where other rules hold.
func (s source) isProduct() bool { return !s.isTest() && s.file.Name.Name != "main" }

func (s source) at(pos token.Pos) string {
	p := s.set.Position(pos)
	return p.String()
}

func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// sources returns every Go file of the tree, parsed.
func sources(t *testing.T) []source {
	t.Helper()
	list, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// parsed parses every Go file of the tree once.
var parsed = sync.OnceValues(func() (list []source, err error) {
	err = filepath.WalkDir(root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root() && (name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, ".") {
			return nil
		}
		relative, err := filepath.Rel(root(), path)
		if err != nil {
			return err
		}
		s := source{path: filepath.ToSlash(relative), set: token.NewFileSet()}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s.text = string(text)
		s.file, err = parser.ParseFile(s.set, s.path, text, parser.ParseComments|parser.SkipObjectResolution)
		list = append(list, s)
		return err
	})
	return list, err
})

// tracked returns the files under version control, or all where there is none
// (an unpacked archive).
func tracked(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root()
	if out, err := list.Output(); err == nil {
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	}
	var all []string
	err := filepath.WalkDir(root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(root(), path)
		all = append(all, relative)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
