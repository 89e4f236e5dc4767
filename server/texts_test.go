package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// texts stores texts in memory until they are dropped.
type texts struct{ sync.Map }

func (t *texts) Put(tenant string, seq uint64, text string) error {
	t.Store(fmt.Sprint(tenant, seq), text)
	return nil
}

func (t *texts) Get(tenant string, seq uint64) (string, bool, error) {
	text, ok := t.Load(fmt.Sprint(tenant, seq))
	if !ok {
		return "", false, nil
	}
	return text.(string), true, nil
}

func (t *texts) Drop(tenant string, seq uint64) error {
	t.Delete(fmt.Sprint(tenant, seq))
	return nil
}

func (t *texts) Forget(string) error { return nil }

// A moderator sees both texts while they are stored, with their differences marked. Other users see only the
// kept article's text, and deleted texts are removed.
func TestModeratorsSeeBothTexts(t *testing.T) {
	var access *server.Access
	kept := &texts{}
	f := start(t, func(c *server.Config) { access, c.Texts = c.Access, kept })
	ctx, submit := t.Context(), f.client("news", server.Submit)
	first := must[api.Answer](t)(submit.Submit(ctx, article("first", atSea), ""))
	second := must[api.Answer](t)(submit.Submit(ctx, article("second", atSea+" And so on."), ""))
	must[api.Answer](t)(submit.Submit(ctx, article("second", atSea+" And so on."), "")) // replayed: kept once
	if second.DocID != first.DocID {
		t.Fatal("the two are not near")
	}
	content := func(c *api.Client, nid string) string {
		t.Helper()
		for _, m := range must[api.Group](t)(c.DocID(ctx, first.DocID, 0, 10)).Members {
			if m.NID == nid {
				return m.Content
			}
		}
		return "nobody"
	}
	li := moderator(t, f, access)
	if got := content(li, "second"); got != atSea+" And so on." {
		t.Errorf("a moderator sees %q", got)
	}
	if got := content(f.client("news", server.Read), "second"); got != "" {
		t.Errorf("a reader sees %q", got)
	}
	revised := atSea + " And so it ends."
	must[api.Change](t)(submit.Revise(ctx, "second", api.Revision{Content: &revised}))
	if got := content(li, "second"); got != revised {
		t.Errorf("after a new text a moderator sees %q", got)
	}
	token := must[string](t)(server.NewToken())
	access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Moderate, server.Read}, Name: "wu"})
	tab := signIn(t, f, token)
	tab.Go(f.http.URL + "/ui/#groups/" + first.DocID)
	tab.Wait("[...document.querySelectorAll('.member ins')].some((e) => e.innerText.includes('And so it ends'))")

	// For a new docId, the caller need not send a text that is stored.
	if m := must[api.CorrectionAnswer](t)(li.Correct(ctx, "second", api.Correction{Why: "another"})); m.Unchanged || m.DocID == first.DocID {
		t.Errorf("a docId of its own: %+v", m)
	}
	if got := must[api.Group](t)(li.DocID(ctx, must[api.MemberAnswer](t)(li.Article(ctx, "second")).DocID, 0, 1)); got.Kept == nil || got.Kept.Content != revised {
		t.Errorf("it is kept with %+v", got.Kept)
	}

	admin := f.client("news", server.Admin)
	must[api.Change](t)(admin.Delete(ctx, "second"))
	if _, ok, _ := kept.Get("news", second.Seq); ok {
		t.Error("the text of a deleted article is kept")
	}
	must[api.Change](t)(admin.End(ctx, first.DocID))
	if _, ok, _ := kept.Get("news", first.Seq); ok {
		t.Error("the text of an ended docId is kept")
	}
	if strings.Contains(f.log.String(), "not kept") {
		t.Error(f.log.String())
	}
}
