package docid_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/memory"
)

// service opens a detector on an empty store in memory.
func service(t *testing.T, s docid.Settings) *docid.Detector {
	t.Helper()
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	d, err := docid.NewDetector(t.Context(), store, "tenant", s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func submission(url, title, text string) docid.Submission {
	var s docid.Submission
	s.URL, s.Title, s.Text = url, title, text
	return s
}

// TestCascade reads as the specification: what was there, what comes, what is
// answered.
func TestCascade(t *testing.T) {
	near := docid.Settings{URL: docid.Exact, Title: docid.Exact, Content: docid.Near,
		ContentMethod: storetest.Maker(0.6), TitleAgrees: storetest.Maker(0.2)}
	bare := near
	bare.TitleAgrees = nil
	off := docid.Settings{URL: docid.Off}
	titled := docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(0.9), Titled: true}
	exact := docid.Settings{Content: docid.Exact}
	text, edited, other := storetest.Base(1), storetest.Base(1)[:100]+"####"+storetest.Base(1)[104:], storetest.Base(2)
	for _, c := range []struct {
		name     string
		settings docid.Settings
		first    docid.Submission
		second   docid.Submission
		want     string
	}{
		{"same address", near, submission("http://a.b/1", "", text), submission("https://a.b/1/?utm_x=1", "", other), "duplicate url"},
		{"address before content", near, submission("http://a.b/1", "", text), submission("http://a.b/1", "", text), "duplicate url"},
		{"same title, same text", titled, submission("", "A title", text), submission("", " A  title", text), "duplicate content"},
		{"another title, same text", titled, submission("", storetest.Base(3)[:60], text), submission("", storetest.Base(4)[:60], text), "new "},
		{"no title, same text", titled, submission("", "", text), submission("", "", text), "duplicate content"},
		{"titles only", titled, submission("", "A title", ""), submission("", "A title", ""), "duplicate content"},
		{"near content", near, submission("", "", text), submission("", "", edited), "duplicate content"},
		{"equal content", exact, submission("", "", text), submission("", "", text), "duplicate content"},
		{"near is not exact", exact, submission("", "", text), submission("", "", edited), "new "},
		{"other content", near, submission("", "", text), submission("", "", other), "new "},
		{"all off", off, submission("http://a.b/1", "x", text), submission("http://a.b/1", "x", text), "new "},
		{"title, contents contradict", near, submission("", "Weekly report", text), submission("", "Weekly report", other), "new "},
		{"title, contents agree", near, submission("", "Weekly report", text), submission("", "Weekly report", edited), "duplicate title"},
		{"title, one content empty", near, submission("", "Weekly report", text), submission("", "Weekly report", ""), "duplicate title"},
		{"title alone", bare, submission("", "Weekly report", text), submission("", "Weekly report", other), "duplicate title"},
		{"empty contents", near, submission("", "", ""), submission("", "", ""), "new "},
		{"blank contents", near, submission("", " ", " "), submission("", " ", " "), "new "},
		{"punctuation only, equal", near, submission("", "", "!!"), submission("", "", "!!"), "duplicate content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := service(t, c.settings)
			first, err := d.Add(t.Context(), c.first)
			if err != nil {
				t.Fatal(err)
			}
			checked, err := d.Check(t.Context(), c.second)
			if err != nil {
				t.Fatal(err)
			}
			second, err := d.Add(t.Context(), c.second)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(second.Decision.Decision, " ", second.Stage); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if (second.DocID == first.DocID) != (second.Decision.Decision == neardup.Duplicate) {
				t.Errorf("docIds %s and %s", first.DocID, second.DocID)
			}
			if checked.Decision.Decision != second.Decision.Decision || checked.Stage != second.Stage {
				t.Errorf("Check said %+v, Add %+v", checked, second)
			}
		})
	}
}

// TestWindow: leaders older than the window are not considered.
func TestWindow(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	d := service(t, docid.Settings{Content: docid.Exact, Window: 24 * time.Hour, Now: func() time.Time { return now }})
	var answers []docid.Answer
	for range 3 {
		a, err := d.Add(t.Context(), submission("", "", "the same"))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
		now = now.Add(20 * time.Hour)
	}
	if answers[1].DocID != answers[0].DocID || answers[2].DocID == answers[0].DocID {
		t.Errorf("20 h later %v, 40 h later %v", answers[1].Decision, answers[2].Decision)
	}
}

// TestCrowded: more candidates than allowed is an error, never a guess.
func TestCrowded(t *testing.T) {
	set := docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(0.9), MaxCandidates: 3}
	d := service(t, set)
	for n := range 5 {
		_, err := d.Add(t.Context(), submission("", "", storetest.Base(n)+"common"))
		if want := n > 3; errors.Is(err, docid.ErrHotBucket) != want {
			t.Errorf("article %d: %v", n, err)
		}
	}
}

// TestNameCrowd: a title of more than TitleCrowd docIds identifies none.
func TestNameCrowd(t *testing.T) {
	d := service(t, docid.Settings{Title: docid.Exact, Content: docid.Exact, TitleAgrees: storetest.Maker(0.2)})
	for n := range docid.HotName + 1 {
		a, err := d.Add(t.Context(), submission("", "News", storetest.Base(n)))
		if err != nil || a.Decision.Decision != neardup.New {
			t.Fatalf("article %d: %+v, %v", n, a, err)
		}
	}
	a, err := d.Add(t.Context(), submission("", "News", ""))
	if err != nil || a.Decision.Decision != neardup.New {
		t.Errorf("hot title: %+v, %v", a, err)
	}
}

func TestQuotaAndInvalid(t *testing.T) {
	d := service(t, docid.Settings{Content: docid.Exact, MaxMembers: 1})
	bad := submission("", "", "x")
	bad.ID = "~5"
	if _, err := d.Add(t.Context(), bad); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("nid ~5: %v", err)
	}
	for n, want := range []error{nil, docid.ErrQuota} {
		if _, err := d.Add(t.Context(), submission("", "", "x")); !errors.Is(err, want) {
			t.Errorf("article %d: %v, want %v", n, err, want)
		}
	}
}

// TestAges: an index and an article refuse durations that are negative, or too long to add to a time.
func TestAges(t *testing.T) {
	const century = 876000 * time.Hour
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for name, s := range map[string]docid.Settings{
		"a TTL below 0": {TTL: -1}, "a window below 0": {Window: -1}, "candidates below 0": {MaxCandidates: -1}, "members below 0": {MaxMembers: -1},
		"a TTL that overflows": {TTL: math.MaxInt64}, "a window that overflows": {Window: century + 1},
	} {
		s.Content = docid.Exact
		if _, err := docid.NewDetector(t.Context(), store, "tenant", s); !errors.Is(err, docid.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := service(t, docid.Settings{Content: docid.Exact, TTL: century})
	if a := add(t, d, submission("", "", "a text")); a.DocID == "" {
		t.Errorf("%+v", a)
	}
	for _, s := range []docid.Submission{{TTL: century + 1}, {Window: century + 1}, {TTL: -1}} {
		s.ID, s.Text = "nid", "another"
		if _, err := d.Add(t.Context(), s); !errors.Is(err, docid.ErrInvalid) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
