package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// engine moves packs as an engine does: by part.
type engine struct {
	testing.TB
	Stages
	memory int // of distinct
}

// lines returns the lines of a stage. The field of a pack includes its bytes.
func (e engine) lines(out string, err error) [][]string {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
	var rows [][]string
	for len(out) > 0 {
		line, rest, _ := strings.Cut(out, "\n")
		f := strings.Split(line, "\t")
		if length, is := strings.CutPrefix(f[len(f)-1], "*"); is {
			n, err := strconv.Atoi(length)
			if err != nil {
				e.Fatal(err)
			}
			f[len(f)-1] += "\n" + rest[:n]
			rest = rest[n+1:]
		}
		rows, out = append(rows, f), rest
	}
	return rows
}

// packed takes documents through records, distinct and bucket: candidates and
// copies as "later earlier".
func (e engine) packed(inputs []string, apart ...int) (candidates, copies []string) {
	e.Helper()
	ctx := context.Background()
	texts, postings := make([]strings.Builder, e.Parts), make([]strings.Builder, e.Parts)
	for _, in := range inputs {
		var out strings.Builder
		_, err := e.RecordsInPacks(ctx, strings.NewReader(in), &out)
		for _, f := range e.lines(out.String(), err) {
			if len(f) == 8 {
				part, _ := strconv.Atoi(f[6])
				fmt.Fprintf(&texts[part], "r\t%s\n", f[7])
			}
		}
	}
	for i := range texts {
		var named, out strings.Builder
		for _, p := range apart {
			fmt.Fprintf(&named, "a\t%d\n", p)
		}
		_, err := e.distinct(ctx, strings.NewReader(named.String()+texts[i].String()), &out, e.memory)
		for _, f := range e.lines(out.String(), err) {
			part, _ := strconv.Atoi(f[0])
			fmt.Fprintln(&postings[part], strings.Join(f[1:], "\t"))
		}
	}
	for i := range postings {
		var out strings.Builder
		_, err := e.BucketPacks(ctx, strings.NewReader(postings[i].String()), &out)
		for _, f := range e.lines(out.String(), err) {
			if len(f) == 5 && f[4] == "c" {
				copies = append(copies, f[0]+" "+f[1])
			} else {
				candidates = append(candidates, f[0]+" "+f[1])
			}
		}
	}
	return sorted(candidates), sorted(copies)
}

// plain computes the same from lines and maps.
func (e engine) plain(inputs []string, apart ...int) (candidates, copies []string) {
	e.Helper()
	ctx := context.Background()
	var records [][]string
	for _, in := range inputs {
		var out strings.Builder
		_, err := e.Records(ctx, strings.NewReader(in), &out)
		records = append(records, e.lines(out.String(), err)...)
	}
	place := func(f []string) int { n, _ := strconv.Atoi(f[0]); return n }
	slices.SortFunc(records, func(a, b []string) int { return place(a) - place(b) })
	first, own := map[string]string{}, map[string][]string{}
	var postings []string
	for _, f := range records {
		named := slices.Contains(apart, place(f))
		if named {
			own[f[1]] = append(own[f[1]], f[0])
		} else if at, ok := first[f[1]]; ok {
			copies = append(copies, f[0]+" "+at)
			continue
		} else {
			first[f[1]] = f[0]
		}
		role := "i"
		if f[6] == "=" {
			role = "b"
		}
		for _, k := range strings.Fields(f[5]) {
			postings = append(postings, strings.Join([]string{k, f[0], role, f[4]}, "\t")+"\n")
		}
		for _, k := range strings.Fields(strings.TrimPrefix(f[6], "=")) {
			postings = append(postings, strings.Join([]string{k, f[0], "p", f[4]}, "\t")+"\n")
		}
	}
	slices.Sort(postings)
	var out strings.Builder
	_, err := e.Bucket(ctx, strings.NewReader(strings.Join(postings, "")), &out)
	for _, f := range e.lines(out.String(), err) {
		candidates = append(candidates, f[0]+" "+f[1])
	}
	for hash, places := range own {
		if at, ok := first[hash]; ok {
			places = append(places, at)
		}
		slices.SortFunc(places, func(a, b string) int { x, _ := strconv.Atoi(a); y, _ := strconv.Atoi(b); return x - y })
		for i := range places {
			for _, earlier := range places[:i] {
				candidates = append(candidates, places[i]+" "+earlier)
			}
		}
	}
	return sorted(candidates), sorted(copies)
}

