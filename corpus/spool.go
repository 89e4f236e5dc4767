package corpus

import (
	"io"
	"os"

	"github.com/neardup/neardup/internal/external"
)

// spool copies a stream to a temporary file while it is read.
type spool struct {
	r      io.Reader
	files  *external.Files
	file   *os.File
	size   int64
	shared bool // another owner closes the file
}

func newSpool(dir string, r io.Reader) (*spool, error) {
	files := external.NewFiles(dir)
	f, err := files.Create()
	return &spool{r: r, files: files, file: f}, err
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

// drain reads to the end and returns the number of bytes.
func (s *spool) drain() (int64, error) {
	if s.shared {
		return s.size, nil
	}
	_, err := io.Copy(io.Discard, struct{ io.Reader }{s})
	return s.size, err
}
