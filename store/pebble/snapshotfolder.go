package pebble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/listed"
)

// snapshotFolder is a SnapshotStore in a folder. The files of a snapshot are in OFFSET-SERVER. OFFSET.json
// lists them with their checksums and is written last, so a folder without a list is not a snapshot.
type snapshotFolder struct {
	fs  vfs.FS
	dir string
}

// SnapshotFolder returns a SnapshotStore in a folder that all stores of a log share.
func SnapshotFolder(dir string) SnapshotStore { return snapshotFolder{private{vfs.Default}, dir} }

const listSuffix = ".json"

func (f snapshotFolder) list(offset uint64) string {
	return f.fs.PathJoin(f.dir, fmt.Sprintf("%020d", offset)+listSuffix)
}

func (f snapshotFolder) names() ([]string, error) {
	names, err := f.fs.List(f.dir)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return names, err
}

// Offsets returns the offsets that have a list.
func (f snapshotFolder) Offsets(context.Context) (offsets []uint64, err error) {
	names, err := f.names()
	for _, name := range names {
		number, is := strings.CutSuffix(name, listSuffix)
		if n, err := strconv.ParseUint(number, 10, 64); is && err == nil {
			offsets = append(offsets, n)
		}
	}
	slices.Sort(offsets)
	return offsets, err
}

// Save writes the files, and then their list. It first removes what this server left of an earlier attempt.
func (f snapshotFolder) Save(_ context.Context, offset, server uint64, write func(dir string) error) error {
	if err := errors.Join(f.fs.MkdirAll(f.dir, 0o700), f.sweep(fmt.Sprintf("-%016x", server))); err != nil {
		return err
	}
	l := listed.List{Folder: fmt.Sprintf("%020d-%016x", offset, server)}
	dir := f.fs.PathJoin(f.dir, l.Folder)
	if err := errors.Join(f.fs.RemoveAll(dir), write(dir)); err != nil {
		return err
	}
	if err := f.describe(&l, dir, ""); err != nil {
		return err
	}
	if _, err := f.fs.Stat(f.list(offset)); err == nil { // another server was faster
		return f.fs.RemoveAll(dir)
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	temporary := dir + ".list"
	if err := f.write(temporary, string(b)); err != nil {
		return err
	}
	return errors.Join(f.fs.Rename(temporary, f.list(offset)), f.sync(f.dir))
}

// sweep removes a server's folders and lists that are not in use.
func (f snapshotFolder) sweep(server string) error {
	names, err := f.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		folder := strings.TrimSuffix(name, ".list")
		number, of := strings.CutSuffix(folder, server)
		if !of {
			continue
		}
		offset, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			continue
		}
		if l, err := f.read(offset); err == nil && l.Folder == name {
			continue
		}
		if err := f.fs.RemoveAll(f.fs.PathJoin(f.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// describe lists the files of a folder.
func (f snapshotFolder) describe(l *listed.List, dir, below string) error {
	names, err := f.fs.List(dir)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		at := f.fs.PathJoin(dir, name)
		info, err := f.fs.Stat(at)
		if err == nil && info.IsDir() {
			err = f.describe(l, at, below+name+"/")
		} else if err == nil {
			var file listed.File
			file, err = f.sum(below+name, at)
			l.Files = append(l.Files, file)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f snapshotFolder) sum(name, at string) (listed.File, error) {
	from, err := f.fs.Open(at)
	if err != nil {
		return listed.File{}, err
	}
	defer from.Close()
	return listed.Sum(name, from)
}

func (f snapshotFolder) write(at, content string) error {
	to, err := f.fs.Create(at, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = to.Write([]byte(content))
	return errors.Join(err, to.Sync(), to.Close())
}

func (f snapshotFolder) sync(dir string) error {
	d, err := f.fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (f snapshotFolder) read(offset uint64) (l listed.List, err error) {
	from, err := f.fs.Open(f.list(offset))
	if err != nil {
		return l, err
	}
	defer from.Close()
	l, err = listed.Read(from)
	if err != nil {
		err = damaged(f.list(offset), err.Error())
	}
	return l, err
}

func damaged(path, why string) error { return fmt.Errorf("%w: %s: %s", docid.ErrCorrupt, path, why) }

// Load copies the listed files and verifies their checksums.
func (f snapshotFolder) Load(ctx context.Context, offset uint64, dir string) error {
	l, err := f.read(offset)
	if err != nil {
		return err
	}
	for _, file := range l.Files {
		if err := errors.Join(ctx.Err(), f.load(f.fs.PathJoin(f.dir, l.Folder, file.Name), file, f.fs.PathJoin(dir, file.Name))); err != nil {
			return err
		}
	}
	return f.sync(dir)
}

func (f snapshotFolder) load(at string, want listed.File, path string) error {
	from, err := f.fs.Open(at)
	if errors.Is(err, os.ErrNotExist) {
		return damaged(at, "it is not there")
	} else if err != nil {
		return err
	}
	defer from.Close()
	if err := f.fs.MkdirAll(f.fs.PathDir(path), 0o700); err != nil {
		return err
	}
	to, err := f.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	is, err := listed.Copy(want.Name, to, from)
	if err == nil && is != want {
		err = damaged(at, "it is not what was written")
	}
	return errors.Join(err, to.Sync(), to.Close())
}

// Remove removes the list first, which ends the snapshot, and then the files.
func (f snapshotFolder) Remove(_ context.Context, offset uint64) error {
	err := f.fs.Remove(f.list(offset))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	names, failed := f.names()
	err = errors.Join(err, failed)
	for _, name := range names {
		if strings.HasPrefix(name, fmt.Sprintf("%020d-", offset)) {
			err = errors.Join(err, f.fs.RemoveAll(f.fs.PathJoin(f.dir, name)))
		}
	}
	return err
}
