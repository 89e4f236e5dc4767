package corpus

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"github.com/neardup/neardup"
)

// warc makes a document of a WARC record. The id is the WARC-Record-ID, unless another header field is selected. It is
// unique: two captures of a page have one URL, but two ids.
func (d *Decoder) warc(raw []byte, doc *neardup.Document) error {
	n := headLength(raw)
	head, body := raw[:n], raw[n:]
	doc.ID = utf8Text(bytes.Trim(headerValue(head, "warc-record-id"), "<>"))
	if f := d.fields[fieldID]; f.Required {
		name := strings.ToLower(f.Name)
		if name == "url" { // the url field is the address of the page
			name = "warc-target-uri"
		}
		id := headerValue(head, name)
		if id == nil {
			return fmt.Errorf("header of the record: no field %q", f.Name)
		}
		doc.ID = utf8Text(bytes.Trim(id, "<>"))
	}
	doc.URL = utf8Text(bytes.Trim(headerValue(head, "warc-target-uri"), "<>"))
	if t, err := ParseTime(string(headerValue(head, "warc-date"))); err == nil {
		doc.Time = t
	}
	kind := headerValue(head, "content-type")
	if isHTTP(head) {
		n := headLength(body)
		if _, ok := httpStatus(body); !ok || n == 0 {
			return errors.New("response record: no HTTP header")
		}
		http := body[:n]
		kind = headerValue(http, "content-type")
		var err error
		body, err = d.payload(http, body[n:])
		if err != nil {
			return err
		}
	}
	return d.payloadText(kind, body, doc)
}

// payloadText makes a text of the body of a response.
func (d *Decoder) payloadText(kind, body []byte, doc *neardup.Document) error {
	if d.opt.converts() {
		return d.convert(body, doc)
	}
	charset := charsetOf(kind)
	media := string(mediaType(kind))
	if media == "text/html" || media == "application/xhtml+xml" || (media == "" && formatOfHead(body) == HTML) {
		return d.page(body, charset, doc.URL, doc)
	}
	var err error
	doc.Text, err = decodeFile(body, charset)
	return err
}

// headLength returns the length of a header including its blank line, or 0 if it does not end.
func headLength(b []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return 0
		}
		at += i + 1
		switch {
		case bytes.HasPrefix(b[at:], []byte("\r\n")):
			return at + 2
		case bytes.HasPrefix(b[at:], []byte("\n")):
			return at + 1
		}
	}
}

// headerValue returns the trimmed value of the first header field with a name, which must be in lower case. It returns nil
// if there is none.
func headerValue(head []byte, name string) []byte {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, newline)
		if len(line) > len(name) && line[len(name)] == ':' && strings.EqualFold(string(line[:len(name)]), name) {
			value := bytes.TrimSpace(line[len(name)+1:])
			return value[:len(value):len(value)]
		}
	}
	return nil
}

// httpStatus reads the status line of a response.
func httpStatus(b []byte) (int, bool) {
	if !bytes.HasPrefix(b, []byte("HTTP/")) {
		return 0, false
	}
	line, _, _ := bytes.Cut(b[:min(len(b), 256)], newline)
	_, rest, _ := bytes.Cut(line, []byte(" "))
	code, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	n, err := strconv.Atoi(string(code))
	return n, err == nil
}

// mediaType returns a content type in lower case without its parameters.
func mediaType(kind []byte) []byte {
	media, _, _ := bytes.Cut(kind, []byte(";"))
	return bytes.ToLower(bytes.TrimSpace(media))
}

// charsetOf returns the charset that a content type declares.
func charsetOf(kind []byte) string {
	_, params, _ := mime.ParseMediaType(string(kind))
	return params["charset"]
}

// payload undoes the transfer coding and the content codings of a response.
func (d *Decoder) payload(head, body []byte) ([]byte, error) {
	if strings.Contains(strings.ToLower(string(headerValue(head, "transfer-encoding"))), "chunked") {
		body = dechunk(body)
	}
	codings := strings.Split(string(headerValue(head, "content-encoding")), ",")
	for i := len(codings) - 1; i >= 0; i-- {
		var err error
		body, err = inflate(strings.ToLower(strings.TrimSpace(codings[i])), body, d.opt.MaxDocument)
		if err != nil {
			return nil, err
		}
	}
	return body, nil
}

// dechunk joins the chunks of a body. Many archives hold bodies that were already joined, contrary to the header. So
// dechunk keeps bytes that do not begin like a chunk, and the rest after the last valid chunk of a truncated body.
func dechunk(body []byte) []byte {
	var out []byte
	rest := body
	for {
		line, after, ok := bytes.Cut(rest, newline)
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 31)
		if !ok || err != nil {
			if out == nil {
				return body
			}
			return out
		}
		if n == 0 {
			return out
		}
		part := after[:min(uint64(len(after)), n)]
		out = append(out, part...)
		rest = bytes.TrimPrefix(bytes.TrimPrefix(after[len(part):], []byte("\r")), newline)
	}
}

// inflate decodes one content coding. A body that does not begin like its coding was decoded by the archiver
// and stays unchanged. The readable part of a truncated body is kept.
func inflate(coding string, body []byte, limit int64) ([]byte, error) {
	var r io.Reader
	var err error
	src := bytes.NewReader(body)
	switch coding {
	case "", "identity", "none":
		return body, nil
	case "gzip", "x-gzip":
		if !isGzip(body) {
			return body, nil
		}
		r, err = gzip.NewReader(src)
	case "deflate":
		r, err = zlib.NewReader(src)
		if err != nil {
			src.Reset(body)
			r, err = flate.NewReader(src), nil
		}
	case "br":
		r, err = newBrotli(src)
	case "zstd":
		if !isZstd(body) {
			return body, nil
		}
		var z io.ReadCloser
		z, err = newZstd(src)
		if err == nil {
			defer z.Close()
			r = z
		}
	default:
		return nil, fmt.Errorf("unsupported content coding %q", clip(coding))
	}
	if err != nil {
		return nil, fmt.Errorf("content coding %s: %w", coding, err)
	}
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(out)) > limit {
		return nil, fmt.Errorf("decompressed data: too large (want at most %d bytes)", limit)
	}
	if err != nil && len(out) == 0 && len(body) > 0 {
		return nil, fmt.Errorf("content coding %s: %w", coding, err)
	}
	return out, nil
}
