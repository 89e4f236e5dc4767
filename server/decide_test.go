package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/browser"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// signIn opens the pages of a server with a token.
func signIn(t *testing.T, f *fixture, token string) *browser.Tab {
	t.Helper()
	tab := browser.Open(t, 1280)
	tab.Go(f.http.URL + "/ui/")
	tab.Wait("document.querySelector('#token')")
	browser.Eval[any](tab, fmt.Sprintf("(() => { const i = document.querySelector('#token'); i.value = %q; i.form.requestSubmit(); })()", token))
	tab.Wait("document.querySelectorAll('.row').length > 0")
	return tab
}

// A user who clicks faster than the server answers sees the last list, and no error of a cancelled one.
func TestImpatience(t *testing.T) {
	var access *server.Access
	f := start(t, func(c *server.Config) { access = c.Access })
	submit := f.client("news", server.Submit)
	for n := range 4 {
		must[api.Answer](t)(submit.Submit(t.Context(), article(fmt.Sprint("a", n), story(n)), ""))
		must[api.Answer](t)(submit.Submit(t.Context(), article(fmt.Sprint("b", n), story(n)+" and more"), ""))
	}
	token := must[string](t)(server.NewToken())
	access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Moderate, server.Read}, Name: "li"})
	tab := signIn(t, f, token)
	for range 20 {
		browser.Eval[any](tab, "(() => { for (let i = 0; i < 7; i++) document.querySelector('#undecided').click(); })()")
	}
	for range 3 {
		browser.Eval[any](tab, "(() => { for (const to of ['live', 'check', 'groups', 'live', 'groups']) location.hash = '#' + to; })()")
		tab.Press("l")
	}
	tab.Wait("document.querySelectorAll('.row').length === 4 && document.querySelector('main').dataset.ready === 'groups'")
	problems := tab.Problems()
	problems = slices.DeleteFunc(problems, func(s string) bool { return strings.HasPrefix(s, "network: ") }) // of signing in
	if len(problems) > 0 {
		t.Errorf("the page has %d problems: %q", len(problems), problems[0])
	}
}

// atSea is a text for people to look at.
const atSea = `The ferry left the harbour at seven in the morning with two hundred passengers, a cargo of oranges and the mail of three islands.
Nobody minded that the wind had turned to the north: the captain had seen worse, the cook had made soup, and the children counted gulls until noon.`

// If reading is open, as on loopback, a moderator signs in to decide. This also works in Chinese with the
// default method.
func TestSignInWhereReadingIsOpen(t *testing.T) {
	token := must[string](t)(server.NewToken())
	f := start(t, open, func(c *server.Config) {
		c.Access.Allow(server.HashOf(token), server.Grant{Tenant: "default", Roles: []server.Role{server.Moderate, server.Read}, Name: "李"})
	})
	for _, a := range []string{
		`{"nid":"first","content":"A quiet day at sea, and nobody minds.","title":"Sea","url":"http://a.example/sea"}`,
		`{"nid":"second","content":"A quiet day at sea and nobody minds it."}`,
		`{"nid":"third","content":"A quiet day at sea and nobody minds it.","title":"Sea"}`,
		`{"nid":"fourth","content":"A day at sea","url":"http://a.example/sea"}`,
	} {
		f.send(f.request("POST", "/v1/articles", "", a))
	}
	tab := browser.Open(t, 1280)
	tab.Go(f.http.URL)
	tab.Wait("document.querySelectorAll('.row').length > 0")
	browser.Eval[any](tab, "[...document.querySelectorAll('header button')].find((b) => b.innerText === 'Sign in').click()")
	tab.Wait("document.querySelector('#token')")
	browser.Eval[any](tab, fmt.Sprintf("(() => { const i = document.querySelector('#token'); i.value = %q; i.form.requestSubmit(); })()", token))
	tab.Wait("document.querySelector('header')?.innerText.includes('李')")
	// Keys are obeyed in their order, however slowly the server answers.
	browser.Eval[any](tab, "(() => { const f = fetch; window.fetch = async (...a) => { await new Promise((ok) => setTimeout(ok, 300)); return f(...a); }; })()")
	tab.Press("lj\r")
	tab.Wait("document.querySelector('.verdicts')")
	for _, basis := range []string{"按词语证据估计的概率", "标题相同", "网址相同"} {
		tab.Wait(fmt.Sprintf("[...document.querySelectorAll('.evidence')].map((e) => e.innerText).join().includes(%q)", basis))
	}
}

