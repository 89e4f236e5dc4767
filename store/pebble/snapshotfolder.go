package pebble

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/store/internal/listed"
)

// snapshotFolder is a folder of a file system, for listed.Store.
type snapshotFolder struct {
	fs  vfs.FS
	dir string
}

// SnapshotFolder returns a SnapshotStore in a folder that all stores of a log share.
func SnapshotFolder(dir string) SnapshotStore {
	return listed.Store{Storage: snapshotFolder{private{vfs.Default}, dir}}
}

// Path returns the path of a file.
func (f snapshotFolder) Path(name string) string { return f.fs.PathJoin(f.dir, name) }

// Names lists the folder.
func (f snapshotFolder) Names(context.Context) ([]string, error) {
	names, err := f.fs.List(f.dir)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return names, err
}

// Write writes a folder in place, because files of a store may be linked to it.
func (f snapshotFolder) Write(_ context.Context, folder string, write func(dir string) error) (files []listed.File, err error) {
	dir := f.Path(folder)
	if err := errors.Join(f.fs.MkdirAll(f.dir, 0o700), f.fs.RemoveAll(dir)); err != nil {
		return nil, err
	}
	err = write(dir)
	if err == nil {
		err = f.describe(&files, dir, "")
	}
	return files, err
}

// describe lists the files of a folder.
func (f snapshotFolder) describe(files *[]listed.File, dir, below string) error {
	names, err := f.fs.List(dir)
	slices.Sort(names)
	for i := 0; i < len(names) && err == nil; i++ {
		at := f.fs.PathJoin(dir, names[i])
		info, failed := f.fs.Stat(at)
		switch {
		case failed != nil:
			err = failed
		case info.IsDir():
			err = f.describe(files, at, below+names[i]+"/")
		default:
			var file listed.File
			file, err = f.sum(below+names[i], at)
			*files = append(*files, file)
		}
	}
	return err
}

func (f snapshotFolder) sum(name, at string) (listed.File, error) {
	from, err := f.fs.Open(at)
	if err != nil {
		return listed.File{}, err
	}
	defer from.Close()
	return listed.Sum(name, from)
}

// Put writes a temporary file and renames it.
func (f snapshotFolder) Put(_ context.Context, name, temporary string, content []byte) error {
	to, err := f.fs.Create(f.Path(temporary), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = to.Write(content)
	if err := errors.Join(err, to.Sync(), to.Close()); err != nil {
		return err
	}
	return errors.Join(f.fs.Rename(f.Path(temporary), f.Path(name)), f.Sync(f.dir))
}

// Open opens a file.
func (f snapshotFolder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	return f.fs.Open(f.Path(name))
}

// Remove removes a file or a folder.
func (f snapshotFolder) Remove(_ context.Context, name string) error {
	return f.fs.RemoveAll(f.Path(name))
}

// Create creates a file and the folders above it.
func (f snapshotFolder) Create(path string) (listed.Local, error) {
	if err := f.fs.MkdirAll(f.fs.PathDir(path), 0o700); err != nil {
		return nil, err
	}
	return f.fs.Create(path, vfs.WriteCategoryUnspecified)
}

// Sync makes the names in a folder durable.
func (f snapshotFolder) Sync(dir string) error {
	d, err := f.fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
