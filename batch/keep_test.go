package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup"
)

// Of documents with the same text, the keys select the kept one, and name the reason for each other one, in any
// order of the input.
func TestKeep(t *testing.T) {
	doc := func(id, text, url string, time int64, source, score string) neardup.Document {
		return neardup.Document{ID: id, Text: text, URL: url, Time: time, Fields: map[string]string{"source": source, "score": score}}
	}
	docs := []neardup.Document{
		doc("a", "the quick brown fox jumps over the lazy dog", "http://a.example/page", 30, "blog", "7"),
		doc("b", "the quick brown fox jumps over the lazy dog", "https://b.example/page/1", 10, "news", "-2.5"),
		doc("c", "the quick brown fox jumps over the lazy dog ok", "https://c.example/p", 20, "wiki", "x"),
		doc("d", "the quick brown fox jumps over the lazy dog", "", 0, "", ""),
	}
	tests := []struct{ keep, kept, because string }{ // because: of the others, by id
		{"id", "a", "smallest-id smallest-id smallest-id"},
		{"smallest-id", "a", "smallest-id smallest-id smallest-id"},
		{"longest", "c", "longest longest longest"},
		{"shortest", "a", "smallest-id shortest smallest-id"},
		{"earliest", "b", "earliest earliest earliest"},
		{"latest", "a", "latest latest latest"},
		{"https", "b", "https smallest-id https"},
		{" https ; shortest-url ", "c", "https shortest-url https"},
		{"https; largest score", "b", "https largest score https"},
		{"largest score", "a", "largest score largest score largest score"},
		{"smallest score", "b", "smallest score smallest score smallest score"},
		{"source:wiki,news,*", "c", "source source source"},
		{"source:blog", "a", "source source source"},
		{"source:*,wiki,news,blog; longest", "d", "source source source"},
		{"source:*, wiki; latest; smallest-id", "a", "latest source latest"},
		{"source:nobody; score:7", "a", "score score score"},
		{"shortest-url", "c", "shortest-url shortest-url shortest-url"},
	}
	for _, test := range tests {
		for seed := range uint64(6) {
			some := append([]neardup.Document(nil), docs...)
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			cfg := Config{Method: shingled{threshold: .5}, Keep: Keep(test.keep), Memory: 1 << 14}
			kept, because := "", map[string]string{}
			_, err := Dedup(context.Background(), Documents(some), cfg, func(o Outcome) error {
				if o.Decision.Decision == neardup.New {
					kept += o.ID
				}
				because[o.ID] = o.KeptBy
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, d := range docs {
				if d.ID != kept {
					all = append(all, because[d.ID])
				}
			}
			if got := strings.Join(all, " "); kept != test.kept || got != test.because {
				t.Errorf("%q: %s stays by %q, want %s by %q", test.keep, kept, got, test.kept, test.because)
			}
		}
	}
}

// The order of the input is a key of its own, also after others, and never named as the reason.
func TestKeepFirst(t *testing.T) {
	docs := []neardup.Document{{ID: "b", Text: "one and the same text here"}, {ID: "c", Text: "one and the same text here", Time: 5}, {ID: "a", Text: "one and the same text here", Time: 5}}
	for keep, want := range map[string]string{"": "b[] c[] a[]", "first": "b[] c[] a[]", "earliest; first": "c[] a[] b[earliest]", "earliest": "a[] c[smallest-id] b[earliest]"} {
		got := ""
		if _, err := Dedup(context.Background(), Documents(docs), Config{Method: shingled{threshold: .5}, Keep: Keep(keep)}, func(o Outcome) error {
			got += fmt.Sprintf(" %s[%s]", o.ID, o.KeptBy)
			return nil
		}); err != nil || got != " "+want {
			t.Errorf("%q: %q, %v, want %q", keep, got, err, want)
		}
	}
}

// Any number of documents, on disk or not, is put in one order.
func TestKeepInAnyMemory(t *testing.T) {
	docs := randomDocs(3, 300)
	for i := range docs {
		docs[i].URL = strings.Repeat("x", i%5)
		docs[i].Fields = map[string]string{"source": string(rune('a' + i%3))}
	}
	const keep = "source:b,*; shortest-url; latest"
	want, _ := runDedup(t, docs, Config{Method: shingled{threshold: .5}, Keep: keep})
	for _, memory := range []int64{1 << 12, 1 << 20} {
		rand.New(rand.NewPCG(uint64(memory), 1)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		got, _ := runDedup(t, docs, Config{Method: shingled{threshold: .5}, Keep: keep, Memory: memory, Workers: 2})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("memory %d: other decisions", memory)
		}
	}
}

func TestKeepIsChecked(t *testing.T) {
	for keep, want := range map[Keep]string{
		"best": `"best": invalid (want first, longest,`, "": `"": invalid (want`, "longest;": `"": invalid (want`, "source:": `"source:": invalid (want`, ":a": "invalid (want",
		"first; longest": `"longest" has no effect, because first leaves no ties`, "id;https": `"https" has no effect, because id leaves no ties`, "largest": "invalid (want",
	} {
		if err := keep.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", keep, err, want)
		}
	}
	if got := fmt.Sprint(Keep("source:a,*; largest score; source:b; https").Fields()); got != "[source score]" {
		t.Errorf("fields %s", got)
	}
}
