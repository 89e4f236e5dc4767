//go:build full

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The administrator's token is for the owner of the folder alone, and stays
// the same over restarts.
func TestAdminTokenIsPrivate(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new", "data")
	first, err := adminToken(data)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{data: 0o700, filepath.Join(data, "admin-token"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	again, err := adminToken(data)
	if err != nil || again != first || len(first) < 22 {
		t.Errorf("%q, then %q, %v", first, again, err)
	}
}

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:8080": true, "127.8.8.8:1": true, "[::1]:8080": true, "localhost:80": true,
		"0.0.0.0:8080": false, ":8080": false, "[::]:1": false, "10.0.0.1:1": false, "localhost.evil.example:1": false, "nonsense": false,
	} {
		if got := loopback(addr); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
}

// Connections never take the files of the store, however few there are.
func TestShareFiles(t *testing.T) {
	for limit, want := range map[int][2]int{
		0: {2048, 1000}, 1 << 20: {2048, 1000}, 4096: {2048, 1000}, 3000: {1500, 1000}, 1024: {512, 341}, 64: {32, 21}, 8: {4, 8},
	} {
		if c, s := shareFiles(limit); c != want[0] || s != want[1] {
			t.Errorf("%d files: %d connections and %d of the store, want %v", limit, c, s, want)
		}
	}
}
