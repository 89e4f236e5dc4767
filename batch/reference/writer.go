package reference

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/lockfile"
)

const lockName = "lock"

// ErrLocked is wrapped by the error about an index that another process changes.
var ErrLocked = errors.New("another process changes the index now")

// Create makes an empty index in a folder. It creates the folder, but not its parent. digest is the digest of
// no decisions.
func Create(dir string, h Header, digest string) error {
	if err := os.Mkdir(dir, 0o777); err != nil && !os.IsExist(err) {
		return err
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	return errors.Join(create(dir, h, digest), unlock())
}

// lock makes this process the one that writes in a folder.
func lock(dir string) (unlock func() error, err error) {
	unlock, err = lockfile.Lock(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, lockfile.ErrLocked):
		return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
	case errors.Is(err, fs.ErrNotExist):
		return nil, removed(dir)
	case err != nil:
		return nil, fmt.Errorf("lock the index: %w", err)
	}
	return unlock, nil
}

// removed returns the error about an index that was removed between two looks, because the process that began
// it added nothing.
func removed(dir string) error {
	return fmt.Errorf("%s: its beginning was removed: %w", dir, ErrLocked)
}

// create writes the manifest of an index of no documents. The caller has the lock.
func create(dir string, h Header, digest string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range names {
		if e.Name() != lockName && !ownName(e.Name()) { // what a beginning that was killed left
			return fmt.Errorf("%s: has the file %s (want an index or an empty folder)", dir, e.Name())
		}
	}
	m := manifest{Format: formatName, Version: version, Header: h, Digest: digest, Next: 1}
	out, err := m.output(dir)
	if err != nil {
		return err
	}
	return corpus.CommitAll(out)
}

// Writer is an index that is changed. There is one at a time, and it is for one goroutine.
// What it does happens when its Outputs are committed, or not at all.
type Writer struct {
	*Index
	dir    string
	unlock func() error
	next   manifest
	files  []*blockWriter
}

