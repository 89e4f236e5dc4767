package pebble_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
	"github.com/zeebo/xxh3"
)

// filled makes a folder with rows of every kind.
func filled(t *testing.T, ctx context.Context, dir string) {
	t.Helper()
	s, err := pebble.Open(ctx, dir, pebble.Options{Postings: 60})
	ok(t, err)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	ok(t, err)
	texts := storetest.NewTexts(1, 20)
	for n := range 100 {
		sub := texts.Next()
		sub.TTL = time.Duration(n%3) * time.Hour
		a, err := d.Add(ctx, sub)
		ok(t, err)
		switch n % 10 {
		case 3:
			_, err = d.Delete(ctx, sub.ID)
		case 7:
			_, err = d.End(ctx, a.DocID)
		}
		ok(t, err)
	}
	_, err = d.Forget(ctx, 0, time.Unix(1_700_000_020, 0), 1000)
	ok(t, err)
	for segments := int64(0); segments < 2; time.Sleep(time.Millisecond) { // written in the background
		figures, err := d.Index().Catalog().Engine(ctx)
		ok(t, err)
		segments = figures["segments"]
	}
	ok(t, s.Close())
}

// restored begins two epochs in a folder.
func restored(t *testing.T, ctx context.Context, dir string) {
	t.Helper()
	for range 2 {
		ok(t, pebble.MarkCopy(ctx, dir, pebble.Options{}))
		s, err := pebble.Open(ctx, dir, pebble.Options{})
		ok(t, err)
		ok(t, s.Close())
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rows opens the folder's database directly, to damage it.
func rows(t *testing.T, dir string, work func(*engine.DB)) {
	t.Helper()
	db, err := engine.Open(dir, &engine.Options{FormatMajorVersion: engine.FormatNewest, Logger: quiet{}})
	ok(t, err)
	work(db)
	ok(t, db.Close())
}

// sealedRow returns the value of a row of numbers.
func sealedRow(key []byte, numbers ...uint64) []byte {
	var fields []byte
	for _, n := range numbers {
		fields = binary.AppendUvarint(fields, n)
	}
	return binary.BigEndian.AppendUint64(fields, xxh3.HashSeed(fields, xxh3.Hash(key)))
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

// TestCheckFindsEveryDamage damages one row of each space in turn: it flips a byte, removes the row, or adds
// one. Check must find each damage, and no problem in a sound folder (I-11).
func TestCheckFindsEveryDamage(t *testing.T) {
	ctx := t.Context()
	well := filepath.Join(t.TempDir(), "well")
	filled(t, ctx, well)
	restored(t, ctx, well)
	if r := check(t, well); len(r.Problems) > 0 {
		t.Fatalf("a sound folder has problems: %v", r.Problems)
	}
	for _, space := range "ldtknramxqehp" {
		for _, damage := range []string{"flip", "remove", "stray"} {
			if damage == "remove" && space == 'k' {
				continue // a docId may have no kept copy
			}
			dir := filepath.Join(t.TempDir(), "hurt")
			ok(t, os.CopyFS(dir, os.DirFS(well)))
			rows(t, dir, func(db *engine.DB) { hurt(t, db, byte(space), damage) })
			if r := check(t, dir); len(r.Problems) == 0 {
				t.Errorf("%s in space %c was not found", damage, space)
			}
		}
	}
}

// TestCheckNamesFiles checks that damaged witness files and unknown files are reported by name, in a closed
// store and a copy. Leftovers of a crash are not reported.
func TestCheckNamesFiles(t *testing.T) {
	flipAt := func(part float64) func(string) { return func(file string) { flip(t, file, part) } }
	stray := func(file string) { ok(t, os.WriteFile(file, []byte("a table of another store"), 0o600)) }
	folder := func(file string) { ok(t, os.Mkdir(file, 0o700)) }
	dir := t.TempDir()
	well, copied, killed := filepath.Join(dir, "well"), filepath.Join(dir, "copied"), filepath.Join(dir, "killed")
	filled(t, t.Context(), well)
	ok(t, pebble.Backup(t.Context(), well, copied, pebble.Options{}))
	ok(t, os.CopyFS(killed, os.DirFS(well)))
	for _, name := range []string{"witness-0", "witness-1"} { // the newest claims of a store that was not closed
		content, err := os.ReadFile(filepath.Join(killed, name))
		ok(t, err)
		line, _, _ := strings.Cut(string(content), "\n")
		line = strings.Replace(line, `,"closed":true`, "", 1) + "\n"
		if len(line) == len(content)-17 {
			t.Fatalf("%s does not say that the store was closed", name)
		}
		ok(t, os.WriteFile(filepath.Join(killed, name), fmt.Appendf(nil, "%s%016x\n", line, xxh3.HashString(line)), 0o600))
	}
	stray(filepath.Join(killed, "000998.sst"))
	for _, c := range []struct {
		of, file, what string
		hurt           func(file string)
	}{
		{well, "", "", nil}, {copied, "", "", nil}, {killed, "", "", nil},
		{well, "witness-0", "wrong checksum", flipAt(.1)},
		{well, "witness-1", "wrong checksum", flipAt(.99)},
		{well, "witness-1", "missing", func(file string) { ok(t, os.Remove(file)) }},
		{well, "witness.live", "wrong checksum", flipAt(0)},
		{well, "witness.live", "wrong checksum", flipAt(.5)},
		{well, "witness.live", "wrong checksum", flipAt(.99)},
		{well, "000999.sst", "the store did not write it", stray},
		{copied, "000999.blob", "the store did not write it", stray},
		{well, "witness-2", "the store did not write it", stray},
		{well, "folder", "the store did not write it", folder},
		{killed, "folder", "the store did not write it", folder},
		{killed, "witness-2", "the store did not write it", stray},
		{killed, "witness", "the store did not write it", stray},
		{killed, "000998", "the store did not write it", stray},
		{killed, "000998.sst.bak", "the store did not write it", stray},
		{killed, "MANIFEST", "the store did not write it", stray},
		{killed, "MANIFEST-000001.old", "the store did not write it", stray},
		{killed, "notes.txt", "the store did not write it", stray},
		{killed, ".hidden", "the store did not write it", stray},
		{killed, "core", "the store did not write it", stray},
		{killed, "LOCK.old", "the store did not write it", stray},
	} {
		hurt := filepath.Join(t.TempDir(), "hurt")
		ok(t, os.CopyFS(hurt, os.DirFS(c.of)))
		var want []pebble.Problem
		if c.hurt != nil {
			c.hurt(filepath.Join(hurt, c.file))
			want = []pebble.Problem{{File: c.file, What: c.what}}
		}
		if r := check(t, hurt); !slices.Equal(r.Problems, want) || r.Rows < 100 {
			t.Errorf("%s: %d rows, %v, want %v", c.file, r.Rows, r.Problems, want)
		}
	}
}

// TestStrayMarkerIsNamed checks that Check and Open report a marker that names a missing manifest.
func TestStrayMarkerIsNamed(t *testing.T) {
	well := filepath.Join(t.TempDir(), "well")
	filled(t, t.Context(), well)
	for _, name := range []string{"marker.manifest.000999.MANIFEST-000999", "marker.manifest.999999", "marker.manifest.x.y", "marker.manifest.000000.MANIFEST-000999"} {
		hurt := filepath.Join(t.TempDir(), "hurt")
		ok(t, os.CopyFS(hurt, os.DirFS(well)))
		ok(t, os.WriteFile(filepath.Join(hurt, name), nil, 0o600))
		_, checked := pebble.Check(t.Context(), hurt, pebble.Options{})
		_, opened := pebble.Open(t.Context(), hurt, pebble.Options{})
		for what, err := range map[string]error{"check": checked, "open": opened} {
			if !errors.Is(err, docid.ErrCorrupt) || !strings.Contains(fmt.Sprint(err), name) {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
}

// TestCheckFindsDamagedMark checks that a copy with a damaged mark does not open, and that Check reports why.
func TestCheckFindsDamagedMark(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "copy")
	filled(t, ctx, dir)
	ok(t, pebble.MarkCopy(ctx, dir, pebble.Options{}))
	if r := check(t, dir); len(r.Problems) > 0 {
		t.Errorf("a sound copy has problems: %v", r.Problems)
	}
	rows(t, dir, func(db *engine.DB) { hurt(t, db, 'c', "flip") })
	if r := check(t, dir); len(r.Problems) != 1 {
		t.Errorf("problems: %v", r.Problems)
	}
	if _, err := pebble.Open(ctx, dir, pebble.Options{}); !errors.Is(err, docid.ErrCorrupt) {
		t.Errorf("opened: %v", err)
	}
}

func hurt(t *testing.T, db *engine.DB, space byte, damage string) {
	t.Helper()
	it, err := db.NewIter(&engine.IterOptions{LowerBound: []byte{space}, UpperBound: []byte{space + 1}})
	ok(t, err)
	if !it.First() {
		t.Fatalf("nothing in space %c", space)
	}
	key, value := append([]byte(nil), it.Key()...), append([]byte(nil), it.Value()...)
	ok(t, it.Close())
	switch damage {
	case "flip":
		value[len(value)/2] ^= 4
		ok(t, db.Set(key, value, engine.Sync))
	case "remove":
		ok(t, db.Delete(key, engine.Sync))
	case "stray":
		key[len(key)-1] ^= 0x80
		ok(t, db.Set(key, value, engine.Sync))
	}
}

func check(t *testing.T, dir string) pebble.Report {
	t.Helper()
	r, err := pebble.Check(t.Context(), dir, pebble.Options{})
	ok(t, err)
	return r
}

// rebuilt replaces a folder by its copy, change by change, and returns what the rebuild of each tenant reported.
func rebuilt(t *testing.T, dir string) map[string]docid.Rebuilt {
	t.Helper()
	sums := map[string]docid.Rebuilt{}
	to := filepath.Join(t.TempDir(), "rebuilt")
	ok(t, pebble.Rebuild(t.Context(), dir, to, pebble.Options{}, true, func(s *pebble.Store, tenant string, from docid.Source) error {
		b := docid.Rebuild{Store: s, Source: from, Tenant: tenant, AsStored: true, Drained: true, Page: 30}
		sum, err := b.Run(t.Context())
		sums[tenant] = sum
		return err
	}))
	ok(t, os.RemoveAll(dir))
	ok(t, os.Rename(to, dir))
	return sums
}

// rowsOf returns all rows of a folder but those of postings, which depend on when they were written.
func rowsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	rows(t, dir, func(db *engine.DB) {
		it, err := db.NewIter(nil)
		ok(t, err)
		for more := it.First(); more; more = it.Next() {
			if !strings.ContainsRune("hpb", rune(it.Key()[0])) {
				all[string(it.Key())] = string(it.Value())
			}
		}
		ok(t, it.Close())
	})
	return all
}

// TestRebuild checks that a rebuild of a store as it is repeats every row that the store had written (I-12), even after
// derived rows were damaged.
func TestRebuild(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	filled(t, ctx, dir)
	restored(t, ctx, dir)
	s, err := pebble.Open(ctx, dir, pebble.Options{})
	ok(t, err)
	storetest.Fill(t, s, 8, 90)
	ok(t, s.Close())
	want := rowsOf(t, dir)
	same := func(what string) {
		t.Helper()
		sums := rebuilt(t, dir)
		for tenant, sum := range sums {
			if sum.Rowless+sum.Textless+sum.Keptless > 0 || sum.Changed || sum.Epoch {
				t.Errorf("%s: tenant %s: %+v", what, tenant, sum)
			}
		}
		got := rowsOf(t, dir)
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if got[k] != want[k] {
				t.Errorf("%s: row %q is %q, was %q", what, k, got[k], want[k])
			}
		}
		if len(got) != len(want) || len(sums) != 9 {
			t.Errorf("%s: %d rows of %d indexes, were %d", what, len(got), len(sums), len(want))
		}
		if r := check(t, dir); len(r.Problems) > 0 {
			t.Errorf("%s: %v", what, r.Problems)
		}
	}
	same("rebuilt")
	rows(t, dir, func(db *engine.DB) {
		for _, space := range []byte("amxqe") {
			hurt(t, db, space, "remove")
			hurt(t, db, space, "flip")
		}
	})
	same("rebuilt after damage")
}

// TestRebuildOfFollower checks that a rebuilt store goes on with its log, and that a store which follows one gets no
// other settings.
func TestRebuildOfFollower(t *testing.T) {
	dir, log := t.TempDir(), storetest.Begin(t, storetest.NewLog())
	for n := range 3 {
		s, err := pebble.Open(t.Context(), dir, pebble.Options{Log: log})
		ok(t, err)
		storetest.Fill(t, s, n+1, 20)
		ok(t, s.Close())
		want := rowsOf(t, dir)
		rebuilt(t, dir)
		if !maps.Equal(want, rowsOf(t, dir)) {
			t.Errorf("other rows after %d rebuilds", n+1)
		}
	}
	err := pebble.Rebuild(t.Context(), dir, filepath.Join(t.TempDir(), "other"), pebble.Options{}, false, nil)
	if !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("other settings: %v", err)
	}
}

// TestSnapshot checks that a copy made while clients write is a sound store.
func TestSnapshot(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	filled(t, ctx, dir)
	s, err := pebble.Open(ctx, dir, pebble.Options{})
	ok(t, err)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	ok(t, err)
	var sub docid.Submission
	sub.ID, sub.Text = "last", "the last word before the copy"
	want, err := d.Add(ctx, sub)
	ok(t, err)
	copied := filepath.Join(t.TempDir(), "copy")
	ok(t, s.Snapshot(ctx, copied))
	ok(t, s.Close())
	if r := check(t, copied); len(r.Problems) > 0 {
		t.Errorf("snapshot: %v", r.Problems)
	}
	s, err = pebble.Open(ctx, copied, pebble.Options{})
	ok(t, err)
	defer s.Close()
	d, err = docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	ok(t, err)
	if _, docID, err := d.Member(ctx, "last"); err != nil || docID != want.DocID {
		t.Errorf("in the snapshot: %s, %v; want %s", docID, err, want.DocID)
	}
}

// TestSnapshotOfTexts checks that texts in their own files are copied, and that the copy has the same rows.
func TestSnapshotOfTexts(t *testing.T) {
	ctx, dir, small := t.Context(), t.TempDir(), pebble.Options{MemtableBytes: 128 << 10}
	s, err := pebble.Open(ctx, dir, small)
	ok(t, err)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	ok(t, err)
	for n := range 150 {
		var sub docid.Submission
		sub.ID, sub.Text, sub.Media = fmt.Sprint(n), storetest.Base(n), strings.Repeat("m", 3000)
		_, err := d.Add(ctx, sub)
		ok(t, err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.blob")); len(files) == 0 {
		t.Error("no files of texts")
	}
	ok(t, s.Close())
	s, err = pebble.Open(ctx, dir, small)
	ok(t, err)
	copied := filepath.Join(t.TempDir(), "copy")
	ok(t, s.Snapshot(ctx, copied))
	ok(t, s.Close())
	original, other := check(t, dir), check(t, copied)
	if len(other.Problems) > 0 || other.Rows != original.Rows {
		t.Errorf("original %d rows, copy %d: %v", original.Rows, other.Rows, other.Problems)
	}
}

// TestFolder checks that only the owner may read the folder, and only one process may open it.
func TestFolder(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "data")
	filled(t, ctx, dir)
	s, err := pebble.Open(ctx, dir, pebble.Options{})
	ok(t, err)
	if _, err := pebble.Open(ctx, dir, pebble.Options{}); !errors.Is(err, docid.ErrLocked) {
		t.Errorf("second open: %v", err)
	}
	ok(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the store runs concurrently and has renamed it
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %s", path, info.Mode())
		}
		return err
	}))
	ok(t, s.Close())
}

// TestForeignFolder checks that a foreign folder in the store's folder, such as lost+found, is reported and
// left alone. The store must open repeatedly.
func TestForeignFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	filled(t, t.Context(), dir)
	ok(t, os.MkdirAll(filepath.Join(dir, "backups", "monday"), 0o700))
	for range 2 {
		s, err := pebble.Open(t.Context(), dir, pebble.Options{})
		ok(t, err)
		ok(t, s.Close())
	}
	want := []pebble.Problem{{File: "backups", What: "the store did not write it"}}
	if r := check(t, dir); !slices.Equal(r.Problems, want) {
		t.Errorf("problems: %v, want %v", r.Problems, want)
	}
	_, err := os.Stat(filepath.Join(dir, "backups", "monday"))
	ok(t, err)
}

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "docid")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := pebble.Open(ctx, dir, pebble.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	d, err := docid.NewDetector(ctx, store, "default", docid.Settings{Content: docid.Exact})
	if err != nil {
		fmt.Println(err)
		return
	}
	var article docid.Submission
	article.ID, article.Text = "n1", "What happened today."
	a, err := d.Add(ctx, article)
	fmt.Println(a.Decision.Decision, len(a.DocID), err)
	// Output: new 33 <nil>
}
