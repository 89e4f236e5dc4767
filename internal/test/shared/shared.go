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

// Env names the environment variable that says where the data lies.
const Env = "NEARDUP_TEST_DATA"

// Dir returns the folder of the shared data: $NEARDUP_TEST_DATA, or shared/data
// beside the project's root folder.
func Dir() string {
	if dir := os.Getenv(Env); dir != "" {
		return dir
	}
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	return filepath.Join(root, "..", "shared", "data")
}

// Path returns the path of one file of the shared data. Where it is missing
// the test is skipped, and fails in CI (CI=true): there it must be present.
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

// Unpacked reads a file of the shared data that zstd has packed, until the test ends.
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
