package faults_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/neardup/neardup/store/pebble"
)

// TestCopyCrashes crashes before each I/O of a restore, from the making of the copy to its first answers.
// Original and copy must keep their answers, and no docId may be given twice (I-6). Either all unsynced data is
// lost or none, because Pebble relies on the order of names in a folder while it opens.
func TestCopyCrashes(t *testing.T) {
	k := int32(0)
	for copyCrashesAt(t, k, 100*int(k%2)) {
		k += int32(stride())
	}
	t.Logf("%d crashes", k)
}

// crash clones a disk before an I/O.
type crash struct {
	disk         *vfs.MemFS
	percent      int // share of unsynced data that is kept
	left         atomic.Int32
	copied       atomic.Bool
	early        *journal // earlier answers of the copy
	clone        atomic.Pointer[clone]
	copyFinished bool
}

// String returns the name of the injector.
func (c *crash) String() string { return "crash" }

// MaybeError counts an I/O and returns no error.
func (c *crash) MaybeError(errorfs.Op) error {
	if k := c.left.Add(-1); k == -1 {
		c.copyFinished = c.copied.Load()
		acknowledged := c.early.acknowledged() // before the clone, which must contain these
		cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: c.percent, RNG: rand.New(rand.NewPCG(4, 4))}
		c.clone.Store(&clone{c.disk.CrashClone(cfg), acknowledged})
	}
	return nil
}

// copyCrashesAt reports whether there was a k-th I/O to crash before.
func copyCrashesAt(t *testing.T, k int32, percent int) bool {
	t.Helper()
	original, early := newJournal(), newJournal()
	c := &crash{disk: vfs.NewCrashableMem(), percent: percent, early: early}
	submit(t, c.disk, original, "common", 0)
	c.left.Store(k)
	fs := errorfs.Wrap(c.disk, c)
	must(t, copyOf(t, fs))
	c.copied.Store(true)
	s, err := pebble.Open(t.Context(), "copy", pebble.Options{FS: fs})
	must(t, err)
	d, err := open(t.Context(), s)
	must(t, err)
	must(t, early.send(t.Context(), d, sub("early", 20)))
	must(t, s.Close())
	crashed := c.clone.Load()
	if crashed == nil {
		return false
	}

	docIDs := given{}
	docIDs.add(t, crashed.acknowledged)
	original.verify(t, crashed.fs, original.acknowledged())
	submit(t, crashed.fs, original, "original", 30)
	docIDs.add(t, original.acknowledged())
	if c.copyFinished {
		late := newJournal()
		for _, j := range []*journal{original, early} {
			for nid, s := range j.sent {
				late.sent[nid] = s
			}
		}
		must(t, move(crashed.fs, "copy", "data"))
		late.verify(t, crashed.fs, crashed.acknowledged)
		submit(t, crashed.fs, late, "late", 40)
		docIDs.add(t, late.acknowledged())
	}
	return true
}

// TestCopyFails fails each I/O of making a copy. The original must go on, or stop as after any failure, and
// keep every answer.
func TestCopyFails(t *testing.T) {
	for k := int32(0); ; k += int32(stride()) {
		mem, j := vfs.NewCrashableMem(), newJournal()
		submit(t, mem, j, "common", 0)
		c := &countdown{forever: k%2 == 1}
		c.left.Store(k)
		failed := copyOf(t, errorfs.Wrap(mem, c)) != nil
		crashed := mem.CrashClone(vfs.CrashCloneCfg{})
		j.verify(t, crashed, j.acknowledged())
		submit(t, crashed, j, "later", 10)
		if c.left.Load() >= 0 {
			t.Logf("%d failures", k)
			if failed {
				t.Error("a copy failed without a failure")
			}
			return
		}
	}
}

// given maps docIds of all histories to their article.
type given map[string]string

func (g given) add(t *testing.T, answers map[string]acknowledged) {
	t.Helper()
	for nid, a := range answers {
		if was := g[a.DocID]; was != "" && was != nid {
			t.Fatalf("docId %s was given to %s and to %s", a.DocID, was, nid)
		}
		g[a.DocID] = nid
	}
}

// copyOf copies the store in "data" to "copy", while it is open.
func copyOf(t *testing.T, fs vfs.FS) error {
	s, err := pebble.Open(t.Context(), "data", pebble.Options{FS: fs})
	if err != nil {
		return err
	}
	err = s.Snapshot(t.Context(), "copy")
	_ = s.Close()
	return err
}

// move replaces a folder by another.
func move(fs *vfs.MemFS, from, to string) error {
	if err := fs.RemoveAll(to); err != nil {
		return err
	}
	return fs.Rename(from, to)
}

// submit sends 3 articles that no other caller sends.
func submit(t *testing.T, fs vfs.FS, j *journal, name string, family int) {
	t.Helper()
	s, err := pebble.Open(t.Context(), "data", pebble.Options{FS: fs})
	must(t, err)
	d, err := open(t.Context(), s)
	must(t, err)
	for n := range 3 {
		must(t, j.send(t.Context(), d, sub(fmt.Sprint(name, n), family+n)))
	}
	must(t, s.Close())
}
