// Package s3 keeps snapshots of stores in a bucket of any storage that speaks the protocol of Amazon S3.
package s3

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/durable"
	"github.com/neardup/neardup/store/internal/listed"
	"golang.org/x/sync/errgroup"
)

// Snapshots lie in a bucket. The files of one are objects below OFFSET-SERVER/, and the object OFFSET.json, which is
// written last, lists them with their checksums: without it there is no snapshot.
type Snapshots struct {
	c              *minio.Client
	bucket, prefix string
	scratch        string
}

// So many files are on their way at a time, and a request is tried so often.
const (
	transfers = 4
	tries     = 3
)

// Open reads s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME] and asks for the bucket. What is not said is taken from
// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and AWS_DEFAULT_REGION; the key always from AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Snapshots are made in the folder scratch before they are sent.
// docid.ErrInvalid where address, key or bucket are wrong; docid.ErrUnavailable.
func Open(ctx context.Context, address, scratch string) (*Snapshots, error) {
	s, err := parse(address)
	if err != nil {
		return nil, err
	}
	s.scratch = scratch
	if _, err := s.Offsets(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// parse makes a client of an address.
func parse(address string) (*Snapshots, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("%w: the address of a bucket is s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME]", docid.ErrInvalid)
	}
	query := u.Query()
	for name := range query {
		if name != "endpoint" && name != "region" {
			return nil, fmt.Errorf("%w: %s of a bucket: endpoint or region", docid.ErrInvalid, name)
		}
	}
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || secret == "" {
		return nil, fmt.Errorf("%w: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set", docid.ErrInvalid)
	}
	endpoint := cmp.Or(query.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%w: endpoint %q of a bucket: http://HOST:PORT or https://HOST", docid.ErrInvalid, endpoint)
	}
	transport, err := minio.DefaultTransport(at.Scheme == "https")
	if err != nil {
		return nil, err
	}
	c, err := minio.New(at.Host, &minio.Options{
		Creds: credentials.NewStaticV4(id, secret, os.Getenv("AWS_SESSION_TOKEN")), Secure: at.Scheme == "https", Transport: settled{transport}, MaxRetries: tries,
		Region: cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1"),
	})
	if err != nil {
		return nil, fmt.Errorf("%w: endpoint of a bucket: %w", docid.ErrInvalid, err)
	}
	s := &Snapshots{c: c, bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	if s.prefix != "" {
		s.prefix += "/"
	}
	return s, nil
}

// settled gives an answer, or an error, only when the body of its request is read no more: the client seeks that very
// body to its beginning to try again, while net/http may go on reading it after it has returned.
type settled struct{ http.RoundTripper }

func (t settled) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return t.RoundTripper.RoundTrip(r)
	}
	sent := &upload{r.Body, make(chan struct{}), sync.Once{}}
	r = r.WithContext(r.Context()) // not a clone: the trailer is written to this very map
	r.Body = sent
	answer, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		<-sent.closed
		return nil, err
	}
	answer.Body = answered{answer.Body, sent.closed}
	return answer, nil
}

// upload is the body of a request: closed is, when the transport has closed it.
type upload struct {
	io.ReadCloser
	closed chan struct{}
	once   sync.Once
}

func (b *upload) Close() error {
	defer b.once.Do(func() { close(b.closed) })
	return b.ReadCloser.Close()
}

// answered is the body of an answer, which may have come before its request was sent: closing it ends that.
type answered struct {
	io.ReadCloser
	sent chan struct{}
}

func (b answered) Close() error {
	err := b.ReadCloser.Close()
	<-b.sent
	return err
}

// failed says what a request was for, and whose fault it is.
func (s *Snapshots) failed(what string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := docid.ErrUnavailable
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusForbidden, http.StatusUnauthorized, http.StatusBadRequest, http.StatusNotFound, http.StatusMovedPermanently:
		kind = docid.ErrInvalid
	}
	return fmt.Errorf("%w: %s in bucket %s: %w", kind, what, s.bucket, err)
}

func (s *Snapshots) listed(offset uint64) string {
	return fmt.Sprintf("%s%020d.json", s.prefix, offset)
}

// list returns the names below the prefix, those of folders with a slash.
func (s *Snapshots) list(ctx context.Context) (names []string, err error) {
	for o := range s.c.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix}) {
		if o.Err != nil {
			return nil, s.failed("list the snapshots", o.Err)
		}
		names = append(names, strings.TrimPrefix(o.Key, s.prefix))
	}
	return names, ctx.Err()
}

// Offsets are those of the snapshots that were written to the end.
func (s *Snapshots) Offsets(ctx context.Context) ([]uint64, error) {
	names, err := s.list(ctx)
	return offsets(names), err
}

func offsets(names []string) (all []uint64) {
	for _, name := range names {
		if n, is := strings.CutSuffix(name, ".json"); is {
			if offset, err := strconv.ParseUint(n, 10, 64); err == nil {
				all = append(all, offset)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Save sends a snapshot, file by file, and last of all their list. What an earlier attempt has left is removed.
func (s *Snapshots) Save(ctx context.Context, offset, server uint64, write func(dir string) error) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.scratch), 0o700), os.RemoveAll(s.scratch)); err != nil {
		return err
	}
	if err := write(s.scratch); err != nil {
		return err
	}
	l := listed.List{Folder: fmt.Sprintf("%020d-%016x", offset, server)}
	err := s.sendAll(ctx, &l)
	if err == nil {
		err = s.put(ctx, &l, offset)
	}
	if err == nil {
		err = s.sweep(ctx, l.Folder)
	}
	return errors.Join(err, os.RemoveAll(s.scratch))
}

