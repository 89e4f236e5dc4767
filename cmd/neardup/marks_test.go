package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// TestMarks: how far an index was is there for the next start, also after the
// last moment; an index in a folder needs none; a damaged file is told.
func TestMarks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	m := marksOf(dir, &openStore{shared: true})
	if seen, err := m.load(); seen != nil || err != nil {
		t.Fatalf("before the first start: %v, %v", seen, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	m.keep(ctx, func() map[string]uint64 { return map[string]uint64{"news": 7} }, slog.New(slog.DiscardHandler))
	if seen, err := m.load(); err != nil || seen["news"] != 7 {
		t.Errorf("at the next start: %v, %v", seen, err)
	}
	local := marksOf(dir, &openStore{})
	local.keep(t.Context(), nil, nil)
	if seen, err := local.load(); seen != nil || err != nil {
		t.Errorf("an index in a folder: %v, %v", seen, err)
	}
	if err := os.WriteFile(m.path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.load(); err == nil {
		t.Error("a damaged file was read")
	}
}
