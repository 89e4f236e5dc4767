package pebble_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/derived"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// history is an open folder with every answer given in it.
type history struct {
	*testing.T
	dir     string
	store   *pebble.Store
	sent    map[string]map[string]docid.Submission // by tenant and nid
	answers map[string]map[string]docid.Answer
}

var tenants = []string{"a", "b"}

// begun opens a folder with the answers of older, if that is not nil.
func begun(t *testing.T, dir string, older *history) *history {
	t.Helper()
	s, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	h := &history{t, dir, s, map[string]map[string]docid.Submission{}, map[string]map[string]docid.Answer{}}
	t.Cleanup(func() { _ = s.Close() }) // some tests close it first
	for _, tenant := range tenants {
		h.sent[tenant], h.answers[tenant] = map[string]docid.Submission{}, map[string]docid.Answer{}
		if older != nil {
			for nid, sub := range older.sent[tenant] {
				h.sent[tenant][nid], h.answers[tenant][nid] = sub, older.answers[tenant][nid]
			}
		}
	}
	return h
}

func (h *history) detector(tenant string) *docid.Detector {
	h.Helper()
	d, err := docid.NewDetector(h.Context(), h.store, tenant, storetest.Settings())
	ok(h.T, err)
	return d
}

// add gives n docIds to articles that only this history has.
func (h *history) add(name string, n int) {
	h.Helper()
	for _, tenant := range tenants {
		d := h.detector(tenant)
		for i := range n {
			var sub docid.Submission
			sub.ID = fmt.Sprintf("%s-%d", name, i)
			sub.Text = storetest.Base(len(name)*1000 + int(name[0])*100 + i)
			a, err := d.Add(h.Context(), sub)
			ok(h.T, err)
			if a.Decision.Decision != neardup.New {
				h.Fatalf("%s of tenant %s is a duplicate of %s", sub.ID, tenant, a.Leader)
			}
			h.sent[tenant][sub.ID], h.answers[tenant][sub.ID] = sub, a
		}
	}
}

func (h *history) snapshot() string {
	h.Helper()
	dir := filepath.Join(h.TempDir(), "copy")
	ok(h.T, h.store.Snapshot(h.Context(), dir))
	return dir
}

// holds checks that every answer is still given, the log replays, and a check and a rebuild find no problem.
func (h *history) holds(epochs int) {
	h.Helper()
	for _, tenant := range tenants {
		d := h.detector(tenant)
		for nid, a := range h.answers[tenant] {
			if _, docID, err := d.Member(h.Context(), nid); err != nil || docID != a.DocID {
				h.Errorf("%s of tenant %s was %s, is %s, %v", nid, tenant, a.DocID, docID, err)
			}
			if g, err := d.Group(h.Context(), a.DocID, 0, 1); err != nil || g.NID != nid {
				h.Errorf("docId %s of tenant %s was given to %s, is of %s, %v", a.DocID, tenant, nid, g.NID, err)
			}
		}
		storetest.Replay(h.T, d, h.sent[tenant])
		if got := d.Index().Identity().Epochs; len(got) != epochs {
			h.Errorf("tenant %s has epochs %v, want %d", tenant, got, epochs)
		}
	}
	ok(h.T, h.store.Close())
	if r := check(h.T, h.dir); len(r.Problems) > 0 {
		h.Errorf("check: %v", r.Problems)
	}
	before, err := derived.Digest(h.dir)
	ok(h.T, err)
	rebuilt(h.T, h.dir)
	if after, err := derived.Digest(h.dir); err != nil || after != before {
		h.Errorf("rebuilt %s, was %s, %v", after, before, err)
	}
}

// apart checks that no docId of two histories has two articles (I-6). Each must refuse docIds that only the
// other gave.
func apart(t *testing.T, x, y *history) {
	t.Helper()
	for _, tenant := range tenants {
		for _, pair := range [][2]*history{{x, y}, {y, x}} {
			mine, theirs := pair[0], pair[1]
			given := map[string]string{}
			for nid, a := range mine.answers[tenant] {
				given[a.DocID] = nid
			}
			d := mine.detector(tenant)
			for nid, a := range theirs.answers[tenant] {
				if was, both := given[a.DocID]; both && was != nid {
					t.Errorf("docId %s was given to %s and to %s", a.DocID, was, nid)
				}
				if _, shared := mine.answers[tenant][nid]; shared {
					continue
				}
				if _, err := d.Group(t.Context(), a.DocID, 0, 1); !errors.Is(err, docid.ErrNotFound) {
					t.Errorf("a docId that another history gave to %s: %v", nid, err)
				}
			}
		}
	}
}

// TestRestoredBackup serves a store, its copies, and copies of those, each as if it were the only one. No docId
// may be given to two articles (I-6).
func TestRestoredBackup(t *testing.T) {
	original := begun(t, filepath.Join(t.TempDir(), "original"), nil)
	original.add("common", 5)
	backup := original.snapshot()
	twice := filepath.Join(t.TempDir(), "twice")
	ok(t, os.CopyFS(twice, os.DirFS(backup)))

	restored, again := begun(t, backup, original), begun(t, twice, original)
	original.add("lost", 7)
	restored.add("instead", 6)
	again.add("elsewhere", 9)
	older := restored.snapshot()
	restored.add("later", 3)
	third := begun(t, older, restored)
	for tenant := range third.answers {
		for nid := range third.answers[tenant] {
			if nid[:2] == "la" {
				delete(third.answers[tenant], nid)
				delete(third.sent[tenant], nid)
			}
		}
	}
	third.add("thirdly", 5)

	all := []*history{original, restored, again, third}
	for i, x := range all {
		for _, y := range all[:i] {
			apart(t, x, y)
		}
	}
	// A restart begins no epoch, in the original either.
	for i, h := range all {
		ok(t, h.store.Close())
		all[i] = begun(t, h.dir, h)
	}
	for i, epochs := range []int{0, 1, 1, 2} {
		all[i].holds(epochs)
	}
}

