package resume

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/zeebo/xxh3"
)

// Journal is the log of a stage, a file of frames. The caller first reads the existing frames, then appends others. For one
// goroutine at a time.
//
//	frame  bytes of it (4), checksum of these and of all frames before (8), bytes
type Journal struct {
	folder *Folder
	name   string
	file   *os.File
	in     *bufio.Reader // nil after the last valid frame was read
	out    *bufio.Writer
	at     extent // end of the last frame that was read or appended
	before extent // end of the frame before the last one read
	synced time.Time
	frame  []byte
}

const frameHead = 12

// Journal opens the log of a stage. If f is nil, the log is empty and discards what is appended.
func (f *Folder) Journal(name string) (*Journal, error) {
	if f == nil {
		return nil, nil
	}
	file, err := os.OpenFile(filepath.Join(f.dir, name+suffix), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	l := &Journal{folder: f, name: name, file: file, synced: time.Now()}
	f.open = append(f.open, l)
	counts := f.manifest.Logs[name]
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < counts.Bytes {
		return nil, l.damaged(fmt.Sprintf("truncated to %d of %d bytes", info.Size(), counts.Bytes))
	}
	l.in = bufio.NewReaderSize(io.NewSectionReader(file, 0, counts.Bytes), 256<<10)
	return l, nil
}

func (l *Journal) damaged(what string) error { return l.folder.damaged(l.name+suffix, what) }

// Next returns the next frame, or io.EOF after the last. The caller may keep it.
func (l *Journal) Next() ([]byte, error) {
	if l == nil || l.in == nil {
		return nil, io.EOF
	}
	counts := l.folder.manifest.Logs[l.name]
	if l.at.Bytes == counts.Bytes {
		if l.at.Sum != counts.Sum {
			return nil, l.damaged("the last frame does not match the manifest")
		}
		if err := l.append(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	var head [frameHead]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return nil, l.short(err)
	}
	n := int64(binary.LittleEndian.Uint32(head[:]))
	if n > counts.Bytes-l.at.Bytes-frameHead {
		return nil, l.damaged("a frame extends beyond the end of the file")
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(l.in, b); err != nil {
		return nil, l.short(err)
	}
	sum := xxh3.HashSeed(b, l.at.Sum)
	if sum != binary.LittleEndian.Uint64(head[4:]) {
		return nil, l.damaged(fmt.Sprintf("frame at %d: wrong checksum", l.at.Bytes))
	}
	l.before, l.at = l.at, extent{l.at.Bytes + frameHead + n, sum}
	return b, nil
}

func (l *Journal) short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return l.damaged("truncated within a frame")
	}
	return err
}

// append ends the reading and drops the frames that were not read.
func (l *Journal) append() error {
	l.in = nil
	l.out = bufio.NewWriterSize(l.file, 256<<10)
	if err := l.file.Truncate(l.at.Bytes); err != nil {
		return err
	}
	_, err := l.file.Seek(l.at.Bytes, io.SeekStart)
	return err
}

// Back drops the last frame that was read and all frames after it. The caller makes them again.
func (l *Journal) Back() error {
	l.at = l.before
	l.folder.manifest.Logs[l.name] = l.at
	if err := l.folder.write(); err != nil {
		return err
	}
	return l.append()
}

// Append appends a frame. All existing frames must have been read. The frame becomes valid at the next Sync, at most a few
// seconds later.
func (l *Journal) Append(frame []byte) error {
	if l == nil {
		return nil
	}
	if uint64(len(frame)) > 1<<32-1 {
		return fmt.Errorf("%s: frame of %d bytes: too long (want below 4 GiB)", l.name+suffix, len(frame))
	}
	l.at = extent{l.at.Bytes + frameHead + int64(len(frame)), xxh3.HashSeed(frame, l.at.Sum)}
	head := binary.LittleEndian.AppendUint32(l.frame[:0], uint32(len(frame)))
	l.frame = binary.LittleEndian.AppendUint64(head, l.at.Sum)
	if _, err := l.out.Write(l.frame); err != nil {
		return err
	}
	if _, err := l.out.Write(frame); err != nil {
		return err
	}
	if time.Since(l.synced) < l.folder.Every {
		return nil
	}
	return l.Sync()
}

// Sync makes all appended frames valid.
func (l *Journal) Sync() error {
	if l == nil || l.in != nil || l.folder.manifest.Logs[l.name] == l.at {
		return nil
	}
	if err := errors.Join(l.out.Flush(), l.file.Sync()); err != nil {
		return err
	}
	l.folder.manifest.Logs[l.name] = l.at
	err := l.folder.write()
	l.synced = time.Now()
	return err
}
