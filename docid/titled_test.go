package docid_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/memory"
	"github.com/neardup/neardup/text"
)

// A view compares what cleaning title and text gives if the end of a line joins them. A batch does the same,
// whatever the steps.
func TestTitledAsInABatch(t *testing.T) {
	alphabet := []rune("ab ÀΣς\u0301\u3000\t\n。ｗ漢﷽İ\u200b1")
	rng := rand.New(rand.NewPCG(5, 5))
	draw := func() string {
		var s []rune
		for range rng.IntN(6) {
			s = append(s, alphabet[rng.IntN(len(alphabet))])
		}
		return string(s)
	}
	for _, steps := range []string{"default", "none", "nfkc,lower,space", "lower,space,accents"} {
		clean, err := text.ParseNormalizer(steps)
		if err != nil {
			t.Fatal(err)
		}
		content, err := docid.Content(docid.Settings{Clean: clean, Titled: true, Content: docid.Exact})
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			title, body := draw(), draw()
			batch := body
			if title != "" {
				batch = title + "\n" + body
			}
			if want := clean.Clean(batch); content(clean.Clean(title), clean.Clean(body)) != want {
				t.Fatalf("%s: %q and %q: %q, in a batch %q", steps, title, body, content(clean.Clean(title), clean.Clean(body)), want)
			}
		}
	}
}

// An index keeps what it compares.
func TestTitledIsOfTheIndex(t *testing.T) {
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(.6)}
	for _, step := range []struct {
		tenant string
		titled bool
		want   error
	}{{"old", false, nil}, {"old", true, neardup.ErrUnlike}, {"new", true, nil}, {"new", false, neardup.ErrUnlike}, {"new", true, nil}} {
		s.Titled = step.titled
		if _, err := docid.NewDetector(t.Context(), store, step.tenant, s); !errors.Is(err, step.want) {
			t.Errorf("%+v: %v", step, err)
		}
	}
	if _, err := docid.NewDetector(t.Context(), store, "off", docid.Settings{URL: docid.Exact, Titled: true}); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("titles that nobody compares: %v", err)
	}
}

// A rebuilt index compares titles and texts as the lost one did, so texts that shared a key still do.
func TestTitledRebuilt(t *testing.T) {
	lost, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lost.Close()
	defer again.Close()
	s := docid.Settings{Content: docid.Exact, Titled: true}
	d, err := docid.NewDetector(t.Context(), lost, "tenant", s)
	if err != nil {
		t.Fatal(err)
	}
	add := func(d *docid.Detector, title, text string) docid.Answer {
		t.Helper()
		a, err := d.Add(t.Context(), submission("", title, text))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := add(d, "a title", storetest.Base(1))
	history, library := storetest.KeptSinks()
	drain(t, d, history, library)
	b := docid.Rebuild{Store: again, Source: docid.SourceOf(history, library), Tenant: "tenant", Drained: true, Settings: s}
	if _, err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err = docid.NewDetector(t.Context(), again, "tenant", s)
	if err != nil {
		t.Fatal(err)
	}
	if a := add(d, "a title", storetest.Base(1)); a.DocID != first.DocID {
		t.Errorf("a copy of what was made again is %+v", a)
	}
	if a := add(d, "another title", storetest.Base(1)); a.Decision.Decision != neardup.New {
		t.Errorf("the same text under another title is %+v", a)
	}
}
