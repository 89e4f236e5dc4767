package server_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/text"
)

// corpus returns texts in families: short and long, English and Chinese, copies that differ in case and
// space, edits of all sizes, and texts of punctuation. None is blank, because the content stage has nothing
// to compare in an article without text.
func corpus(seed uint64, n int) []neardup.Document {
	rng := rand.New(rand.NewPCG(seed, 1))
	han := []rune("海量网络文本去重系统实验测试这是一段相似的内容新闻平台文章编号服务")
	var docs []neardup.Document
	for i := range n {
		family := rng.IntN(n/6 + 1)
		words := strings.Fields(story(family))
		switch family % 4 {
		case 0:
			words = words[:6]
		case 1:
			words = append(words, strings.Fields(story(family+n))...)
		case 2:
			words = nil
			for j := range 20 + family%15 {
				words = append(words, string(han[(family*31+j*j*7)%len(han)]))
			}
		}
		for range rng.IntN(6) {
			words[rng.IntN(len(words))] = fmt.Sprintf("edit%d", rng.IntN(50))
		}
		sep := " "
		if family%4 == 2 {
			sep = ""
		}
		body := strings.Join(words, sep)
		switch rng.IntN(12) {
		case 0:
			body = strings.ToUpper(body) + "  \n"
		case 1:
			body = []string{"!", "!!!", "。。"}[rng.IntN(3)]
		}
		docs = append(docs, neardup.Document{ID: fmt.Sprintf("doc-%d", i), Text: body})
	}
	return docs
}

// titled gives most of the documents a title: that of their family, or another
// one, which makes of near texts other articles.
func titled(docs []neardup.Document) []neardup.Document {
	rng := rand.New(rand.NewPCG(3, 9))
	for i := range docs {
		words := strings.Fields(story(rng.IntN(4)))
		docs[i].Title = []string{"", " Weekly  Report ", strings.Join(words[:3+rng.IntN(20)], " "), "  "}[rng.IntN(4)]
	}
	return docs
}

// parts returns families of a text: an edited part, the part itself (near the edited one and contained in
// both), another part, and a text that contains the first one.
func parts(n int) (docs []neardup.Document) {
	for family := range n {
		words := strings.Fields(story(10_000+3*family) + story(10_001+3*family) + story(10_002+3*family))
		edited := slices.Clone(words[40:])
		for i := 9; i < len(edited); i += 40 {
			edited[i] = "edited"
		}
		more := append(strings.Fields(story(20_000+family)), words...)
		for i, text := range [][]string{words, edited, words[40:], words[:60+family], more} {
			docs = append(docs, neardup.Document{ID: fmt.Sprintf("part-%d-%d", family, i), Text: strings.Join(text, " ")})
		}
	}
	return docs
}

// I-14: a batch over D equals the service fed D in that order, with the same
// method and seed, where only the content decides.
func TestBatchAgreesWithService(t *testing.T) {
	for _, c := range []struct {
		spec   string
		titled bool
	}{
		{}, {titled: true}, {spec: "minhash threshold=.6"}, {spec: "ngram threshold=.7"},
		{spec: "simhash"}, {spec: "jaccard", titled: true}, {spec: "exact"},
		{spec: "exact", titled: true},
		{spec: "containment=.9", titled: true}, {spec: "minhash containment=.9"},
	} {
		t.Run(fmt.Sprintf("method %s, titled %v", c.spec, c.titled), func(t *testing.T) {
			docs := append(parts(12), corpus(7, 600)...)
			if c.titled {
				docs = titled(docs)
			}
			f := start(t, func(s *server.Config) {
				s.Settings = func(string) docid.Settings {
					return docid.Settings{Clean: text.Default(), Content: docid.Near, ContentMethod: standard.Method(c.spec), Titled: c.titled}
				}
			})
			served, servedDigest := serve(t, f, docs)
			index, err := f.store.Index(t.Context(), "news", nil)
			if err != nil {
				t.Fatal(err)
			}
			method, err := standard.Method(c.spec)(index.Identity().Seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range docs { // as --compare title,text has it
				if d.Title != "" {
					docs[i].Text = d.Title + "\n" + d.Text
				}
			}
			duplicates, contained, of := 0, 0, map[string]string{}
			i := 0
			sum, err := batch.Dedup(t.Context(), batch.Documents(docs), batch.Config{Clean: text.Default(), Method: method}, func(o batch.Outcome) error {
				got, want := served[i], o.Decision
				got.Method, want.Method = "", "" // a new article: of what it would have been judged by
				if got.ID != want.ID || got.Decision != want.Decision || got.Leader != want.Leader || got.Similarity != want.Similarity || got.Basis != want.Basis {
					t.Errorf("%q: service %+v, batch %+v", docs[i].Text, got, want)
				}
				if want.Decision == neardup.Duplicate {
					duplicates++
					of[want.ID] = want.Leader
				}
				if want.Basis == neardup.BasisContained {
					contained++
				}
				i++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if sum.Digest != servedDigest {
				t.Errorf("digest of the service %s, of the batch %s", servedDigest, sum.Digest)
			}
			asked, byMinhash := strings.Contains(c.spec, "containment"), strings.HasPrefix(c.spec, "minhash")
			if wrong := byMinhash && asked && of["part-3-2"] != "part-3-1"; wrong || asked != (contained >= 5) {
				t.Errorf("%d are contained, %v: the corpus proves little", contained, of)
			}
			if duplicates < 20 || duplicates > 550 {
				t.Errorf("%d duplicates of %d: the corpus proves little", duplicates, len(docs))
			}
		})
	}
}

// serve feeds documents in order and returns the decisions with their digest.
func serve(t *testing.T, f *fixture, docs []neardup.Document) ([]neardup.Decision, string) {
	t.Helper()
	c := f.client("news", server.Submit)
	digest := batch.NewResultDigest()
	var decisions []neardup.Decision
	for from := 0; from < len(docs); from += 100 {
		var entries []api.BatchEntry
		for _, d := range docs[from:min(from+100, len(docs))] {
			a := article(d.ID, d.Text)
			a.Title = d.Title
			entries = append(entries, api.BatchEntry{Submission: a})
		}
		for _, r := range must[api.BatchAnswer](t)(c.SubmitBatch(t.Context(), entries)).Answers {
			if r.Problem != nil {
				t.Fatal(r.Problem)
			}
			digest.Add(r.Answer.Decision)
			decisions = append(decisions, r.Answer.Decision)
		}
	}
	return decisions, digest.String()
}
