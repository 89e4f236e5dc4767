package services

import (
	"net/http"
	"testing"
)

// Each server starts, survives a crash with its folder, and answers again.
func TestServersComeBack(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *Server{
		"redis":   func(t testing.TB) *Server { return Redis(t) },
		"valkey":  func(t testing.TB) *Server { return Valkey(t) },
		"mariadb": MariaDB,
		"s3":      S3,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Kill()
			if err := s.ready(s.Addr); err == nil {
				t.Fatal("it answers after it was killed")
			}
			s.Start(t)
		})
	}
}

func TestHBase(t *testing.T) {
	h := StartHBase(t)
	resp, err := http.Get(h.URL() + "/version/cluster")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the cluster: %s", resp.Status)
	}
}
