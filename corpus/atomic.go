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

// AtomicFile is a file that Commit makes appear whole under its name; without Commit it never appears. It is for one
// goroutine at a time.
type AtomicFile struct {
	claim
	file *os.File // nil if it writes to the caller's stream
	buf  *bufio.Writer
	pack io.WriteCloser // the compressor, or nil
	top  io.Writer
	err  error

	table *Table       // the table of Objects
	last  func() error // writes the end of the content; may be nil
}

// CreateAtomic starts a file. It writes a temporary file next to path, which Commit renames. If path ends in .gz or .zst,
// the file is compressed. "-" and /dev/stdout are standard output. Standard output, and an existing path that is not a
// regular file (/dev/null, a pipe), is written directly. No directory is created.
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

// NewStream returns a file that writes to w, buffered. Commit flushes it.
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
		// A link in /dev or /proc may lead to a file without a name.
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

// cannotCreate names the output in an error, or the folder if the folder is missing.
func cannotCreate(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create %s: no such folder: %s", path, filepath.Dir(path))
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

// Flush writes what is buffered, for a reader that follows the file.
func (f *AtomicFile) Flush() error {
	if f.err == nil {
		f.err = f.buf.Flush()
	}
	return f.err
}

// WriteJSON writes v as one line of JSON, without escaping <, > and &. If the file is nil, it does nothing.
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

// Output is an AtomicFile or a Writer. It appears whole with Commit or CommitAll, or not at all.
type Output interface {
	// prepare does everything that may fail when the disk is full: flush, fsync, close.
	prepare() error
	// publish renames the prepared file to its final name.
	publish() error
	// Abort removes what was written. After Commit it does nothing, so it
	// can be deferred.
	Abort()
}

// CommitAll makes all outputs appear, or none. It flushes each to disk before the first gets its name. Only a failed
// rename, or a failed fsync of a directory, can leave some outputs; the error names it.
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

// Commit makes the file appear: it flushes, syncs and renames it, and syncs the directory. After an error the file has not
// appeared, unless only the sync of the directory failed.
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

// bare removes the name of the temporary file from an error.
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
