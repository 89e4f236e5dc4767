package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/simhash"
)

// leaked is the seed of an index whose secret an attacker has: the worst case.
const leaked = 42

func leakedIdentity(string) (docid.Identity, error) {
	id, err := docid.NewIdentity("", nil)
	id.Seed = leaked
	return id, err
}

// push finds words to append that push the fingerprint of short texts onto a
// target: each word is chosen so that its shingle moves the bits that lack
// most.
func push(target uint64) string {
	words := []string{"x", "y"}
	var sums [64]int
	for len(words) < 500 {
		best, bestScore, bestHash := "", -1<<62, uint64(0)
		for c := range 64 {
			word := fmt.Sprintf("w%dq%d", len(words), c)
			hash := feature.Default.Append(nil, strings.Join(append(words[len(words)-2:len(words):len(words)], word), " "), leaked)[0]
			score := 0
			for b := range 64 {
				if lacks := 30 - sums[b]; lacks > 0 {
					score += lacks * lacks * agree(hash, target, b)
				}
			}
			if score > bestScore {
				best, bestScore, bestHash = word, score, hash
			}
		}
		words = append(words, best)
		for b := range 64 {
			sums[b] += agree(bestHash, target, b)
		}
	}
	return strings.Join(words, " ")
}

// agree returns 1 if two hashes have the same bit, else -1.
func agree(a, b uint64, bit int) int {
	if (a^b)>>bit&1 == 0 {
		return 1
	}
	return -1
}

func fingerprint(clean string) uint64 {
	return simhash.Of(feature.Default.Append(nil, clean, leaked))
}

// An attacker who knows the seed makes texts with the fingerprint of a victim's article. The search finds all
// of them, and none is a duplicate, because a fingerprint only nominates candidates.
func TestForgedFingerprints(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Limits.Rate = 1e6
		c.Settings = func(tenant string) docid.Settings {
			s := settings(tenant)
			s.ContentMethod, s.Identity = standard.Method("simhash"), leakedIdentity
			return s
		}
	})
	victim := story(0)
	must[api.Answer](t)(f.client("news", server.Submit).Submit(t.Context(), article("victim", victim), ""))
	suffix := push(fingerprint(victim))
	reader := f.client("news", server.Read)
	hit := 0
	for n := 1; n <= 10_000; n++ {
		forged := fmt.Sprintf("bought %d now %d with %d %s", n, n*n, n%97, suffix)
		if simhash.Distance(fingerprint(forged), fingerprint(victim)) <= simhash.DefaultDistance {
			hit++
		}
		a, err := reader.Check(t.Context(), article("", forged))
		if err != nil {
			t.Fatal(err)
		}
		if a.Decision.Decision != neardup.New {
			t.Fatalf("forged text %d is called a duplicate: %+v", n, a)
		}
	}
	if hit < 9900 {
		t.Errorf("only %d of 10,000 texts were forged well: the test proves little", hit)
	}
	// Stored, they neither hide the victim's article nor pass for it.
	for n := range 200 {
		must[api.Answer](t)(f.client("news", server.Submit).Submit(t.Context(), article("", fmt.Sprintf("sold %d then %d %s", n, n*n, suffix)), ""))
	}
	again := must[api.Answer](t)(reader.Check(t.Context(), article("", victim+" end")))
	if again.Leader != "victim" {
		t.Errorf("the victim's article is no longer recognised: %+v", again)
	}
}

// Texts that share keys of the default method with a victim, a third of its
// text, are found and never called duplicates.
func TestForgedKeys(t *testing.T) {
	f := start(t, func(c *server.Config) { c.Limits.Rate = 1e6 })
	victim := story(0) + story(1)
	must[api.Answer](t)(f.client("news", server.Submit).Submit(t.Context(), article("victim", victim), ""))
	reader := f.client("news", server.Read)
	for n := 2; n < 1000; n++ {
		a, err := reader.Check(t.Context(), article("", victim[:len(victim)/3]+story(n)+story(2*n)))
		if err != nil {
			t.Fatal(err)
		}
		if a.Decision.Decision != neardup.New {
			t.Fatalf("forged text %d is called a duplicate: %+v", n, a)
		}
	}
}

// What the submit role gets never holds a key, a fingerprint or the seed.
func TestSubmitRevealsNoSecret(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Settings = func(tenant string) docid.Settings {
			s := settings(tenant)
			s.ContentMethod, s.Identity = standard.Method("simhash"), leakedIdentity
			return s
		}
	})
	index, err := f.store.Index(t.Context(), "news", nil)
	if err != nil {
		t.Fatal(err)
	}
	method, err := standard.Method("simhash")(leaked, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rec neardup.Record
	method.Record(story(1), &rec)
	secrets := append(rec.Index, rec.Sketch, fingerprint(story(1)))
	var seen strings.Builder
	for _, r := range []reply{
		f.do(server.Submit, http.MethodPost, "/v1/articles", `{"nid":"a","content":"`+story(1)+`"}`),
		f.do(server.Submit, http.MethodPost, "/v1/articles", `{"nid":"b","content":"`+story(1)+`x"}`),
		f.do(server.Submit, http.MethodPost, "/v1/articles", `{"nid":"b","content":"other"}`),
		f.do(server.Submit, http.MethodPost, "/v1/batch", `{"articles":[{"nid":"c","content":"`+story(1)+`"},{"nid":"~"}]}`),
		f.do(server.Submit, http.MethodPatch, "/v1/articles/a", `{"heat":3}`),
		f.do(server.Submit, http.MethodPost, "/docId/getDocId", `{"content":"`+story(1)+`"}`),
		f.do(server.Submit, http.MethodGet, "/openapi.json", ""),
	} {
		fmt.Fprintln(&seen, r.status, r.header, r.body)
	}
	text := strings.ToLower(seen.String())
	for _, s := range secrets {
		for _, form := range []string{fmt.Sprintf("%d", s), fmt.Sprintf("%016x", s)} {
			if strings.Contains(text, form) {
				t.Errorf("an answer holds %s", form)
			}
		}
	}
	id := index.Identity()
	for _, form := range []string{fmt.Sprintf("%x", id.Key), fmt.Sprintf("%016x", id.Seed), id.Spec} {
		if strings.Contains(text, strings.ToLower(form)) {
			t.Errorf("an answer holds %s", form)
		}
	}
}
