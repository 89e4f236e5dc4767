// Package shared finds the shared labelled texts that tests measure with.
package shared

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Env is the environment variable with the folder of the data.
const Env = "NEARDUP_TEST_DATA"

// Dir returns the folder of the shared data: $NEARDUP_TEST_DATA, or shared/data next to the root folder of the project.
func Dir() string {
	if dir := os.Getenv(Env); dir != "" {
		return dir
	}
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	return filepath.Join(root, "..", "shared", "data")
}

// Path returns the path of a file of the shared data. If it is missing, the test is skipped, or fails in CI (CI=true).
func Path(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(Dir(), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("shared data is missing: %v (set %s)", err, Env)
		}
		tb.Skipf("shared data is missing: %v (set %s)", err, Env)
	}
	return path
}

// Unpacked returns a reader of a zstd file of the shared data. It is closed at the end of the test.
func Unpacked(tb testing.TB, name string) io.Reader {
	tb.Helper()
	f, err := os.Open(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	z, err := zstd.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(z.Close)
	return z
}