// TestModeratorsKeys presses d, D, j and z on a wide and a narrow screen: z takes back a whole D, and nothing covers what
// is selected. Without a token that moderates, keys say what they need.
func TestModeratorsKeys(t *testing.T) {
	const marked = "document.querySelectorAll('.member[data-verdict=duplicate]').length === %d"
	var access *server.Access
	f := start(t, func(c *server.Config) { access = c.Access })
	submit := f.client("news", server.Submit)
	for i := range 4 {
		must[api.Answer](t)(submit.Submit(t.Context(), article(fmt.Sprint("a", i), atSea+strings.Repeat(" And so on.", i)), ""))
	}
	grant := func(roles ...server.Role) string {
		token := must[string](t)(server.NewToken())
		access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: roles, Name: "li"})
		return token
	}
	enter := func(width int64, token string) *browser.Tab {
		tab := signIn(t, f, token)
		tab.Width(width)
		tab.Press("j\r")
		tab.Wait("document.querySelectorAll('.member').length === 4")
		return tab
	}
	moderates := grant(server.Moderate, server.Read)
	for _, width := range []int64{1280, 390} {
		tab := enter(width, moderates)
		for _, c := range []struct {
			keys   string
			marked int
			at     int // the selected member, from 0
		}{{"jd", 1, 1}, {"j", 1, 2}, {"D", 3, 2}, {"z", 1, 2}, {"z", 0, 1}, {"D", 3, 1}, {"D", 0, 1}} {
			tab.Press(c.keys)
			tab.Wait(fmt.Sprintf(marked, c.marked))
			tab.Wait(fmt.Sprintf("[...document.querySelectorAll('.member')].findIndex((m) => m.classList.contains('at')) === %d", c.at))
			if hidden := browser.Eval[bool](tab, "document.querySelector('.member.at').getBoundingClientRect().top < document.querySelector('.tools').getBoundingClientRect().bottom"); hidden {
				t.Errorf("%d wide: %s hides the selected member", width, c.keys)
			}
		}
		reader := enter(width, grant(server.Read))
		for _, key := range []string{"d", "D", "z", "m"} {
			browser.Eval[any](reader, "document.querySelector('.toast').innerText = ''")
			reader.Press(key)
			reader.Wait("document.querySelector('.toast').innerText.includes('Sign in with the role moderate')")
		}
		reader.Wait(fmt.Sprintf(marked, 0))
	}
}

