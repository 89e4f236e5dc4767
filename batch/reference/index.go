// Package reference stores decided documents in an index, which is a folder. Later documents are decided against them. It
// stores each distinct text once, the decision on each document, and the sorted keys.
//
// A folder holds a manifest and parts of four files each: rows, ids, texts, keys. Files never change. A change writes new
// files and then replaces the manifest, so it is atomic, and a reader still sees the previous state.
package reference

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/neardup/neardup"
)

// Index is the state of an index according to one manifest. It is safe for concurrent use.
type Index struct {
	folder   fs.FS
	manifest manifest
	asOf     string
	parts    []*part
}

// part is a range of documents.
type part struct {
	first, documents uint32
	textBase, idBase uint64 // offsets of its streams in the streams of all parts
	rows, ids        *blockFile
	texts, keys      *blockFile
}

// Open opens the index of a folder for reading. It writes nothing. Another process may change the index at the same time.
func Open(dir string) (*Index, error) { return OpenFS(os.DirFS(dir), dir) }

// OpenFS opens an index in any file system whose files implement [io.ReaderAt]. Errors call the index name.
func OpenFS(folder fs.FS, name string) (*Index, error) {
	for tries := 0; ; tries++ {
		x, err := open(folder, name)
		// Between reading the manifest and opening its files, a writer may have replaced both.
		if err == nil || tries == 3 || !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNone) {
			return x, err
		}
	}
}

func open(folder fs.FS, name string) (*Index, error) {
	m, asOf, err := readManifest(folder, name)
	if err != nil {
		return nil, err
	}
	x := &Index{folder: folder, manifest: m, asOf: asOf}
	for _, e := range m.Parts {
		if err := x.openPart(e); err != nil {
			return nil, errors.Join(err, x.Close())
		}
	}
	return x, nil
}

func (x *Index) openPart(e partEntry) (err error) {
	p := &part{first: x.Numbers(), documents: e.Documents}
	if n := len(x.parts); n > 0 {
		last := x.parts[n-1]
		p.textBase, p.idBase = last.textBase+last.texts.length, last.idBase+last.ids.length
	}
	x.parts = append(x.parts, p)
	for _, f := range []struct {
		to  **blockFile
		ref fileEntry
	}{{&p.rows, e.Rows}, {&p.ids, e.IDs}, {&p.texts, e.Texts}, {&p.keys, e.Keys}} {
		if filepath.Base(f.ref.Name) != f.ref.Name {
			return fmt.Errorf("%w: file %s: invalid file name %q", ErrDamaged, ManifestName, f.ref.Name)
		}
		*f.to, err = openBlocks(x.folder, f.ref.Name, f.ref.Sum)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%w: file %s: missing: %w", ErrDamaged, f.ref.Name, err)
			}
			return err
		}
	}
	if want := uint64(e.Documents) * rowBytes; p.rows.length != want {
		return p.rows.damaged("%d bytes of rows (want %d)", p.rows.length, want)
	}
	return nil
}

// Close closes the files.
func (x *Index) Close() error {
	var errs []error
	for _, p := range x.parts {
		for _, f := range []*blockFile{p.rows, p.ids, p.texts, p.keys} {
			if f != nil {
				errs = append(errs, f.file.Close())
			}
		}
	}
	x.parts = nil
	return errors.Join(errs...)
}

// Numbers returns the number of documents ever added since the last compaction. Documents, including removed ones, are
// numbered from 0 in the order in which they were decided.
func (x *Index) Numbers() uint32 {
	if n := len(x.parts); n > 0 {
		return x.parts[n-1].first + x.parts[n-1].documents
	}
	return 0
}

// Header returns the header of the index.
func (x *Index) Header() Header { return x.manifest.Header }

// AsOf returns an identifier of this state of the index, which readers can share.
func (x *Index) AsOf() string { return x.asOf }

// Digest returns the digest of all decisions except those of removed documents.
func (x *Index) Digest() string { return x.manifest.Digest }

// Removed returns the number of removed documents that are still stored.
func (x *Index) Removed() uint32 { return x.manifest.Removed }

