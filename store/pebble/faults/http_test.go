package faults_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/store/pebble"
)

// TestDiskFullOverHTTP checks that with a full disk every writing route returns 507, reads work, and the server
// is not ready. After a start with room the answers remain, and the rest can be sent again.
func TestDiskFullOverHTTP(t *testing.T) {
	mem, full := vfs.NewCrashableMem(), atomic.Bool{}
	disk := errorfs.Wrap(mem, noSpace{full.Load})
	ask, stop := serving(t, disk, nil)
	if status, body := ask(http.MethodPost, "/v1/articles", `{"nid":"a","content":"before"}`); status != 200 {
		t.Fatalf("with room: %d %s", status, body)
	}
	full.Store(true)
	writes := [][3]string{
		{http.MethodPost, "/v1/articles", `{"nid":"b","content":"something else"}`},
		{http.MethodPost, "/v1/batch", `{"articles":[{"nid":"c","content":"and another"}]}`},
		{http.MethodPost, "/docId/getDocId", `{"nid":"d","content":"the classic route"}`},
		{http.MethodPatch, "/v1/articles/a", `{"heat":3}`},
		{http.MethodDelete, "/v1/articles/a", ""},
		{http.MethodPost, "/v1/backup", `{"name":"monday"}`},
	}
	for range 2 {
		for _, w := range writes {
			if status, body := ask(w[0], w[1], w[2]); status != http.StatusInsufficientStorage || !strings.Contains(body, "full") {
				t.Errorf("%s %s on a full disk: %d %s", w[0], w[1], status, body)
			}
		}
		for _, path := range []string{"/v1/articles/a", "/v1/stats", "/v1/log", "/v1/docids?minSize=1"} {
			if status, body := ask(http.MethodGet, path, ""); status != http.StatusOK {
				t.Errorf("GET %s on a full disk: %d %s", path, status, body)
			}
		}
		if status, body := ask(http.MethodPost, "/v1/check", `{"content":"before"}`); status != 200 || !strings.Contains(body, `"duplicate"`) {
			t.Errorf("check on a full disk: %d %s", status, body)
		}
		if status, _ := ask(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable {
			t.Errorf("ready on a full disk: %d", status)
		}
	}
	stop()

	ask, stop = serving(t, mem.CrashClone(vfs.CrashCloneCfg{}), nil)
	defer stop()
	if status, body := ask(http.MethodGet, "/v1/articles/a", ""); status != 200 {
		t.Errorf("after a start with room: %d %s", status, body)
	}
	for _, w := range writes[:5] {
		if status, body := ask(w[0], w[1], w[2]); status != 200 {
			t.Errorf("%s %s again: %d %s", w[0], w[1], status, body)
		}
	}
}

// TestDiskFullUnderALog checks that a server with a full disk reads until the log has an entry that it cannot
// apply. Other servers go on.
func TestDiskFullUnderALog(t *testing.T) {
	log, full := storetest.Begin(t, storetest.NewLog()), atomic.Bool{}
	hurt, stop := serving(t, errorfs.Wrap(vfs.NewCrashableMem(), noSpace{full.Load}), log)
	defer stop()
	well, stop := serving(t, vfs.NewCrashableMem(), log)
	defer stop()
	if status, body := well(http.MethodPost, "/v1/articles", `{"nid":"a","content":"before"}`); status != 200 {
		t.Fatalf("with room: %d %s", status, body)
	}
	full.Store(true)
	for _, step := range []struct {
		name, method, path, body string
		ask                      func(method, path, body string) (int, string)
		status                   int
	}{
		{"a read of the other server", http.MethodGet, "/v1/articles/a", "", well, 200},
		{"a write of the other server", http.MethodPost, "/v1/articles", `{"nid":"b","content":"something else"}`, well, 200},
		{"a write", http.MethodPost, "/v1/articles", `{"nid":"c","content":"and another"}`, hurt, 507},
		{"a read", http.MethodGet, "/v1/articles/a", "", hurt, 507},
		{"a list", http.MethodGet, "/v1/docids?minSize=1", "", hurt, 507},
		{"readiness", http.MethodGet, "/readyz", "", hurt, 503},
		{"a read of the other server afterwards", http.MethodGet, "/v1/articles/b", "", well, 200},
	} {
		if status, body := step.ask(step.method, step.path, step.body); status != step.status {
			t.Errorf("%s: %d, want %d: %s", step.name, status, step.status, body)
		}
	}
}

// serving starts a server on a disk. ask sends requests with every role.
func serving(t *testing.T, disk vfs.FS, log docid.Log) (ask func(method, path, body string) (int, string), stop func()) {
	t.Helper()
	s, err := pebble.Open(t.Context(), "data", pebble.Options{FS: disk, Log: log})
	must(t, err)
	token, err := server.NewToken()
	must(t, err)
	access := &server.Access{}
	access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Admin, server.Operator}})
	h, err := server.New(t.Context(), server.Config{
		Store: s, Access: access, Hosts: []string{"example.com"}, Snapshot: s.Snapshot,
		Settings: func(string) docid.Settings { return storetest.Settings() },
	})
	must(t, err)
	ask = func(method, path, body string) (int, string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answer, err := io.ReadAll(w.Result().Body)
		must(t, err)
		return w.Code, string(answer)
	}
	return ask, func() { _ = s.Close() } // a full disk may prevent a clean close
}
