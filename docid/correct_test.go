package docid_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/override"
)

// Three texts: near is near to leader, and closer to follower.
const (
	leaderText   = "one two three four five six seven eight nine ten eleven twelve"
	followerText = "one two three four five six seven eight nine ten eleven other"
	otherText    = "quite another story about a fox that jumps over dogs today here"
)

func correct(t *testing.T, d *docid.Detector, c docid.Correcting) docid.Moved {
	t.Helper()
	c.Who, c.Why = "li", "read it"
	m, err := d.Correct(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// at returns the docId of an article.
func at(t *testing.T, d *docid.Detector, nid string) string {
	t.Helper()
	_, id, err := d.Member(t.Context(), nid)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// grouped returns a service with a leader, a follower and another docId.
func grouped(t *testing.T) (d *docid.Detector, one, other string) {
	t.Helper()
	d = service(t, docid.Settings{URL: docid.Exact, Content: docid.Near, ContentMethod: storetest.Maker(.5)})
	one = add(t, d, named("leader", submission("http://x.example/1", "", leaderText))).DocID
	if id := add(t, d, named("follower", submission("http://x.example/2", "", followerText))).DocID; id != one {
		t.Fatal("the follower follows nobody")
	}
	return d, one, add(t, d, named("other", submission("", "", otherText))).DocID
}

// A follower is moved to a docId of its own, which needs its text: later articles
// go to whichever text they are closer to; a second correction undoes the first.
func TestCorrectToADocIDOfItsOwn(t *testing.T) {
	d, one, _ := grouped(t)
	if _, err := d.Correct(t.Context(), docid.Correcting{NID: "follower"}); !errors.Is(err, docid.ErrTextUnknown) {
		t.Errorf("without its text: %v", err)
	}
	text := followerText
	m := correct(t, d, docid.Correcting{NID: "follower", Text: &text})
	if m.DocID == one || m.Before != one || m.Who != "li" || m.Why != "read it" || at(t, d, "follower") != m.DocID {
		t.Errorf("moved: %+v", m)
	}
	g, err := d.Group(t.Context(), m.DocID, 0, 10)
	if err != nil || g.Kept == nil || g.Kept.Text != followerText || g.NID != "follower" || len(g.Members) != 1 {
		t.Errorf("its own docId: %+v, %v", g, err)
	}
	if a := add(t, d, named("like follower", submission("", "", followerText+" today"))); a.DocID != m.DocID || a.Leader != "follower" {
		t.Errorf("what is like it: %+v", a)
	}
	if a := add(t, d, named("like leader", submission("", "", leaderText))); a.DocID != one {
		t.Errorf("what is like the leader: %+v", a)
	}
	// The same article again is answered as it was, with the docId of now.
	again := add(t, d, named("follower", submission("http://x.example/2", "", followerText)))
	if again.DocID != m.DocID || !again.Replayed || again.Decision.Decision != neardup.Duplicate || again.Corrected == nil || again.Corrected.Before != one {
		t.Errorf("sent again: %+v", again)
	}
	if again := correct(t, d, docid.Correcting{NID: "follower"}); !again.Unchanged || again.Seq != m.Seq {
		t.Errorf("the same correction again: %+v", again)
	}
	back := correct(t, d, docid.Correcting{NID: "follower", With: "leader"})
	if back.DocID != one || back.Before != m.DocID {
		t.Errorf("undone: %+v", back)
	}
	// What was found near it follows it from now on; what was answered stays.
	if a := add(t, d, named("like follower 2", submission("", "", followerText+" now"))); a.DocID != one {
		t.Errorf("what is like it, once it is back: %+v", a)
	}
	if at(t, d, "like follower") != m.DocID {
		t.Error("an answer of before was moved along")
	}
	if again := correct(t, d, docid.Correcting{NID: "follower"}); again.DocID != m.DocID {
		t.Errorf("to its own once more, which needs no text: %+v", again)
	}
}

// The articles of a docId were compared with its leader, so it cannot be separated from them. It may join
// another docId, and articles that are like it follow.
func TestCorrectALeader(t *testing.T) {
	d, one, other := grouped(t)
	if _, err := d.Correct(t.Context(), docid.Correcting{NID: "leader"}); !errors.Is(err, docid.ErrLeads) {
		t.Errorf("a leader to a docId of its own: %v", err)
	}
	m := correct(t, d, docid.Correcting{NID: "leader", With: "other"})
	if m.DocID != other || at(t, d, "follower") != one {
		t.Errorf("moved %+v, its follower is in %s", m, at(t, d, "follower"))
	}
	if g, err := d.Group(t.Context(), one, 0, 10); err != nil || g.Size != 1 || g.Kept != nil {
		t.Errorf("what it left: %+v, %v", g, err)
	}
	if a := add(t, d, named("copy", submission("", "", leaderText))); a.DocID != other || a.Leader != "leader" || a.Similarity != 1 {
		t.Errorf("a copy of it: %+v", a)
	}
	if a, err := d.Check(t.Context(), named("by url", submission("http://x.example/1", "", leaderText))); err != nil || a.DocID != other || a.Stage != docid.StageURL {
		t.Errorf("checked by its url: %+v, %v", a, err)
	}
	if back := correct(t, d, docid.Correcting{NID: "leader"}); back.DocID != one {
		t.Errorf("to its own docId again: %+v", back)
	}
	if a := add(t, d, named("copy 2", submission("", "", leaderText))); a.DocID != one {
		t.Errorf("a copy, once it is back: %+v", a)
	}
	correct(t, d, docid.Correcting{NID: "leader", DocID: other})
	if _, err := d.End(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Correct(t.Context(), docid.Correcting{NID: "leader", With: "follower"}); !errors.Is(err, docid.ErrNotFound) {
		t.Errorf("an article of a docId that ended: %v", err)
	}
	if a := add(t, d, named("copy 3", submission("", "", leaderText))); a.DocID != one || !strings.HasPrefix(a.Leader, "~") {
		t.Errorf("a copy, once the article is gone: %+v", a)
	}
}

// TestNoStore: a detector of no store is an error, no panic.
func TestNoStore(t *testing.T) {
	if _, err := docid.NewDetector(t.Context(), nil, "tenant", docid.Settings{}); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("no store: %v", err)
	}
}

func TestCorrectRefuses(t *testing.T) {
	d, one, other := grouped(t)
	const forged = "0123456789abcdef-0123456789abcdef"
	for name, c := range map[string]struct {
		docid.Correcting
		want error
		gone string // what is not there
	}{
		"an article that is not there":     {docid.Correcting{NID: "?", DocID: one}, docid.ErrNotFound, "?"},
		"to an article that is not there":  {docid.Correcting{NID: "follower", With: "?"}, docid.ErrNotFound, "?"},
		"to itself":                        {docid.Correcting{NID: "follower", With: "follower"}, docid.ErrInvalid, "follower"},
		"to two places":                    {docid.Correcting{NID: "follower", With: "other", DocID: other}, docid.ErrInvalid, "follower"},
		"to a forged docId":                {docid.Correcting{NID: "follower", DocID: forged}, docid.ErrNotFound, forged},
		"where it is, as another leads it": {docid.Correcting{NID: "follower", With: "leader"}, nil, ""},
	} {
		m, err := d.Correct(t.Context(), c.Correcting)
		if !errors.Is(err, c.want) || (err == nil && !m.Unchanged) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		if err != nil && !strings.Contains(err.Error(), strconv.Quote(c.gone)) {
			t.Errorf("%s: which is not said: %v", name, err)
		}
	}
	if _, err := d.End(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Correct(t.Context(), docid.Correcting{NID: "follower", DocID: other}); !errors.Is(err, docid.ErrEnded) {
		t.Errorf("to a docId that has ended: %v", err)
	}
}

// TestRulingsAsInABatch: a ruling made before the later article of its pair arrived acts as if the index had
// been made with it.
func TestRulingsAsInABatch(t *testing.T) {
	ruled := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		docs := drawn(rng)
		set, before := &override.Set{}, map[int][]override.Ruling{} // by the document before which it is made
		for range 12 {
			a, b := rng.IntN(25), rng.IntN(25)
			if a == b {
				continue
			}
			r := override.Ruling{A: docs[a].ID, B: docs[b].ID, Link: []override.Link{override.Must, override.Cannot}[rng.IntN(2)]}
			if slices.Contains(slices.Concat(set.Partners(r.A, override.Must), set.Partners(r.A, override.Cannot)), r.B) {
				continue
			}
			if err := set.Add(r); err != nil {
				t.Fatal(err)
			}
			when := rng.IntN(max(a, b) + 1)
			before[when] = append(before[when], r)
		}
		want, n := batched(t, docs, set)
		ruled += n
		d := service(t, docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(.4)})
		for i, doc := range docs {
			for _, r := range before[i] {
				if _, err := d.Rule(t.Context(), r.A, r.B, docid.Ruling{Link: r.Link}); err != nil {
					t.Fatal(err)
				}
			}
			a := add(t, d, named(doc.ID, submission("", "", doc.Text)))
			if got := a.Leader + " " + a.Basis; got != want[doc.ID] {
				t.Fatalf("seed %d, %s: %q, in a batch %q", seed, doc.ID, got, want[doc.ID])
			}
		}
	}
	if ruled < 40 {
		t.Errorf("only %d documents were moved by a ruling", ruled)
	}
}

// A ruling is obeyed by every detector of the index, and one that was taken back
// by none; what the index was made with comes back then.
func TestRulingsOfOthers(t *testing.T) {
	set := docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(.5),
		Overrides: rulings(t, override.Ruling{A: "a", B: "made with", Link: override.Cannot})}
	d := service(t, set)
	first := add(t, d, named("a", submission("", "", leaderText)))
	rule := func(b string, link override.Link, was override.Link) {
		t.Helper()
		e, err := d.Rule(t.Context(), "a", b, docid.Ruling{Who: "li", Why: "why", Link: link})
		if err != nil || e.Ruling.Was != was || e.Ruling.Other != b || e.Kind != docid.KindRule {
			t.Errorf("rule: %+v, %v", e, err)
		}
	}
	check := func(nid string, near bool) {
		t.Helper()
		a, err := d.Check(t.Context(), named(nid, submission("", "", leaderText)))
		if err != nil || (a.Decision.Decision == neardup.Duplicate) != near || (near && a.DocID != first.DocID) {
			t.Errorf("%s: %+v, %v", nid, a, err)
		}
	}
	check("b", true)
	rule("b", override.Cannot, "")
	check("b", false)
	rule("b", override.Unsure, override.Cannot)
	check("b", true)
	rule("b", "", override.Unsure)
	check("b", true)
	check("made with", false)
	rule("made with", override.Must, "")
	check("made with", true)
	rule("made with", "", override.Must)
	check("made with", false)
	es, err := d.Index().Catalog().Rulings(t.Context(), 0, 100)
	if err != nil || len(es) != 5 || es[0].Ruling.Why != "why" {
		t.Errorf("%d rulings, %v", len(es), err)
	}
	for _, bad := range [][3]string{{"a", "a", "must"}, {"", "a", "must"}, {"a", "b", "perhaps"}} {
		if _, err := d.Rule(t.Context(), bad[0], bad[1], docid.Ruling{Link: override.Link(bad[2])}); !errors.Is(err, docid.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// drawn returns documents of three families.
func drawn(rng *rand.Rand) (docs []neardup.Document) {
	for i := range 25 {
		words := strings.Fields([]string{"a b c d e f g h", "k l m n o p q r", "s t u v w x y z"}[rng.IntN(3)])
		words[rng.IntN(8)] = fmt.Sprint(rng.IntN(3))
		words[rng.IntN(8)] = fmt.Sprint(rng.IntN(3))
		docs = append(docs, neardup.Document{ID: fmt.Sprint("n", i), Text: strings.Join(words, " ")})
	}
	return docs
}
