package server_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/test/browser"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// The page is public. It requires only the address of the server, has a strict policy and contains no data.
func TestPageHasAStrictPolicy(t *testing.T) {
	f := start(t)
	r, err := http.Get(f.http.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	policy := r.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || r.Header.Get("Set-Cookie") != "" || r.StatusCode != http.StatusOK {
		t.Error(r.Status, policy)
	}
}

// What a token may see: the figures of its tenant, and those of the server
// only with the role operator.
func TestLiveShowsWhatTheRoleAllows(t *testing.T) {
	f := start(t)
	must[api.Answer](t)(f.client("news", server.Submit).Submit(t.Context(), article("a", story(1)), ""))
	names := func(tenant string, role server.Role) (all string, status int) {
		r := f.send(f.request(http.MethodGet, "/v1/live", f.tokens[tenant+" "+string(role)], ""))
		var live api.Live
		if r.status == http.StatusOK {
			r.decode(t, &live)
		}
		for _, m := range live.Metrics {
			all += fmt.Sprint(m.Name, m.Labels, "\n")
		}
		return all, r.status
	}
	if got, _ := names("news", server.Read); !strings.Contains(got, "neardup_decisions_totalmap[decision:new stage:none tenant:news]") || strings.Contains(got, "tenant:other") || strings.Contains(got, "request_seconds") {
		t.Errorf("a reader sees\n%s", got)
	}
	if _, status := names("news", server.Submit); status != http.StatusForbidden {
		t.Errorf("a submitter gets %d", status)
	}
	var me api.Caller
	f.send(f.request(http.MethodGet, "/v1/me", f.tokens["other admin"], "")).decode(t, &me)
	if me.Tenant != "other" || strings.Join(me.Roles, " ") != "submit read moderate admin" {
		t.Errorf("me: %+v", me)
	}
}

// A person signs in, looks at the groups, compares two texts, asks the index,
// and watches; texts that look like markup stay texts.
func TestPagesOfTheService(t *testing.T) {
	inspected := api.Inspection{
		Conflicts:    []neardup.Conflict{{Kind: "number", A: "13", B: "31", Bits: -4.4}, {Kind: "held", Bits: 2.1}},
		Measured:     api.Measured{Runes: [2]int{5, 6}, Scales: []api.Scale{{Name: "jaccard of auto:3", Similarity: .5}}, Hamming: 1},
		Fingerprints: [2]string{"00000000000000ff", "00000000000000fe"}, Keywords: [2][]api.Keyword{{{Word: "fox", Weight: 255}}, {{Word: "dog", Weight: 9}}},
	}
	f := start(t, func(c *server.Config) {
		c.Inspect = func(context.Context, string, string) (api.Inspection, error) { return inspected, nil }
	})
	in := f.client("news", server.Submit)
	bad := `<img src=x onerror="window.pwned=1"><script>pwned=1</script>`
	for i := range 3 {
		a := article(fmt.Sprint("n", i, bad), story(1)+strings.Repeat("!", i))
		a.Title, a.URL = fmt.Sprint(bad, i), fmt.Sprint("http://a.example/", i, bad)
		must[api.Answer](t)(in.Submit(t.Context(), a, ""))
	}
	tab := browser.Open(t, 1280)
	tab.Go(f.http.URL + "/ui/")
	enter := func(token string) {
		tab.Wait("document.querySelector('#token')")
		browser.Eval[any](tab, fmt.Sprintf("(() => { const i = document.querySelector('#token'); i.value = %q; i.form.requestSubmit(); })()", token))
	}
	enter("ключ")
	tab.Wait("document.querySelector('[role=alert]')")
	enter("\u201c" + f.tokens["news read"] + "\u201d\u00a0") // as pasted
	tab.Wait("document.querySelectorAll('.row').length === 1")
	if got := browser.Eval[string](tab, "sessionStorage.getItem('neardup token') + document.cookie + localStorage.getItem('neardup token')"); got != f.tokens["news read"]+"null" {
		t.Error("the token is not in the tab alone")
	}
	look := func(what string) {
		for _, x := range tab.Axe() {
			t.Errorf("%s: %s", what, x)
		}
	}
	tab.Press("j\r")
	tab.Wait("document.querySelectorAll('.member').length === 3")
	look("groups")
	if got := browser.Eval[string](tab, "document.querySelector('#search').placeholder"); got != "Find by nid, or by a whole address or title" {
		t.Errorf("the search says %q", got)
	}
	tab.Press("2")
	tab.Wait("document.querySelector('#text-a')")
	browser.Eval[any](tab, `(() => { document.querySelector('#text-a').value = 'a quick fox'; document.querySelector('#text-b').value = 'a quick dog <b>'; document.querySelector('form').requestSubmit(); })()`)
	tab.Wait("document.querySelectorAll('.bits').length === 2")
	if got := browser.Eval[string](tab, "[...document.querySelectorAll('.bits .differs')].length + document.querySelector('main').innerText"); !strings.HasPrefix(got, "2") || !strings.Contains(got, "fox") || !strings.Contains(got, "0.5000") || !strings.Contains(got, "number: 13 → 31 (-4.4)") || strings.Contains(got, "held") {
		t.Errorf("Check shows %s", got)
	}
	if !strings.Contains(browser.Eval[string](tab, "decodeURIComponent(location.hash)"), `["a quick fox","a quick dog <b>"]`) {
		t.Error("no link keeps the texts")
	}
	look("check")
	browser.Eval[any](tab, fmt.Sprintf(`(() => { document.querySelector('#text-a').value = %q; document.querySelector('#text-b').value = ''; document.querySelector('form').requestSubmit(); })()`, story(1)))
	tab.Wait("document.querySelector('.result a[href^=\"#groups/\"]')")
	tab.Press("\x1b")
	browser.Eval[any](tab, "document.activeElement.blur()")
	tab.Press("3")
	tab.Wait("document.querySelector('.live .card')")
	tab.Wait("document.querySelector('.live').innerText.includes('duplicate · content')")
	look("live")
	tab.Press("4")
	tab.Wait("document.querySelector('main').innerText.includes('POST /v1/near')")
	if got := browser.Eval[string](tab, "document.querySelector('main').innerText"); !strings.Contains(got, "-d '{\"id\":\"17\",\"text\":") {
		t.Errorf("API shows %.2000s", got)
	}
	look("api")
	for _, u := range tab.Requests() {
		if !strings.HasPrefix(u, f.http.URL+"/") {
			t.Errorf("it asked for %s", u)
		}
	}
	for _, p := range tab.Problems() {
		if !strings.Contains(p, "401") && !strings.Contains(p, "404") { // a token that is none; a look-up that finds none
			t.Error(p)
		}
	}
	if browser.Eval[bool](tab, "'pwned' in window || !!document.querySelector('main img, main script')") {
		t.Error("a text did something")
	}
}

// An inspection takes a place among the long judgements, so one client never uses all processors. A waiting
// request fails when its time is over.
func TestInspectionsTakePlaces(t *testing.T) {
	inspecting, done := make(chan struct{}, 100), make(chan struct{})
	f := start(t, func(c *server.Config) {
		c.Limits.Deadline = 200 * time.Millisecond
		c.Inspect = func(context.Context, string, string) (api.Inspection, error) {
			inspecting <- struct{}{}
			<-done
			return api.Inspection{}, nil
		}
	})
	release := f.takePlaces(inspecting, done)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if r := f.do(server.Read, http.MethodPost, "/v1/inspect", `{"a":"x","b":"y"}`); r.status != http.StatusServiceUnavailable {
				t.Errorf("%d: %s", r.status, r.body)
			}
		})
	}
	all.Wait()
	if n := len(inspecting); n > 0 {
		t.Errorf("%d more than there are places inspected", n)
	}
	release()
}