// Change opens an index to change it.
func Change(dir string) (*Writer, error) {
	folder := os.DirFS(dir)
	if _, _, err := readManifest(folder, dir); err != nil {
		return nil, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	x, err := open(folder, dir)
	if errors.Is(err, ErrNone) {
		err = removed(dir)
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	w := &Writer{Index: x, dir: dir, unlock: unlock}
	w.begin()
	if err := w.sweep(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// begin starts the next manifest from the one that holds.
func (w *Writer) begin() {
	w.next = w.manifest
	w.next.Parts = slices.Clone(w.next.Parts)
	w.files = nil
}

// sweep removes the files of uncommitted changes, and replaced files. Readers have theirs open.
func (w *Writer) sweep() error {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	used := w.manifest.files()
	for _, e := range entries {
		name := e.Name()
		if used[name] || !ownName(name) {
			continue
		}
		if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
			return fmt.Errorf("remove what is left of an earlier change: %w", err)
		}
	}
	return nil
}

var suffixes = []string{"rows", "ids", "texts", "keys"}

// ownName reports whether a file has a name as a writer gives it.
func ownName(name string) bool {
	if base, _, ok := strings.Cut(strings.TrimPrefix(name, "."), ".tmp-"); ok && name[0] == '.' {
		return base == ManifestName || ownName(base)
	}
	number, suffix, _ := strings.Cut(name, ".")
	return len(number) == 6 && strings.Trim(number, "0123456789") == "" && slices.Contains(suffixes, suffix)
}

func (w *Writer) file(suffix string) (*blockWriter, fileEntry, error) {
	name := fmt.Sprintf("%06d.%s", w.next.Next, suffix)
	f, err := newBlockWriter(filepath.Join(w.dir, name), suffix == "texts" || suffix == "ids")
	if err != nil {
		return nil, fileEntry{}, err
	}
	w.files = append(w.files, f)
	return f, fileEntry{Name: name}, nil
}

// Outputs returns the files of the change, the manifest last: committed together they
// make it happen.
func (w *Writer) Outputs() ([]corpus.Output, error) {
	w.next.Bases, w.next.Routes = w.manifest.Bases, w.manifest.Routes
	var outs []corpus.Output
	for _, f := range w.files {
		outs = append(outs, f.out)
	}
	m, err := w.next.output(w.dir)
	return append(outs, m), err
}

// Commit commits the changes alone, and reopens the index.
func (w *Writer) Commit() error {
	outs, err := w.Outputs()
	if err != nil {
		return err
	}
	if err := corpus.CommitAll(outs...); err != nil {
		return err
	}
	return w.Reopen()
}

// Reopen continues with what was committed.
func (w *Writer) Reopen() error {
	x, err := open(w.folder, w.dir)
	if err != nil {
		return err
	}
	before := w.Index
	w.Index = x
	if err := errors.Join(before.Close(), w.sweep()); err != nil {
		return err
	}
	w.begin()
	return nil
}

// Close ends the change and drops what was not committed.
func (w *Writer) Close() error { return w.end(nil) }

// Discard removes the index, which has no documents, and ends the writer. The folder stays
// if something else is in it.
func (w *Writer) Discard() error {
	err := w.end(func() error { return os.Remove(filepath.Join(w.dir, ManifestName)) })
	_ = os.Remove(w.dir) // another process may have begun an index in it
	return err
}

// end releases what the writer holds. It calls last before another process may write.
func (w *Writer) end(last func() error) error {
	for _, f := range w.files {
		f.abort()
	}
	err := w.Index.Close()
	if last != nil {
		err = errors.Join(err, last())
	}
	return errors.Join(err, w.unlock())
}

type partWriter struct {
	rows, ids, texts, keys *blockWriter
	entry                  partEntry
}

func (w *Writer) newPart() (p *partWriter, err error) {
	p = &partWriter{}
	for _, f := range []struct {
		to     **blockWriter
		entry  *fileEntry
		suffix string
	}{{&p.rows, &p.entry.Rows, "rows"}, {&p.ids, &p.entry.IDs, "ids"}, {&p.texts, &p.entry.Texts, "texts"}, {&p.keys, &p.entry.Keys, "keys"}} {
		*f.to, *f.entry, err = w.file(f.suffix)
		if err != nil {
			return nil, err
		}
	}
	w.next.Next++
	return p, nil
}

func (p *partWriter) document(r *Row) error {
	p.entry.Documents++
	return p.rows.add(r.append(nil), 0)
}

func (p *partWriter) posting(one Posting) error { return p.keys.add(one.append(nil), one.Key) }

func (p *partWriter) end() (err error) {
	for _, f := range []struct {
		w     *blockWriter
		entry *fileEntry
	}{{p.rows, &p.entry.Rows}, {p.ids, &p.entry.IDs}, {p.texts, &p.entry.Texts}, {p.keys, &p.entry.Keys}} {
		f.entry.Sum, err = f.w.end()
		if err != nil {
			return err
		}
	}
	return nil
}

// Addition is a run of documents that is added to an index.
type Addition struct {
	w                *Writer
	part             *partWriter
	textBase, idBase uint64
}

// Add begins to add documents; there is one Addition a change.
func (w *Writer) Add() (*Addition, error) {
	p, err := w.newPart()
	if err != nil {
		return nil, err
	}
	a := &Addition{w: w, part: p}
	if n := len(w.parts); n > 0 {
		last := w.parts[n-1]
		a.textBase, a.idBase = last.textBase+last.texts.length, last.idBase+last.ids.length
	}
	return a, nil
}

// Text adds a text and returns its place.
func (a *Addition) Text(clean string) (at uint64, err error) {
	at = a.textBase + a.part.texts.length
	return at, a.part.texts.add([]byte(clean), 0)
}

// Document adds a document, the next one, whose text is there already.
func (a *Addition) Document(r Row, id string) error {
	if a.w.Numbers()+a.part.entry.Documents == MaxDocuments {
		return fmt.Errorf("the index has %d documents: no more are possible", MaxDocuments)
	}
	r.ID, r.IDLen = a.idBase+a.part.ids.length, uint32(len(id))
	if err := a.part.ids.add([]byte(id), 0); err != nil {
		return err
	}
	return a.part.document(&r)
}

// Post adds a posting. Their keys ascend.
func (a *Addition) Post(p Posting) error { return a.part.posting(p) }

// Basis returns the number of a method and what it measured.
func (w *Writer) Basis(method, basis string) (uint8, error) {
	return number(&w.manifest.Bases, [2]string{method, basis})
}

// Route returns the number of the method that texts are sent to.
func (w *Writer) Route(method string) (uint8, error) { return number(&w.manifest.Routes, method) }

func number[T comparable](list *[]T, one T) (uint8, error) {
	i := slices.Index(*list, one)
	if i < 0 {
		if len(*list) == 256 {
			return 0, errors.New("the method gives more than 256 kinds of basis")
		}
		i, *list = len(*list), append(*list, one)
	}
	return uint8(i), nil
}

// End ends the adding; digest is the digest of all current decisions.
func (a *Addition) End(digest string) error {
	if err := a.part.end(); err != nil {
		return err
	}
	if a.part.entry.Documents > 0 {
		a.w.next.Parts = append(a.w.next.Parts, a.part.entry)
	}
	a.w.next.Digest = digest
	return nil
}

// Rewrite calls change with each row, which may change it. digest is the digest of all remaining decisions.
func (w *Writer) Rewrite(ctx context.Context, digest string, change func(doc uint32, r *Row) error) error {
	w.next.Digest = digest
	for i, p := range w.parts {
		rows, entry, err := w.file("rows")
		if err != nil {
			return err
		}
		w.next.Next++
		err = p.eachRow(func(doc uint32, r *Row) error {
			if doc&0xfff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			was := r.Removed
			if err := change(doc, r); err != nil {
				return err
			}
			if r.Removed && !was {
				w.next.Removed++
			}
			return rows.add(r.append(nil), 0)
		})
		if err != nil {
			return err
		}
		entry.Sum, err = rows.end()
		if err != nil {
			return err
		}
		w.next.Parts[i].Rows = entry
	}
	return nil
}
