package reference_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/corpus"
)

var header = reference.Header{Spec: "plain/1 threshold=0.5", Normalize: "none"}

// begin makes an index, adds n parts of two documents each, of one text, and returns its folder. Both have the
// key of their number; the even ones lead.
func begin(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "index")
	if err := reference.Create(dir, header, "0"); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		w, err := reference.Change(dir)
		if err == nil {
			err = addTwo(w, uint32(2*i))
		}
		if err == nil {
			err = commit(w)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// textOf returns the text of two documents; the shortest has one byte.
func textOf(first int) string {
	if first == 4 {
		return "x"
	}
	return fmt.Sprint("text ", first)
}

func addTwo(w *reference.Writer, first uint32) error {
	a, err := w.Add()
	if err != nil {
		return err
	}
	clean := textOf(int(first))
	at, err := a.Text(clean)
	if err != nil {
		return err
	}
	row := reference.Row{Text: at, TextLen: uint32(len(clean)), Distance: -1, Leader: first}
	route, err := w.Route("plain")
	if err != nil {
		return err
	}
	row.Route = route
	if err := a.Document(row, fmt.Sprint("d", first)); err != nil {
		return err
	}
	row.Kind, row.Similarity = reference.Equal, 1
	row.Basis, err = w.Basis("plain", neardup.BasisEqual)
	if err != nil {
		return err
	}
	if err := a.Document(row, fmt.Sprint("d", first+1)); err != nil {
		return err
	}
	for doc := first; doc < first+2; doc++ {
		if err := a.Post(reference.Posting{Key: uint64(doc), Doc: doc, Role: 3}); err != nil {
			return err
		}
	}
	return a.End(fmt.Sprint("digest ", first))
}

func commit(w *reference.Writer) error {
	outs, err := w.Outputs()
	if err != nil {
		return err
	}
	return errors.Join(corpus.CommitAll(outs...), w.Reopen())
}

// expect checks that an index holds for each number what begin added.
func expect(t *testing.T, dir string, numbers, parts int, digest string) {
	t.Helper()
	x, err := reference.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if int(x.Numbers()) != numbers || x.Parts() != parts || x.Digest() != digest || x.Header().Like(header) != nil {
		t.Errorf("%d documents in %d parts of the digest %q under %v", x.Numbers(), x.Parts(), x.Digest(), x.Header())
	}
	if n, err := x.Bytes(); err != nil || n == 0 {
		t.Errorf("%d bytes (%v)", n, err)
	}
	if err := x.Check(context.Background(), func(neardup.Decision) {}); err != nil {
		t.Error(err)
	}
	finder := x.Finder()
	err = x.Each(func(doc uint32, r *reference.Row) error {
		d, err := x.Decision(doc, r)
		if err != nil {
			return err
		}
		var first int
		if _, err := fmt.Sscanf(d.ID, "d%d", &first); err != nil {
			return err
		}
		first -= first % 2
		clean, err := x.Text(r)
		if err != nil || clean != textOf(first) {
			t.Errorf("%s has the text %q (%v)", d.ID, clean, err)
		}
		if leads := d.Decision == neardup.New; leads != r.Leads() || (!leads && d.Leader != fmt.Sprint("d", first)) {
			t.Errorf("%s leads: %v; the decision is %+v", d.ID, r.Leads(), d)
		}
		found := 0
		err = finder.Find(keyOf(d.ID), func(p reference.Posting) error {
			found++
			if p.Doc != doc {
				t.Errorf("under the key of %s stands document %d", d.ID, p.Doc)
			}
			return nil
		})
		if found != 1 {
			t.Errorf("%s is found %d times", d.ID, found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func keyOf(id string) (key uint64) {
	_, _ = fmt.Sscanf(id, "d%d", &key)
	return key
}

func TestIndexKeepsWhatWasAdded(t *testing.T) {
	dir := begin(t, 5)
	expect(t, dir, 10, 5, "digest 8")

	w, err := reference.Change(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Settle(context.Background()), w.Close()); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, 10, 1, "digest 8")
}

func TestRemovedDocumentsGoWithCompact(t *testing.T) {
	dir := begin(t, 3)
	w, err := reference.Change(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Rewrite(context.Background(), "less", func(doc uint32, r *reference.Row) error {
		r.Removed = doc < 2 || doc == 3
		return nil
	})
	if err == nil {
		err = commit(w)
	}
	if err != nil {
		t.Fatal(err)
	}
	expect(t, dir, 6, 3, "less")
	if w.Removed() != 3 {
		t.Errorf("%d are removed, want 3", w.Removed())
	}
	if err := errors.Join(w.Compact(context.Background(), t.TempDir(), 1<<20), w.Close()); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, 3, 1, "less")
}

// The next change removes the files of a killed one, and no foreign files.
func TestLeftFilesGo(t *testing.T) {
	dir := begin(t, 1)
	for name, stays := range map[string]bool{"000009.texts": false, ".000009.keys.tmp-abc": false, ".MANIFEST.tmp-abc": false, "notes.txt": true} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := reference.Change(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
	expect(t, dir, 2, 1, "digest 0")
	if err := reference.Create(dir, header, "0"); err == nil {
		t.Error("an index was made over another")
	}
}

// sequential is a folder whose files can only be read from their begin.
type sequential struct{ fs.FS }

func (s sequential) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	return struct{ fs.File }{f}, err
}

// An index can be read from any file system, and each of its states has another AsOf.
func TestIndexesOfOtherFolders(t *testing.T) {
	dir := begin(t, 2)
	x, err := reference.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	before := x.AsOf()
	if w, err := reference.Change(dir); err != nil || addTwo(w, 4) != nil || commit(w) != nil || w.AsOf() == before || w.Close() != nil {
		t.Errorf("a state after another: %v", err)
	}
	there := fstest.MapFS{}
	for _, name := range []string{"MANIFEST", "000001.rows", "000001.ids", "000001.texts", "000001.keys"} {
		b, err := os.ReadFile(filepath.Join(begin(t, 1), name))
		if err != nil {
			t.Fatal(err)
		}
		there[name] = &fstest.MapFile{Data: b}
	}
	y, err := reference.OpenFS(there, "memory")
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	row, err := y.Row(1)
	if id, err := y.ID(&row); err != nil || id != "d1" {
		t.Errorf("document 1 is %q, %v", id, err)
	}
	if y.KeyBlocks() != 1 || x.KeyBlocks() != 2 {
		t.Errorf("%d and %d blocks of postings in one part and two", y.KeyBlocks(), x.KeyBlocks())
	}
	if err != nil || y.AsOf() == before {
		t.Errorf("its state is that of another, %v", err)
	}
	if _, err := reference.OpenFS(sequential{there}, "memory"); err == nil || !strings.Contains(err.Error(), "cannot be read at an offset") {
		t.Errorf("files that are read from their begin: %v", err)
	}
	delete(there, "MANIFEST")
	if _, err := reference.OpenFS(there, "memory"); !errors.Is(err, reference.ErrNone) || !strings.Contains(err.Error(), "memory: ") {
		t.Errorf("no index: %v", err)
	}
}

// Of several that begin, change and discard an index in one folder each does so alone, or
// learns that another does.
func TestOneBeginsAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	var wait sync.WaitGroup
	var began atomic.Int64
	for range 8 {
		wait.Go(func() {
			for range 100 {
				err := reference.Create(dir, header, "0")
				if err != nil && !errors.Is(err, reference.ErrLocked) && !strings.Contains(err.Error(), "want an index or an empty folder") {
					t.Errorf("create: %v", err)
				}
				w, err := reference.Change(dir)
				if errors.Is(err, reference.ErrLocked) || errors.Is(err, reference.ErrNone) {
					continue
				}
				if err != nil {
					t.Errorf("change: %v", err)
					continue
				}
				began.Add(1)
				if err := w.Discard(); err != nil {
					t.Errorf("discard: %v", err)
				}
			}
		})
	}
	wait.Wait()
	if began.Load() == 0 {
		t.Error("no process began an index")
	}
}
