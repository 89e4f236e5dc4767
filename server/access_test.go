package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// route is one operation of the OpenAPI document.
type route struct {
	method, path string
	op           *huma.Operation
}

func routes(s *server.Server) []route {
	var all []route
	for path, item := range s.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch,
			http.MethodDelete: item.Delete, http.MethodHead: item.Head, http.MethodOptions: item.Options,
		} {
			if op != nil {
				all = append(all, route{method, path, op})
			}
		}
	}
	return all
}

// role returns the role that a route needs according to the document.
func (r route) role() server.Role {
	if len(r.op.Security) == 1 && len(r.op.Security[0]["bearer"]) == 1 {
		return server.Role(r.op.Security[0]["bearer"][0])
	}
	return ""
}

// target returns a path that the route matches.
func (r route) target() string {
	return strings.NewReplacer("{id}", "n1", "{docId}", "0123456789abcdef-0123456789abcdef", "{seq}", "1").Replace(r.path)
}

func (r route) body() string {
	if r.method == http.MethodGet || r.method == http.MethodDelete {
		return ""
	}
	return "{}"
}

// header returns a body type that the route takes. A wrong type is rejected before the sender is identified.
func (r route) header() []string {
	if r.op.RequestBody == nil {
		return nil
	}
	types := slices.Sorted(maps.Keys(r.op.RequestBody.Content))
	return []string{"Content-Type", types[0]}
}

// Every route rejects every caller without its role.
func TestAccessMatrix(t *testing.T) {
	f := start(t)
	all := routes(f.server)
	if len(all) < 17 {
		t.Fatalf("only %d routes", len(all))
	}
	for _, r := range all {
		need := r.role()
		if need == "" {
			t.Errorf("%s %s: no role", r.method, r.path)
		}
		ask := func(who, token string) int {
			return f.send(f.request(r.method, r.target(), token, r.body(), r.header()...)).status
		}
		unknown, err := server.NewToken()
		if err != nil {
			t.Fatal(err)
		}
		for who, token := range map[string]string{
			"nobody": "", "an unknown token": unknown, "a hash": "sha256:" + strings.Repeat("0", 64), "a short token": "abc",
		} {
			if got := ask(who, token); got != http.StatusUnauthorized {
				t.Errorf("%s %s by %s: %d", r.method, r.path, who, got)
			}
		}
		for _, role := range roles {
			got := ask(string(role), f.tokens["news "+string(role)])
			refused := got == http.StatusUnauthorized || got == http.StatusForbidden
			if refused == (role == need || (role == server.Admin && need != server.Operator)) {
				t.Errorf("%s %s, which needs %s, by %s: %d", r.method, r.path, need, role, got)
			}
		}
		basic := f.request(r.method, r.target(), "", r.body(), append(r.header(), "Authorization", "Basic "+f.tokens["news admin"])...)
		if got := f.send(basic).status; got != http.StatusUnauthorized {
			t.Errorf("%s %s with another scheme: %d", r.method, r.path, got)
		}
	}
}

// Without a token file everybody on this machine submits and reads; the
// administrator's routes still need the token.
func TestAccessWithoutTokens(t *testing.T) {
	f := start(t, open)
	for _, r := range routes(f.server) {
		got := f.send(f.request(r.method, r.target(), "", r.body(), r.header()...)).status
		refused := got == http.StatusUnauthorized || got == http.StatusForbidden
		if refused != (r.role() == server.Moderate || r.role() == server.Admin || r.role() == server.Operator) {
			t.Errorf("%s %s: %d", r.method, r.path, got)
		}
	}
}

