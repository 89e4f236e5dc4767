package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxWarcHead limits the header of a WARC record, in bytes.
const maxWarcHead = 64 << 10

// warcFrames yields the records of a WARC file that hold a document: response records of a successful request for a page or
// a text, resource records of such a type, and conversion records. It skips all others. After damaged bytes it continues
// with the next bytes that look like a record.
type warcFrames struct {
	in    *input
	s     *stream
	b     *blocks
	limit int64
	kind  func(contentType []byte) bool // reports whether a content type is read
	n     int64                         // records begun so far
}

func newWarcFrames(in *input, s *stream, opt *Options) *warcFrames {
	f := &warcFrames{in: in, s: s, b: newBlocks(s), limit: opt.MaxDocument, kind: textual}
	if opt.converts() {
		f.kind = convertible
	}
	return f
}

func (f *warcFrames) next() ([]byte, int64, error) {
	for {
		if !f.skipBlank() {
			if f.b.err == io.EOF {
				return nil, f.n, io.EOF
			}
			f.n++
			return nil, f.n, f.damage(f.b.err)
		}
		f.n++
		head, size, err := f.head()
		if err != nil {
			return nil, f.n, f.damage(err)
		}
		if next := f.swallowed(int64(len(head)), size); next > 0 {
			f.b.at += next
			return nil, f.n, &RejectError{Line: f.n, Reason: "the record is truncated"}
		}
		if !holdsDocument(head) {
			f.note(head, size)
			if !f.b.skip(int64(len(head)) + size) {
				return nil, f.n, f.damage(f.b.err)
			}
			continue
		}
		raw, err := f.body(int64(len(head)), size)
		if err == nil && raw == nil {
			continue
		}
		return raw, f.n, err
	}
}

// maxWarcInfo limits the warcinfo records that are copied, in bytes.
const maxWarcInfo = 1 << 20

// note keeps a warcinfo record, which describes the records after it. The writer copies it before the records that it
// keeps.
func (f *warcFrames) note(head []byte, size int64) {
	end := int64(len(head)) + size
	if string(headerValue(head, "warc-type")) == "warcinfo" && end <= maxWarcInfo && f.b.fill(int(end)) {
		f.in.header = bytes.Clone(f.b.window()[:end])
	}
}

// skipBlank drops the line ends between two records. It returns false at the end of the stream.
func (f *warcFrames) skipBlank() bool {
	for f.b.fill(1) {
		if c := f.b.window()[0]; c != '\r' && c != '\n' {
			return true
		}
		f.b.at++
	}
	return false
}

// head returns the header of the record at the current position, and the length of its block. The header stays in the
// window.
func (f *warcFrames) head() ([]byte, int64, error) {
	if !f.b.fill(8) || !bytes.HasPrefix(f.b.window(), []byte("WARC/1.")) {
		if f.b.err != nil && f.b.err != io.EOF {
			return nil, 0, f.b.err
		}
		return nil, 0, errors.New("not a WARC/1.0 or WARC/1.1 record")
	}
	for {
		w := f.b.window()
		if n := headLength(w); n > 0 {
			head := w[:n:n]
			size, err := strconv.ParseUint(string(headerValue(head, "content-length")), 10, 62) // the length of the header is added to it
			if err != nil {
				return nil, 0, errors.New("WARC record: no valid Content-Length")
			}
			return head, int64(size), nil
		}
		if len(w) > maxWarcHead {
			return nil, 0, fmt.Errorf("header of a WARC record: too long (want at most %d bytes)", maxWarcHead)
		}
		if !f.b.more() {
			return nil, 0, cut(f.b.err)
		}
	}
}

// cut turns the end of a stream within a record into an error.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// body returns the whole record, or nil if its beginning shows that it holds no document.
func (f *warcFrames) body(head, size int64) ([]byte, error) {
	f.b.fill(int(head + min(size, 8<<10)))
	w := f.b.window()
	if !f.wantedBlock(w[:head], w[head:min(int64(len(w)), head+size)]) {
		if !f.b.skip(head + size) {
			return nil, f.damage(f.b.err)
		}
		return nil, nil
	}
	if head+size > f.limit {
		if !f.b.skip(head + size) {
			return nil, f.damage(f.b.err)
		}
		return nil, tooLong(f.n, f.limit)
	}
	if !f.b.fill(int(head + size)) {
		return nil, f.damage(f.b.err)
	}
	return f.b.take(int(head + size)), nil
}