// takePlaces makes requests inspect in all places, until release is called.
func (f *fixture) takePlaces(inspecting, done chan struct{}) (release func()) {
	f.Helper()
	var all sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		in := make(chan struct{})
		all.Go(func() {
			for { // on a busy machine a request is over before it gets there
				f.do(server.Read, http.MethodPost, "/v1/inspect", `{"a":"x","b":"y"}`)
				select {
				case <-in:
					return
				default:
				}
			}
		})
		<-inspecting
		close(in)
	}
	return func() {
		close(done)
		all.Wait()
	}
}

// Comparing two articles waits for a place as inspecting does, and no longer than its request lasts.
func TestComparisonsTakePlaces(t *testing.T) {
	inspecting, done := make(chan struct{}, 100), make(chan struct{})
	f := start(t, func(c *server.Config) {
		c.Limits.Deadline = 200 * time.Millisecond
		c.Inspect = func(context.Context, string, string) (api.Inspection, error) {
			inspecting <- struct{}{}
			<-done
			return api.Inspection{}, nil
		}
	})
	release := f.takePlaces(inspecting, done)
	const pair = `{"a":{"content":"one text"},"b":{"content":"another text"}}`
	if r := f.do(server.Read, http.MethodPost, "/v1/compare", pair); r.status != http.StatusServiceUnavailable {
		t.Errorf("while all places are taken: %d: %s", r.status, r.body)
	}
	release()
	r := f.do(server.Read, http.MethodPost, "/v1/compare", pair)
	for end := time.Now().Add(time.Minute); r.status == http.StatusServiceUnavailable && time.Now().Before(end); { // it was over before
		r = f.do(server.Read, http.MethodPost, "/v1/compare", pair)
	}
	if r.status != http.StatusOK {
		t.Errorf("%d: %s", r.status, r.body)
	}
}