// A moderator decides under /ui: by keys, kept on the server under the name of
// the token, obeyed from then on, and saved as files that others obey; and moves
// an article to a docId of its own, and back.
func TestDecidingOnPages(t *testing.T) {
	var access *server.Access
	f := start(t, func(c *server.Config) { access = c.Access })
	ctx, submit := t.Context(), f.client("news", server.Submit)
	li := moderator(t, f, access)
	token := must[string](t)(server.NewToken())
	access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Moderate, server.Read}, Name: "王"})
	bad := `<img src=x onerror="window.pwned=1">`
	for i, nid := range []string{"first", "second", "third" + bad} {
		a := article(nid, atSea+strings.Repeat(" And so on.", i))
		a.Title = []string{"A quiet day", "A quiet day at sea", bad}[i]
		must[api.Answer](t)(submit.Submit(ctx, a, ""))
	}
	tab := signIn(t, f, token)
	saved := func(n int) []api.RulingEntry {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // the page may show it first
			r := must[api.Rulings](t)(li.Rulings(ctx, 0, 100))
			if len(r.Rulings) == n {
				return r.Rulings
			}
			if time.Now().After(end) {
				t.Fatalf("%d rulings are kept, want %d: %+v", len(r.Rulings), n, r.Rulings)
			}
		}
	}
	pressed := func(nid, verdict string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.member')].some((m) => m.getAttribute('aria-label').includes(%q) && m.dataset.verdict === %q)", nid, verdict)
	}
	tab.Press("j\r")
	tab.Wait("document.querySelectorAll('.member').length === 3")
	tab.Press("jd")
	tab.Wait(pressed("second", "duplicate"))
	tab.Press("jn")
	tab.Wait(pressed("third", "different"))
	rulings := saved(2)
	if r := rulings[0]; r.A != "first" || r.B != "second" || r.Link != "must" || r.Who != "王" {
		t.Errorf("by d: %+v", r)
	}
	if r := rulings[1]; r.B != "third"+bad || r.Link != "cannot" {
		t.Errorf("by n: %+v", r)
	}
	tab.Press("u")
	tab.Wait(pressed("third", "unsure"))
	tab.Press("z")
	tab.Wait(pressed("third", "different"))
	if r := saved(4)[3]; r.Link != "cannot" || r.Was != "unsure" {
		t.Errorf("undone: %+v", r)
	}
	for _, x := range tab.Axe() {
		t.Errorf("a group: %s", x)
	}
	tab.Pictures("deciding")

	// The page of another moderator shows them with the name.
	must[api.Ruled](t)(li.Rule(ctx, api.Ruling{A: "second", B: "first", Link: "cannot", Why: "read both"}))
	tab.Go("about:blank") // and load it again
	tab.Go(f.http.URL + "/ui/#decide")
	tab.Wait("document.querySelectorAll('.decisions tbody tr').length === 5")
	tab.Wait("['li', '王'].every((who) => document.querySelector('.decisions').innerText.includes(who))")
	for _, x := range tab.Axe() {
		t.Errorf("decisions: %s", x)
	}
	browser.Eval[any](tab, "document.activeElement.blur()")
	tab.Press("e")
	set, err := override.Read(strings.NewReader(tab.Saved("overrides.jsonl")))
	if err != nil || set.Len() != 2 || !slices.Equal(set.Partners("first", override.Cannot), []string{"second", "third" + bad}) {
		t.Errorf("saved %v, %v", set, err)
	}
	// What comes later obeys.
	a := article("third"+bad+"?", atSea)
	must[api.Ruled](t)(li.Rule(ctx, api.Ruling{A: "first", B: a.NID, Link: "cannot"}))
	if got := must[api.Answer](t)(submit.Submit(ctx, a, "")); got.Leader == "first" {
		t.Errorf("what cannot be linked: %+v", got)
	}

	moved(t, f, tab, li)
	keptAnother(t, f, access)
	for _, p := range tab.Problems() {
		if !strings.Contains(p, "401") && !strings.Contains(p, "404") && !strings.Contains(p, "422") && !strings.Contains(p, "409") {
			t.Error(p)
		}
	}
	if browser.Eval[bool](tab, "'pwned' in window || !!document.querySelector('main img')") {
		t.Error("a text did something")
	}
	for _, u := range tab.Requests() {
		if !strings.HasPrefix(u, f.http.URL+"/") && !strings.HasPrefix(u, "blob:") {
			t.Errorf("it asked for %s", u)
		}
	}
}

