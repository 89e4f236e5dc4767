package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// moderator returns the client of a moderator with a name.
func moderator(t *testing.T, f *fixture, access *server.Access) *api.Client {
	t.Helper()
	token := must[string](t)(server.NewToken())
	access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Moderate, server.Read}, Name: "li"})
	c := must[*api.Client](t)(api.NewClient(f.http.URL, api.Options{Token: token}))
	t.Cleanup(c.Close)
	return c
}

// After a correction over HTTP, the article and a retry name the moderator, and the classic route returns the
// current docId.
func TestCorrect(t *testing.T) {
	var access *server.Access
	f := start(t, func(c *server.Config) { access = c.Access })
	ctx, submit, c := t.Context(), f.client("news", server.Submit), moderator(t, f, access)
	a := must[api.Answer](t)(submit.Submit(ctx, article("a", story(1)), ""))
	b := must[api.Answer](t)(submit.Submit(ctx, article("b", story(1)+" and more"), ""))
	other := must[api.Answer](t)(submit.Submit(ctx, article("other", story(2)), ""))
	if b.DocID != a.DocID {
		t.Fatal("b is no duplicate")
	}
	m := must[api.CorrectionAnswer](t)(c.Correct(ctx, "b", api.Correction{With: "other", Why: "the same story"}))
	if m.DocID != other.DocID || m.Corrected.Who != "li" || m.Corrected.Before != a.DocID || m.Unchanged {
		t.Errorf("moved: %+v", m)
	}
	got := must[api.MemberAnswer](t)(c.Article(ctx, "b"))
	if said := got.Member.Corrected; got.DocID != other.DocID || said == nil || said.Why != "the same story" || got.Member.Evidence.DocID != a.DocID || got.Seq < m.Seq {
		t.Errorf("read: %+v", got)
	}
	if again := must[api.Answer](t)(submit.Submit(ctx, article("b", story(1)+" and more"), "")); again.DocID != other.DocID || again.Corrected == nil || !again.Replayed || again.Seq != b.Seq {
		t.Errorf("a retry: %+v", again)
	}
	classic := f.do(server.Submit, http.MethodPost, "/docId/getDocId", `{"nid":"b","content":"`+story(1)+` and more"}`)
	if !strings.Contains(classic.body, other.DocID) || !strings.Contains(classic.body, `"filterStatus":"duplicate","status":"success"`) {
		t.Errorf("the classic route: %s", classic.body)
	}
	if m := must[api.CorrectionAnswer](t)(c.Correct(ctx, "b", api.Correction{DocID: other.DocID})); !m.Unchanged {
		t.Errorf("again: %+v", m)
	}
	for _, refused := range []struct {
		nid  string
		to   api.Correction
		code string
	}{
		{"a", api.Correction{}, api.CodeLeads}, {"?", api.Correction{}, api.CodeNotFound}, {"b", api.Correction{}, api.CodeInvalid},
		{"b", api.Correction{With: "?"}, api.CodeNotFound}, {"b", api.Correction{With: "a", DocID: a.DocID}, api.CodeInvalid},
		{"b", api.Correction{Why: strings.Repeat("x", 1025)}, api.CodeInvalid},
	} {
		if _, err := c.Correct(ctx, refused.nid, refused.to); code(err) != refused.code {
			t.Errorf("%+v: %v, want %s", refused, err, refused.code)
		}
	}
	text := story(1) + " and more"
	alone := must[api.CorrectionAnswer](t)(c.Correct(ctx, "b", api.Correction{Content: &text}))
	log := must[api.Log](t)(f.client("news", server.Admin).Log(ctx, m.Seq-1, 10))
	if e := log.Entries[0]; e.Kind != string(docid.KindCorrect) || e.DocID != other.DocID || e.Ruling == nil || e.Ruling.Before != a.DocID || e.Ruling.Other != "other" {
		t.Errorf("in the log: %+v", e)
	}
	if alone.DocID == a.DocID || alone.DocID == other.DocID {
		t.Errorf("alone: %+v", alone)
	}
}

// unsures submits pairs of articles, and returns the unsure ones and what they are like, the newest first. The second of
// a pair has as many words more as make it unsure, whatever the weights.
func unsures(t *testing.T, c *api.Client) (all []string) {
	t.Helper()
	more := strings.Fields("on a cold Monday morning early in the month of May before the first lesson began and while it rained")
	for i, place := range []string{"garden of the old school", "yard of a grey mill", "lobby of the grand hotel", "kitchen of the town hall", "attic of her blue house"} {
		text := func(words int) string {
			return strings.Join(append([]string{"A bear was seen in the " + place}, more[:words]...), " ") + " by the children of the third class."
		}
		first := must[api.Answer](t)(c.Submit(t.Context(), article(fmt.Sprint("a", i), text(0)), ""))
		if first.Relation == neardup.Unsure {
			all = append([]string{first.ID + " " + first.VariantOf}, all...)
		}
		for words := 1; words <= len(more) && first.Decision.Decision == neardup.New; words++ {
			second := article(fmt.Sprint("b", i), text(words))
			if a := must[api.Answer](t)(c.Check(t.Context(), second)); a.Relation == neardup.Unsure {
				a = must[api.Answer](t)(c.Submit(t.Context(), second, ""))
				all = append([]string{a.ID + " " + a.VariantOf}, all...)
				break
			}
		}
	}
	if len(all) < 3 {
		t.Fatalf("unsure: %q", all)
	}
	return all
}

