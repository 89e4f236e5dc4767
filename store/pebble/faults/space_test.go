package faults_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// noSpace fails every write while it is on, like a full disk.
type noSpace struct{ on func() bool }

func (n noSpace) String() string { return "no space" }

func (n noSpace) MaybeError(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpCreate, errorfs.OpFilePreallocate:
		if n.on() {
			return syscall.ENOSPC
		}
	}
	return nil
}

// TestDiskFull checks that a full disk makes writes return ErrFull while reads work. The answers must remain
// once there is room.
func TestDiskFull(t *testing.T) {
	ctx := t.Context()
	mem, full := vfs.NewCrashableMem(), false
	fs := errorfs.Wrap(mem, noSpace{func() bool { return full }})
	s, err := pebble.Open(ctx, "data", pebble.Options{FS: fs})
	must(t, err)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	must(t, err)
	submit := func(nid string) (docid.Answer, error) { return d.Add(ctx, sub(nid, len(nid))) }
	first, err := submit("a")
	must(t, err)
	full = true
	for _, nid := range []string{"bb", "ccc"} {
		if _, err := submit(nid); !errors.Is(err, docid.ErrFull) {
			t.Errorf("on a full disk: %v", err)
		}
	}
	if _, docID, err := d.Member(ctx, "a"); err != nil || docID != first.DocID {
		t.Errorf("reading on a full disk: %v", err)
	}
	_ = s.Close()
	room := mem.CrashClone(vfs.CrashCloneCfg{})
	s, err = pebble.Open(ctx, "data", pebble.Options{FS: room})
	must(t, err)
	defer s.Close()
	d, err = docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	must(t, err)
	if _, docID, err := d.Member(ctx, "a"); err != nil || docID != first.DocID {
		t.Errorf("after the disk was full: %v", err)
	}
	_, err = submit("bb")
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
