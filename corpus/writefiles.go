package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// filesSink copies files into a directory that is built under another name.
type filesSink struct {
	path, temp string
	root       *os.Root // nothing is written outside of it
	done       bool
}

func newFilesSink(path string, r *Reader) (*filesSink, error) {
	if path == Stdin {
		return nil, errors.New("kept files go to a directory, not to standard output")
	}
	if err := checkPlace(path, r); err != nil {
		return nil, err
	}
	temp := tempName(path)
	if err := os.Mkdir(temp, 0o777); err != nil {
		return nil, cannotCreate(path, err)
	}
	root, err := os.OpenRoot(temp)
	if err != nil {
		os.Remove(temp)
		return nil, err
	}
	return &filesSink{path: path, temp: temp, root: root}, nil
}

// checkPlace refuses a directory that holds something or an input, and inputs
// whose names collide.
func checkPlace(path string, r *Reader) error {
	entries, err := os.ReadDir(path)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s: kept files need a directory that is new or empty", path)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	seen := map[string]string{}
	for _, in := range r.inputs {
		if from, err := filepath.Abs(in.path); err == nil && below(from, abs) {
			return fmt.Errorf("input %s lies in the output directory %s", in.path, path)
		}
		if other, ok := seen[in.rel]; ok {
			return fmt.Errorf("%s and %s would both be written to %s", other, in.path, filepath.Join(path, in.rel))
		}
		seen[in.rel] = in.path
	}
	return nil
}

func (s *filesSink) write(it Item) error {
	rel := it.in.rel
	if !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: its name leads out of the output directory", it.File)
	}
	if dir := filepath.Dir(rel); dir != "." {
		if err := s.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	out, err := s.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = s.fill(out, it)
	return errors.Join(err, out.Sync(), out.Close())
}

// fill copies the file as it is, compressed or not; standard input as it was
// read, and a text that is replaced.
func (s *filesSink) fill(out io.Writer, it Item) error {
	if it.File == Stdin || it.replaced {
		_, err := out.Write(it.Raw)
		return err
	}
	in, err := it.in.openFile()
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.CopyN(out, in, it.in.size)
	return err
}

func (s *filesSink) prepare() error {
	if s.done {
		return errEnded
	}
	return s.syncDirs()
}

func (s *filesSink) publish() error {
	os.Remove(s.path) // an empty directory makes room
	if err := rename(s.temp, s.path); err != nil {
		return err
	}
	s.done = true
	return s.root.Close()
}

// syncDirs makes the entries of every directory durable.
func (s *filesSink) syncDirs() error {
	return filepath.WalkDir(s.temp, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(path)
	})
}

// Abort is Output.Abort.
func (s *filesSink) Abort() {
	if s.done {
		return
	}
	s.done = true
	s.root.Close()
	os.RemoveAll(s.temp)
}
