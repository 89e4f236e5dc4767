// Package stack measures how deep calls of the product's functions are nested.
package stack

import (
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/neardup/neardup"
)

const module = "github.com/neardup/neardup"

var (
	creator = regexp.MustCompile(`^created by (.+) in goroutine (\d+)$`)
	header  = regexp.MustCompile(`^goroutine (\d+) `)
	where   = regexp.MustCompile(`^\t(.+):\d+`)
)

// Probe records the deepest stack on which Look was called, down to the function whose name ends in From.
type Probe struct {
	From   string
	mu     sync.Mutex
	frames []string
}

// Look measures the stack of its caller.
func (p *Probe) Look() {
	frames := functions(p.From)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(frames) > len(p.frames) {
		p.frames = frames
	}
}

// Check fails if the deepest stack has more than most functions of the product, or if none was measured.
func (p *Probe) Check(t *testing.T, most int) {
	t.Helper()
	t.Logf("%d functions:\n%s", len(p.frames), strings.Join(p.frames, "\n"))
	if n := len(p.frames); n == 0 || n > most {
		t.Errorf("%d functions from %s, want 1 to %d", n, p.From, most)
	}
}

// Judging returns a method that calls look for each pair that it compares.
func Judging(m neardup.Method, look func()) neardup.Method {
	if j, ok := m.(neardup.TwoStage); ok {
		return judging{j, look}
	}
	return method{m, look}
}

type method struct {
	neardup.Method
	look func()
}

func (m method) Compare(a, b neardup.Prepared) neardup.Match {
	m.look()
	return m.Method.Compare(a, b)
}

type judging struct {
	neardup.TwoStage
	look func()
}

func (m judging) Compare(a, b neardup.Prepared) neardup.Match {
	m.look()
	return m.TwoStage.Compare(a, b)
}

func (m judging) Screen(a, b neardup.Prepared) (neardup.Match, bool) {
	m.look()
	return m.TwoStage.Screen(a, b)
}

func (m judging) Decide(a, b neardup.Prepared, closeness float64) neardup.Match {
	m.look()
	return m.TwoStage.Decide(a, b, closeness)
}

// functions returns the product's functions on the stack, innermost first, down to the function whose name ends in from. It
// follows the goroutines that started this one, as long as they run. It returns nil if from is not reached. Functions of
// tests do not count.
func functions(from string) []string {
	buf := make([]byte, 1<<20)
	goroutines := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") // the first one is the caller's
	byNumber := map[string]string{}
	for _, g := range goroutines {
		if m := header.FindStringSubmatch(g); m != nil {
			byNumber[m[1]] = g
		}
	}
	var frames []string
	for g := goroutines[0]; g != ""; {
		lines := strings.Split(g, "\n")[1:]
		parent := ""
		for i := 0; i+1 < len(lines); i += 2 {
			name, file := lines[i], where.FindStringSubmatch(lines[i+1])
			if m := creator.FindStringSubmatch(name); m != nil {
				parent = m[2]
				break
			}
			name = name[:strings.LastIndexByte(name, '(')]
			own := strings.HasPrefix(name, module) && !strings.HasPrefix(name, module+"/internal/test/")
			if own && file != nil && !strings.HasSuffix(file[1], "_test.go") {
				frames = append(frames, strings.TrimPrefix(strings.TrimPrefix(name, module), "/"))
			}
			if strings.HasSuffix(name, from) {
				return frames
			}
		}
		g = byNumber[parent]
	}
	return nil
}
