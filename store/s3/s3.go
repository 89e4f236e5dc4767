// Package s3 stores snapshots in a bucket of any storage with the Amazon S3 protocol.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/durable"
	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/store/internal/listed"
	"golang.org/x/sync/errgroup"
)

// Snapshots stores snapshots in a bucket.
type Snapshots struct{ listed.Store }

// bucket is a prefix of a bucket, for listed.Store.
type bucket struct {
	c            *minio.Client
	name, prefix string
	scratch      string
}

// At most transfers files are sent at the same time. A request is tried up to tries times; a write pauses tryPause between.
const (
	transfers = 4
	tries     = 3
	tryPause  = 200 * time.Millisecond
)

// Open parses s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME] and contacts the bucket. Defaults are AWS_ENDPOINT_URL_S3,
// AWS_ENDPOINT_URL, AWS_REGION and AWS_DEFAULT_REGION. The key always comes from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
// and AWS_SESSION_TOKEN. Snapshots are made in the folder scratch before they are sent. It returns docid.ErrInvalid if
// address, key or bucket are wrong, and docid.ErrUnavailable if the storage does not answer.
func Open(ctx context.Context, address, scratch string) (*Snapshots, error) {
	b, err := parse(address)
	if err != nil {
		return nil, err
	}
	b.scratch = scratch
	s := &Snapshots{listed.Store{Storage: b}}
	_, err = s.Offsets(ctx)
	return s, err
}

// parse parses an address and makes a client for it.
func parse(address string) (*bucket, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("%w: invalid address of a bucket (want s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME])", docid.ErrInvalid)
	}
	query := u.Query()
	for name := range query {
		if name != "endpoint" && name != "region" {
			return nil, fmt.Errorf("%w: unknown option %s of a bucket (want endpoint or region)", docid.ErrInvalid, name)
		}
	}
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || secret == "" {
		return nil, fmt.Errorf("%w: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set", docid.ErrInvalid)
	}
	endpoint := cmp.Or(query.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || (at.Scheme != "http" && at.Scheme != "https") {
		return nil, fmt.Errorf("%w: endpoint %q of a bucket: invalid (want http://HOST:PORT or https://HOST)", docid.ErrInvalid, endpoint)
	}
	transport, err := minio.DefaultTransport(at.Scheme == "https")
	if err != nil {
		return nil, err
	}
	c, err := minio.New(at.Host, &minio.Options{
		Creds: credentials.NewStaticV4(id, secret, os.Getenv("AWS_SESSION_TOKEN")), Secure: at.Scheme == "https", Transport: transport, MaxRetries: tries,
		Region: cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1"),
	})
	if err != nil {
		return nil, fmt.Errorf("%w: endpoint of a bucket: %w", docid.ErrInvalid, err)
	}
	b := &bucket{c: c, name: u.Host, prefix: strings.Trim(u.Path, "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	return b, nil
}

// failed adds the purpose of a request to its error. It returns docid.ErrInvalid if the user can correct the cause.
func (b *bucket) failed(what string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := docid.ErrUnavailable
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusForbidden, http.StatusUnauthorized, http.StatusBadRequest, http.StatusNotFound, http.StatusMovedPermanently:
		kind = docid.ErrInvalid
	}
	return fmt.Errorf("%w: %s in bucket %s: %w", kind, what, b.name, err)
}

// Path returns the address of an object.
func (b *bucket) Path(name string) string { return fmt.Sprintf("s3://%s/%s%s", b.name, b.prefix, name) }

// Names lists the objects and folders below the prefix.
func (b *bucket) Names(ctx context.Context) (names []string, err error) {
	for o := range b.c.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if o.Err != nil {
			return nil, b.failed("list the snapshots", o.Err)
		}
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(o.Key, b.prefix), "/"))
	}
	return names, ctx.Err()
}

// Write writes a folder in scratch and sends its files.
func (b *bucket) Write(ctx context.Context, folder string, write func(dir string) error) (files []listed.File, err error) {
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.scratch), 0o700), os.RemoveAll(b.scratch)); err != nil {
		return nil, err
	}
	if err := write(b.scratch); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(b.scratch, func(at string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			at, err = filepath.Rel(b.scratch, at)
			files = append(files, listed.File{Name: filepath.ToSlash(at)})
		}
		return err
	})
	if err == nil {
		sending, ctx := errgroup.WithContext(ctx)
		sending.SetLimit(transfers)
		for i := range files {
			sending.Go(func() error { return b.send(ctx, folder, &files[i]) })
		}
		err = sending.Wait()
	}
	return files, errors.Join(err, os.RemoveAll(b.scratch))
}

// send sends a file as one object in one request, so an interrupted request leaves nothing.
func (b *bucket) send(ctx context.Context, folder string, file *listed.File) error {
	open := func() (io.ReadCloser, error) { return os.Open(filepath.Join(b.scratch, filepath.FromSlash(file.Name))) }
	f, err := open()
	if err != nil {
		return err
	}
	*file, err = listed.Sum(file.Name, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return b.put(ctx, path.Join(folder, file.Name), file.Size, open)
}

// put writes an object. It opens the content for each try, because net/http may still read the content of the previous try.
// The client does not repeat a request whose content it cannot rewind.
func (b *bucket) put(ctx context.Context, name string, size int64, open func() (io.ReadCloser, error)) error {
	for try := 1; ; try++ {
		content, err := open()
		if err != nil {
			return err
		}
		_, err = b.c.PutObject(ctx, b.name, b.prefix+name, struct{ io.Reader }{content}, size, minio.PutObjectOptions{DisableMultipart: true})
		_ = content.Close() // it was only read
		err = b.failed("write "+name, err)
		if try == tries || !errors.Is(err, docid.ErrUnavailable) || pause.For(ctx, tryPause) != nil {
			return err
		}
	}
}

// Put writes an object.
func (b *bucket) Put(ctx context.Context, name, _ string, content []byte) error {
	return b.put(ctx, name, int64(len(content)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
}

// Open opens an object. The first Read requests it.
func (b *bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	o, err := b.c.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.failed("read "+name, err)
	}
	return object{o, b, name}, nil
}

// object is an object that is being read.
type object struct {
	*minio.Object
	b    *bucket
	name string
}

// Read adds the name to an error. The error wraps fs.ErrNotExist if the object is missing.
func (o object) Read(p []byte) (int, error) {
	n, err := o.Object.Read(p)
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case minio.ToErrorResponse(err).Code == minio.NoSuchKey:
		err = errors.Join(err, fs.ErrNotExist)
	}
	return n, o.b.failed("read "+o.name, err)
}

// Remove removes all objects whose names begin with a name.
func (b *bucket) Remove(ctx context.Context, name string) error {
	for o := range b.c.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix + name, Recursive: true}) {
		err := o.Err
		if err == nil {
			err = b.c.RemoveObject(ctx, b.name, o.Key, minio.RemoveObjectOptions{})
		}
		if err != nil {
			return b.failed("remove a snapshot", err)
		}
	}
	return ctx.Err()
}

// Create creates a local file and its parent folders.
func (*bucket) Create(path string) (listed.Local, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// Sync makes the names in a local folder durable.
func (*bucket) Sync(dir string) error { return durable.SyncDir(dir) }