// swallowed returns the offset within the record where the next record begins, if the record was cut off. That is the case
// if no record begins at its end, but one begins inside. It returns 0 for a whole record, and for one that only garbage
// follows. It does not search records that exceed the limit.
func (f *warcFrames) swallowed(head, size int64) int {
	end := int(head + size)
	if head+size > f.limit || !f.b.fill(end) || f.ends(end) {
		return 0
	}
	block := f.b.window()[head:end]
	next := 0
	for _, version := range []string{"WARC/1.0\r\n", "WARC/1.1\r\n"} {
		if i := bytes.Index(block, []byte(version)); i >= 0 && (next == 0 || int(head)+i < next) {
			next = int(head) + i
		}
	}
	return next
}

// ends reports whether, after n bytes and some line ends, the window has another record or the file ends.
func (f *warcFrames) ends(n int) bool {
	for i := n; i <= n+8; i++ {
		if !f.b.fill(i + 1) {
			return true
		}
		if c := f.b.window()[i]; c == '\r' || c == '\n' {
			continue
		}
		return !f.b.fill(i+7) || bytes.HasPrefix(f.b.window()[i:], []byte("WARC/1."))
	}
	return false
}

// damage turns err into the rejection of the current record, and skips to the next record. If there is none, or the file
// system failed, the error ends the file.
func (f *warcFrames) damage(err error) error {
	err = cut(err)
	var sick ioError
	if errors.As(err, &sick) {
		return err
	}
	reason := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		reason = "the record is truncated"
	}
	broken := f.b.err != nil // the stream is broken, not only a record
	f.resync()
	return &RejectError{Line: f.n, Reason: reason, Err: err, damaged: broken}
}

// resync drops bytes up to the next line that begins like a record. It keeps the start of the next gzip member.
func (f *warcFrames) resync() {
	if f.b.at < f.b.end {
		f.b.at++
	}
	for {
		w := f.b.window()
		if i := bytes.Index(w, []byte("\nWARC/1.")); i >= 0 {
			f.b.at += i + 1
			return
		}
		f.b.at += max(0, len(w)-len("\nWARC/1.")+1)
		if f.b.more() {
			continue
		}
		f.b.at = f.b.end
		if f.b.err == io.EOF || f.s.members == nil || !f.s.members.resync() {
			f.b.err = io.EOF
			return
		}
		// The next member begins with a record.
		f.b.err = nil
		if f.b.fill(7) && bytes.HasPrefix(f.b.window(), []byte("WARC/1.")) {
			return
		}
	}
}

// holdsDocument reports whether a record of this type may hold a document.
func holdsDocument(head []byte) bool {
	switch string(headerValue(head, "warc-type")) {
	case "response", "resource", "conversion":
		n := headerValue(head, "warc-segment-number")
		return n == nil || string(n) == "1"
	}
	return false
}

// wantedBlock reports whether the content type, and the status of a response, are those of a document.
func (f *warcFrames) wantedBlock(head, block []byte) bool {
	kind := headerValue(head, "content-type")
	if isHTTP(head) {
		status, ok := httpStatus(block)
		if !ok {
			return true // Decode returns the error
		}
		if status < 200 || status > 299 {
			return false
		}
		kind = headerValue(block[:max(headLength(block), 0)], "content-type")
	}
	return f.kind(kind)
}

// isHTTP reports whether the block begins with the header of an HTTP response.
func isHTTP(head []byte) bool {
	return string(headerValue(head, "warc-type")) == "response" &&
		!bytes.HasPrefix(headerValue(head, "warc-target-uri"), []byte("dns:"))
}

// textual reports whether a content type is read: pages, plain text, or none.
func textual(kind []byte) bool {
	switch string(mediaType(kind)) {
	case "", "text/html", "text/plain", "application/xhtml+xml", "text/markdown":
		return true
	}
	return false
}
