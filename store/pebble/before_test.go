package pebble_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/text"
)

// TestStoreOfBefore opens a store that the program wrote before there were
// sinks, variants and kept copies that are not the hottest (format 2; made by
// neardup serve --method jaccard with the articles below): it answers as it did.
func TestStoreOfBefore(t *testing.T) {
	dir := ofFormat(t, 2)
	s, err := pebble.Open(t.Context(), dir, pebble.Options{})
	ok(t, err)
	d, err := docid.NewDetector(t.Context(), s, "default", settingsOfBefore(t))
	ok(t, err)
	const bridge = "The council met on Tuesday evening to discuss the new bridge across the river, its cost, and who should pay for it in the coming years."
	const rain = "Rain is expected in the northern valleys until Friday, the weather service said; farmers were told to bring the hay in early this week."
	for _, c := range []struct {
		nid, url, title, text string
		heat                  int64
		want                  string
	}{
		{"a", "http://a.example/1", "Bridge", bridge, 3, "new  1 true"},
		{"b", "http://b.example/1", "The bridge", bridge, 5, "duplicate content 1 true"},
		{"c", "http://a.example/1", "", rain, 0, "duplicate url 1 true"},
		{"f", "", "", bridge + " It rained.", 0, "duplicate content 1 false"},
		{"g", "", "Weather", rain[:100], 0, "duplicate title 4 false"},
	} {
		var sub docid.Submission
		sub.ID, sub.URL, sub.Title, sub.Text, sub.Heat = c.nid, c.url, c.title, c.text, c.heat
		if c.nid == "a" {
			sub.Idempotency = "k1"
		}
		a, err := d.Add(t.Context(), sub)
		ok(t, err)
		if got := fmt.Sprint(a.Decision.Decision, " ", a.Stage, " ", a.LeaderSeq, " ", a.Replayed); got != c.want {
			t.Errorf("%s: got %s, want %s", c.nid, got, c.want)
		}
	}
	docIDOfBefore(t, d, "a", "24b15bd484dd79b4-27c35844d961e9a1")
	docIDOfBefore(t, d, "d", "4924319513fa291b-6bfb7ee6f00bd13e")
	if _, _, err := d.Member(t.Context(), "e"); !errors.Is(err, docid.ErrNotFound) {
		t.Errorf("what was deleted: %v", err)
	}
	ok(t, s.Close())
	well(t, dir)
}

// ofFormat copies a folder that a program of an earlier format wrote.
func ofFormat(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	ok(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", fmt.Sprint("format", n)))))
	return dir
}

// well holds a folder to its check.
func well(t *testing.T, dir string) {
	t.Helper()
	report, err := pebble.Check(t.Context(), dir, pebble.Options{})
	ok(t, err)
	if len(report.Problems) > 0 {
		t.Errorf("problems: %+v", report.Problems)
	}
}

// TestStoreOfFormat4 opens a store in which no row tells which change posted a name: docIds 1, 2
// and 4 lie in a segment, and an article that came later brought docId 2 a url. It decides as it
// did, replays what it had answered, and does so after the next starts.
func TestStoreOfFormat4(t *testing.T) {
	dir := ofFormat(t, 4)
	well(t, dir)
	const bridge, rain, school = "The bridge was opened on Tuesday.", "Rain is expected until Friday.", "A new school for the valley."
	for start := range 3 {
		s, err := pebble.Open(t.Context(), dir, pebble.Options{})
		ok(t, err)
		d, err := docid.NewDetector(t.Context(), s, "default", docid.Settings{URL: docid.Exact, Content: docid.Exact})
		ok(t, err)
		nth := fmt.Sprint(start)
		for _, c := range []struct{ nid, url, text, key, want string }{
			{"a", "http://a.example/1", bridge, "k1", "1 1 true"},
			{"c", "http://c.example/1", bridge, "k2", "3 1 true"},
			{"e", "http://e.example/1", rain, "k3", "5 2 true"},
			{"g", "http://g.example/1", school, "", "7 6 true"}, // answered so, and moved since
			{"by the url of a duplicate" + nth, "http://e.example/1", "", "", "2 false"},
			{"by the url of a docId" + nth, "http://f.example/1", "", "", "6 false"},
			{"by the url of what was moved" + nth, "http://g.example/1", "", "", "1 false"},
			{"by the text" + nth, "", rain, "", "2 false"},
		} {
			var sub docid.Submission
			sub.ID, sub.URL, sub.Text, sub.Idempotency = c.nid, c.url, c.text, c.key
			a, err := d.Add(t.Context(), sub)
			ok(t, err)
			got := fmt.Sprint(a.LeaderSeq, a.Replayed)
			if a.Replayed {
				got = fmt.Sprint(a.Seq, " ", got)
			}
			if got != c.want {
				t.Errorf("start %d, %s: got %s, want %s", start, c.nid, got, c.want)
			}
		}
		for nid, want := range map[string]string{
			"a": "94c5cb4b8c32b4c8-a267d8e802bd557f", "b": "540e2b45e33c5ee8-bc520b4dfa5808f5",
			"f": "91e00e67be250537-1c018fdfbeedbae3", "g": "94c5cb4b8c32b4c8-a267d8e802bd557f",
		} {
			docIDOfBefore(t, d, nid, want)
		}
		if _, _, err := d.Member(t.Context(), "d"); !errors.Is(err, docid.ErrNotFound) {
			t.Errorf("what was deleted: %v", err)
		}
		ok(t, s.Close())
		well(t, dir)
	}
}

func docIDOfBefore(t *testing.T, d *docid.Detector, nid, want string) {
	t.Helper()
	_, docID, err := d.Member(t.Context(), nid)
	ok(t, err)
	if docID != want {
		t.Errorf("docId of %q: got %s, want %s", nid, docID, want)
	}
}

func settingsOfBefore(t *testing.T) docid.Settings {
	t.Helper()
	clean, err := text.ParseNormalizer("default")
	ok(t, err)
	jaccard := func(threshold float64) docid.Maker {
		return func(seed uint64, _ []byte) (neardup.Method, error) {
			return methods.New(methods.Config{Name: "jaccard", Threshold: threshold, Seed: seed})
		}
	}
	return docid.Settings{Clean: clean, URL: docid.Exact, Title: docid.Exact, Content: docid.Near,
		ContentMethod: jaccard(0), TitleAgrees: jaccard(.2)}
}
