//go:build full

package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/neardup/neardup/server/api"
)

// The export equals what the service reports of each article, after articles ended, moved and were deleted. A
// nid may recur.
func TestExported(t *testing.T) {
	tokens := t.TempDir() + "/tokens"
	var printed strings.Builder
	fatal(t, (&token{&app{stdout: &printed}, tokens, "news", "admin", ""}).do(t.Context(), nil))
	url := "http://" + serving(t, "--tokens", tokens)
	awaitReady(t, nil, url)
	c, err := api.NewClient(url, api.Options{Token: strings.TrimSpace(printed.String())})
	fatal(t, err)
	defer c.Close()
	add := func(nid, content string) string {
		t.Helper()
		a, err := c.Submit(t.Context(), api.Submission{Article: api.Article{NID: nid, Content: content}}, "")
		fatal(t, err)
		return a.DocID
	}
	const fox, rain, sea = "the quick brown fox jumps over the lazy dog", "rain in the north and wind along the coast", "a ship went down off the southern cape at night"
	one := add("a", fox)
	add("b", fox)
	two := add("c", rain)
	three := add("d", sea)
	_, err = c.Delete(t.Context(), "b")
	fatal(t, err)
	_, err = c.Correct(t.Context(), "d", api.Correction{With: "c", Why: "one event"})
	fatal(t, err)
	_, err = c.End(t.Context(), one)
	fatal(t, err)
	again := add("a", fox)
	got, err := exported(t.Context(), c)
	fatal(t, err)
	if want := map[string]string{"a": again, "c": two, "d": two}; !maps.Equal(got, want) || again == one || three == two {
		t.Errorf("%v, want %v", got, want)
	}
}
