package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/store/memory"
)

// photo returns picture n, with some bits changed. Pictures of different n differ.
func photo(n int, bits ...int) docid.Picture {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	h := image.Hash{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	for _, b := range bits {
		h[b/64] ^= 1 << (b % 64)
	}
	return docid.Picture{Hash: h, Quality: 100}
}

// photos returns several pictures.
func photos(ns ...int) (ps []docid.Picture) {
	for _, n := range ns {
		ps = append(ps, photo(n))
	}
	return ps
}

// greyed returns a text that is similar to Base(n), but neither near it nor near one of another kind.
func greyed(n, kind int) string { return Base(n)[:80] + Base(1000 + kind)[:40] }

// withPictures returns settings with which pictures count, and texts from .3 on are unsure.
func withPictures() docid.Settings {
	s := Settings()
	s.Title, s.TitleAgrees = docid.Exact, Maker(.3)
	s.ContentMethod = func(seed uint64, _ []byte) (neardup.Method, error) {
		return Jaccard{Seed: seed, Threshold: Threshold, Unsure: .3}, nil
	}
	s.CommonPictures = .01
	return s
}

// testPictures checks how pictures change decisions on texts.
func testPictures(t *testing.T, p Backend) {
	o := start(t, p)
	o.Detector = o.detector("pictured", withPictures())
	flat := photo(1)
	flat.Quality = image.DefaultQuality - 1
	logo := photo(99)
	answers := map[string]docid.Answer{}
	walk := []struct {
		nid, title, text string
		pictures         []docid.Picture
		want             string // the answer in short
	}{
		{"a", "", Base(1), photos(1, 2), "new"},
		{"another picture", "", Base(1), photos(3), "duplicate content of a"},
		{"other pictures", "", Base(1), photos(4, 5), "new, variant of a, picture"},
		{"one in common", "", Base(1), photos(1, 6), "duplicate content of a"},
		{"those of the variant", "", Base(1), photos(4, 5), "duplicate content of other pictures"},
		{"flat ones", "", Base(1), []docid.Picture{flat, flat}, "duplicate content of a"},
		{"grey, without pictures", "", greyed(1, 4), nil, "new, variant of a"},
		{"grey, a third", "", greyed(1, 2), photos(1, 7, 8), "new, variant of a"},
		{"b", "", Base(2), photos(11, 12), "new"},
		{"grey, one of two", "", greyed(2, 5), []docid.Picture{photo(11, 1, 5, 70, 255), photo(13)}, "duplicate content of b, 1 of 2 the same at 4"},
		{"grey, 31 bits", "", greyed(2, 6), []docid.Picture{photo(11, upTo(31)...)}, "duplicate content of b, 1 of 2 the same at 31"},
		{"grey, 32 bits", "", greyed(2, 7), []docid.Picture{photo(11, upTo(32)...)}, "new, variant of b"},
		{"another text", "", Base(3), photos(1, 2), "new"},
		{"c", "of c", Base(4), photos(21, 22), "new"},
		{"title only", "of c", "", photos(21), "duplicate title of c"},
		{"title only, other pictures", "of c", "", photos(23, 24), "new, variant of c, picture"},
		{"title and text, other pictures", "of c", Base(4), photos(25, 26), "new, variant of c, picture"},
		{"d", "of d", "", photos(31, 32), "new"},
		{"text under the title", "of d", Base(5), nil, "new"},
		{"text, and its pictures", "of d", Base(6), photos(31, 32), "duplicate title of d, 2 of 2 the same at 0"},
		{"pictures only", "", "", photos(2, 1, 11), "new, like [a 2/3] [another text 2/3] [grey, a third 1/3] [b 1/3]"},
		{"logo 0", "", Base(40), append(photos(40), logo), "new"},
		{"logo 1", "", Base(41), append(photos(41), logo), "new"},
		{"logo 2", "", Base(42), append(photos(42), logo), "new"},
		{"logo 3", "", Base(43), []docid.Picture{logo}, "new"},
		{"logo 4", "", Base(44), []docid.Picture{logo}, "new"},
		{"five have it", "", greyed(44, 8), []docid.Picture{logo}, "duplicate content of logo 4, 1 of 1 the same at 0"},
		{"logo 5", "", Base(45), append(photos(46), logo), "new"},
		{"six have it", "", greyed(43, 9), []docid.Picture{logo}, "new, variant of logo 3"},
		{"one of it", "", Base(45), append(photos(47), logo), "duplicate content of logo 5"},
		{"with the logo alone", "", "", []docid.Picture{logo}, "new"},
	}
	for i, step := range walk {
		sub := article(step.nid, step.text)
		sub.Title, sub.Pictures = step.title, step.pictures
		a := o.add(sub)
		answers[a.DocID+" "+a.ID] = a
		if got := o.inShort(a, answers); got != step.want {
			t.Errorf("%s: got %s, want %s", step.nid, got, step.want)
		}
		if i%10 != 9 || !p.Lasting {
			continue
		}
		o.reopen()
		o.Detector = o.detector("pictured", withPictures())
		again := o.add(sub)
		equal(t, "replayed", again.Replayed, true)
		again.Replayed = false
		equal(t, step.nid+" again", written(t, again), written(t, a))
		m, _, err := o.Member(t.Context(), sub.ID)
		must(t, "member", err, nil)
		if !reflect.DeepEqual(m.Pictures, sub.Pictures) {
			t.Errorf("%s has pictures %v, not %v", step.nid, m.Pictures, sub.Pictures)
		}
	}
	other := article("a", Base(1))
	_, err := o.Add(t.Context(), other)
	must(t, "the same nid without its pictures", err, docid.ErrTaken)
	o.ended(answers, logo)
	_, err = o.detector("without", Settings()).Add(t.Context(), docid.Submission{Extras: docid.Extras{Pictures: photos(1)}})
	must(t, "pictures for an index that takes none", err, docid.ErrInvalid)
	_, err = docid.NewDetector(t.Context(), o.store, "without", withPictures())
	must(t, "an index without them opened with them", err, neardup.ErrUnlike)
}

// ended checks that a common picture becomes uncommon when docIds end, and common again when a person gives an article its
// own docId.
func (o *opened) ended(answers map[string]docid.Answer, logo docid.Picture) {
	o.t.Helper()
	for _, a := range answers {
		if n := 0; a.Decision.Decision == neardup.New {
			if _, err := fmt.Sscanf(a.ID, "logo %d", &n); err != nil || n > 2 {
				continue
			}
			_, err := o.End(o.t.Context(), a.DocID)
			must(o.t, "end", err, nil)
		}
	}
	sub := article("grey again", greyed(44, 1))
	sub.Pictures = []docid.Picture{logo}
	a, err := o.Check(o.t.Context(), sub)
	must(o.t, "check", err, nil)
	equal(o.t, "of a logo that few have", string(a.Decision.Decision)+" of "+a.Leader, "duplicate of logo 4")
	text := "a text of its own"
	_, err = o.Correct(o.t.Context(), docid.Correcting{NID: "five have it", Text: &text, Who: "li"})
	must(o.t, "correct", err, nil)
	a, err = o.Check(o.t.Context(), sub)
	must(o.t, "check", err, nil)
	equal(o.t, "of a logo that one more has", string(a.Decision.Decision)+" of "+a.VariantOf, "new of logo 4")
}

func upTo(n int) (bits []int) {
	for b := range n {
		bits = append(bits, b*8)
	}
	return bits
}

// inShort formats an answer in short form.
func (o *opened) inShort(a docid.Answer, answers map[string]docid.Answer) string {
	s := string(a.Decision.Decision)
	if a.Leader != "" {
		s += fmt.Sprintf(" %s of %s", a.Stage, a.Leader)
	}
	if a.VariantOf != "" {
		s += ", variant of " + a.VariantOf
	}
	for _, c := range a.Conflicts {
		s += ", " + c.Kind
	}
	for i, same := range a.SameImages {
		if a.Decision.Decision == neardup.Duplicate {
			s += fmt.Sprintf(", %d of %d the same at %d", same.Same, same.Of, same.Distance)
			continue
		}
		if i == 0 {
			s += ", like"
		}
		g, err := o.Group(o.t.Context(), same.DocID, 0, 0)
		must(o.t, "group", err, nil)
		s += fmt.Sprintf(" [%s %d/%d]", g.NID, same.Same, same.Of)
	}
	return s
}

// Pictured returns settings with which pictures count, unless a fifth of the docIds have them.
func Pictured() docid.Settings {
	s := withPictures()
	s.CommonPictures = .2
	return s
}

// PicturedArticle draws an article from a few texts, titles and pictures.
func PicturedArticle(r *rand.Rand, nid string) docid.Submission {
	sub := article(nid, Base(r.IntN(40)))
	switch r.IntN(6) {
	case 0:
		sub.Text = greyed(r.IntN(40), r.IntN(9))
	case 1:
		sub.Text, sub.Title = "", fmt.Sprint("title ", r.IntN(6))
	case 2:
		sub.Text = ""
	}
	for range 1 + r.IntN(3) {
		sub.Pictures = append(sub.Pictures, photo(r.IntN(12)*r.IntN(2)))
	}
	return sub
}

// Said counts the effects of pictures on articles.
type Said struct{ Confirmed, Contradicted, Alike int }

// ReplayAlone decides the articles of a log again in memory, one after the other, and compares every answer and the
// pictures of every article. subs holds the submissions by nid.
func ReplayAlone(t *testing.T, d *docid.Detector, tenant string, set docid.Settings, subs map[string]docid.Submission) (said Said) {
	t.Helper()
	log, err := d.Index().Catalog().Log(t.Context(), 0, 1<<20)
	must(t, "log", err, nil)
	alone, err := memory.New(context.Background())
	must(t, "open", err, nil)
	defer alone.Close()
	set.Identity = func(string) (docid.Identity, error) { return d.Index().Identity(), nil }
	again, err := docid.NewDetector(t.Context(), alone, tenant, set)
	must(t, "detector", err, nil)
	for _, e := range log {
		a, err := again.Add(t.Context(), subs[e.NID])
		must(t, "add again", err, nil)
		if got, want := written(t, a), written(t, d.FromEntry(e)); got != want {
			t.Fatalf("change %d was %s, alone it is %s", e.Seq, want, got)
		}
		m, _, err := d.Member(t.Context(), e.NID)
		must(t, "member", err, nil)
		if !reflect.DeepEqual(m.Pictures, subs[e.NID].Pictures) {
			t.Fatalf("%q has pictures %v, not %v", e.NID, m.Pictures, subs[e.NID].Pictures)
		}
		switch {
		case len(a.SameImages) > 0 && a.Leader != "":
			said.Confirmed++
		case len(a.SameImages) > 0:
			said.Alike++
		case len(a.Conflicts) > 0 && a.Conflicts[0].Kind == "picture":
			said.Contradicted++
		}
	}
	return said
}

// testPicturesTogether lets 16 clients send articles with pictures, some of which become common meanwhile. It runs up to
// four times, until every effect of pictures has occurred, because the order is random.
func testPicturesTogether(t *testing.T, p Backend) {
	o := start(t, p)
	var all Said
	missing := func() bool { return all.Confirmed == 0 || all.Contradicted == 0 || all.Alike == 0 }
	for round := uint64(0); round < 4 || (missing() && round < 60); round++ {
		tenant := fmt.Sprint("together", round)
		o.Detector = o.detector(tenant, Pictured())
		var mu sync.Mutex
		subs := map[string]docid.Submission{}
		together(func(c int) {
			r := rand.New(rand.NewPCG(uint64(c), round))
			for n := range 6 {
				sub := PicturedArticle(r, fmt.Sprint(c, "-", n))
				mu.Lock()
				subs[sub.ID] = sub
				mu.Unlock()
				o.add(sub)
			}
		})
		if p.Lasting {
			o.reopen()
			o.Detector = o.detector(tenant, Pictured())
		}
		said := ReplayAlone(t, o.Detector, tenant, Pictured(), subs)
		all.Confirmed, all.Contradicted, all.Alike = all.Confirmed+said.Confirmed, all.Contradicted+said.Contradicted, all.Alike+said.Alike
	}
	if missing() {
		t.Errorf("%+v: too few to be a test", all)
	}
}

// RestorePictures rebuilds a lost index with pictures from sinks, and checks that it decides as before.
func RestorePictures(t *testing.T, p Backend, sinks Sinks) {
	if p.Follows {
		return // this kind of index is rebuilt without the log
	}
	o := start(t, p)
	r := newReference(t, 9, "without pictures", standard)
	r.tenant = "pictured again"
	r.Detector = r.detector(r.tenant, Pictured())
	r.history, r.library = sinks.Open()
	subs := map[string]docid.Submission{}
	articles := rand.New(rand.NewPCG(1, 11))
	add := func(d *docid.Detector, n int) {
		sub := PicturedArticle(articles, fmt.Sprint(n))
		subs[sub.ID] = sub
		_, err := d.Add(t.Context(), sub)
		must(t, "add", err, nil)
	}
	for n := range 60 {
		add(r.Detector, n)
		if n%20 == 10 {
			r.drain()
		}
	}
	r.drain()
	b := docid.Rebuild{Store: o.store, Source: docid.SourceOf(r.history, r.library), Tenant: r.tenant, Drained: true, Settings: Pictured()}
	_, err := b.Run(t.Context())
	must(t, "rebuild", err, nil)
	again := o.detector(r.tenant, Pictured())
	for n := range 60 {
		add(again, 60+n)
	}
	ReplayAlone(t, again, r.tenant, Pictured(), subs)
}

func testRestorePictures(t *testing.T, p Backend) { RestorePictures(t, p, Sinks{Open: KeptSinks}) }

// written returns an answer as the service sends it.
func written(t *testing.T, a docid.Answer) string {
	t.Helper()
	b, err := json.Marshal(a)
	must(t, "marshal", err, nil)
	return string(b)
}
