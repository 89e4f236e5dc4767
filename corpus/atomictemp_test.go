package corpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/neardup/neardup/corpus"
)

// An output removes the temporary files of killed processes with the same output, and nothing else.
func TestStaleTemporariesGo(t *testing.T) {
	for _, test := range []struct {
		name string
		left []string // a name that ends in / is a directory with a file
		stay []string
	}{
		{"a file", []string{".out.tmp-abcdefghij.lock", ".out.tmp-abcdefghij"}, nil},
		{"a directory", []string{".out.tmp-abcdefghij.lock", ".out.tmp-abcdefghij/"}, nil},
		{"a lock alone", []string{".out.tmp-abcdefghij.lock"}, nil},
		{"without a lock", []string{".out.tmp-abcdefghij"}, []string{".out.tmp-abcdefghij"}},
		{"another output", []string{".out2.tmp-abcdefghij", ".out2.tmp-abcdefghij.lock"}, []string{".out2.tmp-abcdefghij", ".out2.tmp-abcdefghij.lock"}},
		{"not ours", []string{".out.tmp-a", ".out.tmp-a.lock", ".out.lock"}, []string{".out.lock", ".out.tmp-a", ".out.tmp-a.lock"}},
	} {
		for kind, create := range map[string]func(string) (corpus.Output, error){
			"file":      func(path string) (corpus.Output, error) { return corpus.CreateAtomic(path) },
			"directory": func(path string) (corpus.Output, error) { return corpus.CreateDir(path) },
		} {
			dir := t.TempDir()
			for _, name := range test.left {
				path := filepath.Join(dir, name)
				if name[len(name)-1] == '/' {
					if err := os.Mkdir(path, 0o777); err != nil {
						t.Fatal(err)
					}
					path = filepath.Join(path, "part")
				}
				if err := os.WriteFile(path, nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			// Two processes that write the same output at once do not affect each other.
			out := filepath.Join(dir, "out")
			first, err := create(out)
			if err != nil {
				t.Fatal(err)
			}
			second, err := create(out)
			if err != nil {
				t.Fatal(err)
			}
			second.Abort()
			if err := corpus.CommitAll(first); err != nil {
				t.Errorf("%s, %s: %v", test.name, kind, err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range entries {
				got = append(got, e.Name())
			}
			want := append(slices.Clone(test.stay), "out")
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", test.name, kind, got, want)
			}
		}
	}
}
