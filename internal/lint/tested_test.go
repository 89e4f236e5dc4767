package lint

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// Every exported function and method is used by a test or an example. Methods are matched by name only. A
// test counts if it is in the package or imports it, or if it runs a suite that does. This is cheap, and
// enough to find functions that no test uses.
func TestExportsAreTried(t *testing.T) {
	all := sources(t)
	tried := map[string]bool{}      // "folder.Name"
	suites := map[string][]string{} // folders that are tested by a package for tests
	for _, s := range all {
		if !s.isTest() {
			continue
		}
		folders := imported(s)
		namesIn(s, folders, tried)
		for _, suite := range folders[1:] {
			suites[suite] = append(suites[suite], s.dir())
		}
	}
	for _, s := range all {
		if isForTests(s) && !s.isTest() {
			namesIn(s, append(imported(s), suites[s.dir()]...), tried)
		}
	}
	for _, s := range all {
		if !s.isProduct() || isForTests(s) || isBench(s.dir()) || isInternal(s.dir()+"/") {
			continue
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Name.IsExported() && receiverExported(f) && !tried[s.dir()+"."+f.Name.Name] {
				t.Errorf("%s: %s is neither called by a test nor shown in an example", s.at(f.Pos()), f.Name.Name)
			}
		}
	}
}

// isForTests reports whether only tests use the package of a file.
func isForTests(s source) bool { return isSupport(s.dir()) }

// imported returns the folder of a file and those of the module that it imports.
func imported(s source) []string {
	folders := []string{s.dir()}
	for _, spec := range s.file.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if own, ok := strings.CutPrefix(full, module); err == nil && ok {
			folders = append(folders, strings.TrimPrefix(own, "/"))
		}
	}
	return folders
}

// namesIn records the names that a test uses: its own names, names after a dot for every folder, and the
// names in the name of an example.
func namesIn(s source, folders []string, tried map[string]bool) {
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
			_, method, _ := strings.Cut(f.Name.Name, "_")
			tried[s.dir()+"."+method] = true
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			for _, dir := range folders {
				tried[dir+"."+n.Sel.Name] = true
			}
		case *ast.Ident:
			tried[s.dir()+"."+n.Name] = true
		}
		return true
	})
}
