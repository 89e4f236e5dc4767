package pebble

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// Backup does the work of Snapshot for a folder that no process has open.
func Backup(_ context.Context, dir, to string, o Options) error {
	return offline(dir, o, func(kv *engine) error {
		return ledger.Copying(kv, func() error { return kv.checkpoint(to) })
	})
}

// Rebuild copies the indexes of a folder that no process has open to a folder that must not exist, change by change. again
// rebuilds the index of one tenant (see docid.Rebuild). If asStored is set, again must use Rebuild.AsStored and Drained,
// and the copy replaces the original completely. Both folders stay locked.
func Rebuild(ctx context.Context, dir, to string, o Options, asStored bool, again func(s *Store, tenant string, from docid.Source) error) error {
	begin := func(work func(ledger.KV) error) error {
		return offline(to, o, func(kv *engine) error { return work(kv) })
	}
	return reading(dir, o, func(old *engine) error {
		return ledger.Repeat(old, asStored, begin, func(pasts map[string]*ledger.Past) error {
			s, err := Open(ctx, to, o)
			if err != nil {
				return err
			}
			for _, tenant := range slices.Sorted(maps.Keys(pasts)) {
				err = again(s, tenant, pasts[tenant])
				if err != nil {
					break
				}
			}
			return errors.Join(err, s.Close())
		})
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
		// Pebble 2.1 copies an empty manifest if none was written since the database was opened. A flush writes one. It is
		// only done if needed, because a flush ends the process if the disk fails.
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
			return fmt.Errorf("restrict the permissions of a file: %w", err)
		}
	}
	return nil
}
