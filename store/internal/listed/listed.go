// Package listed keeps snapshots in a place that several servers share, such as a folder or a bucket. The files of a
// snapshot are in the folder OFFSET-SERVER. The file OFFSET.json lists them with their checksums and is written last,
// so a folder without a list is not a snapshot.
package listed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup/docid"
	"golang.org/x/sync/errgroup"
)

// Storage stores files by name. It also creates the local files when a snapshot is loaded.
type Storage interface {
	// Names lists the files and folders.
	Names(ctx context.Context) ([]string, error)
	// Write stores the folder that write makes, and describes its files.
	Write(ctx context.Context, folder string, write func(dir string) error) ([]File, error)
	// Put stores a file atomically. It may write to a temporary file first.
	Put(ctx context.Context, name, temporary string, content []byte) error
	// Open reads a file. Its error, or that of the first Read, wraps fs.ErrNotExist if the file is missing.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Remove removes a file or a folder, if it exists.
	Remove(ctx context.Context, name string) error
	// Path returns the full name of a file, for errors.
	Path(name string) string
	// Create creates a local file and its parent folders. Sync makes the names in a local folder durable.
	Create(path string) (Local, error)
	Sync(dir string) error
}

// Local is a local file.
type Local interface {
	io.WriteCloser
	Sync() error
}

// Store keeps snapshots in a Storage.
type Store struct{ Storage }

// list names the files of a snapshot.
type list struct {
	Folder string `json:"folder"`
	Files  []File `json:"files"`
}

// File is one file of a snapshot.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// transfers is the number of files that are copied at the same time.
const transfers = 4

const suffix = ".json"

func listOf(offset uint64) string { return fmt.Sprintf("%020d%s", offset, suffix) }

func offsetsIn(names []string) (all []uint64) {
	for _, name := range names {
		number, is := strings.CutSuffix(name, suffix)
		if offset, err := strconv.ParseUint(number, 10, 64); is && err == nil {
			all = append(all, offset)
		}
	}
	slices.Sort(all)
	return all
}

// Offsets returns the offsets of snapshots that have a list.
func (s Store) Offsets(ctx context.Context) ([]uint64, error) {
	names, err := s.Names(ctx)
	return offsetsIn(names), err
}

// Save stores the files and then their list. It first removes the files of earlier attempts. If another server has saved
// the snapshot meanwhile, it removes its own files.
func (s Store) Save(ctx context.Context, offset, server uint64, write func(dir string) error) error {
	names, err := s.Names(ctx)
	if err == nil {
		err = s.sweep(ctx, names, fmt.Sprintf("%016x", server))
	}
	if err != nil || slices.Contains(offsetsIn(names), offset) {
		return err
	}
	l := list{Folder: fmt.Sprintf("%020d-%016x", offset, server)}
	l.Files, err = s.Write(ctx, l.Folder, write)
	if err != nil {
		return err
	}
	offsets, err := s.Offsets(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(offsets, offset) {
		return s.Storage.Remove(ctx, l.Folder)
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return s.Put(ctx, listOf(offset), l.Folder+".list", b)
}

// sweep removes incomplete snapshots of a server, and those older than all complete ones.
func (s Store) sweep(ctx context.Context, names []string, server string) error {
	complete := offsetsIn(names)
	for _, name := range names {
		number, of, is := strings.Cut(strings.TrimSuffix(name, ".list"), "-")
		offset, err := strconv.ParseUint(number, 10, 64)
		if !is || err != nil || slices.Contains(complete, offset) {
			continue
		}
		if of == server || (len(complete) > 0 && offset < complete[0]) {
			if err := s.Storage.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remove removes the list first, which ends the snapshot, and then the files.
func (s Store) Remove(ctx context.Context, offset uint64) error {
	err := s.Storage.Remove(ctx, listOf(offset))
	names, failed := s.Names(ctx)
	err = errors.Join(err, failed)
	for _, name := range names {
		if strings.HasPrefix(name, fmt.Sprintf("%020d-", offset)) {
			err = errors.Join(err, s.Storage.Remove(ctx, name))
		}
	}
	return err
}

// Load copies the listed files to a new folder and verifies their checksums.
func (s Store) Load(ctx context.Context, offset uint64, dir string) error {
	l, err := s.read(ctx, listOf(offset))
	if err != nil {
		return err
	}
	loading, ctx := errgroup.WithContext(ctx)
	loading.SetLimit(transfers)
	for _, f := range l.Files {
		loading.Go(func() error { return s.load(ctx, path.Join(l.Folder, f.Name), f, filepath.Join(dir, f.Name)) })
	}
	if err := loading.Wait(); err != nil {
		return err
	}
	return s.Sync(dir)
}

func (s Store) damaged(name, why string) error {
	return fmt.Errorf("%w: %s: %s", docid.ErrCorrupt, s.Path(name), why)
}

// read reads a list.
func (s Store) read(ctx context.Context, name string) (l list, err error) {
	from, err := s.Open(ctx, name)
	if err != nil {
		return l, err
	}
	defer from.Close()
	b, err := io.ReadAll(io.LimitReader(from, 64<<20))
	if err != nil {
		return l, err
	}
	if json.Unmarshal(b, &l) != nil || len(l.Files) == 0 || !fs.ValidPath(l.Folder) {
		return l, s.damaged(name, "not a list of files")
	}
	for _, f := range l.Files {
		if !filepath.IsLocal(f.Name) || !fs.ValidPath(f.Name) {
			return l, s.damaged(name, fmt.Sprintf("invalid file name %q", f.Name))
		}
	}
	return l, nil
}

// load copies a file.
func (s Store) load(ctx context.Context, name string, want File, at string) error {
	from, err := s.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return s.damaged(name, "missing")
	} else if err != nil {
		return err
	}
	defer from.Close()
	to, err := s.Create(at)
	if err != nil {
		return err
	}
	is, err := Copy(want.Name, to, from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = s.damaged(name, "missing")
	case err == nil && is != want:
		err = s.damaged(name, "not the content that was written")
	}
	return errors.Join(err, to.Sync(), to.Close())
}

// Sum returns the name, size and checksum of a file.
func Sum(name string, r io.Reader) (File, error) {
	return Copy(name, io.Discard, r)
}

// Copy copies a file and returns its name, size and checksum.
func Copy(name string, to io.Writer, from io.Reader) (File, error) {
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(sum, to), from) // computed first, because a file of Pebble may change the bytes that it writes
	return File{name, size, hex.EncodeToString(sum.Sum(nil))}, err
}
