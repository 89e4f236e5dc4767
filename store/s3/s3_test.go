package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/store/s3"
)

var _ pebble.SnapshotStore = (*s3.Snapshots)(nil)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// key sets the environment to the server's key.
func key(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", services.S3Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", services.S3Secret)
}

// open opens a prefix of the bucket behind an address.
func open(t *testing.T, addr, prefix string) *s3.Snapshots {
	t.Helper()
	s, err := s3.Open(t.Context(), "s3://"+services.S3Bucket+"/"+prefix+"?endpoint=http://"+addr, filepath.Join(t.TempDir(), "scratch"))
	ok(t, err)
	return s
}

// writes returns a function that writes files into a new folder.
func writes(files map[string]string) func(dir string) error {
	return func(dir string) error {
		for name, content := range files {
			at := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(content), 0o600)); err != nil {
				return err
			}
		}
		return nil
	}
}

// reads returns the files of a folder.
func reads(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	ok(t, filepath.WalkDir(dir, func(at string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(at)
		name, _ := filepath.Rel(dir, at)
		files[name] = string(b)
		return err
	}))
	return files
}

var some = map[string]string{"CURRENT": "a", "empty": "", "000001.sst": strings.Repeat("long ", 1<<20), "below/one": "b"}

func offsets(t *testing.T, s *s3.Snapshots) string {
	t.Helper()
	all, err := s.Offsets(t.Context())
	ok(t, err)
	return fmt.Sprint(all)
}

// objects counts the objects below a prefix on the server's disk.
func objects(t *testing.T, server *services.Server, prefix string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join(server.Dir, "data", services.S3Bucket, prefix), func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			n++
		}
		return err
	})
	if !errors.Is(err, os.ErrNotExist) {
		ok(t, err)
	}
	return n
}

// TestSnapshots checks that a loaded snapshot equals the saved one, under its offset. A removed snapshot must
// leave no objects, and prefixes of a bucket must be independent.
func TestSnapshots(t *testing.T) {
	key(t)
	server := services.S3(t)
	s, other := open(t, server.Addr, "a/prefix"), open(t, server.Addr, "")
	if got := offsets(t, s); got != "[]" {
		t.Errorf("at first there are %s", got)
	}
	ok(t, s.Save(t.Context(), 1000, 2, writes(some)))
	for n, offset := range []uint64{900, 1000, 1 << 60} { // of 1000 by a server that is later
		ok(t, s.Save(t.Context(), offset, uint64(n%2), writes(map[string]string{"number": fmt.Sprint(offset)})))
	}
	ok(t, other.Save(t.Context(), 7, 2, writes(map[string]string{"x": "y"})))
	if got, others := offsets(t, s), offsets(t, other); got != "[900 1000 1152921504606846976]" || others != "[7]" {
		t.Errorf("there are %s, and %s elsewhere", got, others)
	}
	to := filepath.Join(t.TempDir(), "to")
	ok(t, s.Load(t.Context(), 1000, to))
	if got := reads(t, to); !reflect.DeepEqual(got, some) {
		t.Errorf("loaded %d files", len(got))
	}
	for _, offset := range []uint64{900, 1000, 1 << 60} {
		ok(t, s.Remove(t.Context(), offset))
		if err := s.Load(t.Context(), offset, filepath.Join(t.TempDir(), "none")); err == nil {
			t.Errorf("%d is loaded after it was removed", offset)
		}
	}
	if got, left := offsets(t, s), objects(t, server, "a"); got != "[]" || left != 0 {
		t.Errorf("there are %s, in %d objects, after all were removed", got, left)
	}
}

// torn is a proxy that breaks in the middle of one write request.
type torn struct {
	*httptest.Server
	left atomic.Int64 // write requests until then
	then func()
	done chan struct{} // closed after then
}

func tear(t *testing.T, server *services.Server) *torn {
	w := &torn{done: make(chan struct{})}
	w.left.Store(1 << 40)
	to := &url.URL{Scheme: "http", Host: server.Addr}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // the signature covers the requested address
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			proxy.ServeHTTP(rw, r)
			return
		}
		switch left := w.left.Add(-1); {
		case left == 0:
			w.forwardHalf(server.Addr, r)
			w.then()
			close(w.done)
			fallthrough
		case left < 0:
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

// forwardHalf sends a server the head and half of the body of a request, and hangs up.
func (w *torn) forwardHalf(addr string, r *http.Request) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", r.Method, r.URL.RequestURI(), r.Host, r.ContentLength)
	_ = r.Header.Write(c)
	fmt.Fprint(c, "\r\n")
	_, _ = io.CopyN(c, r.Body, r.ContentLength/2)
}

