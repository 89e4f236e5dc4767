package standard_test

import (
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/store/memory"
)

// TestClassic: url, then the signature of the title, then that of the content
// decides; the first that matches, and nothing else is asked.
func TestClassic(t *testing.T) {
	ctx := t.Context()
	store, err := memory.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := docid.NewDetector(ctx, store, "news", standard.Classic())
	if err != nil {
		t.Fatal(err)
	}
	var long []string
	for _, w := range strings.Fields(`wind farm coast built year ministry said monday cost rise steel price union harbour
		worker welcome plan fishing boat protest noise court appeal winter energy storm house cable turbine`) {
		long = append(long, w, w, w) // of weight 5; of 29 such words no bit hangs by less, so another of weight 1 turns none, whatever the seed
	}
	content := strings.Join(long, " ")
	for _, c := range []struct {
		name, url, title, content string
		stage                     docid.Stage // "": new
	}{
		{"the first", "http://a.example/1", "Wind farm off the coast", content, ""},
		{"its url, all else another", "http://a.example/1", "Rain in the valleys", "Snow and rain are expected in all northern valleys.", docid.StageURL},
		{"its title in another order, another content", "http://b.example/2", "Coast off the farm, wind", "Snow and ice are expected tonight on northern roads.", docid.StageTitle},
		{"its content with another word", "http://c.example/3", "Harbour news", content + " yesterday", docid.StageContent},
		{"nothing of it", "http://d.example/4", "Election results", "Votes were counted all night, and the parties will meet on Thursday to talk.", ""},
	} {
		var sub docid.Submission
		sub.URL, sub.Title, sub.Text = c.url, c.title, c.content
		a, err := d.Add(ctx, sub)
		if err != nil || a.Stage != c.stage || (a.Decision.Decision == neardup.New) != (c.stage == "") {
			t.Errorf("%s: %+v, %v; want stage %q", c.name, a, err, c.stage)
		}
	}
}
