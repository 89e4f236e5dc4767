package services

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// S3Bucket is the bucket of the S3 server. S3Key and S3Secret are the credentials.
const (
	S3Bucket = "snapshots"
	S3Key    = "somebody"
	S3Secret = "something"
)

// S3 starts an S3 server. Its objects are files below Dir/data/S3Bucket.
func S3(t testing.TB) *Server {
	t.Helper()
	s := &Server{name: "versitygw", Addr: FreeAddr(t), Dir: folder(t, "s3")}
	data, meta := filepath.Join(s.Dir, "data"), filepath.Join(s.Dir, "meta")
	for _, dir := range []string{filepath.Join(data, S3Bucket), meta} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.argv = []string{
		program(t, "versitygw", filepath.Join("s3", "versitygw")), "--port", s.Addr, "--access", S3Key, "--secret", S3Secret, "--quiet",
		"posix", "--sidecar", meta, data,
	}
	s.ready = func(addr string) error {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			err = c.Close()
		}
		return err
	}
	return run(t, s)
}
