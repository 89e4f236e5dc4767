package pebble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/zeebo/xxh3"
)

// SnapshotStore keeps snapshots of stores that follow one log. A snapshot is named by the offset of an entry that it
// contains. All stores of the log share the snapshots.
type SnapshotStore interface {
	// Offsets returns the offsets of the complete snapshots in order.
	Offsets(ctx context.Context) ([]uint64, error)
	// Save stores a snapshot. write makes it in a folder that does not exist yet. Offsets only lists it when it is
	// complete. server distinguishes stores that save at the same time.
	Save(ctx context.Context, offset, server uint64, write func(dir string) error) error
	// Load copies a snapshot to a new folder, and returns docid.ErrCorrupt if the files differ.
	Load(ctx context.Context, offset uint64, dir string) error
	// Remove removes a snapshot.
	Remove(ctx context.Context, offset uint64) error
}

// snapshots makes snapshots of a store that follows a log. It keeps the last two, because one of them may be in use.
type snapshots struct {
	SnapshotStore
	every  time.Duration
	failed func(error)
	newest atomic.Uint64 // offset of the newest snapshot, as of the last look
	stop   context.CancelFunc
	work   sync.WaitGroup
}

const keptSnapshots = 2

// offsetsWait is the timeout of a request for the offsets.
const offsetsWait = 20 * time.Second

func newSnapshots(o Options) *snapshots {
	if o.Log == nil || o.Snapshots == nil {
		return nil
	}
	s := &snapshots{SnapshotStore: o.Snapshots, every: cmp.Or(o.SnapshotEvery, time.Hour), failed: o.SnapshotFailed, stop: func() {}}
	if s.failed == nil {
		s.failed = func(error) {}
	}
	return s
}

// placeOf returns an identifier of a folder on this machine.
func placeOf(dir string) uint64 {
	host, _ := os.Hostname() // if it fails, the folder alone identifies the place
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return xxh3.HashString(host + "\x00" + dir)
}

// first returns the first entry that a server needs after the older of the two kept snapshots. If there are fewer than two,
// it returns 0, because the log must not be trimmed on the strength of one.
func (s *snapshots) first() uint64 {
	ctx, cancel := context.WithTimeout(context.Background(), offsetsWait)
	defer cancel()
	offsets, err := s.Offsets(ctx)
	if err != nil || len(offsets) < keptSnapshots {
		return 0
	}
	return offsets[len(offsets)-keptSnapshots]
}

// last returns the offset of the newest snapshot, or 0.
func (s *snapshots) last(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, offsetsWait)
	defer cancel()
	offsets, err := s.Offsets(ctx)
	if err != nil || len(offsets) == 0 {
		return 0, err
	}
	last := offsets[len(offsets)-1]
	s.newest.Store(last)
	return last, nil
}

// begin fills a folder without a store with the newest undamaged snapshot, if there is one.
func (s *snapshots) begin(ctx context.Context, fs vfs.FS, dir string) error {
	if there, err := pebble.Peek(dir, fs); err == nil && there.Exists {
		return nil
	}
	offsets, err := s.Offsets(ctx)
	if err != nil {
		return err
	}
	for _, offset := range slices.Backward(offsets) {
		err = loadSnapshot(ctx, s, fs, offset, dir)
		if !errors.Is(err, docid.ErrCorrupt) {
			return err
		}
		s.failed(fmt.Errorf("the snapshot at entry %d was skipped: %w", offset, err))
	}
	return err // the error of the oldest snapshot
}

// loadSnapshot copies a snapshot to a folder, which may exist if it is empty.
func loadSnapshot(ctx context.Context, s SnapshotStore, fs vfs.FS, offset uint64, dir string) error {
	copying := dir + ".copying"
	if err := errors.Join(fs.MkdirAll(fs.PathDir(dir), 0o700), fs.RemoveAll(copying)); err != nil {
		return err
	}
	if err := s.Load(ctx, offset, copying); err != nil {
		return err
	}
	if err := fs.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return fs.Rename(copying, dir)
}

// keep makes snapshots of a store at intervals until close.
func (s *snapshots) keep(of *Store, server uint64) {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.work.Go(func() {
		look := time.NewTicker(s.every / 10)
		defer look.Stop()
		var seen uint64
		since := time.Now()
		for {
			last, err := s.last(ctx)
			if err == nil && last != seen { // another server may have made it
				seen, since = last, time.Now()
			}
			if err == nil && (last == 0 || time.Since(since) >= s.every) {
				err = s.make(ctx, of, server)
			}
			if err != nil && ctx.Err() == nil {
				s.failed(err) // tried again at the next interval
			}
			select {
			case <-look.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// make saves a snapshot and removes all but the newest two.
func (s *snapshots) make(ctx context.Context, of *Store, server uint64) error {
	at := of.Applied()
	if err := s.Save(ctx, at, server, func(dir string) error { return of.Snapshot(ctx, dir) }); err != nil {
		return fmt.Errorf("save a snapshot at entry %d: %w", at, err)
	}
	offsets, err := s.Offsets(ctx)
	if err != nil {
		return err
	}
	for _, old := range offsets[:max(0, len(offsets)-keptSnapshots)] {
		if err := s.Remove(ctx, old); err != nil {
			return fmt.Errorf("remove the snapshot at entry %d: %w", old, err)
		}
	}
	return nil
}

func (s *snapshots) close() {
	s.stop()
	s.work.Wait()
}

// LastSnapshot returns an entry of the log that the newest snapshot has, or 0 if there is none.
func (s *Store) LastSnapshot() uint64 {
	if s.snapshots == nil {
		return 0
	}
	return s.snapshots.newest.Load()
}
