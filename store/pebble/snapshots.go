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
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

// snapshots are copies of a store that follows a log, in a folder that all stores of that log see. The name of each is the
// offset of an entry that it certainly has. The last two are kept: somebody may just be copying one.
type snapshots struct {
	fs    vfs.FS
	dir   string
	every time.Duration
	stop  context.CancelFunc
	work  sync.WaitGroup
}

const keptSnapshots = 2

func newSnapshots(o Options) *snapshots {
	if o.Log == nil || o.Snapshots == "" {
		return nil
	}
	if o.FS == nil {
		o.FS = private{vfs.Default}
	}
	return &snapshots{fs: o.FS, dir: o.Snapshots, every: cmp.Or(o.SnapshotEvery, time.Hour), stop: func() {}}
}

// placeOf tells a folder from those of other machines.
func placeOf(dir string) uint64 {
	host, _ := os.Hostname() // where it is not known, the folder counts
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return xxh3.HashString(host + "\x00" + dir)
}

func (s *snapshots) path(offset uint64) string {
	return s.fs.PathJoin(s.dir, fmt.Sprintf("%020d", offset))
}

// offsets are those of the complete snapshots, in order; none where the folder cannot be read.
func (s *snapshots) offsets() (offsets []uint64) {
	names, err := s.fs.List(s.dir)
	if err != nil {
		return nil
	}
	for _, name := range names {
		if n, err := strconv.ParseUint(name, 10, 64); err == nil {
			offsets = append(offsets, n)
		}
	}
	slices.Sort(offsets)
	return offsets
}

// first is the first entry of the log that those who begin with a snapshot need, 0 where there is none.
func (s *snapshots) first() uint64 {
	offsets := s.offsets()
	if len(offsets) == 0 {
		return 0
	}
	return offsets[max(0, len(offsets)-keptSnapshots)]
}

// last is the offset of the newest, 0 where there is none.
func (s *snapshots) last() uint64 {
	offsets := s.offsets()
	if len(offsets) == 0 {
		return 0
	}
	return offsets[len(offsets)-1]
}

// begin makes a folder without a store one that begins with the newest snapshot, if there is one.
func (s *snapshots) begin(dir string) error {
	if there, err := pebble.Peek(dir, s.fs); err == nil && there.Exists {
		return nil
	}
	last := s.last()
	if last == 0 {
		return nil
	}
	if err := s.fs.MkdirAll(s.fs.PathDir(dir), 0o700); err != nil {
		return err
	}
	copying := dir + ".copying"
	if err := s.fs.RemoveAll(copying); err != nil {
		return err
	}
	if there, err := vfs.Clone(s.fs, s.fs, s.path(last), copying, vfs.CloneSync); err != nil || !there {
		return errors.Join(err, fmt.Errorf("copy %s", s.path(last)))
	}
	if err := s.fs.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) { // it may be there, and empty
		return err
	}
	return s.fs.Rename(copying, dir)
}

// keep makes a snapshot of a store now and then, until close.
func (s *snapshots) keep(of *Store, place uint64) {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.work.Go(func() {
		look := time.NewTicker(s.every / 10)
		defer look.Stop()
		seen, since := s.last(), time.Now()
		for {
			select {
			case <-look.C:
			case <-ctx.Done():
				return
			}
			if last := s.last(); last != seen { // somebody's
				seen, since = last, time.Now()
			}
			if seen == 0 || time.Since(since) >= s.every {
				_ = s.make(ctx, of, place) // the next look makes it; a gauge tells
			}
		}
	})
}

// make makes one, and removes those that are too many.
func (s *snapshots) make(ctx context.Context, of *Store, place uint64) error {
	at := of.Applied()
	making := s.fs.PathJoin(s.dir, fmt.Sprintf("making-%016x", place))
	if err := errors.Join(s.fs.MkdirAll(s.dir, 0o700), s.fs.RemoveAll(making)); err != nil {
		return err
	}
	if err := of.Snapshot(ctx, making); err != nil {
		return err
	}
	if err := s.fs.Rename(making, s.path(at)); err != nil {
		return errors.Join(err, s.fs.RemoveAll(making))
	}
	offsets := s.offsets()
	for _, old := range offsets[:max(0, len(offsets)-keptSnapshots)] {
		if err := s.fs.RemoveAll(s.path(old)); err != nil {
			return err
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
	return s.snapshots.last()
}