// A token of one tenant neither sees nor changes what another has.
func TestTenantsAreApart(t *testing.T) {
	f := start(t)
	ctx := t.Context()
	theirs := must[api.Answer](t)(f.client("news", server.Submit).Submit(ctx, api.Submission{Article: api.Article{NID: "n1", URL: "http://a.example", Title: "A title", Content: story(1)}}, ""))
	me := f.client("other", server.Admin)
	gone := func(what string, err error) {
		t.Helper()
		p, ok := err.(*api.Problem)
		if !ok || p.Status != http.StatusNotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := me.Article(ctx, "n1")
	gone("article", err)
	_, err = me.DocID(ctx, theirs.DocID, 0, 10)
	gone("docId", err)
	_, err = me.Delete(ctx, "n1")
	gone("delete", err)
	_, err = me.End(ctx, theirs.DocID)
	gone("end", err)
	_, err = me.Revise(ctx, "n1", api.Revision{Heat: new(int64)})
	gone("revise", err)
	_, err = me.Evidence(ctx, theirs.Seq)
	gone("evidence", err)
	if found := must[api.Found](t)(me.FindURL(ctx, "http://a.example")); len(found.DocIDs) != 0 {
		t.Errorf("found %v", found)
	}
	if groups := must[api.Groups](t)(me.DocIDs(ctx, 1, "", 10)); len(groups.Groups) != 0 {
		t.Errorf("groups %v", groups)
	}
	if log := must[api.Log](t)(me.Log(ctx, 0, 10)); len(log.Entries) != 0 {
		t.Errorf("log %v", log)
	}
	mine := must[api.Answer](t)(me.Submit(ctx, article("n1", story(1)), ""))
	if mine.Decision.Decision != "new" || mine.DocID == theirs.DocID {
		t.Errorf("the same article of another tenant: %+v", mine)
	}
	if _, err := f.client("news", server.Read).Article(ctx, "n1"); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

func TestReadTokens(t *testing.T) {
	token := must[string](t)(server.NewToken())
	if len(token) < 22 {
		t.Errorf("token %q has under 128 bits", token)
	}
	good := server.Line(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Submit, server.Read}})
	access, err := server.ReadTokens(strings.NewReader("# tokens\n\n" + good + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if g, ok := access.Find(token); !ok || g.Tenant != "news" || !g.Has(server.Read) || g.Has(server.Admin) {
		t.Errorf("grant %+v, %v", g, ok)
	}
	if _, ok := access.Find(token + "x"); ok {
		t.Error("another token was found")
	}
	if strings.Contains(good, token) {
		t.Error("the file holds the token")
	}
	for _, bad := range []string{
		"", "# only", "news submit", "news submit,root sha256:" + strings.Repeat("0", 64), "news submit " + strings.Repeat("0", 64),
		"news submit sha256:12", "../x submit sha256:" + strings.Repeat("0", 64), "news  sha256:" + strings.Repeat("0", 64),
	} {
		if _, err := server.ReadTokens(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func ExampleValidTenant() {
	fmt.Println(server.ValidTenant("news-cn"), server.ValidTenant("../news") != nil)
	// Output: <nil> true
}

// Tenants are listed once, in order, for any caller.
func ExampleAccess_Tenants() {
	lines := ""
	for _, tenant := range []string{"news", "blogs", "news"} {
		token, err := server.NewToken()
		if err != nil {
			fmt.Println(err)
			return
		}
		lines += server.Line(server.HashOf(token), server.Grant{Tenant: tenant, Roles: []server.Role{server.Read}}) + "\n"
	}
	access, err := server.ReadTokens(strings.NewReader(lines))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(access.Tenants())
	// Output: [blogs news]
}

// The access rules can be replaced. The new ones apply from the next request on, for the tenants that are
// open.
func TestSetAccess(t *testing.T) {
	f := start(t)
	a := &server.Access{}
	a.Allow(server.HashOf(f.tokens["news submit"]), server.Grant{Tenant: "news", Roles: []server.Role{server.Read}})
	a.Allow(server.HashOf(f.tokens["other read"]), server.Grant{Tenant: "third", Roles: []server.Role{server.Read}})
	if closed := f.server.SetAccess(a); len(closed) != 1 || closed[0] != "third" {
		t.Errorf("tenants that are not open: %v", closed)
	}
	for token, want := range map[string]int{"news submit": http.StatusOK, "news read": http.StatusUnauthorized, "other read": http.StatusUnauthorized} {
		if r := f.send(f.request(http.MethodGet, "/v1/stats", f.tokens[token], "")); r.status != want {
			t.Errorf("%s: %d, want %d", token, r.status, want)
		}
	}
}

func ExampleParseRoles() {
	fmt.Println(server.ParseRoles("submit,read"))
	fmt.Println(server.ParseRoles("owner"))
	// Output:
	// [submit read] <nil>
	// [] unknown role "owner" (want submit, read, moderate, admin or operator)
}
