package lint

import (
	"go/ast"
	"testing"
)

// maxNames is how many top-level names a package may export, constants and
// variables of a group counted once, as go doc -short lists them.
var maxNames = map[string]int{"": 40, "docid": 80, "batch": 60}

func TestVocabulariesAreSmall(t *testing.T) {
	names := map[string]int{}
	for _, s := range sources(t) {
		if _, counts := maxNames[s.dir()]; !counts || s.isTest() {
			continue
		}
		for _, decl := range s.file.Decls {
			names[s.dir()] += exported(decl)
		}
	}
	for dir, most := range maxNames {
		if n := names[dir]; n > most || n < most/4 {
			t.Errorf("package %q exports %d names, at most %d", dir, n, most)
		}
	}
}

// exported counts what a declaration exports.
func exported(decl ast.Decl) (n int) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			return 1
		}
	case *ast.GenDecl:
		group := 0
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() {
						group = 1
					}
				}
			}
		}
		n += group
	}
	return n
}
