//go:build full

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
)

// TestStoreFlags checks which flags can be combined.
func TestStoreFlags(t *testing.T) {
	for _, c := range []struct {
		flags storeFlags
		ok    bool
	}{
		{storeFlags{detach: []string{"map", "articles"}}, true},
		{storeFlags{detach: []string{"articles"}, articleMap: "mysql://host/db"}, true},
		{storeFlags{detach: []string{"map"}, articleMap: "mysql://host/db"}, false},
		{storeFlags{detach: []string{"redis"}}, false},
		{storeFlags{seal: "secret"}, false},
		{storeFlags{log: "redis://host"}, true},
		{storeFlags{log: "redis://host", index: "folder"}, true},
		{storeFlags{log: "redis://host", snapshots: "shared", snapshotEvery: time.Hour}, true},
	} {
		if err := c.flags.valid(); errors.Is(err, errUsage) == c.ok || (c.ok && err != nil) {
			t.Errorf("%+v: %v", c.flags, err)
		}
	}
}

// TestStoresByAddress checks what each address opens, and that invalid addresses are refused.
func TestStoresByAddress(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		index, folder  string // made
		losses         int
		usage          bool
		log, snapshots string
		invalid        bool
	}{
		{index: "", folder: "default"},
		{index: filepath.Join(dir, "plain"), folder: "plain"},
		{index: "pebble:" + filepath.Join(dir, "scheme"), folder: "scheme"},
		{index: "memory:", losses: 1},
		{index: "mongo://host", usage: true},
		{index: "redis://host", usage: true}, // where the classic profile has its index
		{log: "mongo://host", usage: true},
		{log: "kafka://user@host", invalid: true}, // no password
		{log: "redis://host:none", invalid: true},
		{snapshots: "gs://bucket", usage: true},
		{snapshots: "s3://bucket", invalid: true}, // without a key
	} {
		s, err := (&storeFlags{index: c.index, log: c.log, snapshots: c.snapshots}).open(t.Context(), filepath.Join(dir, "default"))
		if errors.Is(err, errUsage) != c.usage || errors.Is(err, docid.ErrInvalid) != c.invalid || (!c.usage && !c.invalid && err != nil) {
			t.Errorf("%q %q: %v", c.index, c.log, err)
		}
		if err != nil {
			continue
		}
		if _, err := standard.Open(t.Context(), s, "tenant"); err != nil {
			t.Errorf("%q: %v", c.index, err)
		}
		if _, err := os.Stat(filepath.Join(dir, c.folder)); err != nil || len(s.losses) != c.losses {
			t.Errorf("%q: %v, may lose %q", c.index, err, s.losses)
		}
		if err := errors.Join(s.Poisoned(), s.Close()); err != nil {
			t.Errorf("%q: %v", c.index, err)
		}
	}
}
