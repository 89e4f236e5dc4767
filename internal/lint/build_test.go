package lint

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestBuilds: what a build without cgo compiles has no C, few modules, and the clients of Kafka, NATS and S3 only with the
// tag full. The limits are today's numbers: a module that is added is worth a line in the table of DESIGN.md.
func TestBuilds(t *testing.T) {
	heavy := []string{"github.com/minio/minio-go/v7", "github.com/nats-io/nats.go", "github.com/twmb/franz-go"}
	for _, c := range []struct {
		what, tags string
		packages   []string
		modules    int
		heavy      bool
	}{
		{"the command", "", []string{"./cmd/neardup"}, 70, false},
		{"the command of a release", "full", []string{"./cmd/neardup"}, 87, true},
		{"a library user of batch", "", []string{"./batch", "./methods"}, 8, false},
		{"a library user of the service's index", "", []string{"./docid/standard", "./store/memory"}, 11, false},
	} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{
			"list", "-deps", "-tags=" + c.tags, "-f", `{{with .Module}}{{if .Version}}{{.Path}}{{end}}{{end}}{{if .CgoFiles}} C:{{.ImportPath}}{{end}}`,
		}, c.packages...)...)
		cmd.Dir, cmd.Env = "../..", append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		found := strings.Fields(string(out))
		slices.Sort(found)
		found = slices.Compact(found)
		if len(found) > c.modules {
			t.Errorf("%s: %d modules, want at most %d: %v", c.what, len(found), c.modules, found)
		}
		for _, m := range found {
			if strings.HasPrefix(m, "C:") {
				t.Errorf("%s needs a C compiler: %s", c.what, m)
			}
		}
		for _, m := range heavy {
			if slices.Contains(found, m) != c.heavy {
				t.Errorf("%s: %s is needed: %v, want %v", c.what, m, !c.heavy, c.heavy)
			}
		}
	}
}
