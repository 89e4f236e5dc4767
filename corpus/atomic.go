package corpus

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// AtomicFile is a file that appears under its name whole, with Commit, or not
// at all. One goroutine at a time.
type AtomicFile struct {
	claim
	file *os.File // nil when it writes to the caller's stream
	buf  *bufio.Writer
	pack io.WriteCloser // the compressor, nil if none
	top  io.Writer
	err  error

	table *Table       // of Objects
	last  func() error // writes what ends the content; nil for nothing
}

// CreateAtomic starts a file: a temporary one next to path, which Commit renames. A path that ends in .gz or
// .zst is compressed. "-" is standard output, as is /dev/stdout. Standard output, and an existing file that is
// not regular (/dev/null, a pipe), is written directly. No directory is created.
func CreateAtomic(path string) (*AtomicFile, error) {
	if path == Stdin || path == "/dev/stdout" {
		return NewStream(os.Stdout), nil
	}
	f, err := createTemp(path)
	if err != nil {
		return nil, err
	}
	return f.begin()
}

// begin begins to write into f.file.
func (f *AtomicFile) begin() (*AtomicFile, error) {
	f.buf = bufio.NewWriterSize(f.file, 256<<10)
	f.top = f.buf
	if err := f.compress(); err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

// NewStream writes to w in the same way: buffered, flushed by Commit.
func NewStream(w io.Writer) *AtomicFile {
	buf := bufio.NewWriterSize(w, 64<<10)
	return &AtomicFile{claim: claim{path: Stdin}, buf: buf, top: buf}
}

// createTemp opens the temporary file next to path, or path itself if it cannot be replaced.
func createTemp(path string) (*AtomicFile, error) {
	real, unreal := filepath.EvalSymlinks(path)
	if unreal == nil {
		path = real
	}
	mode := fs.FileMode(0o666)
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case err == nil && (unreal != nil || !info.Mode().IsRegular()):
		// A link of /dev or /proc may lead to a file that has no name.
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return nil, err
		}
		return &AtomicFile{claim: claim{path: path}, file: f}, nil
	case err == nil:
		mode = info.Mode().Perm()
	}
	c := claimTemp(path)
	f, err := os.OpenFile(c.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, errors.Join(cannotCreate(path, err), c.unlock())
	}
	return &AtomicFile{claim: c, file: f}, nil
}

// cannotCreate names the output, or the folder if that is missing.
func cannotCreate(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create %s: there is no folder %s", path, filepath.Dir(path))
	}
	return fmt.Errorf("create %s: %w", path, bare(err))
}

// Write writes p. After an error every Write and Commit fails.
func (f *AtomicFile) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.top.Write(p)
	if err != nil {
		f.err = fmt.Errorf("write %s: %w", f.path, bare(err))
	}
	return n, f.err
}

// Flush passes on what is buffered, for a reader that follows the file.
func (f *AtomicFile) Flush() error {
	if f.err == nil {
		f.err = f.buf.Flush()
	}
	return f.err
}

// WriteJSON writes v as one line of JSON, without escaping <, > and &. A nil file takes it and writes nothing.
func (f *AtomicFile) WriteJSON(v any) error {
	switch {
	case f == nil:
		return nil
	case f.table != nil:
		return f.table.fields(v)
	}
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

var errEnded = errors.New("already committed or aborted")

// Output is something that appears whole, with Commit or CommitAll, or not at
// all: an AtomicFile or a Writer.
type Output interface {
	// prepare does all that can fail for want of room: flush, fsync, close.
	prepare() error
	// publish gives what is prepared its name.
	publish() error
	// Abort removes what was written. After Commit it does nothing, so it
	// can be deferred.
	Abort()
}

// CommitAll makes all outputs appear, or none: each is flushed and on disk
// before the first gets its name. Only a rename that fails, or the fsync of a
// directory, can leave some of them; the error names it.
func CommitAll(outs ...Output) (err error) {
	defer func() {
		if err != nil {
			for _, o := range outs {
				o.Abort()
			}
		}
	}()
	for _, o := range outs {
		if err := o.prepare(); err != nil {
			return err
		}
	}
	for _, o := range outs {
		if err := o.publish(); err != nil {
			return err
		}
	}
	return nil
}

// Commit makes the file appear: flush, fsync, rename, fsync of the directory.
// After an error nothing has appeared, but for a failed fsync of the directory.
func (f *AtomicFile) Commit() error { return CommitAll(f) }

func (f *AtomicFile) prepare() error {
	if f.done {
		return errEnded
	}
	if f.err != nil {
		return f.err
	}
	if f.last != nil {
		if err := f.last(); err != nil {
			return err
		}
	}
	if err := f.flush(); err != nil {
		return fmt.Errorf("write %s: %w", f.path, bare(err))
	}
	return nil
}

// flush writes everything to durable storage.
func (f *AtomicFile) flush() error {
	if f.pack != nil {
		if err := f.pack.Close(); err != nil {
			return err
		}
	}
	if err := f.buf.Flush(); err != nil || f.file == nil {
		return err
	}
	if info, err := f.file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := f.file.Sync(); err != nil {
			return err
		}
	}
	return f.file.Close()
}

// bare takes the name of the temporary file out of an error.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Abort implements Output.
func (f *AtomicFile) Abort() {
	if f.done {
		return
	}
	f.err = errEnded
	if f.file != nil {
		f.file.Close()
	}
	f.remove()
}
