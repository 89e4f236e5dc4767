// Package webhdfs reads files of a folder in HDFS over HTTP, at any offset. It uses WebHDFS without Kerberos. Every
// NameNode offers WebHDFS.
package webhdfs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Scheme begins the address of a folder: webhdfs://[USER@]HOST:PORT/PATH, with the HTTP port of the NameNode.
// With TLS, the scheme is swebhdfs.
const Scheme = "webhdfs://"

// Is reports whether a name is an address of WebHDFS.
func Is(name string) bool { return strings.HasPrefix(strings.TrimPrefix(name, "s"), Scheme) }

// Folder is a folder in HDFS as an [fs.FS] of its files.
type Folder struct {
	ctx    context.Context
	client *http.Client
	base   url.URL
	user   string
}

// Open returns the folder at an address. The folder and its files can be read until ctx ends.
func Open(ctx context.Context, address string) (*Folder, error) {
	u, err := url.Parse(address)
	if err != nil || !Is(address) || u.Host == "" || u.Path == "" {
		return nil, fmt.Errorf("HDFS folder %q: invalid (want webhdfs://HOST:PORT/PATH)", address)
	}
	f := &Folder{ctx: ctx, user: u.User.Username(), client: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 4, ResponseHeaderTimeout: 30 * time.Second},
	}}
	f.base = url.URL{Scheme: "http", Host: u.Host, Path: "/webhdfs/v1" + strings.TrimSuffix(u.Path, "/") + "/"}
	if u.Scheme == "swebhdfs" {
		f.base.Scheme = "https"
	}
	return f, nil
}

// Open implements [fs.FS]. The returned file is also an [io.ReaderAt].
func (f *Folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	body, err := f.get(name, "GETFILESTATUS", nil)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var said struct {
		FileStatus struct {
			Length           int64
			Type             string
			ModificationTime int64
		}
	}
	if err := json.NewDecoder(io.LimitReader(body, answerBytes)).Decode(&said); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("answer of WebHDFS: %w", err)}
	}
	st := said.FileStatus
	opened := &file{folder: f, name: name, size: st.Length, dir: st.Type != "FILE", changed: time.UnixMilli(st.ModificationTime)}
	opened.all = io.NewSectionReader(opened, 0, st.Length)
	return opened, nil
}

// answerBytes limits an answer that is not the content of a file.
const answerBytes = 1 << 20

// get sends a request about a file.
func (f *Folder) get(name, op string, more url.Values) (io.ReadCloser, error) {
	u, query := f.base, url.Values{"op": {op}}
	u.Path += name
	for k, v := range more {
		query[k] = v
	}
	if f.user != "" {
		query.Set("user.name", f.user)
	}
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(f.ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	answer, err := f.client.Do(req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	return nil, &fs.PathError{Op: strings.ToLower(op), Path: u.Path, Err: reasonOf(answer)}
}

// reasonOf returns the reason of a rejected request.
func reasonOf(answer *http.Response) error {
	var said struct {
		RemoteException struct{ Exception, Message string }
	}
	b, _ := io.ReadAll(io.LimitReader(answer.Body, answerBytes)) // after a read error, the status is enough
	switch {
	case json.Unmarshal(b, &said) != nil || said.RemoteException.Message == "":
		return fmt.Errorf("%s: not an answer of WebHDFS", answer.Status)
	case answer.StatusCode == http.StatusNotFound:
		return fs.ErrNotExist
	}
	return fmt.Errorf("%s: %s", answer.Status, said.RemoteException.Message)
}

// A file is read in chunks, and the latest chunks are cached. So a sequential reader needs one request for several blocks,
// and a random reader does not read too much.
const (
	chunkBytes = 128 << 10
	chunks     = 8
)

// file is a file of the folder. It is safe for concurrent use, except for Read.
type file struct {
	folder  *Folder
	name    string
	size    int64
	dir     bool
	changed time.Time
	all     *io.SectionReader

	mu   sync.Mutex
	kept [chunks]struct {
		number int64 // number of the chunk, plus 1
		bytes  []byte
	}
}

// ReadAt implements [io.ReaderAt].
func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	for n < len(p) {
		if off+int64(n) >= f.size {
			return n, io.EOF
		}
		at := off + int64(n)
		chunk, err := f.chunk(at / chunkBytes)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], chunk[at%chunkBytes:])
	}
	return n, nil
}

func (f *file) chunk(number int64) ([]byte, error) {
	slot := &f.kept[number%chunks]
	f.mu.Lock()
	defer f.mu.Unlock()
	if slot.number == number+1 {
		return slot.bytes, nil
	}
	from := number * chunkBytes
	want := min(chunkBytes, f.size-from)
	body, err := f.folder.get(f.name, "OPEN", url.Values{"offset": {strconv.FormatInt(from, 10)}, "length": {strconv.FormatInt(want, 10)}})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	b := make([]byte, want)
	if _, err := io.ReadFull(body, b); err != nil {
		return nil, &fs.PathError{Op: "read", Path: f.name, Err: err}
	}
	slot.number, slot.bytes = number+1, b
	return b, nil
}

// Read implements [io.Reader].
func (f *file) Read(p []byte) (int, error) { return f.all.Read(p) }

// Stat implements [fs.File].
func (f *file) Stat() (fs.FileInfo, error) { return info{f}, nil }

// Close implements [fs.File].
func (f *file) Close() error { return nil }

// info describes a file.
type info struct{ *file }

// Name returns the name of the file.
func (i info) Name() string { return i.name }

// Size returns the size in bytes.
func (i info) Size() int64 { return i.size }

// Mode returns the mode of a folder or of a file.
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// ModTime returns when the file was last changed.
func (i info) ModTime() time.Time { return i.changed }

// IsDir reports whether the file is a folder.
func (i info) IsDir() bool { return i.dir }

// Sys returns nil.
func (i info) Sys() any { return nil }
