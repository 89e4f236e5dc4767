package corpus

import (
	"errors"
	"io"
	"os"
)

// spool copies a stream into a temporary file while it is read. The file has
// no name any more where the system allows that, so nothing is left behind
// whatever happens.
type spool struct {
	r      io.Reader
	file   *os.File
	size   int64
	shared bool // somebody else closes it
	named  bool // the file still has its name
}

func newSpool(dir string, r io.Reader) (*spool, error) {
	f, err := os.CreateTemp(dir, ".neardup-stdin-*")
	if err != nil {
		return nil, err
	}
	named := os.Remove(f.Name()) != nil // Windows keeps open files
	return &spool{r: r, file: f, named: named}, nil
}

func (s *spool) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if n > 0 {
		w, werr := s.file.Write(p[:n])
		s.size += int64(w)
		if werr != nil {
			return n, ioError{werr}
		}
	}
	return n, err
}

// drain reads to the end and returns how much there was.
func (s *spool) drain() (int64, error) {
	if s.shared {
		return s.size, nil
	}
	_, err := io.Copy(io.Discard, struct{ io.Reader }{s})
	return s.size, err
}

func (s *spool) close() error {
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}
