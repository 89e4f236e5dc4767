package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// Decide writes what Lead makes of all pairs, for texts of a template with copies, of which some are near
// only to texts that were removed.
func TestDecideIsLeadOfAllPairs(t *testing.T) {
	s := stagesOf(t, "minhash threshold=.7")
	rng := rand.New(rand.NewPCG(7, 7))
	var docs, pairs strings.Builder
	var texts []string
	for i := range 90 {
		words := make([]string, 40)
		for w := range words {
			words[w] = fmt.Sprint("word", w)
		}
		for range rng.IntN(4) {
			words[rng.IntN(len(words))] = fmt.Sprint("other", rng.IntN(40))
		}
		texts = append(texts, strings.Join(words, " "))
		if i%5 == 4 {
			texts[i] = texts[rng.IntN(i)]
		}
		line := textLine(s, i+1, texts[i])
		docs.WriteString(line)
		pairs.WriteString("t\t" + line)
	}
	for i := range texts {
		for j := range i {
			fmt.Fprintf(&pairs, "c\t%d\t%d\n", i+1, j+1)
		}
	}
	for _, ruled := range []map[string]string{nil, {"3\t1": "cannot", "12\t4": "cannot", "30\t31": "must"}} {
		var between, want, in, got strings.Builder
		if _, err := s.Verify(t.Context(), strings.NewReader(pairs.String()), &between); err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSuffix(between.String(), "\n"), "\n")
		for pair, link := range ruled {
			fmt.Fprintf(&in, "r\t%s\t%s\n", pair, link)
			var a, b int
			fmt.Sscan(pair, &a, &b)
			of := fmt.Sprintf("%d\t%d\t", max(a, b), min(a, b))
			all = slices.DeleteFunc(all, func(e string) bool { return strings.HasPrefix(e, of) })
			if link == "must" {
				all = append(all, of+"1\t\t\truled\tminhash\toverride")
			}
		}
		slices.SortFunc(all, func(a, b string) int {
			var x, y batch.Edge
			fmt.Sscan(a, &x.Later, &x.Earlier)
			fmt.Sscan(b, &y.Later, &y.Earlier)
			return x.Compare(y)
		})
		if _, err := (Stages{}).Lead(t.Context(), strings.NewReader(strings.Join(all, "\n")+"\n"), &want); err != nil {
			t.Fatal(err)
		}
		in.WriteString(docs.String())
		n, err := s.Decide(t.Context(), strings.NewReader(in.String()), &got)
		if err != nil || n.In != int64(len(texts)+len(ruled)) {
			t.Fatalf("%+v, %v", n, err)
		}
		if got.String() != want.String() || n.Out < 40 || n.Out > 80 {
			t.Errorf("%d edges with %d rulings:\n%swant\n%s", n.Out, len(ruled), got.String(), want.String())
		}
	}
}

// Variants come with the facts in which they differ, as Verify gives them.
func TestDecideNamesVariants(t *testing.T) {
	s := stagesOf(t, "auto")
	s.Conflicts = true
	a, b := "Your parcel from the shop arrives on Monday between two and four", "Your parcel from the shop arrives on Friday between two and four"
	var got, want strings.Builder
	if _, err := s.Decide(t.Context(), strings.NewReader(textLine(s, 3, a)+textLine(s, 4, b)+textLine(s, 7, a)), &got); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context(), strings.NewReader("t\t"+textLine(s, 3, a)+"t\t"+textLine(s, 4, b)+"c\t4\t3\n"), &want); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(got.String(), "\n")
	_, facts, _ := strings.Cut(lines[0], "[")
	if !strings.HasPrefix(lines[0], "4\t3\t0\t\t\tvariant\t") || !strings.HasSuffix(want.String(), "["+facts+"\n") || facts == "" {
		t.Errorf("%q, want the facts of %q", lines[0], want.String())
	}
	if !strings.HasPrefix(lines[1], "7\t3\t1\t\t\tcopy\t") || len(lines) != 3 {
		t.Errorf("%q after the variant", lines[1:])
	}
}

