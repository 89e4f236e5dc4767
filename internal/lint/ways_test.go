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

// maxSteps is in how many steps DESIGN.md follows one document, and one article.
const maxSteps = 10

var (
	numbered = regexp.MustCompile(`^\d+\. `)
	named    = regexp.MustCompile("`([a-z]+(?:\\.[A-Za-z]+){1,2})`")
	hop      = regexp.MustCompile("`([a-z]+(?:\\.[A-Za-z]+){1,2})`\\s*([>~])")
)

// DESIGN.md follows one document and one article through the code: in few steps,
// by functions that are there, each of which calls the next of the longest way.
func TestWaysThroughTheCode(t *testing.T) {
	design, err := os.ReadFile(filepath.Join(root(), "DESIGN.md"))
	if err != nil {
		t.Fatal(err)
	}
	functions := functionsByName(t)
	for _, title := range []string{"## One document, ", "## One article, "} {
		_, section, found := strings.Cut(string(design), title)
		section, _, _ = strings.Cut(section, "\n## ")
		steps := 0
		for line := range strings.Lines(section) {
			if numbered.MatchString(line) {
				steps++
			}
		}
		if !found || steps == 0 || steps > maxSteps {
			t.Errorf("%s: %d steps, want 1 to %d", title, steps, maxSteps)
		}
		for _, m := range named.FindAllStringSubmatch(section, -1) {
			if functions[m[1]] == nil {
				t.Errorf("%s there is no function %s", title, m[1])
			}
		}
		called := map[string]bool{} // by what comes before: a closure is called deeper than it stands
		hops := hop.FindAllStringSubmatch(section, -1)
		for i, m := range hops {
			for name := range functions[m[1]] {
				called[name] = true
			}
			if i+1 < len(hops) && m[2] == ">" && !called[path.Ext(hops[i+1][1])[1:]] {
				t.Errorf("%s %s does not lead to %s", title, m[1], hops[i+1][1])
			}
		}
		if len(hops) < 5 {
			t.Errorf("%s the longest way has %d hops", title, len(hops))
		}
	}
}

// functionsByName are the functions of the product by package, receiver and
// name, each with the names that it uses.
func functionsByName(t *testing.T) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, s := range sources(t) {
		if !s.isProduct() {
			continue
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name, uses := s.file.Name.Name+"."+receiver(f)+f.Name.Name, map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id != f.Name {
					uses[id.Name] = true
				}
				return true
			})
			all[name] = uses
		}
	}
	return all
}

// receiver is the type of a method, with a dot.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name + "."
		}
		return name == ""
	})
	return name
}
