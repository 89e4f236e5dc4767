package pebble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

// SnapshotStore keeps snapshots of stores that follow one log, each under the offset of an entry that it certainly has.
// All stores of the log see the same ones.
type SnapshotStore interface {
	// Offsets are those of the complete snapshots, in order.
	Offsets(ctx context.Context) ([]uint64, error)
	// Save keeps a snapshot, which write makes in a folder that is not there yet. Until all of it is kept, Offsets does
	// not name it. server tells those apart that may save one at the same moment.
	Save(ctx context.Context, offset, server uint64, write func(dir string) error) error
	// Load copies a snapshot to a folder that is not there yet. docid.ErrCorrupt where it is not what was saved.
	Load(ctx context.Context, offset uint64, dir string) error
	// Remove removes a snapshot.
	Remove(ctx context.Context, offset uint64) error
}

// snapshots are made of a store that follows a log. The last two are kept: somebody may just be copying one.
type snapshots struct {
	SnapshotStore
	every  time.Duration
	failed func(error)
	newest atomic.Uint64 // when it was last asked for
	stop   context.CancelFunc
	work   sync.WaitGroup
}

const keptSnapshots = 2

// offsetsWait is how long the offsets may be asked for.
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

// placeOf tells a folder from those of other machines.
func placeOf(dir string) uint64 {
	host, _ := os.Hostname() // where it is not known, the folder counts
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return xxh3.HashString(host + "\x00" + dir)
}

// first is the first entry of the log that those who begin with a snapshot need, 0 where there is none, or nobody knows.
func (s *snapshots) first() uint64 {
	ctx, cancel := context.WithTimeout(context.Background(), offsetsWait)
	defer cancel()
	offsets, err := s.Offsets(ctx)
	if err != nil || len(offsets) == 0 {
		return 0
	}
	return offsets[max(0, len(offsets)-keptSnapshots)]
}

// last is the offset of the newest, 0 where there is none.
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

// begin makes a folder without a store one that begins with the newest snapshot, if there is one.
func (s *snapshots) begin(ctx context.Context, fs vfs.FS, dir string) error {
	if there, err := pebble.Peek(dir, fs); err == nil && there.Exists {
		return nil
	}
	last, err := s.last(ctx)
	if err != nil || last == 0 {
		return err
	}
	return loadSnapshot(ctx, s, fs, last, dir)
}

// loadSnapshot makes a folder of a snapshot; it may be there, and empty.
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

// keep makes a snapshot of a store now and then, until close.
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
			if err == nil && last != seen { // somebody's
				seen, since = last, time.Now()
			}
			if err == nil && (last == 0 || time.Since(since) >= s.every) {
				err = s.make(ctx, of, server)
			}
			if err != nil && ctx.Err() == nil {
				s.failed(err) // the next look tries again
			}
			select {
			case <-look.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// make makes one, and removes those that are too many.
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

// LastSnapshot is an entry of the log that the newest of Options.Snapshots has; 0: there is none.
func (s *Store) LastSnapshot() uint64 {
	if s.snapshots == nil {
		return 0
	}
	return s.snapshots.newest.Load()
}

// snapshotFolder is a SnapshotStore in a folder.
type snapshotFolder struct {
	fs  vfs.FS
	dir string
}

// SnapshotFolder keeps snapshots in a folder that all stores of a log see.
func SnapshotFolder(dir string) SnapshotStore { return snapshotFolder{private{vfs.Default}, dir} }

func (f snapshotFolder) path(offset uint64) string {
	return f.fs.PathJoin(f.dir, fmt.Sprintf("%020d", offset))
}

func (f snapshotFolder) Offsets(context.Context) (offsets []uint64, err error) {
	names, err := f.fs.List(f.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, name := range names {
		if n, err := strconv.ParseUint(name, 10, 64); err == nil {
			offsets = append(offsets, n)
		}
	}
	slices.Sort(offsets)
	return offsets, nil
}

func (f snapshotFolder) Save(_ context.Context, offset, server uint64, write func(dir string) error) error {
	making := f.fs.PathJoin(f.dir, fmt.Sprintf("making-%016x", server))
	if err := errors.Join(f.fs.MkdirAll(f.dir, 0o700), f.fs.RemoveAll(making)); err != nil {
		return err
	}
	if err := write(making); err != nil {
		return err
	}
	err := f.fs.Rename(making, f.path(offset))
	if err == nil {
		return nil
	}
	if _, there := f.fs.Stat(f.path(offset)); there == nil { // another server was faster
		err = nil
	}
	return errors.Join(err, f.fs.RemoveAll(making))
}

func (f snapshotFolder) Load(_ context.Context, offset uint64, dir string) error {
	there, err := vfs.Clone(f.fs, f.fs, f.path(offset), dir, vfs.CloneSync)
	if err == nil && !there {
		err = os.ErrNotExist
	}
	if err != nil {
		err = fmt.Errorf("copy %s: %w", f.path(offset), err)
	}
	return err
}

func (f snapshotFolder) Remove(_ context.Context, offset uint64) error {
	return f.fs.RemoveAll(f.path(offset))
}
