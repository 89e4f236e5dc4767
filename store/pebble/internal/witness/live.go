package witness

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

const (
	liveName = prefix + ".live"
	// Two records alternate, each in its own block, so a torn write damages only one.
	liveStride = 4096
	liveLen    = 56 // length of a tip and its checksum
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// tip records the lengths of log and manifest.
type tip struct {
	Seq           uint64
	Log, Manifest tipFile
}

type tipFile struct {
	Number uint64
	claim
}

// of returns what the tip records of a file, if anything.
func (t tip) of(name string) []claim {
	kind, number, ok := numbered(name)
	for _, f := range []tipFile{t.Log, t.Manifest} {
		if ok && f.Bytes > 0 && f.Number == number && (kind == manifestPrefix) == (f == t.Manifest) {
			return []claim{f.claim}
		}
	}
	return nil
}

// numbered reads the number in the name of a log or a manifest.
func numbered(name string) (kind string, number uint64, ok bool) {
	digits, isLog := strings.CutSuffix(name, logSuffix)
	kind = logSuffix
	if !isLog {
		digits, ok = strings.CutPrefix(name, manifestPrefix)
		if !ok {
			return "", 0, false
		}
		kind = manifestPrefix
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return kind, number, err == nil
}

// live is the record between generations.
type live struct {
	file vfs.File
	tip  tip
}

func openLive(fs vfs.FS, path string) (*live, error) {
	last, _, _ := readLive(fs, path)
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("open witness: %w", err)
	}
	return &live{f, tip{Seq: last.Seq}}, nil
}

// claim writes a record. The caller holds the lock of the witness.
func (l *live) claim(name string, c claim) error {
	kind, number, ok := numbered(name)
	if !ok {
		return nil
	}
	if kind == logSuffix {
		l.tip.Log = tipFile{number, c}
	} else {
		l.tip.Manifest = tipFile{number, c}
	}
	l.tip.Seq++
	if _, err := l.file.WriteAt(l.tip.encode(), int64(l.tip.Seq%2)*liveStride); err != nil {
		return fmt.Errorf("write witness: %w", err)
	}
	return nil
}

func (t tip) encode() []byte {
	b, _ := binary.Append(nil, binary.BigEndian, t) // never fails, because the size is fixed
	return binary.BigEndian.AppendUint64(b, xxh3.Hash(b))
}

func decodeTip(b []byte) (t tip, ok bool) {
	if len(b) < liveLen || xxh3.Hash(b[:liveLen-8]) != binary.BigEndian.Uint64(b[liveLen-8:]) {
		return t, false
	}
	_, err := binary.Decode(b, binary.BigEndian, &t)
	return t, err == nil
}

// readLive returns the newest valid record, whether the file exists, and an error if it is damaged. All bytes outside
// records must be zero. Without a valid record only the generations count.
func readLive(fs vfs.FS, path string) (newest tip, there bool, wrong error) {
	content, err := readFile(fs, path)
	if missing(err) {
		return tip{}, false, nil
	} else if err != nil {
		return tip{}, false, err
	}
	for block := range slices.Chunk(content, liveStride) {
		t, ok := decodeTip(block)
		if ok {
			block = block[liveLen:]
		}
		if ok && t.Seq >= newest.Seq {
			newest = t
		}
		if len(bytes.Trim(block, "\x00")) > 0 {
			wrong = errSum
		}
	}
	return newest, true, wrong
}

// sumOf returns the sum of a claim over the first n bytes of a file.
func sumOf(r io.ReaderAt, name string, n int64) (uint32, error) {
	at := int64(0)
	if !summed(name) {
		at = max(0, n-tailLen)
	}
	h := crc32.New(castagnoli)
	got, err := io.Copy(h, io.NewSectionReader(r, at, n-at))
	if err == nil && got < n-at {
		err = io.ErrUnexpectedEOF
	}
	return h.Sum32(), err
}
