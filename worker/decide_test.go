package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/override"
)

const decidedKinds = "nssdnssss"

// nearDocs returns texts of few words, copies, edits and texts that are too short for keys.
func nearDocs(n int) (docs []neardup.Document) {
	rng := rand.New(rand.NewPCG(11, 7))
	for i := range n {
		words := make([]string, 3+rng.IntN(40))
		for w := range words {
			words[w] = fmt.Sprint("word", rng.IntN(400))
		}
		if i > 0 && rng.IntN(2) == 0 {
			words = strings.Fields(docs[rng.IntN(i)].Text)
			at := rng.IntN(len(words))
			words[at] = fmt.Sprint("word", rng.IntN(3))
			if rng.IntN(2) == 0 && len(words) > 4 { // several texts may hold what is left
				words = append(words[:at], words[at+1:]...)
			}
		}
		if rng.IntN(3) == 0 { // of one form, of which several hold what others leave out: the closest is not the most probable
			words = words[:0]
			for w := range 24 {
				if rng.IntN(12) > 0 {
					words = append(words, strings.Repeat(string(rune('a'+w)), 2)+"ing")
				}
			}
			if rng.IntN(2) == 0 {
				words[12] = []string{"paris", "madrid", "london", "berlin", "vienna", "oslo"}[rng.IntN(6)]
			}
		}
		text := strings.Join(words, " ")
		if i > 0 && rng.IntN(5) == 0 {
			text = docs[rng.IntN(i)].Text
		}
		docs = append(docs, neardup.Document{ID: fmt.Sprintf("d\t%d", i), Text: text})
	}
	return docs
}

