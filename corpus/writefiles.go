package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// folderSink writes the items of each input to a file with its name in a directory. An input without kept items also gets a
// file, unless it is a single document or cannot be read.
type folderSink struct {
	*AtomicDir
	r       *Reader
	columns []Column
	next    int     // index of the input after that of file
	file    *Writer // nil before the first input, and for an input that is one document
}

func (s *folderSink) write(it Item, values ...any) error {
	for s.next == 0 || s.r.inputs[s.next-1].path != it.File {
		if err := s.advance(); err != nil {
			return err
		}
	}
	if s.file == nil {
		return s.copyFile(it)
	}
	return s.file.write(it, values...)
}

// advance ends the file of the current input and begins that of the next.
func (s *folderSink) advance() error {
	if err := s.end(); err != nil {
		return err
	}
	in := s.r.inputs[s.next]
	s.next++
	if in.format.isWhole() {
		return nil
	}
	f, err := s.Create(in.rel)
	if err != nil {
		return err
	}
	s.file, err = s.r.writerOf(f, []*input{in}, in.format, len(s.columns) > 0 || in.format == XLSX, s.columns)
	return err
}

// end ends a file. It ignores the error of an unreadable input, which was reported when the input was read.
func (s *folderSink) end() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Commit()
	s.file = nil
	if errors.Is(err, errUnread) {
		return nil
	}
	return err
}

func (s *folderSink) prepare() error {
	for s.next < len(s.r.inputs) {
		if err := s.advance(); err != nil {
			return err
		}
	}
	return errors.Join(s.end(), s.AtomicDir.prepare())
}

// Abort implements Output.
func (s *folderSink) Abort() {
	if s.file != nil {
		s.file.Abort()
	}
	s.AtomicDir.Abort()
}

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

// checkDir returns an error if a directory holds an input, or if names of inputs collide.
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

func (s *folderSink) copyFile(it Item) error {
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

// fill copies the file unchanged, compressed or not. For standard input and a replaced text it writes the content.
func (s *folderSink) fill(out io.Writer, it Item) error {
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
