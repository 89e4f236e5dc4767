package worker

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
)

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

// By each method the stages name for each document the leader that one machine's run against the index names, in the
// index or not; so does the stage that decides documents whole.
func TestStagesAgainstAnIndex(t *testing.T) {
	docs := nearDocs(360)
	for _, method := range []string{"minhash", "auto", "simhash", "ngram", "exact"} {
		for _, held := range []int{240, 0} {
			t.Run(fmt.Sprint(method, held), func(t *testing.T) {
				s := stagesOf(t, method)
				x := indexOf(t, s, docs[:held])
				if err := s.Use(x, x.AsOf()); err != nil {
					t.Fatal(err)
				}
				s.Parts, s.Ranges = 3, true
				leaders, ids := s.edges(t, docs[held:])
				want, wantIDs := oneMachine(t, s, docs[held:])
				if !slices.Equal(ids, wantIDs) || (held > 0 && len(ids) == 0) {
					t.Errorf("leaders of the index are %q, want %q", ids, wantIDs)
				}
				var lines, decided strings.Builder
				for i, d := range docs[held:] {
					lines.WriteString(textLine(s, i, d.Text))
				}
				if _, err := s.Decide(t.Context(), strings.NewReader(lines.String()), &decided); err != nil {
					t.Fatal(err)
				}
				whole := map[int]string{}
				for line := range strings.Lines(decided.String()) {
					later, rest := leaderOf(line)
					whole[later] = rest
				}
				for i := range docs[held:] {
					if got, first := leaders[i]; first && got != want[i] {
						t.Errorf("document %d goes to %q, want %q", i, got, want[i])
					}
					if whole[i] != want[i] {
						t.Errorf("document %d, decided whole, goes to %q, want %q", i, whole[i], want[i])
					}
				}
				if len(leaders) < len(docs[held:])/2 || len(whole) < len(docs[held:])/7 {
					t.Errorf("%d distinct texts, %d that go to another", len(leaders), len(whole))
				}
			})
		}
	}
}

// leaderOf returns the later end of an edge, and the rest that decisions show.
func leaderOf(line string) (int, string) {
	f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	later, _ := strconv.Atoi(f[0])
	if f[5] == "variant" || f[5] == "unsure" {
		return later, f[1] + " variant"
	}
	return later, f[1] + " " + f[2] + " " + f[4]
}

// edges takes documents through the stages: of each that is not a copy its leader, "" for none; and the ids of those in the index.
func (s Stages) edges(t *testing.T, docs []neardup.Document) (leaders map[int]string, ids []string) {
	var inputs []string
	var block, edges, chosen, places, named strings.Builder
	for i, d := range docs {
		inputs = append(inputs, fmt.Sprintf("%d\t%s\n", i, Escape(d.Text)))
		block.WriteString("t\t" + textLine(s, i, d.Text))
	}
	candidates, copies := engine{t, s, 1 << 20}.packed(inputs)
	for _, c := range candidates {
		block.WriteString("c\t" + strings.Replace(c, " ", "\t", 1) + "\n")
	}
	if _, err := s.Verify(t.Context(), strings.NewReader(block.String()), &edges); err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(edges.String(), "\n")
	all = all[:len(all)-1]
	slices.SortFunc(all, func(a, b string) int {
		var x, y [2]int
		fmt.Sscan(a, &x[0], &x[1])
		fmt.Sscan(b, &y[0], &y[1])
		return slices.Compare(x[:], y[:])
	})
	if _, err := (Stages{}).Lead(t.Context(), strings.NewReader(strings.Join(all, "")), &chosen); err != nil {
		t.Fatal(err)
	}
	leaders = map[int]string{}
	for i := range docs {
		leaders[i] = ""
	}
	for line := range strings.Lines(chosen.String()) {
		later, rest := leaderOf(line)
		leaders[later] = rest
		if rest[0] == '-' {
			places.WriteString(strings.Fields(rest)[0] + "\n")
		}
	}
	for _, c := range copies {
		later, _, _ := strings.Cut(c, " ")
		i, _ := strconv.Atoi(later)
		delete(leaders, i)
	}
	if _, err := s.Names(t.Context(), strings.NewReader(places.String()), &named); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(named.String()) {
		_, id, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return leaders, slices.Compact(ids)
}

// oneMachine returns the edges of batch.Dedup.
func oneMachine(t *testing.T, s Stages, docs []neardup.Document) (leaders map[int]string, ids []string) {
	leaders = map[int]string{}
	item := map[string]int{}
	for i, d := range docs {
		item[d.ID] = i
	}
	cfg := batch.Config{Method: s.Method, Clean: s.Clean, Reference: s.Against}
	first := map[string]bool{}
	_, err := batch.Dedup(t.Context(), batch.Documents(docs), cfg, func(o batch.Outcome) error {
		leader := o.Leader + o.VariantOf
		at := int64(item[leader])
		if o.Known >= 0 {
			at = o.Known - 1<<32
			if !first[docs[o.Item].Text] {
				ids = append(ids, Escape(leader))
			}
		}
		first[docs[o.Item].Text] = true
		distance := ""
		if o.Distance != nil {
			distance = strconv.Itoa(*o.Distance)
		}
		switch {
		case o.VariantOf != "":
			leaders[o.Item] = fmt.Sprintf("%d variant", at)
		case o.Leader != "":
			leaders[o.Item] = fmt.Sprintf("%d %s %s", at, strconv.FormatFloat(o.Similarity, 'g', -1, 64), distance)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return leaders, slices.Compact(ids)
}

// An index of another method, another state of it, and a place that it does not have are named.
func TestStagesRefuseAnotherIndex(t *testing.T) {
	s := stagesOf(t, "exact")
	x := indexOf(t, s, nearDocs(9))
	other := stagesOf(t, "minhash")
	if err := other.Use(x, ""); !errors.Is(err, neardup.ErrUnlike) || !strings.Contains(err.Error(), "the index was made with exact/1, this is minhash/2") {
		t.Errorf("another method: %v", err)
	}
	if err := s.Use(x, "0"); !errors.Is(err, ErrUnlike) {
		t.Errorf("another state: %v", err)
	}
	if err := s.Use(x, x.AsOf()); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]error{"0": ErrLine, "-1": reference.ErrDamaged, "-4294967297": ErrLine, "-4294967296\t1": ErrLine} {
		if _, err := s.Names(t.Context(), strings.NewReader(line+"\n"), &strings.Builder{}); !errors.Is(err, want) {
			t.Errorf("place %s: %v", line, err)
		}
	}
	s.Against = nil
	if _, err := s.Verify(t.Context(), strings.NewReader("t\t"+textLine(s, 1, "x y z")+"c\t1\t-5\n"), &strings.Builder{}); !errors.Is(err, ErrLine) {
		t.Errorf("a document of no index: %v", err)
	}
}
