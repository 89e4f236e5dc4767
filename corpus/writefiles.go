package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// filesSink copies files into a directory.
type filesSink struct{ *AtomicDir }

// CreateDir starts a directory for files that have the names of the inputs.
func (r *Reader) CreateDir(path string) (*AtomicDir, error) {
	d, err := CreateDir(path)
	if err != nil {
		return nil, err
	}
	if err := r.checkDir(path); err != nil {
		d.Abort()
		return nil, err
	}
	return d, nil
}

// checkDir refuses a directory that holds an input, and inputs whose names collide.
func (r *Reader) checkDir(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	seen := map[string]string{}
	for _, in := range r.inputs {
		if from, err := filepath.Abs(in.path); err == nil && below(from, abs) {
			return fmt.Errorf("input %s: inside the output directory %s", in.path, path)
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
	if err := s.makeRoom(rel); err != nil {
		return err
	}
	out, err := s.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = s.fill(out, it)
	return errors.Join(err, out.Sync(), out.Close())
}

// fill copies the file unchanged, compressed or not. It writes standard input as it was read, and a replaced
// text.
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
