package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const maxFields = 16

// manyFields are the structs with more fields than that, and how many they may have. They only fall.
var manyFields = map[string]int{
	"batch.Config":                   17,
	"corpus.input":                   18,
	"corpus.Options":                 21,
	"docid.Settings":                 22,
	"docid.subject":                  17,
	"eval.Report":                    18,
	"passage.sampler":                17,
	"server.figures":                 20,
	"store/internal/ledger.follower": 19,
	"store/internal/ledger.index":    17,
}

// singles are the interfaces that one type of the product implements, each with the reason why it is there.
var singles = map[string]string{
	"batch.Passer":      "optional for callers that read blocks of their own",
	"batch.outliner":    "methods does not import batch, which takes methods of callers",
	"batch/audit.Texts": "batch imports batch/audit, which reads the texts of its caller",
	"docid.Catalog":     "part of the contract of docid.Store, which callers implement",
	"docid.Library":     "optional for sinks of callers; HBase keeps the articles",
	"server.Texts":      "server does not import store/pebble",
	"simhash.Stream":    "optional for features of callers, which are counted faster with it",
	"streams.Service":   "callers that decide in their own process bring a service; tests do",
}

// A struct has few fields: a long one is several things in one.
func TestStructsAreSmall(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		if s.isTest() || isSupport(s.dir()) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if st, ok := spec.Type.(*ast.StructType); ok {
				name, most := s.dir()+"."+spec.Name.Name, maxFields
				if allowed, ok := manyFields[name]; ok {
					most, seen[name] = allowed, true
				}
				if n := fields(st); n > most || (seen[name] && n <= maxFields) {
					t.Errorf("%s: %s has %d fields, at most %d", s.at(spec.Pos()), name, n, most)
				}
			}
			return true
		})
	}
	for name := range manyFields {
		if !seen[name] {
			t.Errorf("there is no struct %s", name)
		}
	}
}

// fields counts the fields of a struct. Names that share a type are several fields.
func fields(st *ast.StructType) (n int) {
	for _, f := range st.Fields.List {
		n += max(1, len(f.Names))
	}
	return n
}

// An interface has two implementations in the product, or a reason.
func TestInterfacesHaveTwoImplementations(t *testing.T) {
	var named []*types.Named
	for _, p := range checked(t) {
		for _, name := range p.Scope().Names() {
			if object, ok := p.Scope().Lookup(name).(*types.TypeName); ok && !object.IsAlias() {
				if n, ok := object.Type().(*types.Named); ok {
					named = append(named, n)
				}
			}
		}
	}
	found := map[string]bool{}
	for _, n := range named {
		face, ok := n.Underlying().(*types.Interface)
		if !ok || !face.IsMethodSet() || face.NumMethods() == 0 || n.TypeParams().Len() > 0 {
			continue
		}
		var by []string
		for _, other := range named {
			if types.IsInterface(other) || other == n {
				continue
			}
			if types.Implements(other, face) || types.Implements(types.NewPointer(other), face) {
				by = append(by, short(other))
			}
		}
		name := short(n)
		if len(by) == 1 {
			found[name] = true
			if singles[name] == "" {
				t.Errorf("only %s implements the interface %s", by[0], name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(singles)) {
		if !found[name] {
			t.Errorf("%s is not an interface with a single implementation: remove its reason", name)
		}
	}
}

// short returns the name of a type without the module's path.
func short(n *types.Named) string {
	return strings.TrimPrefix(strings.TrimPrefix(n.Obj().Pkg().Path(), module), "/") + "." + n.Obj().Name()
}

// checked returns the packages of the product with their types. Those of other modules are read from what the compiler
// wrote of them.
func checked(t *testing.T) []*types.Package {
	t.Helper()
	list := exec.Command("go", "list", "-tags=full", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export,Module", "./...")
	list.Dir, list.Stderr = root(), os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	set, exports, own := token.NewFileSet(), map[string]string{}, map[string]*types.Package{}
	compiled := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var packages []*types.Package
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; { // each after those that it imports
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			Module                  *struct{ Main bool }
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module == nil || !p.Module.Main {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		config := types.Config{Importer: imports(func(path string) (*types.Package, error) {
			if p := own[path]; p != nil {
				return p, nil
			}
			return compiled.Import(path)
		})}
		checked, err := config.Check(p.ImportPath, set, files, nil)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", p.ImportPath, err))
		}
		own[p.ImportPath] = checked
		if !isSupport(strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")) {
			packages = append(packages, checked)
		}
	}
}

type imports func(path string) (*types.Package, error)

func (i imports) Import(path string) (*types.Package, error) { return i(path) }
