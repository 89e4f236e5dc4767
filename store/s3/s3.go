// Package s3 stores snapshots in a bucket of any storage with the Amazon S3 protocol.
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

// Snapshots stores snapshots in a bucket. Their files are objects below OFFSET-SERVER/. The object OFFSET.json
// lists them with their checksums and is written last. Without it there is no snapshot.
type Snapshots struct {
	c              *minio.Client
	bucket, prefix string
	scratch        string
}

// At most transfers files are sent at a time, and a request is tried tries times.
const (
	transfers = 4
	tries     = 3
)

// Open parses s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME] and contacts the bucket. Defaults are
// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and AWS_DEFAULT_REGION. The key is always from
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Snapshots are made in scratch before they are
// sent. It returns docid.ErrInvalid if address, key or bucket are wrong, or docid.ErrUnavailable.
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

// parse makes a client for an address.
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
	if err != nil || at.Host == "" || (at.Scheme != "http" && at.Scheme != "https") {
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

// settled returns an answer or an error only once the request body is closed. To retry, the client rewinds that
// body, while net/http may still read it after it has returned.
type settled struct{ http.RoundTripper }

func (t settled) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return t.RoundTripper.RoundTrip(r)
	}
	sent := &upload{r.Body, make(chan struct{}), sync.Once{}}
	r = r.WithContext(r.Context()) // not a clone, because the trailer is written to this map
	r.Body = sent
	answer, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		<-sent.closed
		return nil, err
	}
	answer.Body = answered{answer.Body, sent.closed}
	return answer, nil
}

// upload is the body of a request. It closes closed when the transport has closed it.
type upload struct {
	io.ReadCloser
	closed chan struct{}
	once   sync.Once
}

func (b *upload) Close() error {
	defer b.once.Do(func() { close(b.closed) })
	return b.ReadCloser.Close()
}

// answered is the body of an answer. Closing it waits until the request, which may be later, is sent.
type answered struct {
	io.ReadCloser
	sent chan struct{}
}

func (b answered) Close() error {
	err := b.ReadCloser.Close()
	<-b.sent
	return err
}

// failed adds the purpose of a request to its error, and whether the user can correct it.
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

// list returns the names below the prefix. Names of folders end with a slash.
func (s *Snapshots) list(ctx context.Context) (names []string, err error) {
	for o := range s.c.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix}) {
		if o.Err != nil {
			return nil, s.failed("list the snapshots", o.Err)
		}
		names = append(names, strings.TrimPrefix(o.Key, s.prefix))
	}
	return names, ctx.Err()
}

// Offsets returns the offsets of the complete snapshots.
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

// Save sends the files of a snapshot and then their list. It removes what an earlier attempt left.
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

// sendAll sends the files in scratch and lists them.
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

// send sends a file as one object in one request, so an interrupted request leaves nothing.
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

// sweep removes older folders without a list, which this server or an abandoned one has left.
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

// removeAll removes all objects with a name prefix.
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

// Remove removes the list first, which ends the snapshot, and then the files.
func (s *Snapshots) Remove(ctx context.Context, offset uint64) error {
	if err := s.c.RemoveObject(ctx, s.bucket, s.listed(offset), minio.RemoveObjectOptions{}); err != nil {
		return s.failed("remove a snapshot", err)
	}
	return s.removeAll(ctx, fmt.Sprintf("%020d-", offset))
}

// Load downloads and syncs all files of a snapshot.
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

// damaged returns ErrCorrupt with the object and the reason.
func (s *Snapshots) damaged(object, why string) error {
	return fmt.Errorf("%w: s3://%s/%s: %s", docid.ErrCorrupt, s.bucket, object, why)
}

// fetch downloads a file and verifies its checksum.
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
	switch {
	case minio.ToErrorResponse(err).Code == minio.NoSuchKey:
		err = s.damaged(name, "it is not there")
	case err != nil:
		err = s.failed("read "+name, err)
	case is != want:
		err = s.damaged(name, "it is not what was written")
	}
	return errors.Join(err, f.Sync(), f.Close())
}