// Parts returns the number of parts.
func (x *Index) Parts() int { return len(x.parts) }

// Bytes returns the size of the files.
func (x *Index) Bytes() (n int64, err error) {
	for _, p := range x.parts {
		for _, f := range []*blockFile{p.rows, p.ids, p.texts, p.keys} {
			info, err := f.file.Stat()
			if err != nil {
				return 0, err
			}
			n += info.Size()
		}
	}
	return n, nil
}

func (x *Index) partOf(doc uint32) (*part, error) {
	for i := len(x.parts) - 1; i >= 0; i-- {
		if p := x.parts[i]; doc >= p.first && doc < p.first+p.documents {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: reference to document %d: out of range (want below %d)", ErrDamaged, doc, x.Numbers())
}

// Row returns the row of a document.
func (x *Index) Row(doc uint32) (Row, error) {
	p, err := x.partOf(doc)
	if err != nil {
		return Row{}, err
	}
	b, err := p.rows.read(uint64(doc-p.first)*rowBytes, rowBytes)
	if err != nil {
		return Row{}, err
	}
	return readRow(b), nil
}

// ID returns the id of a document.
func (x *Index) ID(r *Row) (string, error) {
	for i := len(x.parts) - 1; i >= 0; i-- {
		if p := x.parts[i]; r.ID >= p.idBase {
			b, err := p.ids.read(r.ID-p.idBase, int(r.IDLen))
			return string(b), err
		}
	}
	return "", nil
}

// Text returns the clean text of a document.
func (x *Index) Text(r *Row) (string, error) {
	for i := len(x.parts) - 1; i >= 0; i-- {
		if p := x.parts[i]; r.Text >= p.textBase {
			b, err := p.texts.read(r.Text-p.textBase, int(r.TextLen))
			return string(b), err
		}
	}
	return "", nil
}

// Decision returns the decision on a document, without the conflicts of a variant.
func (x *Index) Decision(doc uint32, r *Row) (d neardup.Decision, err error) {
	d.ID, err = x.ID(r)
	if err != nil {
		return d, err
	}
	d.Decision = neardup.New
	if int(r.Route) < len(x.manifest.Routes) {
		d.Method = x.manifest.Routes[r.Route]
	}
	if r.Blank {
		d.Basis = neardup.BasisBlank
	}
	if r.Kind == New {
		return d, nil
	}
	leader, err := x.Row(r.Leader)
	if err != nil {
		return d, err
	}
	id, err := x.ID(&leader)
	if err != nil {
		return d, err
	}
	if r.Kind < Near {
		d.VariantOf = id
		return d, nil
	}
	bases := x.manifest.Bases
	if int(r.Basis) >= len(bases) {
		return d, fmt.Errorf("%w: document %d: its basis is not in the manifest", ErrDamaged, doc)
	}
	d.Decision, d.Leader, d.Similarity = neardup.Duplicate, id, r.Similarity
	d.Method, d.Basis = bases[r.Basis][0], bases[r.Basis][1]
	if r.Distance >= 0 {
		distance := int(r.Distance)
		d.Distance = &distance
	}
	return d, nil
}

// Each calls fn with all documents that were not removed, in their order.
func (x *Index) Each(fn func(doc uint32, r *Row) error) error {
	return x.eachRow(func(doc uint32, r *Row) error {
		if r.Removed {
			return nil
		}
		return fn(doc, r)
	})
}

func (x *Index) eachRow(fn func(doc uint32, r *Row) error) error {
	for _, p := range x.parts {
		if err := p.eachRow(fn); err != nil {
			return err
		}
	}
	return nil
}

func (p *part) eachRow(fn func(doc uint32, r *Row) error) error {
	doc := p.first
	for i := range p.rows.blocks {
		b, err := p.rows.block(i)
		if err != nil {
			return err
		}
		for ; len(b) >= rowBytes; b = b[rowBytes:] {
			r := readRow(b)
			if err := fn(doc, &r); err != nil {
				return err
			}
			doc++
		}
	}
	return nil
}
