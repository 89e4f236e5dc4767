package docid_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/text"
)

// phrases returns n texts of which many share words: edits of a few sentences.
func phrases(r *rand.Rand, n int) []string {
	words := strings.Fields("ferry island leaves nine ten morning harbour council agreed bridge river money votes school bear garden old night rain train station closed")
	var sentences, all []string
	for range 6 {
		var s []string
		for range 14 {
			s = append(s, words[r.IntN(len(words))])
		}
		sentences = append(sentences, strings.Join(s, " "))
	}
	for i := range n {
		s := strings.Fields(sentences[r.IntN(len(sentences))])
		for range r.IntN(4) {
			s[r.IntN(len(s))] = words[r.IntN(len(words))]
		}
		all = append(all, fmt.Sprintf("%s %d", strings.Join(s, " "), i))
	}
	return all
}

// TestNear: Near finds what a comparison with every leader finds, in the same order. Only leaders that share no key
// with the text may be missing, and none of those is near.
func TestNear(t *testing.T) {
	for _, spec := range []string{"auto", "minhash threshold=.6", "jaccard threshold=.5"} {
		t.Run(spec, func(t *testing.T) {
			maker := standard.Method(spec)
			d := service(t, docid.Settings{Clean: text.Default(), Content: docid.Near, ContentMethod: maker,
				Identity: func(spec string) (docid.Identity, error) { return docid.Identity{Spec: spec, Seed: 7}, nil }})
			identity := d.Index().Identity()
			m, err := maker(identity.Seed, identity.Table)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			leaders, all := map[string]string{}, phrases(r, 80) // docId to clean text
			for _, s := range all[:60] {
				if a := add(t, d, submission("", "", s)); a.Decision.Decision == neardup.New {
					leaders[a.DocID] = text.Default().Clean(s)
				}
			}
			for _, s := range all {
				const top = 7
				got, err := d.Near(t.Context(), submission("", "", s), top)
				if err != nil {
					t.Fatal(err)
				}
				want := compared(m, text.Default().Clean(s), leaders)
				checkNeighbors(t, s, got, want, top)
			}
		})
	}
}

// compared compares a text with every leader.
func compared(m neardup.Method, clean string, leaders map[string]string) map[string]neardup.Match {
	all := map[string]neardup.Match{}
	for id, other := range leaders {
		all[id] = neardup.Match{Similarity: 1, Near: true}
		if clean != other {
			all[id] = neardup.Explain(m, m.Prepare(clean), m.Prepare(other))
		}
	}
	return all
}

func checkNeighbors(t *testing.T, s string, got []docid.Neighbor, want map[string]neardup.Match, top int) {
	t.Helper()
	if len(got) > top || !slices.IsSortedFunc(got, func(a, b docid.Neighbor) int { return cmp.Compare(b.Similarity, a.Similarity) }) {
		t.Errorf("%q: %d in this order: %+v", s, len(got), got)
	}
	least := 0.0
	for _, n := range got {
		m := want[n.DocID]
		if n.Similarity != m.Similarity || n.Relation != m.Relation() || len(n.Evidence) != min(len(m.Evidence), 16) {
			t.Errorf("%q: %+v, compared %+v", s, n, m)
		}
		least = n.Similarity
	}
	for id, m := range want {
		found := slices.ContainsFunc(got, func(n docid.Neighbor) bool { return n.DocID == id })
		if !found && m.Near && (len(got) < top || m.Similarity > least) {
			t.Errorf("%q: %s is missing: %+v", s, id, m)
		}
	}
}

// TestNearIsBounded: of a bucket of more leaders than are compared, Near answers with those that share most keys.
func TestNearIsBounded(t *testing.T) {
	d := service(t, docid.Settings{Content: docid.Near, ContentMethod: storetest.Maker(0.9)})
	for n := range 300 {
		add(t, d, submission("", "", storetest.Base(n)+"common"))
	}
	got, err := d.Near(t.Context(), submission("", "", storetest.Base(299)+"common"), 1000)
	if err != nil || len(got) != 256 || got[0].Similarity != 1 || got[0].ID != "~300" {
		t.Errorf("%d, %v", len(got), err)
	}
	for _, none := range []docid.Submission{{}, submission("", "", "?!")} {
		if got, err := d.Near(t.Context(), none, 3); err != nil || len(got) != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestNearOfDeleted: a deleted leader is named by its number, and an ended docId is not found.
func TestNearOfDeleted(t *testing.T) {
	d := service(t, docid.Settings{Content: docid.Exact})
	s := submission("", "", "some words")
	s.ID = "a"
	a := add(t, d, s)
	if _, err := d.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	got, err := d.Near(t.Context(), submission("", "", "some words"), 3)
	if err != nil || len(got) != 1 || got[0].ID != "~1" || got[0].DocID != a.DocID || got[0].Relation != neardup.Same {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := d.End(t.Context(), a.DocID); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Near(t.Context(), submission("", "", "some words"), 3); err != nil || len(got) != 0 {
		t.Errorf("ended: %+v, %v", got, err)
	}
}
