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
var ErrLocked = errors.New("another process is changing the index")

// Create makes an empty index in a folder. It creates the folder, but not its parent. digest is the digest of the empty set
// of decisions.
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

// lock reserves the folder for writing by this process.
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

// removed returns the error about an index that disappeared while this process opened it. That happens if the process that
// created it added nothing.
func removed(dir string) error {
	return fmt.Errorf("%s: the lock file was removed: %w", dir, ErrLocked)
}

// create writes the manifest of an empty index. The caller has the lock.
func create(dir string, h Header, digest string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range names {
		if e.Name() != lockName && !ownName(e.Name()) { // files of a creation that was killed may be present
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

// Writer changes an index. An index has one Writer at a time, and a Writer is for one goroutine. Its changes take effect
// together when its Outputs are committed.
type Writer struct {
	*Index
	dir    string
	unlock func() error
	next   manifest
	files  []*blockWriter
}

// Change opens an index for a change.
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

// begin starts the next manifest from the current one.
func (w *Writer) begin() {
	w.next = w.manifest
	w.next.Parts = slices.Clone(w.next.Parts)
	w.files = nil
}

// sweep removes replaced files and the files of uncommitted changes. Readers keep theirs open.
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
			return fmt.Errorf("remove files of an earlier change: %w", err)
		}
	}
	return nil
}

var suffixes = []string{"rows", "ids", "texts", "keys"}

// ownName reports whether a file name has the form that writers use.
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

// Outputs returns the files of the change, the manifest last. Committing them together makes the change.
func (w *Writer) Outputs() ([]corpus.Output, error) {
	w.next.Bases, w.next.Routes = w.manifest.Bases, w.manifest.Routes
	var outs []corpus.Output
	for _, f := range w.files {
		outs = append(outs, f.out)
	}
	m, err := w.next.output(w.dir)
	return append(outs, m), err
}

// Commit commits the changes by themselves, and reopens the index.
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

// Reopen continues from the committed state.
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

// Close ends the writer and discards uncommitted changes.
func (w *Writer) Close() error { return w.end(nil) }

// Discard removes the index, which must have no documents, and ends the writer. The folder stays if it has other files.
func (w *Writer) Discard() error {
	err := w.end(func() error { return os.Remove(filepath.Join(w.dir, ManifestName)) })
	_ = os.Remove(w.dir) // fails if another process has created an index in it
	return err
}

// end releases the resources of the writer. It calls last before another process can write.
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

// Addition is a series of documents that are added to an index.
type Addition struct {
	w                *Writer
	part             *partWriter
	textBase, idBase uint64
}

// Add starts the addition. A change has at most one.
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

// Text adds a text and returns its offset.
func (a *Addition) Text(clean string) (at uint64, err error) {
	at = a.textBase + a.part.texts.length
	return at, a.part.texts.add([]byte(clean), 0)
}

// Document adds the next document. Its text has been added.
func (a *Addition) Document(r Row, id string) error {
	if a.w.Numbers()+a.part.entry.Documents == MaxDocuments {
		return fmt.Errorf("the index is full: it has %d documents", MaxDocuments)
	}
	r.ID, r.IDLen = a.idBase+a.part.ids.length, uint32(len(id))
	if err := a.part.ids.add([]byte(id), 0); err != nil {
		return err
	}
	return a.part.document(&r)
}

// Post adds a posting. Keys must ascend.
func (a *Addition) Post(p Posting) error { return a.part.posting(p) }

// Basis returns the number of a method and a basis, and adds the pair if needed.
func (w *Writer) Basis(method, basis string) (uint8, error) {
	return number(&w.manifest.Bases, [2]string{method, basis})
}

// Route returns the number of a method that texts are sent to, and adds it if needed.
func (w *Writer) Route(method string) (uint8, error) { return number(&w.manifest.Routes, method) }

func number[T comparable](list *[]T, one T) (uint8, error) {
	i := slices.Index(*list, one)
	if i < 0 {
		if len(*list) == 256 {
			return 0, errors.New("the method returns more than 256 kinds of basis")
		}
		i, *list = len(*list), append(*list, one)
	}
	return uint8(i), nil
}

// End ends the addition. digest is the digest of all current decisions.
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
