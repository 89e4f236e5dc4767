package server_test

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// code returns the code of a problem, or "" if there is none.
func code(err error) string {
	if p, ok := err.(*api.Problem); ok {
		return p.Code()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestIdempotency(t *testing.T) {
	f := start(t)
	ctx, c := t.Context(), f.client("news", server.Submit)
	first := must[api.Answer](t)(c.Submit(ctx, article("", story(1)), "key-1"))
	again := must[api.Answer](t)(c.Submit(ctx, article("", story(1)), "key-1"))
	again.Replayed = false
	if again.Seq != first.Seq || again.DocID != first.DocID || !reflect.DeepEqual(again.Decision, first.Decision) {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if _, err := c.Submit(ctx, article("", story(2)), "key-1"); code(err) != api.CodeIdempotency {
		t.Errorf("same key, other content: %v", err)
	}
	other := must[api.Answer](t)(c.Submit(ctx, article("", story(1)), "key-2"))
	if other.Seq == first.Seq || other.DocID != first.DocID {
		t.Errorf("other key, same content: %+v", other)
	}
	byNID := must[api.Answer](t)(c.Submit(ctx, article("n1", story(3)), ""))
	if again := must[api.Answer](t)(c.Submit(ctx, article("n1", story(3)), "")); again.Seq != byNID.Seq || !again.Replayed {
		t.Errorf("same nid, same article: %+v", again)
	}
	if _, err := c.Submit(ctx, article("n1", story(4)), ""); code(err) != api.CodeNIDTaken {
		t.Errorf("same nid, other article: %v", err)
	}
	// Keys are dropped once they were kept long enough, not before.
	if err := f.server.Sweep(ctx, time.Now().Add(23*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Submit(ctx, article("", story(2)), "key-1"); code(err) != api.CodeIdempotency {
		t.Errorf("within a day: %v", err)
	}
	if err := f.server.Sweep(ctx, time.Now().Add(25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if a := must[api.Answer](t)(c.Submit(ctx, article("", story(2)), "key-1")); a.Replayed || a.Decision.Decision != neardup.New {
		t.Errorf("after a day: %+v", a)
	}
}

func TestBatch(t *testing.T) {
	f := start(t)
	c := f.client("news", server.Submit)
	entry := func(nid, content string) api.BatchEntry { return api.BatchEntry{Submission: article(nid, content)} }
	entries := []api.BatchEntry{entry("a", story(1)), entry("~x", story(2)), entry("b", story(1)+"more"), entry("", story(3)), entry("a", story(9))}
	got := must[api.BatchAnswer](t)(c.SubmitBatch(t.Context(), entries))
	if a := got.Answers; len(a) != 5 || a[0].Answer.Decision.Decision != neardup.New ||
		a[1].Problem.Code() != api.CodeInvalid || a[1].Problem.Errors[0].Location != "body.articles[1].id" ||
		a[2].Answer.Leader != "a" || a[3].Answer.ID != "~3" || a[4].Problem.Code() != api.CodeNIDTaken {
		t.Errorf("%+v", got)
	}
	if got.Seq != 3 || entries[3].IdempotencyKey != "" {
		t.Errorf("seq %d, caller's entry %+v", got.Seq, entries[3])
	}
	var many []api.BatchEntry
	for i := range 101 {
		many = append(many, entry(fmt.Sprint(i), "x"))
	}
	if _, err := c.SubmitBatch(t.Context(), many); code(err) == "" {
		t.Error("101 articles were taken")
	}
	if _, err := c.SubmitBatch(t.Context(), nil); code(err) == "" {
		t.Error("no article was taken")
	}
}

func TestLifeOfADocID(t *testing.T) {
	f := start(t)
	ctx, in, out, admin := t.Context(), f.client("news", server.Submit), f.client("news", server.Read), f.client("news", server.Admin)
	first := must[api.Answer](t)(in.Submit(ctx, api.Submission{Article: api.Article{
		NID: "..", URL: "http://a.example/1", Title: "A title", Content: story(1), Heat: 5, Media: "m1", PublishTime: "2026-11-21T10:00:00Z"}}, ""))
	second := must[api.Answer](t)(in.Submit(ctx, api.Submission{Article: api.Article{
		NID: "x\n\x00/{}?", Content: story(1) + " more", Heat: 9, Media: "m2", Category: "c", ImageCount: "3"}}, ""))
	if second.DocID != first.DocID || second.Leader != ".." || second.Similarity < .8 || second.Stage != docid.StageContent {
		t.Fatalf("second %+v", second)
	}
	member := must[api.MemberAnswer](t)(out.Article(ctx, "x\n\x00/{}?"))
	if member.DocID != first.DocID || member.Member.Evidence.Leader != ".." || member.Seq < 2 || member.Member.Content != "" {
		t.Errorf("member %+v", member)
	}
	if m := must[api.MemberAnswer](t)(out.Article(ctx, "..")); m.Member.PublishTime != "2026-11-21T10:00:00Z" {
		t.Errorf("member %+v", m)
	}
	group := must[api.Group](t)(out.DocID(ctx, first.DocID, 0, 1))
	if group.Size != 2 || group.Leader.ID != ".." || group.Kept.Media != "m2" || group.Kept.Content != story(1)+" more" || len(group.Members) != 1 || group.Next == 0 {
		t.Errorf("group %+v", group)
	}
	if rest := must[api.Group](t)(out.DocID(ctx, first.DocID, group.Next, 10)); len(rest.Members) != 1 || rest.Next != 0 || rest.Members[0].NID != "x\n\x00/{}?" {
		t.Errorf("rest %+v", rest)
	}
	heat := int64(20)
	if c := must[api.Change](t)(in.Revise(ctx, "..", api.Revision{Heat: &heat, Content: new(string)})); c.Seq != 3 || *c.Heat != 20 || c.DocID != first.DocID {
		t.Errorf("change %+v", c)
	}
	if g := must[api.Group](t)(out.DocID(ctx, first.DocID, 0, 1)); g.Kept.NID != ".." || g.Kept.Heat != 20 {
		t.Errorf("kept %+v", g.Kept)
	}
	if found := must[api.Found](t)(out.FindURL(ctx, "https://A.example/1/")); len(found.DocIDs) != 1 || found.DocIDs[0] != first.DocID {
		t.Errorf("found %+v", found)
	}
	if found := must[api.Found](t)(out.FindTitle(ctx, "a TITLE")); len(found.DocIDs) != 1 {
		t.Errorf("found %+v", found)
	}
	if e := must[api.Answer](t)(out.Evidence(ctx, 2)); e.DocID != second.DocID || e.Similarity != second.Similarity {
		t.Errorf("evidence %+v", e)
	}
	must[api.Change](t)(admin.Delete(ctx, ".."))
	if _, err := in.Revise(ctx, "none", api.Revision{Heat: &heat}); code(err) != api.CodeNotFound || !strings.Contains(err.Error(), `nid "none": not found`) {
		t.Errorf("an update of none: %v", err)
	}
	if _, err := out.Article(ctx, ".."); code(err) != api.CodeNotFound {
		t.Errorf("deleted: %v", err)
	}
	if a := must[api.Answer](t)(in.Submit(ctx, article("third", story(1)), "")); a.DocID != first.DocID {
		t.Errorf("the leader's text is deleted, the docId lives: %+v", a)
	}
	end := must[api.Change](t)(admin.End(ctx, first.DocID))
	if end.Kind != "end" || end.DocID != first.DocID {
		t.Errorf("end %+v", end)
	}
	if _, err := out.DocID(ctx, first.DocID, 0, 1); code(err) != api.CodeEnded {
		t.Errorf("ended: %v", err)
	}
	if _, err := admin.End(ctx, first.DocID); code(err) != api.CodeEnded {
		t.Errorf("ended twice: %v", err)
	}
	if a := must[api.Answer](t)(in.Submit(ctx, article("fourth", story(1)), "")); a.DocID == first.DocID || a.Decision.Decision != neardup.New {
		t.Errorf("after the end: %+v", a)
	}
	kinds := ""
	for _, e := range must[api.Log](t)(admin.Log(ctx, 0, 100)).Entries {
		kinds += e.Kind + " "
	}
	if kinds != "new duplicate update delete duplicate end new " {
		t.Errorf("log: %s", kinds)
	}
}

func TestCheckAndCompareStoreNothing(t *testing.T) {
	f := start(t)
	ctx, out := t.Context(), f.client("news", server.Read)
	must[api.Answer](t)(f.client("news", server.Submit).Submit(ctx, article("a", story(1)), ""))
	if a := must[api.Answer](t)(out.Check(ctx, article("b", story(1)+" more"))); a.Leader != "a" || a.DocID == "" || a.Seq != 1 {
		t.Errorf("check %+v", a)
	}
	if a := must[api.Answer](t)(out.Check(ctx, article("b", story(2)))); a.Decision.Decision != neardup.New || a.DocID != "" {
		t.Errorf("check %+v", a)
	}
	c := must[api.Comparison](t)(out.Compare(ctx, api.Pair{
		A: api.Article{URL: "http://a.example/?b=1&a=2", Title: "One", Content: story(1)},
		B: api.Article{URL: "http://a.example/?a=2&b=1", Title: "Two", Content: story(1) + " more"}}))
	if !c.URL.Near || c.Title.Near || !c.Content.Near || c.Content.Similarity == 1 {
		t.Errorf("compare %+v", c)
	}
	if s := must[api.Stats](t)(out.Stats(ctx)); s.Seq != 1 || s.Articles != 1 || s.DocIDs != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestGroupsBySize(t *testing.T) {
	f := start(t)
	ctx, in, out := t.Context(), f.client("news", server.Submit), f.client("news", server.Read)
	for family := range 7 {
		for copies := range family + 1 {
			must[api.Answer](t)(in.Submit(ctx, article(fmt.Sprintf("%d-%d", family, copies), story(family)), ""))
		}
	}
	var sizes []int
	for after := ""; ; {
		page := must[api.Groups](t)(out.DocIDs(ctx, 3, after, 2))
		for _, g := range page.Groups {
			sizes = append(sizes, g.Size)
		}
		after = page.Next
		if after == "" {
			break
		}
	}
	if fmt.Sprint(sizes) != "[7 6 5 4 3]" {
		t.Errorf("sizes %v", sizes)
	}
	if _, err := out.DocIDs(ctx, 1, "nonsense", 2); code(err) != api.CodeInvalid {
		t.Errorf("nonsense: %v", err)
	}
}

func TestTimeToLiveAndWindow(t *testing.T) {
	f := start(t)
	ctx, in := t.Context(), f.client("news", server.Submit)
	short := article("short", story(1))
	short.TTLSeconds = 60
	first := must[api.Answer](t)(in.Submit(ctx, short, ""))
	group := must[api.Group](t)(f.client("news", server.Read).DocID(ctx, first.DocID, 0, 1))
	if group.Expires == nil || time.Until(*group.Expires) > time.Minute {
		t.Errorf("expires %v", group.Expires)
	}
	if err := f.server.Sweep(ctx, time.Now().Add(59*time.Second)); err != nil {
		t.Fatal(err)
	}
	if a := must[api.Answer](t)(in.Submit(ctx, article("b", story(1)), "")); a.DocID != first.DocID {
		t.Errorf("before its time: %+v", a)
	}
	if err := f.server.Sweep(ctx, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if a := must[api.Answer](t)(in.Submit(ctx, article("c", story(1)), "")); a.Decision.Decision != neardup.New || a.DocID == first.DocID {
		t.Errorf("after its time: %+v", a)
	}
	recent := article("d", story(1))
	recent.WindowSeconds = 3600
	if a := must[api.Answer](t)(in.Submit(ctx, recent, "")); a.Decision.Decision != neardup.Duplicate {
		t.Errorf("within an hour: %+v", a)
	}
}

func TestQuota(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Settings = func(tenant string) docid.Settings {
			s := settings(tenant)
			if tenant == "news" {
				s.MaxMembers = 2
			}
			return s
		}
	})
	in := f.client("news", server.Submit)
	for i := range 3 {
		_, err := in.Submit(t.Context(), article(fmt.Sprint(i), story(i)), "")
		if got, want := code(err), map[bool]string{true: api.CodeQuota}[i == 2]; got != want {
			t.Errorf("article %d: %v", i, err)
		}
	}
	must[api.Answer](t)(f.client("other", server.Submit).Submit(t.Context(), article("x", story(1)), ""))
	if s := must[api.Stats](t)(f.client("news", server.Read).Stats(t.Context())); s.Quota != 2 {
		t.Errorf("stats %+v", s)
	}
}

func TestErrorsNameTheirPlace(t *testing.T) {
	f := start(t)
	role := map[string]server.Role{"/v1/check": server.Read, "/v1/rulings": server.Moderate, "/v1/articles/n/correct": server.Moderate}
	tests := []struct {
		path, body string
		status     int
		location   string
	}{
		{"/v1/articles", `{"nid":7}`, 422, "body.id"},
		{"/v1/articles", `{"nid":"a","colour":"red"}`, 422, "body.colour"},
		{"/v1/articles", `{"nid":"a","publishTime":"2026-13-01T00:00:00Z"}`, 422, "body.publishTime"},
		{"/v1/articles", `{"nid":"a","publishTime":"9999-01-01T00:00:00Z"}`, 422, "body.publishTime"},
		{"/v1/articles", `{"nid":"a","ttlSeconds":-1}`, 422, "body.ttlSeconds"},
		{"/v1/batch", `{"articles":[{"nid":"a"},{"nid":[]}]}`, 422, "body.articles[1].id"},
		{"/v1/articles", `{"nid":"a","ttlSeconds":3153600001}`, 422, "body.ttlSeconds"},
		{"/v1/check", `{"nid":"a","windowSeconds":-1}`, 422, "body.windowSeconds"},
		{"/v1/batch", `{}`, 422, "body.articles"},
		{"/v1/batch", `{"articles":[]}`, 422, "body.articles"},
		{"/v1/batch", `{"articles":[` + strings.Repeat(`{},`, 100) + `{}]}`, 422, "body.articles"},
		{"/v1/batch", `{"articles":[{},{"windowSeconds":3153600001}]}`, 200, ""},
		{"/v1/rulings", `{"a":"x","b":"y"}`, 422, "body.link"},
		{"/v1/rulings", `{"a":"x","b":"y","link":null}`, 200, ""},
		{"/v1/rulings", `{"a":"x","b":"y","link":7}`, 422, "body.link"},
		{"/v1/articles/n/correct", `{"colour":"red"}`, 422, "body.colour"},
		{"/v1/articles", `{"` + strings.Repeat("x", 1<<20) + `":1}`, 422, "body." + strings.Repeat("x", 195) + "..."},
	}
	for _, test := range tests {
		var p api.Problem
		r := f.do(cmp.Or(role[test.path], server.Submit), http.MethodPost, test.path, test.body)
		r.decode(t, &p)
		if r.status == http.StatusOK && test.status == r.status {
			continue
		}
		if r.status != test.status || len(p.Errors) == 0 || p.Errors[0].Location != test.location || r.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d %s %+v", test.path, test.body, r.status, r.header.Get("Content-Type"), p)
		}
	}
}

// Errors name a wrong kind of value in terms of JSON.
func TestErrorsNameTheKind(t *testing.T) {
	f := start(t)
	for body, want := range map[string]string{
		`{"heat":"7"}`:                   "is a string, not a whole number",
		`{"heat":1.5}`:                   "is not a whole number of 64 bits",
		`{"heat":9223372036854775808}`:   "is not a whole number of 64 bits",
		`{"content":5}`:                  "is a number, not a string",
		`{"title":["x"]}`:                "is a list, not a string",
		`{"nid":"a","url":{"href":"x"}}`: "is an object, not a string",
		`[]`:                             "is a list, not an object",
		`null`:                           "null does not fit",
	} {
		var p api.Problem
		f.do(server.Submit, http.MethodPost, "/v1/articles", body).decode(t, &p)
		if len(p.Errors) != 1 || p.Errors[0].Message != want {
			t.Errorf("%s: %+v, want %s", body, p.Errors, want)
		}
	}
}