func (w *torn) addr() string { return strings.TrimPrefix(w.URL, "http://") }

// TestInterrupted interrupts every request of an upload, some by killing the server. The previous snapshot must
// stay the last, also after a restart. The next attempt must remove the leftovers.
func TestInterrupted(t *testing.T) {
	key(t)
	server := services.S3(t)
	for _, killed := range []bool{false, true} {
		for request := range int64(len(some) + 1) {
			t.Run(fmt.Sprintf("in request %d, server killed %v", request+1, killed), func(t *testing.T) {
				prefix := fmt.Sprint(killed, request)
				way := tear(t, server)
				s := open(t, way.addr(), prefix)
				ok(t, s.Save(t.Context(), 5, 1, writes(some)))
				way.then = func() {}
				if killed {
					way.then = server.Kill
				}
				way.left.Store(request + 1)
				if err := s.Save(t.Context(), 9, 1, writes(some)); !errors.Is(err, docid.ErrUnavailable) {
					t.Errorf("an upload that breaks off: %v", err)
				}
				<-way.done
				if killed {
					server.Start(t)
				}
				way.left.Store(1 << 40)
				if got := offsets(t, s); got != "[5]" {
					t.Errorf("there are %s after an upload broke off", got)
				}
				ok(t, s.Save(t.Context(), 12, 1, writes(some)))
				ok(t, s.Remove(t.Context(), 5))
				if left := objects(t, server, prefix); left != len(some)+1 {
					t.Errorf("%d objects are left, the snapshot has %d", left, len(some)+1)
				}
				to := filepath.Join(t.TempDir(), "to")
				ok(t, s.Load(t.Context(), 12, to))
				if !reflect.DeepEqual(reads(t, to), some) {
					t.Error("another snapshot is loaded")
				}
			})
		}
	}
}

// TestDamaged checks that every kind of damaged object is detected and named.
func TestDamaged(t *testing.T) {
	key(t)
	server := services.S3(t)
	s := open(t, server.Addr, "")
	ok(t, s.Save(t.Context(), 3, 1, writes(some)))
	root := filepath.Join(server.Dir, "data", services.S3Bucket)
	for name, files := range map[string][]string{
		"a file": {"00000000000000000003-0000000000000001/000001.sst", "00000000000000000003-0000000000000001/CURRENT"},
		"a list": {"00000000000000000003.json"},
	} {
		for _, object := range files {
			at := filepath.Join(root, object)
			was, err := os.ReadFile(at)
			ok(t, err)
			other := append([]byte{was[0] ^ 1}, was[1:]...)
			for how, content := range map[string][]byte{"flipped": other, "cut": was[:len(was)/2], "empty": {}, "longer": append(other, "more"...), "gone": nil} {
				if content == nil {
					ok(t, os.Remove(at))
				} else {
					ok(t, os.WriteFile(at, content, 0o600))
				}
				err := s.Load(t.Context(), 3, filepath.Join(t.TempDir(), "to"))
				if gone := name == "a list" && how == "gone"; (gone && err == nil) || (!gone && (!errors.Is(err, docid.ErrCorrupt) || !strings.Contains(err.Error(), object))) {
					t.Errorf("%s that is %s: %v", name, how, err)
				}
				ok(t, os.WriteFile(at, was, 0o600))
			}
		}
	}
	for _, list := range []string{`{"folder":"..","files":[{"name":"a"}]}`, `{"folder":"a","files":[{"name":"../../a"}]}`, `{"folder":"a","files":[{"name":"/etc/a"}]}`, `{}`} {
		ok(t, os.WriteFile(filepath.Join(root, "00000000000000000003.json"), []byte(list), 0o600))
		if err := s.Load(t.Context(), 3, filepath.Join(t.TempDir(), "to")); !errors.Is(err, docid.ErrCorrupt) {
			t.Errorf("list %s: %v", list, err)
		}
	}
}

