package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxWindow is the largest zstd window that is accepted, as zstd --ultra uses it.
const maxWindow = 128 << 20

// stream is the decompressed content of one input.
type stream struct {
	io.Reader
	members *members // set if the content is gzip
	close   []func() error
}

// Close closes everything that the stream has opened.
func (s *stream) Close() error {
	var err error
	for _, c := range s.close {
		err = errors.Join(err, c())
	}
	s.close = nil
	return err
}

// ioError is an error of the file system, as opposed to damaged content.
type ioError struct{ error }

func (e ioError) Unwrap() error { return e.error }

// rawFile counts the bytes that it reads, and wraps errors of the file system in an ioError.
type rawFile struct {
	r     io.Reader
	read  int64
	count *atomic.Int64
}

func (r *rawFile) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.count.Add(int64(n))
	r.read += int64(n)
	if err != nil && err != io.EOF {
		err = ioError{err}
	}
	return n, err
}

// openFile opens an input and verifies that it is the same file as before.
func (in *input) openFile() (*os.File, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: not a regular file", in.path)
	case info.Size() < in.size, in.strict && (info.Size() != in.size || !info.ModTime().Equal(in.time)):
		err = fmt.Errorf("%s: changed since it was first read", in.path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// open starts reading the decompressed content. in.raw is standard input, which is opened once: bytes that detection has
// looked at are read again.
func (in *input) open(limit int64, count *atomic.Int64) (*stream, error) {
	if in.opened != nil || in.failed != nil {
		return in.opened, in.failed
	}
	s := &stream{}
	raw := in.raw
	if raw == nil {
		f, err := in.openFile()
		if err != nil {
			return nil, err
		}
		s.close = append(s.close, f.Close)
		raw = f
	}
	size := 64 << 10
	if in.size >= 0 {
		size = int(min(in.size+16, 64<<10)) // small files get a small buffer, because there may be millions of them
		raw = io.LimitReader(raw, in.size)
	}
	file := &rawFile{r: raw, count: count}
	most := func() int64 { return mostOf(limit, max(in.size, file.read)) }
	if err := s.decompress(bufio.NewReaderSize(file, size), most, in.format); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func newZstd(r io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// mostOf returns how many bytes a compressed input may decompress to. It is the limit or, if that is 0, a multiple of the
// compressed size.
func mostOf(limit, compressed int64) int64 {
	return cmp.Or(limit, max(freeDecompressed, defaultMaxRatio*compressed))
}

// errBomb returns the error about an input that decompresses to more than the limit.
func errBomb(limit int64) error {
	return fmt.Errorf("decompressed data: too large (want at most %d bytes)", limit)
}

// decompress detects the compression by the first bytes and adds the decompressor.
func (s *stream) decompress(head *bufio.Reader, most func() int64, as Format) error {
	magic, err := head.Peek(16)
	if err != nil && err != io.EOF {
		return err
	}
	switch {
	case isGzip(magic):
		s.members = &members{head: head}
		s.Reader = &decompressed{s.members, new(int64), most}
	case isZstd(magic):
		z, err := newZstd(head)
		if err != nil {
			return err
		}
		s.close = append(s.close, z.Close)
		s.Reader = &decompressed{z, new(int64), most}
	default:
		s.Reader = head
		return refuse(magic, as)
	}
	return nil
}

// refuse returns an error if a file begins like a kind of file that cannot be read as the format.
func refuse(head []byte, as Format) error {
	for _, r := range refused {
		read := (as == Images && r.why == isPicture) || (as == Docx && r.why == isZip)
		if bytes.HasPrefix(head, []byte(r.magic)) && !read {
			return fmt.Errorf("%s%w", r.why, errKind)
		}
	}
	return nil
}

// errKind marks the error about a file of a refused kind. Such a file is not damaged.
var errKind = errors.New("")

const (
	isPicture = "a picture, not a text (want --format images)"
	isZip     = "a zip archive (want --format xlsx or docx for Excel and Word files, otherwise --text-command)"
)

// refused lists kinds of files that cannot be read, by their first bytes.
var refused = []struct{ magic, why string }{
	{"BZh", "bzip2 is not supported (decompress the file first)"},
	{"\xfd7zXZ\x00", "xz is not supported (decompress the file first)"},
	{"PK\x03\x04", isZip},
	{"7z\xbc\xaf", "7z archives are not supported (unpack the file first)"},
	{"Rar!", "rar archives are not supported (unpack the file first)"},
	{"%PDF-", "PDF is not supported (want --text-command 'pdftotext {} -')"},
	{"\xd0\xcf\x11\xe0", "old Excel and Word files are not supported (save the file as .xlsx or .docx, or use --text-command)"},
	{"{\\rtf", "RTF is not supported (save the file as text, or use --text-command)"},
	{"SQLite", "databases are not supported (export the texts to a file first)"},
	{"\x89PNG", isPicture},
	{"\xff\xd8\xff", isPicture},
	{"GIF8", isPicture},
	{"\x7fELF", "a program, not a text"},
	{"filedesc://", "ARC archives are not supported (convert the file to WARC first)"},
}

// look returns the next n bytes without consuming them. If the stream ends or fails earlier, it returns fewer, and the
// error.
func (s *stream) look(n int) ([]byte, error) {
	head, got := make([]byte, n), 0
	var err error
	for got < n && err == nil {
		var m int
		m, err = s.Reader.Read(head[got:])
		got += m
	}
	rest := s.Reader
	if err != nil {
		rest = broken{err}
	}
	s.Reader = io.MultiReader(bytes.NewReader(head[:got]), rest)
	if err == io.EOF {
		err = nil
	}
	return head[:got], err
}

// broken is a reader that only returns an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func isGzip(b []byte) bool { return len(b) >= 3 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 }

// isZstd reports whether b begins with a zstd frame, or with the skippable frame that pzstd writes first.
func isZstd(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	return bytes.Equal(b[:4], []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		(b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18)
}

// decompressed limits the size of decompressed content, as a protection against bombs.
type decompressed struct {
	r     io.Reader
	given *int64       // bytes read so far
	most  func() int64 // the limit; for standard input it grows with the compressed bytes read
}

func (d *decompressed) Read(p []byte) (int, error) {
	most := d.most()
	if *d.given >= most {
		return 0, errBomb(most)
	}
	n, err := d.r.Read(p[:min(int64(len(p)), most-*d.given)])
	*d.given += int64(n)
	return n, err
}

// members reads the members of a gzip file separately, so that a damaged member does not affect the others.
type members struct {
	head *bufio.Reader
	zr   *gzip.Reader
	open bool
}

func (m *members) Read(p []byte) (int, error) {
	for {
		if !m.open {
			if err := m.next(); err != nil {
				return 0, err
			}
		}
		n, err := m.zr.Read(p)
		if err == io.EOF {
			m.open, err = false, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next opens the next member. It returns io.EOF after the last, and accepts padding with zeros.
func (m *members) next() error {
	for {
		b, err := m.head.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			break
		}
	}
	if err := m.head.UnreadByte(); err != nil {
		return err
	}
	if magic, _ := m.head.Peek(3); !isGzip(magic) {
		return errors.New("not a gzip member")
	}
	var err error
	if m.zr == nil {
		m.zr, err = gzip.NewReader(m.head)
	} else {
		err = m.zr.Reset(m.head)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	m.zr.Multistream(false)
	m.open = true
	return nil
}

// resync skips to the next bytes that look like a member. It returns false at the end of the file.
func (m *members) resync() bool {
	m.open = false
	for {
		if magic, _ := m.head.Peek(3); isGzip(magic) {
			return true
		}
		if _, err := m.head.Discard(1); err != nil {
			return false
		}
	}
}

// utf8Mark is the byte order mark of UTF-8.
var utf8Mark = []byte("\xef\xbb\xbf")

// utf8Stream removes a byte order mark and decodes UTF-16. Without a mark the bytes are unchanged.
func utf8Stream(r io.Reader) io.Reader {
	head := bufio.NewReaderSize(r, 4<<10)
	mark, err := head.Peek(3)
	switch {
	case err != nil && err != io.EOF: // the next Read would not return the error again
		return io.MultiReader(bytes.NewReader(bytes.Clone(mark)), broken{err})
	case bytes.HasPrefix(mark, utf8Mark):
		head.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		dec := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
		return transform.NewReader(head, dec)
	}
	return head
}
