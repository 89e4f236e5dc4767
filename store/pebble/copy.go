package pebble

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/neardup/neardup/store/pebble/internal/witness"
)

// Snapshot copies the store, with every answer given so far, to a folder that must not exist. Writes continue.
// Unchanged files are hard links, so a copy on the same file system takes little space. Opening the copy begins
// a new epoch (see neardup.Epoch).
func (s *Store) Snapshot(ctx context.Context, dir string) error {
	if err := s.Copying(ctx, func() error { return s.rows.checkpoint(dir) }); err != nil {
		return fmt.Errorf("snapshot to %s: %w", dir, err)
	}
	return nil
}

// Backup does what Snapshot does, for a folder that no process has open.
func Backup(_ context.Context, dir, to string, o Options) error {
	return offline(dir, o, func(kv *engine) error {
		return ledger.Copying(kv, func() error { return kv.checkpoint(to) })
	})
}

// MarkCopy marks a folder that no process has open as a copy, so opening it begins a new epoch. Snapshot and
// Backup mark their copies. Use MarkCopy for copies made otherwise.
func MarkCopy(_ context.Context, dir string, o Options) error {
	return offline(dir, o, func(kv *engine) error {
		_, err := ledger.Mark(kv)
		return err
	})
}

// Rekey copies a folder that no process has open to one that must not exist, with new settings from a callback
// (see docid.Settings.Rekey). It then opens the copy, whose indexes begin an epoch, and passes it to judge.
// Both folders stay locked.
func Rekey(ctx context.Context, dir, to string, o Options, anew func(tenant string, id docid.Identity) (*docid.Rekeyed, error), judge func(*Store) error) error {
	return offline(dir, o, func(kv *engine) error {
		if err := ledger.Copying(kv, func() error { return kv.checkpoint(to) }); err != nil {
			return err
		}
		if err := offline(to, o, func(kv *engine) error { return ledger.Rekey(ctx, kv, anew) }); err != nil {
			return err
		}
		s, err := Open(ctx, to, o)
		if err != nil {
			return err
		}
		return errors.Join(judge(s), s.Close())
	})
}

// checkpoint copies the files and makes a witness for the copy.
func (e *engine) checkpoint(dir string) error {
	heads := e.Heads()
	_, err := guarded(e.log, func() (struct{}, error) {
		err := e.db.Checkpoint(dir, pebble.WithFlushedWAL())
		if err != nil {
			return struct{}{}, err
		}
		// Pebble 2.1 copies an empty manifest if none was written since the database was opened. A flush writes
		// one. It flushes only if needed, because a flush ends the process if the disk fails.
		if empty, err := e.emptyManifest(dir); err != nil || !empty {
			return struct{}{}, err
		}
		if err := errors.Join(e.fs.RemoveAll(dir), e.db.Flush()); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, e.db.Checkpoint(dir, pebble.WithFlushedWAL())
	})
	if err != nil {
		return wrap(err)
	}
	if err := witness.Make(e.fs, dir, heads); err != nil || !e.onDisk {
		return wrap(err)
	}
	return ownAll(dir)
}

// emptyManifest reports whether a copy has a manifest of 0 bytes.
func (e *engine) emptyManifest(dir string) (bool, error) {
	names, err := e.fs.List(dir)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, "MANIFEST-") {
			if info, err := e.fs.Stat(e.fs.PathJoin(dir, name)); err != nil || info.Size() == 0 {
				return err == nil, err
			}
		}
	}
	return false, nil
}

// ownAll makes a folder and its files accessible to their owner only.
func ownAll(dir string) error {
	if err := own(dir); err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list snapshot: %w", err)
	}
	for _, f := range files {
		if err := os.Chmod(filepath.Join(dir, f.Name()), 0o600); err != nil {
			return fmt.Errorf("take file from others: %w", err)
		}
	}
	return nil
}
