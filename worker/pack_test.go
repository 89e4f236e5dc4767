package worker

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/override"
)

// engine moves packs as an engine does: by part.
type engine struct {
	testing.TB
	Stages
	memory int // of distinct
}

// met takes documents through records, distinct and bucket.
func (e engine) met(inputs [][]byte) (all []columns) {
	e.Helper()
	texts, postings := make([][]byte, e.Parts), make([][]byte, e.Parts)
	for _, in := range inputs {
		for _, r := range e.ran(e, Stages.Records, recordKinds, in) {
			if r[6] != nil {
				part := r[6].(int)
				texts[part] = append(texts[part], rowsOf(r[7:])...)
			}
		}
	}
	for i := range texts {
		var out bytes.Buffer
		if _, err := e.distinct(e.Context(), bytes.NewReader(texts[i]), &out, e.memory); err != nil {
			e.Fatal(err)
		}
		for _, r := range parsed(e, "nbnns", out.Bytes()) {
			part := r[0].(int)
			postings[part] = append(postings[part], rowsOf(r[1:])...)
		}
	}
	for i := range postings {
		all = append(all, e.ran(e, Stages.Bucket, "nns", postings[i])...)
	}
	return all
}

// packed returns candidates and copies as "later earlier".
func (e engine) packed(inputs [][]byte) (candidates, copies []string) {
	e.Helper()
	for _, r := range e.met(inputs) {
		pair := fmt.Sprint(r[0], " ", r[1])
		if r[2] == Copy {
			copies = append(copies, pair)
		} else {
			candidates = append(candidates, pair)
		}
	}
	return sorted(candidates), sorted(copies)
}

// plain computes the same by maps.
func (e engine) plain(docs []string, apart ...int64) (candidates, copies []string) {
	e.Helper()
	first, own := map[[32]byte]int{}, map[[32]byte][]int{}
	var postings []batch.Posting
	for i, d := range docs {
		clean := e.Clean.Clean(d)
		hash := sha256.Sum256([]byte(clean))
		if slices.Contains(apart, int64(i)) {
			own[hash] = append(own[hash], i)
		} else if at, ok := first[hash]; ok {
			copies = append(copies, fmt.Sprint(i, " ", at))
			continue
		} else {
			first[hash] = i
		}
		var rec neardup.Record
		e.Method.Record(clean, &rec)
		role := batch.Indexed
		if rec.Probe == nil {
			role |= batch.Probing
		}
		for _, k := range rec.Index {
			postings = append(postings, batch.NewPosting(k, rec.Sketch, batch.Ordinal(i+held), role))
		}
		for _, k := range rec.Probe {
			postings = append(postings, batch.NewPosting(k, rec.Sketch, batch.Ordinal(i+held), batch.Probing))
		}
	}
	slices.SortFunc(postings, func(a, b batch.Posting) int { return slices.Compare(a[:], b[:]) })
	pairing := batch.Pairing{Method: e.Method}
	for len(postings) > 0 {
		n := slices.IndexFunc(postings, func(p batch.Posting) bool { return p.Key() != postings[0].Key() })
		if n < 0 {
			n = len(postings)
		}
		pairing.Bucket(postings[:n], func(c batch.Candidate) bool {
			candidates = append(candidates, ordinalText(c.Later)+" "+ordinalText(c.Earlier))
			return true
		})
		postings = postings[n:]
	}
	for hash, ordinals := range own {
		if at, ok := first[hash]; ok {
			ordinals = append(ordinals, at)
		}
		slices.Sort(ordinals)
		for i := range ordinals {
			for _, earlier := range ordinals[:i] {
				candidates = append(candidates, fmt.Sprint(ordinals[i], " ", earlier))
			}
		}
	}
	return sorted(candidates), sorted(copies)
}

