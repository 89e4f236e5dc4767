package docid_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
)

func add(t *testing.T, d *docid.Detector, s docid.Submission) docid.Answer {
	t.Helper()
	a, err := d.Add(t.Context(), s)
	if err != nil {
		t.Fatalf("add %q: %v", s.ID, err)
	}
	return a
}

func named(nid string, s docid.Submission) docid.Submission {
	s.ID = nid
	return s
}

func heated(heat int64, s docid.Submission) docid.Submission {
	s.Heat = heat
	return s
}

func group(t *testing.T, d *docid.Detector, docID string) docid.Group {
	t.Helper()
	g, err := d.Group(t.Context(), docID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func check[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

var cascade = docid.Settings{URL: docid.Exact, Title: docid.Exact, Content: docid.Near,
	ContentMethod: storetest.Maker(0.6), TitleAgrees: storetest.Maker(0.2)}

// TestRoundsForgetNothing: a title that matched in the first round is the
// hot title in the second; the equal text that the first round did not
// come to is found all the same.
func TestRoundsForgetNothing(t *testing.T) {
	d, index, other := interpose(t, cascade)
	text := storetest.Base(0)
	first := add(t, d, submission("", "News", text))
	for n := range docid.HotName - 1 {
		add(t, other, submission("", "News", storetest.Base(n+1)))
	}
	index.before = func(*docid.Change) error {
		index.before = nil
		add(t, other, submission("", "News", storetest.Base(1000)))
		return nil
	}
	again := add(t, d, submission("", "News", text))
	check(t, "stage", again.Stage, docid.StageContent)
	check(t, "rounds", again.Rounds, 2)
	check(t, "docId of the equal text", again.DocID, first.DocID)
}

// TestReplayComesFirst: a repeated request gets its first answer, even if the docId or bucket is full by now.
func TestReplayComesFirst(t *testing.T) {
	full := cascade
	full.MaxMembers = 1
	narrow := docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(0.9), MaxCandidates: 2}
	for name, set := range map[string]docid.Settings{"full": full, "hot": narrow} {
		d := service(t, set)
		sub := named("a", submission("", "", storetest.Base(0)+"common"))
		sub.Idempotency = "k"
		first := add(t, d, sub)
		var err error
		for n := 1; err == nil && n < 9; n++ {
			_, err = d.Add(t.Context(), submission("", "", storetest.Base(n)+"common"))
		}
		if !errors.Is(err, docid.ErrQuota) && !errors.Is(err, docid.ErrHotBucket) {
			t.Fatalf("%s: another article got %v", name, err)
		}
		for _, byKey := range []bool{true, false} {
			if !byKey {
				sub.Idempotency = ""
			}
			again := add(t, d, sub)
			check(t, name+": docId", again.DocID, first.DocID)
			check(t, name+": replayed", again.Replayed, true)
		}
	}
}

// TestHeatAndTextTogether: a change of text and one of heat that come together
// are both kept.
func TestHeatAndTextTogether(t *testing.T) {
	d, index, other := interpose(t, docid.Settings{Content: docid.Exact})
	add(t, d, named("a", heated(1, submission("", "", "one"))))
	index.before = func(*docid.Change) error {
		index.before = nil
		heat := int64(9)
		_, err := other.Update(t.Context(), "a", docid.Revision{Heat: &heat})
		return err
	}
	text := "two"
	e, err := d.Update(t.Context(), "a", docid.Revision{Text: &text})
	if err != nil {
		t.Fatal(err)
	}
	m, docID, err := d.Member(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "heat in the log", e.Heat, 9)
	check(t, "heat", m.Heat, 9)
	check(t, "text", group(t, d, docID).Kept.Text, "two")
}

// TestNoTextCapturesNoTitle: articles with contradictory texts do not join the same leader without text.
func TestNoTextCapturesNoTitle(t *testing.T) {
	bare := cascade
	bare.TitleAgrees = nil
	for name, set := range map[string]docid.Settings{"agrees": cascade, "title alone": bare} {
		d := service(t, set)
		empty := add(t, d, submission("", "Weekly report", ""))
		one := add(t, d, submission("", "Weekly report", storetest.Base(1)))
		if one.DocID == empty.DocID {
			t.Errorf("%s: an article with text joined one without by its title", name)
		}
		check(t, name+": without text again", add(t, d, submission("", "Weekly report", "")).DocID, empty.DocID)
	}
}

// TestUrlWithOtherContent: one url, one docId. An article that contradicts the leader is marked and never kept,
// however hot, even after an update. If agreement is required, it gets a docId of its own.
func TestUrlWithOtherContent(t *testing.T) {
	url, text, other := "http://a.example/1", storetest.Base(1), storetest.Base(2)
	d := service(t, cascade)
	first := add(t, d, named("a", submission(url, "", text)))
	second := add(t, d, named("b", heated(1<<62, submission(url, "", other))))
	check(t, "docId", second.DocID, first.DocID)
	check(t, "contents disagree", second.Disagrees, true)
	check(t, "kept", group(t, d, first.DocID).Kept.ID, "a")

	third := add(t, d, named("c", heated(5, submission(url, "", text[:110]+"##########"))))
	check(t, "like contents disagree", third.Disagrees, false)
	check(t, "kept", group(t, d, first.DocID).Kept.ID, "c")

	heat := int64(1 << 62)
	for _, nid := range []string{"b", "c"} {
		if _, err := d.Update(t.Context(), nid, docid.Revision{Heat: &heat, Text: &other}); err != nil {
			t.Fatal(err)
		}
		if kept := group(t, d, first.DocID).Kept; kept != nil && kept.Text == other {
			t.Errorf("after an update of %q the other content is kept", nid)
		}
	}

	strict := cascade
	strict.URLAgrees = storetest.Maker(0.2)
	d = service(t, strict)
	first = add(t, d, submission(url, "", text))
	second = add(t, d, submission(url, "", other))
	check(t, "with url agrees", second.Decision.Decision, neardup.New)
	check(t, "the first again", add(t, d, submission(url, "", text+"#")).DocID, first.DocID)
	check(t, "the second again", add(t, d, submission(url, "", other+"#")).DocID, second.DocID)
}

// TestSpecOfURLAgrees: the condition is part of the spec of an index. Without it the spec is unchanged.
func TestSpecOfURLAgrees(t *testing.T) {
	strict := docid.Settings{URL: docid.Exact, URLAgrees: storetest.Maker(0.2)}
	check(t, "without", service(t, docid.Settings{URL: docid.Exact}).Index().Identity().Spec,
		"cascade/1 clean=none url=exact title=off content=off")
	check(t, "with", service(t, strict).Index().Identity().Spec,
		"cascade/1 clean=none url=exact title=off content=off url-agrees=(grams/1 threshold=0.2)")
}

// TestNameOfALeader: once the leader's article is deleted its nid may be another
// article's, so nothing is called a duplicate of that.
func TestNameOfALeader(t *testing.T) {
	d, index, other := interpose(t, docid.Settings{Content: docid.Exact})
	first := add(t, d, named("a", submission("", "", "one")))
	check(t, "before", add(t, d, named("b", submission("", "", "one"))).Leader, "a")
	index.before = func(*docid.Change) error { // deleted and given again while the next is judged
		index.before = nil
		if _, err := other.Delete(t.Context(), "a"); err != nil {
			return err
		}
		_, err := other.Add(t.Context(), named("a", submission("", "", "quite another")))
		return err
	}
	c := add(t, d, named("c", submission("", "", "one")))
	want := fmt.Sprint("~", first.LeaderSeq)
	check(t, "after", c.Leader, want)
	check(t, "docId", c.DocID, first.DocID)
	checked, err := d.Check(t.Context(), submission("", "", "one"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "checked", checked.Leader, want)
	check(t, "leader of the docId", group(t, d, first.DocID).NID, want)
}

// TestHotterThanKept: an article without its text cannot be kept, but the docId reports that it is hotter. With
// its text it is kept.
func TestHotterThanKept(t *testing.T) {
	d := service(t, docid.Settings{Content: docid.Exact})
	docID := add(t, d, named("a", heated(5, submission("", "", "one")))).DocID
	add(t, d, named("b", heated(1, submission("", "", "one"))))
	update := func(nid string, heat int64, text *string) {
		t.Helper()
		if _, err := d.Update(t.Context(), nid, docid.Revision{Heat: &heat, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	state := func(want string) {
		t.Helper()
		g := group(t, d, docID)
		hotter := ""
		if g.Hotter != nil {
			hotter = fmt.Sprint(g.Hotter.ID, g.Hotter.Heat)
		}
		check(t, "kept, hotter", fmt.Sprint(g.Kept.ID, g.Kept.Heat, " ", hotter), want)
	}
	text := "one"
	state("a5 ")
	update("b", 10, nil)
	state("a5 b10")
	update("b", 3, nil)
	state("a5 ")
	update("a", 2, nil)
	state("a2 b3")
	update("b", 3, &text)
	state("b3 ")
}

// TestContended: a submission that always conflicts ends with ErrContended.
func TestContended(t *testing.T) {
	d, index, _ := interpose(t, docid.Settings{Content: docid.Exact})
	index.before = func(*docid.Change) error { return docid.ErrConflict }
	_, err := d.Add(t.Context(), submission("", "", "one"))
	if !errors.Is(err, docid.ErrContended) {
		t.Errorf("got %v", err)
	}
	check(t, "commits", index.commits.Load(), 100)
}