// Decide keeps the distance of an edge, like Verify and Lead.
func TestDecideKeepsDistances(t *testing.T) {
	s := stagesOf(t, "simhash verify=off")
	words := strings.Fields(strings.Repeat("the quick brown fox jumps over a lazy dog while seven wizards box ", 9))
	for i := range words {
		words[i] += fmt.Sprint(i)
	}
	a := strings.Join(words, " ")
	b := strings.Replace(a, "fox3 ", "cat ", 1)
	var edges, want, got strings.Builder
	_, err := s.Verify(t.Context(), strings.NewReader("t\t"+textLine(s, 3, a)+"t\t"+textLine(s, 4, b)+"c\t4\t3\n"), &edges)
	if err == nil {
		_, err = (Stages{}).Lead(t.Context(), strings.NewReader(edges.String()), &want)
	}
	if err == nil {
		_, err = s.Decide(t.Context(), strings.NewReader(textLine(s, 3, a)+textLine(s, 4, b)), &got)
	}
	if fields := strings.Split(want.String(), "\t"); err != nil || got.String() != want.String() || len(fields) != 8 || fields[4] < "1" || fields[4] > "3" {
		t.Errorf("got %q, want %q with a distance from 1 to 3, %v", got.String(), want.String(), err)
	}
}

// Every line that is none is named, wherever it stands, and so is a document that is out of order.
func TestDecideRefuses(t *testing.T) {
	s := stagesOf(t, "minhash")
	many := strings.Builder{}
	for i := range 9000 {
		many.WriteString(textLine(s, i, fmt.Sprint("a text of a few words, number ", i)))
	}
	const check = "0123456789abcdef"
	one, other := textLine(s, 1, "a b c d"), textLine(s, 1, "e f g h")
	for in, want := range map[string]string{
		"1\ta":                              "the input ends inside it",
		one + "x\t" + check + "\ta\n":       "line 2: not a line of the protocol: place \"x\"",
		one + "2\t" + check + "\te f g h\n": "the text is not the one that was there when records were made: at 2",
		one + "2\te f g h\n":                "line 2: not a line of the protocol: 2 fields, a text has 3",
		"r\t1\t2\n":                         "line 1: not a line of the protocol: 3 fields, a ruling has 4",
		"r\t1\t2\tperhaps\n":                `line 1: link "perhaps"`,
		"r\t1\t1\tmust\n":                   "line 1: a pair of the one id",
		"r\t1\tx\tmust\n":                   `place "x"`,
		one + "r\t1\t2\tmust\n":             "line 2: not a line of the protocol: 4 fields",
		one + other:                         "comes after",
		textLine(s, 2, "a b c d") + one:     "comes after",
		many.String() + "1\\\n":             "line 9001: ",
		many.String() + "9001\t" + check + "\ta\\x\n1\t\n": "line 9001: ",
	} {
		if _, err := s.Decide(t.Context(), strings.NewReader(in), &strings.Builder{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want one that says %s", in, err, want)
		}
	}
	s.Decode = func(record []byte, doc *neardup.Document) (string, error) {
		doc.Text = string(record)
		if doc.Text == "bad" {
			return "not good", nil
		}
		return "", nil
	}
	if _, err := s.Decide(t.Context(), strings.NewReader(textLine(s, 0, "a\tb")+textLine(s, 1, "bad")), &strings.Builder{}); !errors.Is(err, ErrLine) || !strings.Contains(err.Error(), "at 1: not good") {
		t.Errorf("a record that is none: %v", err)
	}
	if n, err := s.Decide(t.Context(), strings.NewReader(""), &strings.Builder{}); err != nil || n != (Counts{}) {
		t.Errorf("nothing: %+v, %v", n, err)
	}
	// A decoder is for one goroutine.
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
	if n, err := s.Decide(t.Context(), strings.NewReader(many.String()), &strings.Builder{}); err != nil || n.In != 9000 {
		t.Errorf("%d records, %v", n.In, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Decide(ctx, strings.NewReader(many.String()), &strings.Builder{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}