func sorted(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// documents returns 300 documents, also in three alternating inputs: each third is a copy, and each third an edit.
func documents() (texts []string, inputs [][]byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	inputs = make([][]byte, 3)
	for i := range 300 {
		var words []string
		if i > 30 && i%3 > 0 {
			words = strings.Fields(texts[rng.IntN(len(texts))])
			if i%3 == 2 {
				words[rng.IntN(len(words))] = fmt.Sprint("edit", i)
			}
		} else {
			for range 20 + rng.IntN(60) {
				words = append(words, fmt.Sprint("w", rng.IntN(500)))
			}
		}
		texts = append(texts, strings.Join(words, " "))
		at := rng.IntN(3)
		inputs[at] = append(inputs[at], rowsOf(columns{i, texts[i], fmt.Sprint(i)})...)
	}
	return texts, inputs
}

// Packs give the candidates and copies of maps, in however many parts, and with memory for a few texts only.
func TestPacksGiveWhatMapsGive(t *testing.T) {
	texts, inputs := documents()
	for _, method := range []string{"minhash", "simhash", "auto", "exact"} {
		for _, apart := range [][]int64{nil, {3, 40, 41, 43, 200}} {
			wantPairs, wantCopies := engine{t, stagesOf(t, method), 0}.plain(texts, apart...)
			if len(wantCopies) < 50 || (method != "exact" && len(wantPairs) < 50) {
				t.Fatalf("%s: %d copies, %d pairs are no test", method, len(wantCopies), len(wantPairs))
			}
			for _, parts := range []int{1, 2, 7} {
				for _, memory := range []int{0, 5000, distinctMemory} {
					e := engine{t, stagesOf(t, method), memory}
					e.Parts, e.Overrides = parts, new(override.Set)
					for i := range apart {
						if err := e.Overrides.Add(override.Ruling{A: fmt.Sprint(apart[i]), B: fmt.Sprint(apart[(i+1)%len(apart)]), Link: override.Cannot}); err != nil {
							t.Fatal(err)
						}
					}
					pairs, copies := e.packed(inputs)
					if !slices.Equal(copies, wantCopies) || !slices.Equal(pairs, wantPairs) {
						t.Errorf("%s in %d parts, memory %d, apart %v: %d copies and %d pairs, want %d and %d", method, parts, memory, apart,
							len(copies), len(pairs), len(wantCopies), len(wantPairs))
					}
				}
			}
		}
	}
}

// Blank texts are kept, so none is a copy of another.
func TestTextsWithoutContentAreNotCopies(t *testing.T) {
	e := engine{t, stagesOf(t, "exact"), 100}
	_, copies := e.packed([][]byte{rowsOf(columns{1, " ", nil}, columns{2, " ", nil}, columns{3, "one text", nil}, columns{4, "one text", nil})})
	if want := []string{"4 3"}; !slices.Equal(copies, want) {
		t.Errorf("copies %q, want %q", copies, want)
	}
}

// The many copies of one text are no row each in memory.
func TestCopiesBeyondMemory(t *testing.T) {
	e := engine{t, stagesOf(t, "exact"), 100}
	const n = 70_000 // 16 bytes each: more than a megabyte
	var in []columns
	for i := range n {
		in = append(in, columns{n - i, "one text", nil})
	}
	_, copies := e.packed([][]byte{rowsOf(in...)})
	if len(copies) != n-1 || !slices.Contains(copies, "70000 1") || slices.Contains(copies, "1 1") {
		t.Errorf("%d copies", len(copies))
	}
}

// A hot bucket links its texts with the first of them, whatever its size.
func TestHotBucketsStayWhole(t *testing.T) {
	s := stagesOf(t, "minhash")
	var in []columns
	post := func(key uint64, n int, sketch func(int) uint64) {
		var pack []byte
		for i := range n {
			pack = appendPosting(pack, batch.NewPosting(key, sketch(i), batch.Ordinal(i+held), batch.Indexed|batch.Probing))
		}
		in = append(in, columns{pack, nil, nil, nil})
	}
	alike := func(int) uint64 { return 1000 }
	post(1, 9, alike)                                         // 36 pairs: paired
	post(2, 10, alike)                                        // 45 pairs: more than 4 a posting
	post(3, 100, func(i int) uint64 { return 1 << (i % 30) }) // sizes apart: few are plausible
	post(4, largeBucket+1, alike)
	post(5, 2, alike)
	s.Hot = 5
	links, candidates := map[string]int{}, 0
	for _, r := range s.ran(t, Stages.Bucket, "nns", rowsOf(in...)) {
		if r[2] == Hot {
			links[fmt.Sprint(r[1])]++
		} else {
			candidates++
		}
	}
	total := 0
	for _, n := range links {
		total += n
	}
	if total != 10+largeBucket+1 || candidates < 37 || candidates > 500 {
		t.Errorf("%v links, %d candidates", links, candidates)
	}
	s.Hot = 0
	in = in[:2]
	if n := len(s.ran(t, Stages.Bucket, "nns", rowsOf(in...))); n != 36+45 {
		t.Errorf("%d candidates without hot buckets", n)
	}
}
