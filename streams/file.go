package streams

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/neardup/neardup/internal/lockfile"
)

// lines is a sink that writes JSON lines.
type lines struct{ w io.Writer }

// Write writes the records at once.
func (l lines) Write(_ context.Context, records []Record) error {
	var b bytes.Buffer
	for _, r := range records {
		b.Write(r.Value)
		b.WriteByte('\n')
	}
	_, err := l.w.Write(b.Bytes())
	return err
}

// Close does nothing because the caller owns the writer.
func (lines) Close() error { return nil }

// file appends lines to a file, and syncs it.
type file struct {
	lines
	f      *os.File
	unlock func() error
}

// openFile opens a file to append to. It locks the file and removes a partial last line of a killed process.
func openFile(path string) (_ *file, err error) {
	unlock, err := lockfile.Lock(path + ".lock")
	if errors.Is(err, lockfile.ErrLocked) {
		err = fmt.Errorf("another process writes to %s", path)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	end, err := wholeLines(f)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close(), unlock())
	}
	return &file{lines{f}, f, unlock}, nil
}

// wholeLines returns the offset after the last complete line of a file.
func wholeLines(f *os.File) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	b := make([]byte, 64<<10)
	for end > 0 {
		n := min(end, int64(len(b)))
		if _, err := f.ReadAt(b[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(b[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// Write returns once the disk has the records.
func (f *file) Write(ctx context.Context, records []Record) error {
	if err := f.lines.Write(ctx, records); err != nil {
		return err
	}
	return f.f.Sync()
}

// Close closes the file.
func (f *file) Close() error { return errors.Join(f.f.Close(), f.unlock()) }