// TestBackupOfStopped checks that an unopened copy can be copied and stays a copy, as does a folder that an
// operator marks as one.
func TestBackupOfStopped(t *testing.T) {
	ctx := t.Context()
	first := begun(t, filepath.Join(t.TempDir(), "original"), nil)
	first.add("common", 4)
	ok(t, first.store.Close())
	dirs := []string{first.dir}
	for range 2 {
		dir := filepath.Join(t.TempDir(), "copy")
		ok(t, pebble.Backup(ctx, dirs[len(dirs)-1], dir, pebble.Options{}))
		dirs = append(dirs, dir)
	}
	image := filepath.Join(t.TempDir(), "image")
	ok(t, os.CopyFS(image, os.DirFS(first.dir)))
	ok(t, pebble.MarkCopy(ctx, image, pebble.Options{}))
	ok(t, pebble.MarkCopy(ctx, image, pebble.Options{}))
	var all []*history
	for i, dir := range append(dirs, image) {
		h := begun(t, dir, first)
		h.add([]string{"one", "twos", "threes", "fourths"}[i], 6)
		for _, other := range all {
			apart(t, h, other)
		}
		all = append(all, h)
	}
	for i, h := range all {
		h.holds(min(i, 1))
	}
}

// TestSnapshotsTogether checks that copies made at one moment, while clients write, are marked as copies, and
// the original is not.
func TestSnapshotsTogether(t *testing.T) {
	h := begun(t, filepath.Join(t.TempDir(), "original"), nil)
	h.add("common", 3)
	var dirs [4]string
	var copies sync.WaitGroup
	for i := range dirs {
		dirs[i] = filepath.Join(t.TempDir(), "copy")
		copies.Go(func() {
			if err := h.store.Snapshot(t.Context(), dirs[i]); err != nil {
				t.Error(err)
			}
		})
	}
	h.add("meanwhile", 20)
	copies.Wait()
	epochs := map[uint64]bool{}
	for _, dir := range dirs {
		for _, tenant := range tenants {
			es := begun(t, dir, nil).detectorOnce(tenant).Index().Identity().Epochs
			if len(es) != 1 || epochs[es[0].Number] {
				t.Errorf("epochs %v of a copy", es)
				continue
			}
			epochs[es[0].Number] = true
		}
	}
	ok(t, h.store.Close())
	begun(t, h.dir, h).holds(0)
}

// detectorOnce opens a detector and closes the store, which keeps its identity.
func (h *history) detectorOnce(tenant string) *docid.Detector {
	d := h.detector(tenant)
	ok(h.T, h.store.Close())
	return d
}

// TestOtherFormat checks that a folder of another format is refused with that reason.
func TestOtherFormat(t *testing.T) {
	h := begun(t, filepath.Join(t.TempDir(), "old"), nil)
	h.add("common", 5)
	ok(t, h.store.Close())
	for version, refused := range map[uint64]error{9: docid.ErrOlderFormat, 11: docid.ErrNewerFormat} {
		rows(t, h.dir, func(db *engine.DB) { ok(t, db.Set([]byte("f"), sealedRow([]byte("f"), version), engine.Sync)) })
		if _, err := pebble.Open(t.Context(), h.dir, pebble.Options{}); !errors.Is(err, refused) {
			t.Errorf("format %d: %v", version, err)
		}
		if _, err := pebble.Check(t.Context(), h.dir, pebble.Options{}); !errors.Is(err, refused) {
			t.Errorf("check format %d: %v", version, err)
		}
	}
}

// TestBackupOfKilled copies a folder that was killed during its open. It has nothing to replay, so Pebble has
// not begun a manifest. The copies, and copies of those, must be complete.
func TestBackupOfKilled(t *testing.T) {
	ctx := t.Context()
	h := begun(t, filepath.Join(t.TempDir(), "original"), nil)
	h.add("common", 4)
	ok(t, h.store.Close())
	kill := func(dir string) (killed string) {
		rows(t, dir, func(db *engine.DB) { ok(t, db.Flush()) })
		killed = filepath.Join(t.TempDir(), "killed")
		ok(t, os.CopyFS(killed, os.DirFS(dir)))
		logs, err := filepath.Glob(filepath.Join(killed, "*.log"))
		ok(t, err)
		for _, path := range logs { // the last step of opening makes the next, empty
			ok(t, os.Remove(path))
		}
		return killed
	}
	killed := kill(h.dir)
	stopped, again := filepath.Join(t.TempDir(), "stopped"), filepath.Join(t.TempDir(), "again")
	ok(t, pebble.Backup(ctx, killed, stopped, pebble.Options{}))
	ok(t, pebble.Backup(ctx, kill(stopped), again, pebble.Options{}))
	killed = kill(h.dir)
	s, err := pebble.Open(ctx, killed, pebble.Options{})
	ok(t, err)
	running := filepath.Join(t.TempDir(), "running")
	ok(t, s.Snapshot(ctx, running))
	ok(t, s.Close())
	for _, dir := range []string{stopped, again, running} {
		begun(t, dir, h).holds(1)
	}
}
