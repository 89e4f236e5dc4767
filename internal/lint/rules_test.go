package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 80
)

// exits are calls that end the process or the goroutine; libraries return
// errors. allowedExits gives the reason for each exception, by "path: call".
var (
	exits        = map[string]bool{"os.Exit": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true, "log.Panic": true, "log.Panicf": true, "log.Panicln": true, "runtime.Goexit": true}
	allowedExits = map[string]string{
		"token/lexicon.go: panic":                "without the tables of Chinese the program would decide otherwise; where they are embedded it cannot happen",
		"store/pebble/logger.go: runtime.Goexit": "Pebble demands that Fatalf does not return; the store then answers with the error",
	}
)

func TestLibrariesNeitherExitNorPanic(t *testing.T) {
	for _, s := range sources(t) {
		if !s.isProduct() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := callName(call)
			if (exits[name] || name == "panic") && allowedExits[s.path+": "+name] == "" {
				t.Errorf("%s: %s in a library", s.at(call.Pos()), name)
			}
			return true
		})
	}
}

func callName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if pkg, ok := f.X.(*ast.Ident); ok {
			return pkg.Name + "." + f.Sel.Name
		}
	}
	return ""
}

func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: func init; wire it where it is used", s.at(f.Pos()))
			}
		}
	}
}

// TestEffectsHaveLinesOfTheirOwn refuses an assignment or call before the condition of an if, which a reader
// overlooks; if x := f(); x is fine, because x ends with the if. It also refuses && next to || without parentheses.
func TestEffectsHaveLinesOfTheirOwn(t *testing.T) {
	for _, s := range sources(t) {
		for _, problem := range hidden(s.file) {
			t.Errorf("%s: %s", s.at(problem.pos), problem.text)
		}
	}
}

func TestHiddenEffectsAreFound(t *testing.T) {
	for code, want := range map[string]int{
		"if x = f(); x { }":                      1,
		"if mu.Lock(); x { }":                    1,
		"if x { } else if n++; n > 1 { }":        1,
		"if x := f(); x { }":                     0,
		"x = a && b || c":                        1,
		"x = (a && b) || c":                      0,
		"x = a && b && c":                        0,
		"for x = f(); x; x = f() { _ = x }":      0,
		"switch x = f(); { case x: }":            1,
		"if f(func() bool { return a || b }) {}": 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc _() {\n"+code+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := hidden(file); len(got) != want {
			t.Errorf("%s: %d problems, want %d", code, len(got), want)
		}
	}
}

// finding is a problem at a place of a file.
type finding struct {
	pos  token.Pos
	text string
}

// hidden returns the effects before conditions, and the mixed operators without parentheses.
func hidden(file *ast.File) (found []finding) {
	statement := func(init ast.Stmt) {
		if a, assigns := init.(*ast.AssignStmt); init != nil && !(assigns && a.Tok == token.DEFINE) {
			found = append(found, finding{init.Pos(), "an effect before a condition (want a line of its own)"})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			statement(n.Init)
		case *ast.SwitchStmt:
			statement(n.Init)
		case *ast.BinaryExpr:
			for _, side := range []ast.Expr{n.X, n.Y} {
				if b, binary := side.(*ast.BinaryExpr); binary && n.Op == token.LOR && b.Op == token.LAND {
					found = append(found, finding{b.Pos(), "&& next to || (want parentheses)"})
				}
			}
		}
		return true
	})
	return found
}

func TestExportsAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if !s.isProduct() {
			continue
		}
		types := documentedTypes(s.file)
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && receiverExported(d) {
					t.Errorf("%s: %s has no comment", s.at(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				undocumented(t, s, d, types)
			}
		}
	}
}

func receiverExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			exported = name.IsExported()
			return false
		}
		return !exported
	})
	return exported
}

// documentedTypes returns the types of a file with a comment, which also covers their constants.
func documentedTypes(file *ast.File) map[string]bool {
	types := map[string]bool{}
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range d.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok && (d.Doc != nil || spec.Doc != nil) {
				types[spec.Name.Name] = true
			}
		}
	}
	return types
}

// undocumented reports types, and constants and variables without a comment of
// their own, of their line, of their group or of their type.
func undocumented(t *testing.T, s source, d *ast.GenDecl, types map[string]bool) {
	kind := "" // of the constants; those of an iota group inherit it
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
				t.Errorf("%s: type %s has no comment", s.at(spec.Pos()), spec.Name.Name)
			}
		case *ast.ValueSpec:
			if name, ok := spec.Type.(*ast.Ident); ok {
				kind = name.Name
			}
			if d.Doc != nil || spec.Doc != nil || spec.Comment != nil || (d.Tok == token.CONST && types[kind]) {
				continue
			}
			for _, name := range spec.Names {
				if name.IsExported() {
					t.Errorf("%s: %s has no comment", s.at(name.Pos()), name.Name)
				}
			}
		}
	}
}

func TestFunctionsAndFilesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if s.isTest() || ast.IsGenerated(s.file) {
			continue
		}
		if lines := strings.Count(s.text, "\n"); lines > maxFileLines {
			t.Errorf("%s: %d lines, at most %d", s.path, lines, maxFileLines)
		}
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
				if lines > maxFunctionLines {
					t.Errorf("%s: %s has %d lines, at most %d", s.at(f.Pos()), f.Name.Name, lines, maxFunctionLines)
				}
			}
		}
	}
}

func TestPackagesAreNamedAfterConcepts(t *testing.T) {
	empty := map[string]bool{"util": true, "utils": true, "common": true, "base": true, "types": true, "helpers": true, "misc": true}
	for _, s := range sources(t) {
		if empty[s.file.Name.Name] {
			t.Errorf("%s: package %s says nothing", s.path, s.file.Name.Name)
		}
	}
}

// The words are put together here so that this file does not hold them.
var forbidden = []string{
	"/wo" + "rk/", "/tm" + "p/", "/ro" + "ot/", "/ho" + "me/",
	"proxy.gol" + "ang.org", "py" + "pi.org", "pythonho" + "sted", "registry.np" + "mjs",
	"Cla" + "ude", "Anthro" + "pic", "Chat" + "GPT", "Cop" + "ilot",
	"TO" + "DO", "FIX" + "ME", "XX" + "X:",
}

func TestTrackedFilesHoldNoForbiddenWords(t *testing.T) {
	for _, name := range tracked(t) {
		text, err := os.ReadFile(filepath.Join(root(), name))
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(text) || strings.Contains(filepath.ToSlash(name), "testdata/") {
			continue
		}
		for number, line := range bytes.Split(text, []byte{'\n'}) {
			for _, word := range forbidden {
				if bytes.Contains(line, []byte(word)) {
					t.Errorf("%s:%d: %q", name, number+1, word)
				}
			}
		}
	}
}