// moved moves the second article in the tab: refused without its text, then with
// it, and back.
func moved(t *testing.T, f *fixture, tab *browser.Tab, c *api.Client) {
	t.Helper()
	before := must[api.MemberAnswer](t)(c.Article(t.Context(), "second")).DocID
	at := func() string { return must[api.MemberAnswer](t)(c.Article(t.Context(), "second")).DocID }
	tab.Go(f.http.URL + "/ui/#groups/" + before)
	tab.Wait("document.querySelectorAll('.member').length === 3")
	tab.Press("jm")
	tab.Wait("document.querySelector('#move-to')")
	for _, x := range tab.Axe() {
		t.Errorf("the dialog: %s", x)
	}
	browser.Eval[any](tab, "document.querySelector('#move-to').value = ''") // the driver types the key that opened the dialog, handled or not
	browser.Eval[any](tab, "document.querySelector('.move form').requestSubmit()")
	tab.Wait("document.querySelector('.move [role=alert]')?.innerText.includes('send it in the request')")
	browser.Eval[any](tab, fmt.Sprintf("(() => { document.querySelector('#move-text').value = %q; document.querySelector('#move-why').value = 'another day <b>'; document.querySelector('.move form').requestSubmit(); })()", atSea+" And so on."))
	tab.Wait("!document.querySelector('.move') && document.querySelectorAll('.member').length === 2")
	own := at()
	if own == before {
		t.Fatal("it was not moved")
	}
	tab.Go(f.http.URL + "/ui/#groups/" + own)
	tab.Wait("document.querySelector('.moved')?.innerText.includes('another day <b>')")
	if got := browser.Eval[string](tab, "document.querySelector('.moved').innerText"); !strings.Contains(got, "王") || !strings.Contains(got, before) {
		t.Errorf("it says %s", got)
	}
	for _, x := range tab.Axe() {
		t.Errorf("what was moved: %s", x)
	}
	tab.Pictures("moved")
	tab.Press("l")
	tab.Wait("document.querySelector('.moved')?.innerText.includes('移自')")
	tab.Press("l")
	tab.Wait("document.querySelector('.moved')?.innerText.includes('Move back')")
	browser.Eval[any](tab, "document.querySelector('.moved button').click()")
	tab.Wait("document.querySelector('.member') && !document.querySelector('.moved')")
	if at() != before {
		t.Error("it was not moved back")
	}
}

// keptAnother makes the service keep another article of a docId, by its text. It also decides on a whole
// group.
func keptAnother(t *testing.T, f *fixture, access *server.Access) {
	t.Helper()
	token := must[string](t)(server.NewToken())
	access.Allow(server.HashOf(token), server.Grant{Tenant: "news", Roles: []server.Role{server.Moderate, server.Read, server.Submit}, Name: "zhou"})
	c := f.client("news", server.Read)
	at := must[api.MemberAnswer](t)(c.Article(t.Context(), "first")).DocID
	tab := signIn(t, f, token)
	tab.Go(f.http.URL + "/ui/#groups/" + at)
	tab.Wait("document.querySelectorAll('.member').length >= 2")
	browser.Eval[any](tab, "[...document.querySelectorAll('.member')].find((m) => m.getAttribute('aria-label').includes('third')).querySelector('.verdicts button:last-of-type').click()")
	tab.Wait("document.querySelector('#keep-text')")
	third := atSea + " And so on, and on."
	browser.Eval[any](tab, fmt.Sprintf("(() => { const k = document.querySelector('#keep-text'); k.value = %q; k.form.requestSubmit(); })()", third))
	tab.Wait("document.querySelector('.member.kept .text')?.innerText.endsWith('so on, and on.')")
	if g := must[api.Group](t)(c.DocID(t.Context(), at, 0, 10)); g.Kept == nil || !strings.HasPrefix(g.Kept.NID, "third") {
		t.Errorf("kept: %+v", g.Kept)
	}
	browser.Eval[any](tab, "document.querySelector('.verdict[aria-pressed]') && document.activeElement.blur()")
	tab.Wait("document.querySelector('.whole [role=status]')")
	for _, p := range tab.Problems() {
		if !strings.Contains(p, "401") && !strings.Contains(p, "404") {
			t.Error(p)
		}
	}
}
