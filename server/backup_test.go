package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// A backup is written under the requested name, and the answer states its last change. An existing backup is
// never overwritten.
func TestBackup(t *testing.T) {
	var written []string
	f := start(t, func(c *server.Config) {
		c.Snapshot = func(_ context.Context, name string) error {
			if slices.Contains(written, name) {
				return fmt.Errorf("backup: %w", fs.ErrExist)
			}
			written = append(written, name)
			return nil
		}
	})
	must[api.Answer](t)(f.client("news", server.Submit).Submit(t.Context(), article("a", story(1)), ""))
	operator := f.client("news", server.Operator)
	done := must[api.BackupAnswer](t)(operator.Backup(t.Context(), "monday"))
	if done.Name != "monday" || done.Seq != 1 {
		t.Errorf("%+v", done)
	}
	if _, err := operator.Backup(t.Context(), "monday"); code(err) != api.CodeExists {
		t.Errorf("the same name again: %v", err)
	}
	for _, name := range []string{
		"", ".", "..", "../monday", "a/b", "/etc", `a\b`, ".hidden", "a\x00", "a\n", "\n", "a b", "ａ", "%2e%2e", strings.Repeat("a", 65),
	} {
		body, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		if r := f.do(server.Operator, http.MethodPost, "/v1/backup", string(body)); r.status != http.StatusUnprocessableEntity {
			t.Errorf("name %q: %d %s", name, r.status, r.body)
		}
	}
	must[api.BackupAnswer](t)(operator.Backup(t.Context(), "2026-11-21_v1.0"))
	if want := []string{"monday", "2026-11-21_v1.0"}; !slices.Equal(written, want) {
		t.Errorf("written: %q, want %q", written, want)
	}
}

// A backup holds all tenants, so being the administrator of one is not enough.
func TestBackupIsTheOperators(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Snapshot = func(context.Context, string) error {
			t.Error("it was made")
			return nil
		}
	})
	for _, role := range []server.Role{server.Submit, server.Read, server.Admin} {
		if r := f.do(role, http.MethodPost, "/v1/backup", `{"name":"monday"}`); r.status != http.StatusForbidden {
			t.Errorf("%s: %d", role, r.status)
		}
	}
	// And the operator's token alone reads nothing of the tenant.
	if r := f.do(server.Operator, http.MethodGet, "/v1/log", ""); r.status != http.StatusForbidden {
		t.Errorf("the log: %d", r.status)
	}
}

func TestBackupWithoutFolder(t *testing.T) {
	if _, err := start(t).client("news", server.Operator).Backup(t.Context(), "monday"); code(err) != api.CodeNotFound {
		t.Error(err)
	}
}

// After the kept article is deleted, the answer reports that there is none. The next article that joins is
// kept, even if a hotter one is a member.
func TestKeptArticleDeleted(t *testing.T) {
	f := start(t)
	ctx, in, out, admin := t.Context(), f.client("news", server.Submit), f.client("news", server.Read), f.client("news", server.Admin)
	add := func(nid string, heat int64) string {
		return must[api.Answer](t)(in.Submit(ctx, api.Submission{Article: api.Article{NID: nid, Content: story(1), Heat: heat}}, "")).DocID
	}
	docID := add("cold", 3)
	add("hot", 9)
	group := func() api.Group { return must[api.Group](t)(out.DocID(ctx, docID, 0, 10)) }
	if g := group(); g.KeptGone || g.Kept == nil || g.Kept.NID != "hot" {
		t.Errorf("before: %+v", g)
	}
	must[api.Change](t)(admin.Delete(ctx, "hot"))
	if g := group(); !g.KeptGone || g.Kept != nil || g.Size != 1 {
		t.Errorf("after: %+v", g)
	}
	r := f.do(server.Read, http.MethodGet, "/v1/docids/"+docID, "")
	if !strings.Contains(r.body, `"keptGone":true`) || strings.Contains(r.body, `"kept":`) {
		t.Errorf("after: %s", r.body)
	}
	if add("next", 1) != docID {
		t.Error("the docId is not found any more")
	}
	if g := group(); g.KeptGone || g.Kept == nil || g.Kept.NID != "next" {
		t.Errorf("after the next: %+v", g)
	}
	must[api.Change](t)(admin.Delete(ctx, "next"))
	text := story(1)
	must[api.Change](t)(in.Revise(ctx, "cold", api.Revision{Content: &text}))
	if g := group(); g.KeptGone || g.Kept == nil || g.Kept.NID != "cold" || g.Kept.Content != text {
		t.Errorf("after an update: %+v", g)
	}
}