// TestOpen checks that errors of an address, a key or a bucket are returned at once, as invalid or unavailable.
func TestOpen(t *testing.T) {
	server := services.S3(t)
	here := "?endpoint=http://" + server.Addr
	for _, c := range []struct {
		address, id, secret string
		kind                error
		says                string
	}{
		{"s3://" + services.S3Bucket + here, services.S3Key, services.S3Secret, nil, ""},
		{"s3://none" + here, services.S3Key, services.S3Secret, docid.ErrInvalid, "bucket none"},
		{"s3://" + services.S3Bucket + here, services.S3Key, "another", docid.ErrInvalid, "signature"},
		{"s3://" + services.S3Bucket + here, "nobody", services.S3Secret, docid.ErrInvalid, "access key"},
		{"s3://" + services.S3Bucket + here, services.S3Key, "", docid.ErrInvalid, "AWS_SECRET_ACCESS_KEY"},
		{"s3://" + services.S3Bucket + "?endpoint=http://" + services.FreeAddr(t), services.S3Key, services.S3Secret, docid.ErrUnavailable, "refused"},
		{"s3://" + services.S3Bucket + "?endpoint=ftp://host", services.S3Key, services.S3Secret, docid.ErrInvalid, "ftp"},
		{"s3://" + services.S3Bucket + "?secret=x", services.S3Key, services.S3Secret, docid.ErrInvalid, "endpoint or region"},
		{"s3:///prefix", services.S3Key, services.S3Secret, docid.ErrInvalid, "s3://BUCKET"},
		{"s3://user:password@bucket", services.S3Key, services.S3Secret, docid.ErrInvalid, "s3://BUCKET"},
	} {
		t.Setenv("AWS_ACCESS_KEY_ID", c.id)
		t.Setenv("AWS_SECRET_ACCESS_KEY", c.secret)
		_, err := s3.Open(t.Context(), c.address, t.TempDir())
		if !errors.Is(err, c.kind) || (err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "password"))) {
			t.Errorf("%s as %s: %v, want %v and %q", c.address, c.id, err, c.kind, c.says)
		}
	}
}

// patience limits a test that hangs.
const patience = 2 * time.Minute

// steady keeps snapshots unchanged while a test holds it.
type steady struct {
	pebble.SnapshotStore
	hold *sync.Mutex
}

func (s steady) Save(ctx context.Context, offset, server uint64, write func(dir string) error) error {
	s.hold.Lock()
	defer s.hold.Unlock()
	return s.SnapshotStore.Save(ctx, offset, server, write)
}

func (s steady) Remove(ctx context.Context, offset uint64) error {
	s.hold.Lock()
	defer s.hold.Unlock()
	return s.SnapshotStore.Remove(ctx, offset)
}

// TestStores checks that a store that follows a log saves snapshots and keeps two. A new store must begin with
// the last one if the log is trimmed. A store that cannot save must report why and go on.
func TestStores(t *testing.T) {
	key(t)
	server := services.S3(t)
	log := storetest.Begin(t, storetest.NewLog())
	failed := make(chan error, 100)
	var hold sync.Mutex
	serve := func() (*pebble.Store, *docid.Detector) {
		t.Helper()
		hold.Lock() // otherwise its snapshot may be removed on a busy machine
		defer hold.Unlock()
		s, err := pebble.Open(t.Context(), filepath.Join(t.TempDir(), "store"), pebble.Options{
			Log: log, Snapshots: steady{open(t, server.Addr, ""), &hold}, SnapshotEvery: 500 * time.Millisecond,
			SnapshotFailed: func(err error) {
				select {
				case failed <- err:
				default:
				}
			},
		})
		ok(t, err)
		t.Cleanup(func() { _ = s.Close() })
		d, err := docid.NewDetector(t.Context(), s, "tenant", storetest.Settings())
		ok(t, err)
		return s, d
	}
	add := func(d *docid.Detector, nid string) docid.Answer {
		t.Helper()
		var sub docid.Submission
		sub.ID, sub.Text = nid, storetest.Base(1)
		a, err := d.Add(t.Context(), sub)
		ok(t, err)
		return a
	}
	first, d := serve()
	original := add(d, "a")
	has := first.Applied()
	for end := time.Now().Add(patience); first.LastSnapshot() < has; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no snapshot is made")
		}
	}
	ok(t, log.Trim(t.Context(), has))
	_, fresh := serve()
	if a := add(fresh, "b"); a.DocID != original.DocID {
		t.Errorf("a copy at a new server: %+v, the original is %+v", a, original)
	}
	server.Kill()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case err := <-failed:
		if !errors.Is(err, docid.ErrUnavailable) {
			t.Errorf("the server is away: %v", err)
		}
	case <-ctx.Done():
		t.Error("nobody hears that no snapshot can be saved")
	}
	add(d, "c")
}