// sendAll sends the files that lie in the folder scratch, and lists them.
func (s *Snapshots) sendAll(ctx context.Context, l *listed.List) error {
	var names []string
	err := filepath.WalkDir(s.scratch, func(at string, entry iofs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			at, err = filepath.Rel(s.scratch, at)
			names = append(names, filepath.ToSlash(at))
		}
		return err
	})
	if err != nil {
		return err
	}
	l.Files = make([]listed.File, len(names))
	sending, ctx := errgroup.WithContext(ctx)
	sending.SetLimit(transfers)
	for i, name := range names {
		sending.Go(func() (err error) {
			l.Files[i], err = s.send(ctx, l.Folder, name)
			return err
		})
	}
	return sending.Wait()
}

// send sends a file as one object, in one request: of one that was interrupted nothing is left.
func (s *Snapshots) send(ctx context.Context, folder, name string) (listed.File, error) {
	f, err := os.Open(filepath.Join(s.scratch, filepath.FromSlash(name)))
	if err != nil {
		return listed.File{}, err
	}
	defer f.Close()
	is, err := listed.Sum(name, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return listed.File{}, err
	}
	_, err = s.c.PutObject(ctx, s.bucket, s.prefix+path.Join(folder, name), f, is.Size, minio.PutObjectOptions{DisableMultipart: true})
	return is, s.failed("write "+name, err)
}

// put writes the list.
func (s *Snapshots) put(ctx context.Context, l *listed.List, offset uint64) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = s.c.PutObject(ctx, s.bucket, s.listed(offset), strings.NewReader(string(b)), int64(len(b)), minio.PutObjectOptions{DisableMultipart: true})
	return s.failed("write the list of a snapshot", err)
}

// sweep removes folders without a list that lie before a new one: this server has left them, or one that has given up.
func (s *Snapshots) sweep(ctx context.Context, folder string) error {
	names, err := s.list(ctx)
	if err != nil {
		return err
	}
	complete := offsets(names)
	for _, name := range names {
		number, _, _ := strings.Cut(name, "-")
		offset, err := strconv.ParseUint(number, 10, 64)
		if err != nil || !strings.HasSuffix(name, "/") || slices.Contains(complete, offset) {
			continue
		}
		if _, server, _ := strings.Cut(folder, "-"); offset < complete[0] || strings.HasSuffix(name, "-"+server+"/") {
			if err := s.removeAll(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeAll removes all objects whose names begin so.
func (s *Snapshots) removeAll(ctx context.Context, begin string) error {
	for o := range s.c.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + begin, Recursive: true}) {
		err := o.Err
		if err == nil {
			err = s.c.RemoveObject(ctx, s.bucket, o.Key, minio.RemoveObjectOptions{})
		}
		if err != nil {
			return s.failed("remove a snapshot", err)
		}
	}
	return ctx.Err()
}

// Remove removes the list first: from then on there is no such snapshot.
func (s *Snapshots) Remove(ctx context.Context, offset uint64) error {
	if err := s.c.RemoveObject(ctx, s.bucket, s.listed(offset), minio.RemoveObjectOptions{}); err != nil {
		return s.failed("remove a snapshot", err)
	}
	return s.removeAll(ctx, fmt.Sprintf("%020d-", offset))
}

// Load fetches all files of a snapshot into a folder, synced.
func (s *Snapshots) Load(ctx context.Context, offset uint64, dir string) error {
	l, err := s.get(ctx, offset)
	if err != nil {
		return err
	}
	loading, ctx := errgroup.WithContext(ctx)
	loading.SetLimit(transfers)
	for _, f := range l.Files {
		loading.Go(func() error { return s.fetch(ctx, l.Folder, f, dir) })
	}
	if err := loading.Wait(); err != nil {
		return err
	}
	return durable.SyncDir(dir)
}

// get reads the list of a snapshot.
func (s *Snapshots) get(ctx context.Context, offset uint64) (l listed.List, err error) {
	what := "read the list of a snapshot"
	o, err := s.c.GetObject(ctx, s.bucket, s.listed(offset), minio.GetObjectOptions{})
	if err != nil {
		return l, s.failed(what, err)
	}
	defer o.Close()
	l, err = listed.Read(o)
	if minio.ToErrorResponse(err).Code != "" {
		return l, s.failed(what, err)
	} else if err != nil {
		return l, s.damaged(s.listed(offset), err.Error())
	}
	return l, nil
}

// damaged says what is wrong with an object, and what to do about it.
func (s *Snapshots) damaged(object, why string) error {
	return fmt.Errorf("%w: s3://%s/%s: %s", docid.ErrCorrupt, s.bucket, object, why)
}

// fetch fetches a file, and holds it to its checksum.
func (s *Snapshots) fetch(ctx context.Context, folder string, want listed.File, dir string) error {
	name := s.prefix + path.Join(folder, want.Name)
	o, err := s.c.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return s.failed("read "+name, err)
	}
	defer o.Close()
	to := filepath.Join(dir, filepath.FromSlash(want.Name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	is, err := listed.Copy(want.Name, f, o)
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = s.damaged(name, "it is not there")
	} else if err = s.failed("read "+name, err); err == nil && is != want {
		err = s.damaged(name, "it is not what was written")
	}
	return errors.Join(err, f.Sync(), f.Close())
}
