package webhdfs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/webhdfs"
)

// cluster answers as a NameNode and its DataNode do, for one user.
func cluster(t *testing.T, files map[string][]byte) string {
	t.Helper()
	refuse := func(w http.ResponseWriter, code int, why string) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"RemoteException":{"exception":"E","message":%q}}`, why)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		data, ok := files[strings.TrimPrefix(r.URL.Path, "/webhdfs/v1/an index/")]
		from, _ := strconv.Atoi(q.Get("offset"))
		length, _ := strconv.Atoi(q.Get("length"))
		switch {
		case !strings.HasPrefix(r.URL.Path, "/webhdfs/v1/an index/") && r.URL.Path != "/data":
			http.NotFound(w, r)
		case r.URL.Path == "/data":
			data = files[q.Get("name")]
			_, _ = w.Write(data[from:min(from+length, len(data))])
		case q.Get("user.name") != "ann":
			refuse(w, http.StatusForbidden, "Permission denied: user="+q.Get("user.name"))
		case !ok:
			refuse(w, http.StatusNotFound, "File does not exist")
		case q.Get("op") == "GETFILESTATUS":
			fmt.Fprintf(w, `{"FileStatus":{"length":%d,"type":"FILE","modificationTime":5}}`, len(data))
		default:
			http.Redirect(w, r, "/data?"+r.URL.RawQuery+"&name="+strings.TrimPrefix(r.URL.Path, "/webhdfs/v1/an index/"), http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// Any range of a file can be read. Missing and forbidden files are reported.
func TestReadsAnywhere(t *testing.T) {
	long := make([]byte, 1_700_000) // more chunks than are kept
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range long {
		long[i] = byte(rng.Uint32())
	}
	host := cluster(t, map[string][]byte{"long": long, "short": []byte("abc"), "empty": {}})
	folder, err := webhdfs.Open(t.Context(), "webhdfs://ann@"+host+"/an%20index/")
	if err != nil {
		t.Fatal(err)
	}
	f, err := folder.Open("long")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != int64(len(long)) || info.IsDir() || info.Mode() != 0o444 || info.Name() != "long" || info.ModTime().UnixMilli() != 5 || info.Sys() != nil {
		t.Errorf("%v, %v", info, err)
	}
	for range 300 {
		from := rng.IntN(len(long) + 10)
		p := make([]byte, rng.IntN(200_000))
		n, err := f.(io.ReaderAt).ReadAt(p, int64(from))
		want := long[min(from, len(long)):min(from+len(p), len(long))]
		if !bytes.Equal(p[:n], want) || (err != nil) != (len(want) < len(p)) || (err != nil && !errors.Is(err, io.EOF)) {
			t.Fatalf("%d bytes at %d: %d, %v", len(p), from, n, err)
		}
	}
	for name, want := range map[string]string{"short": "abc", "empty": ""} {
		if b, err := fs.ReadFile(folder, name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if _, err := folder.Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := folder.Open("../short"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a path out of the folder: %v", err)
	}
	elsewhere, err := webhdfs.Open(t.Context(), "webhdfs://ann@"+host+"/elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := elsewhere.Open("short"); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "not an answer of WebHDFS") {
		t.Errorf("a server of something else: %v", err)
	}
	other, err := webhdfs.Open(t.Context(), "webhdfs://bob@"+host+"/an index")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Open("short"); err == nil || !strings.Contains(err.Error(), "Permission denied: user=bob") {
		t.Errorf("another user: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for name, want := range map[string]bool{"webhdfs://h:1/x": true, "swebhdfs://h:1/x": true, "hdfs://h:1/x": false, "/x": false, "s": false} {
		if webhdfs.Is(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	for _, bad := range []string{"webhdfs://", "webhdfs://h:1", "hdfs://h/x", "webhdfs://h:x/y"} {
		if _, err := webhdfs.Open(t.Context(), bad); err == nil {
			t.Errorf("%s is an address", bad)
		}
	}
}