// indexOf returns an index of documents in two parts.
func indexOf(t *testing.T, s Stages, docs []neardup.Document) *reference.Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "index")
	err := batch.CreateIndex(dir, batch.Config{Method: s.Method, Clean: s.Clean}, nil)
	for _, piece := range [][]neardup.Document{docs[:2*len(docs)/3], docs[2*len(docs)/3:]} {
		if err != nil || len(piece) == 0 {
			break
		}
		var w *reference.Writer
		w, err = reference.Change(dir)
		if err != nil {
			break
		}
		cfg := batch.Config{Method: s.Method, Clean: s.Clean, Reference: w.Index, Add: w}
		_, err = batch.Dedup(t.Context(), batch.Documents(piece), cfg, func(batch.Outcome) error { return nil })
		if err == nil {
			err = w.Commit()
		}
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := reference.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// What Decide decides of documents at ordinals 3, 6, 9 ... is what batch.Dedup decides of the same documents, and Bucket
// links each document with what it is a duplicate or a variant of: with or without an index, or rulings.
func TestDecideIsOneMachine(t *testing.T) {
	docs := nearDocs(360)
	rulings := &override.Set{}
	for _, r := range []override.Ruling{{A: docs[3].ID, B: docs[200].ID, Link: override.Must}, {A: docs[9].ID, B: docs[7].ID, Link: override.Cannot}} {
		if err := rulings.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, method := range []string{"minhash", "auto", "simhash verify=off", "ngram", "exact"} {
		for _, c := range []struct {
			held  int
			ruled *override.Set
		}{{0, nil}, {240, nil}, {0, rulings}} {
			t.Run(fmt.Sprint(method, c.held, c.ruled.Len()), func(t *testing.T) {
				s := stagesOf(t, method)
				s.Conflicts, s.Overrides, s.Parts, s.Ranges = true, c.ruled, 3, true
				if c.held > 0 {
					x := indexOf(t, s, docs[:c.held])
					if err := s.Use(x, x.AsOf()); err != nil {
						t.Fatal(err)
					}
				}
				docs := docs[c.held:]
				var in, texts []columns
				for i, d := range docs {
					in = append(in, withCheck(3*i, d.Text, d.ID))
					texts = append(texts, columns{3 * i, d.Text, d.ID})
				}
				got := s.ran(t, Stages.Decide, decidedKinds, rowsOf(in...))
				want, links := oneMachine(t, s, docs)
				if len(got) != len(want) {
					t.Fatalf("%d decisions, want %d", len(got), len(want))
				}
				for i := range got {
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Errorf("%v, want %v", got[i], want[i])
					}
				}
				if c.ruled != nil {
					return // a ruling is a link of its own
				}
				pairs := map[[2]int]bool{}
				for _, p := range (engine{t, s, 1 << 20}).met([][]byte{rowsOf(texts...)}) {
					pairs[[2]int{p[0].(int), p[1].(int)}] = true
				}
				if len(links) < 30 {
					t.Errorf("%d documents go to another", len(links))
				}
				for _, link := range links {
					if !pairs[link] && !pairs[[2]int{link[1], link[0]}] && !linked(pairs, link) {
						t.Errorf("%v is no candidate", link)
					}
				}
			})
		}
	}
}

// linked reports whether pairs link two documents by others.
func linked(pairs map[[2]int]bool, link [2]int) bool {
	near := map[int][]int{}
	for p := range pairs {
		near[p[0]], near[p[1]] = append(near[p[0]], p[1]), append(near[p[1]], p[0])
	}
	seen, todo := map[int]bool{link[0]: true}, []int{link[0]}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, next := range near[at] {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return seen[link[1]]
}

// oneMachine returns the decisions of batch.Dedup as rows, and the ordinals of what documents go to.
func oneMachine(t *testing.T, s Stages, docs []neardup.Document) (rows []columns, links [][2]int) {
	item := map[string]int{}
	for i, d := range docs {
		item[d.ID] = i
	}
	cfg := batch.Config{Method: s.Method, Clean: s.Clean, Reference: s.Against, Overrides: s.Overrides}
	_, err := batch.Dedup(t.Context(), batch.Documents(docs), cfg, func(o batch.Outcome) error {
		leader := o.Leader + o.VariantOf
		if leader == "" {
			return nil
		}
		r := columns{3 * o.Item, string(o.Decision.Decision), given(o.Leader), nil, nil, o.Method, given(o.Basis), given(o.VariantOf), nil}
		if o.Leader != "" {
			r[3] = o.Similarity
		}
		if o.Distance != nil {
			r[4] = *o.Distance
		}
		if o.Conflicts != nil {
			b, err := json.Marshal(o.Conflicts)
			if err != nil {
				return err
			}
			r[8] = string(b)
		}
		rows = append(rows, r)
		at := 3 * item[leader]
		if o.Known >= 0 {
			at = int(o.Known - held)
		}
		links = append(links, [2]int{3 * o.Item, at})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, links
}

// A variant comes with the facts in which it differs, and a copy after it goes to the first text.
func TestDecideNamesVariants(t *testing.T) {
	s := stagesOf(t, "auto")
	s.Conflicts = true
	a, b := "Your parcel from the shop arrives on Monday between two and four", "Your parcel from the shop arrives on Friday between two and four"
	got := s.ran(t, Stages.Decide, decidedKinds, rowsOf(withCheck(3, a, "a"), withCheck(4, b, "b"), withCheck(7, a, "a")))
	if len(got) != 2 || got[0][7] != "a" || !strings.Contains(fmt.Sprint(got[0][8]), "onday") || got[1][2] != "a" || got[1][3] != 1.0 || got[1][6] != "equal text" {
		t.Errorf("%v", got)
	}
}

// Decide keeps the distance of a decision.
func TestDecideKeepsDistances(t *testing.T) {
	s := stagesOf(t, "simhash verify=off")
	words := strings.Fields(strings.Repeat("the quick brown fox jumps over a lazy dog while seven wizards box ", 9))
	for i := range words {
		words[i] += fmt.Sprint(i)
	}
	a := strings.Join(words, " ")
	b := strings.Replace(a, "fox3 ", "cat ", 1)
	got := s.ran(t, Stages.Decide, decidedKinds, rowsOf(withCheck(3, a, "a"), withCheck(4, b, "b")))
	edges := s.ran(t, Stages.Verify, "nndnss", rowsOf(verified(3, a), verified(4, b), candidate(4, 3)))
	if len(got) != 1 || len(edges) != 1 || got[0][4] != edges[0][3] || got[0][4].(int) < 1 || got[0][4].(int) > 3 {
		t.Errorf("%v, edges %v", got, edges)
	}
}

// A decoder of records is for one goroutine.
func TestDecideDecodesInSequence(t *testing.T) {
	s := stagesOf(t, "minhash")
	var inside atomic.Int32
	s.Decode = func(record []byte, doc *neardup.Document) (string, error) {
		if inside.Add(1) > 1 {
			return "two at a time", nil
		}
		runtime.Gosched()
		doc.Text = string(record)
		inside.Add(-1)
		return "", nil
	}
	var many []columns
	for i := range 9000 {
		many = append(many, withCheck(i, fmt.Sprint("a text of a few words, number ", i), "id"))
	}
	if n, err := s.Decide(t.Context(), bytes.NewReader(rowsOf(many...)), io.Discard); err != nil || n.In != 9000 {
		t.Errorf("%d records, %v", n.In, err)
	}
	if n, err := s.Decide(t.Context(), strings.NewReader(""), io.Discard); err != nil || n != (Counts{}) {
		t.Errorf("nothing: %+v, %v", n, err)
	}
}

// An index of another method, and another state of it, are refused.
func TestStagesRefuseAnotherIndex(t *testing.T) {
	s := stagesOf(t, "exact")
	x := indexOf(t, s, nearDocs(9))
	other := stagesOf(t, "minhash")
	if err := other.Use(x, ""); !errors.Is(err, neardup.ErrUnlike) || !strings.Contains(err.Error(), "the index was made with exact/1, this run uses minhash/2") {
		t.Errorf("another method: %v", err)
	}
	if err := s.Use(x, "0"); !errors.Is(err, ErrUnlike) {
		t.Errorf("another state: %v", err)
	}
}