// TestUnsure: the articles that a person should look at, the newest first, page by page, without deleted ones.
func TestUnsure(t *testing.T) {
	f := start(t, func(*server.Config) {})
	ctx, read := t.Context(), f.client("news", server.Read)
	want := unsures(t, f.client("news", server.Admin))
	must[api.Change](t)(f.client("news", server.Admin).Delete(ctx, strings.Fields(want[1])[0]))
	want = slices.Delete(want, 1, 2)
	var got []string
	for before := uint64(0); ; {
		page := must[api.UnsureArticles](t)(read.Unsure(ctx, before, 2))
		for _, a := range page.Articles {
			got = append(got, a.ID+" "+a.VariantOf)
		}
		before = page.Next
		if before == 0 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnsureFirst: a moderator's list begins with the unsure pairs, and deciding one is kept.
func TestUnsureFirst(t *testing.T) {
	var access *server.Access
	f := start(t, func(c *server.Config) { access = c.Access })
	want := unsures(t, f.client("news", server.Admin))
	li := moderator(t, f, access)
	token := must[string](t)(server.NewToken())
	access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Moderate, server.Read}, Name: "li"})
	tab := signIn(t, f, token)
	tab.Wait(fmt.Sprintf("document.querySelectorAll('.row .chip.unsure').length === %d", len(want)))
	tab.Press("k\r") // the first
	tab.Wait("document.querySelectorAll('.member').length === 2 && document.querySelector('.differs .chip')")
	for _, x := range tab.Axe() {
		t.Errorf("an unsure pair: %s", x)
	}
	tab.Pictures("unsure")
	tab.Press("jn")
	tab.Wait("document.querySelector('.member[data-verdict=different]')")
	first := strings.Fields(want[0])
	if r := must[api.Rulings](t)(li.Rulings(t.Context(), 0, 10)).Rulings; len(r) != 1 || r[0].A != first[1] || r[0].B != first[0] || r[0].Link != "cannot" {
		t.Errorf("kept: %+v, want %q", r, first)
	}
	for _, p := range tab.Problems() {
		if !strings.Contains(p, "401") { // before signing in
			t.Error(p)
		}
	}
}

// Rulings over HTTP are kept in order and obeyed from then on.
func TestRulings(t *testing.T) {
	var access *server.Access
	f := start(t, func(c *server.Config) { access = c.Access })
	ctx, submit, c := t.Context(), f.client("news", server.Submit), moderator(t, f, access)
	a := must[api.Answer](t)(submit.Submit(ctx, article("a", story(1)), ""))
	first := must[api.Ruled](t)(c.Rule(ctx, api.Ruling{A: "a", B: "b", Link: "must", Why: "told so"}))
	if first.Who != "li" || first.Was != "" || first.Seq <= a.Seq || !slices.Equal(first.Unknown, []string{"b"}) {
		t.Errorf("ruled: %+v", first)
	}
	if b := must[api.Answer](t)(submit.Submit(ctx, article("b", story(2)), "")); b.DocID != a.DocID || b.Basis != neardup.BasisOverride || b.Stage != docid.StageOverride {
		t.Errorf("must be linked: %+v", b)
	}
	second := must[api.Ruled](t)(c.Rule(ctx, api.Ruling{A: "c", B: "a", Link: "cannot"}))
	if x := must[api.Answer](t)(submit.Submit(ctx, article("c", story(1)), "")); x.DocID == a.DocID {
		t.Errorf("cannot be linked: %+v", x)
	}
	page := must[api.Rulings](t)(c.Rulings(ctx, 0, 1))
	rest := must[api.Rulings](t)(c.Rulings(ctx, page.Next, 10))
	if len(page.Rulings) != 1 || page.Rulings[0] != first.RulingEntry || len(rest.Rulings) != 1 || rest.Rulings[0] != second.RulingEntry || rest.Next != 0 {
		t.Errorf("read: %+v and %+v", page, rest)
	}
	if known := must[api.Ruled](t)(c.Rule(ctx, api.Ruling{A: "a", B: "b", Link: "unsure"})); known.Unknown != nil {
		t.Errorf("of articles that are there: %+v", known)
	}
	for _, bad := range []api.Ruling{{A: "a", B: "a", Link: "must"}, {A: "a", B: "b", Link: "?"}, {B: "b", Link: "must"}} {
		if _, err := c.Rule(ctx, bad); code(err) != api.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