func sorted(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// documents returns 300 documents in three alternating inputs: each third is a copy, and each third an edit.
func documents() []string {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{}
	inputs := make([]strings.Builder, 3)
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
		fmt.Fprintf(&inputs[rng.IntN(3)], "%d\t%s\t%d\n", i, texts[i], i)
	}
	return []string{inputs[2].String(), inputs[0].String(), inputs[1].String()}
}

// Packs give the candidates and copies that lines give, in however many parts, and
// with memory for a few texts only.
func TestPacksGiveWhatLinesGive(t *testing.T) {
	inputs := documents()
	for _, method := range []string{"minhash", "simhash", "auto", "exact"} {
		for _, parts := range []int{1, 2, 7} {
			for _, memory := range []int{0, 5000, distinctMemory} {
				for _, apart := range [][]int{nil, {3, 40, 41, 43, 200}} {
					e := engine{t, stagesOf(t, method), memory}
					e.Parts = parts
					pairs, copies := e.packed(inputs, apart...)
					wantPairs, wantCopies := e.plain(inputs, apart...)
					if len(wantCopies) < 50 || (method != "exact" && len(wantPairs) < 50) {
						t.Fatalf("%s: %d copies, %d pairs are no test", method, len(wantCopies), len(wantPairs))
					}
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
	e.Parts = 1
	_, copies := e.packed([]string{"1\t \n2\t \n3\tone text\n4\tone text\n"})
	if want := []string{"4 3"}; !slices.Equal(copies, want) {
		t.Errorf("copies %q, want %q", copies, want)
	}
}

// The many copies of one text are no row each in memory.
func TestCopiesBeyondMemory(t *testing.T) {
	e := engine{t, stagesOf(t, "exact"), 100}
	e.Parts = 1
	const n = 70_000 // 16 bytes each: more than a megabyte
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "%d\tone text\n", n-i)
	}
	_, copies := e.packed([]string{in.String()})
	if len(copies) != n-1 || !slices.Contains(copies, "70000 1") || slices.Contains(copies, "1 1") {
		t.Errorf("%d copies", len(copies))
	}
}

func TestPacksThatAreNone(t *testing.T) {
	s, ctx := stagesOf(t, "minhash"), context.Background()
	pack := func(b []byte) string { return fmt.Sprintf("*%d\n%s", len(b), b) }
	long := make([]byte, textHead)
	long[48] = 9 // keys, of which none follows
	for _, c := range []struct{ stage, in, want string }{
		{"distinct", "r\t*\n", `"*" is not a pack`},
		{"distinct", "r\t" + pack(make([]byte, textHead-1)) + "\n", "ends inside a text"},
		{"distinct", "r\t" + pack(long) + "\n", "ends inside a text"},
		{"distinct", "x\t1\n", `kind "x"`},
		{"distinct", "r\n", "1 fields"},
		{"distinct", "a\tx\n", `place "x"`},
		{"bucket", "12\n", `"12" is not a pack`},
		{"bucket", "*5\nabcd\n", "does not end after 5 bytes"},
		{"bucket", "*3\nabcd\n", "does not end after 3 bytes"},
		{"bucket", pack(make([]byte, 25)) + "\n", "inside a posting"},
		{"bucket", pack(make([]byte, 24)) + "\n", "without a role"},
		{"bucket", "a\tb\n", "2 fields"},
		{"bucket", "a\tb\t\t\n", "4 fields"},
		{"bucket", "\t2\tx\tc\n", `place "x"`},
	} {
		var out strings.Builder
		run := s.Distinct
		if c.stage == "bucket" {
			run = func(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
				return s.BucketPacks(ctx, in, out)
			}
		}
		if _, err := run(ctx, strings.NewReader(c.in), &out); !errors.Is(err, ErrLine) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: error %v, want one that says %s", c.stage, c.in, err, c.want)
		}
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte("r\t*3\nAAA\n"))
	f.Add(fmt.Appendf(nil, "a\t1\nr\t*%d\n%s\n", textHead, make([]byte, textHead)))
	s := stagesOf(f, "minhash")
	f.Fuzz(func(t *testing.T, in []byte) {
		var out strings.Builder
		_, _ = s.Distinct(context.Background(), strings.NewReader(string(in)), &out)
	})
}
