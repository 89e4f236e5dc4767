package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func stagesOf(tb testing.TB, spec string) Stages {
	tb.Helper()
	m, err := methods.New(spec)
	if err != nil {
		tb.Fatal(err)
	}
	return Stages{Method: m, Clean: text.Default()}
}

// textLine returns the line of a text in the format of verify and decide, after the kind.
func textLine(s Stages, place int, text string) string {
	field := Escape(text)
	if s.Decode != nil {
		field = text
	}
	return fmt.Sprintf("%d\t%s\t%s\n", place, checkOf([]byte(text)), field)
}

// Every stage names the line that it cannot read, and stops.
func TestLinesThatAreNone(t *testing.T) {
	s := stagesOf(t, "minhash")
	ctx := context.Background()
	stages := map[string]func(in *strings.Reader, out *strings.Builder) (Counts, error){
		"records": func(in *strings.Reader, out *strings.Builder) (Counts, error) { return s.Records(ctx, in, out) },
		"bucket": func(in *strings.Reader, out *strings.Builder) (Counts, error) {
			return s.Bucket(ctx, in, out)
		},
		"verify": func(in *strings.Reader, out *strings.Builder) (Counts, error) { return s.Verify(ctx, in, out) },
		"lead":   func(in *strings.Reader, out *strings.Builder) (Counts, error) { return (Stages{}).Lead(ctx, in, out) },
		"digest": func(in *strings.Reader, out *strings.Builder) (Counts, error) { return (Stages{}).Digest(ctx, in, out) },
	}
	key, sketch := "0123456789abcdef", "0000000000000007"
	a, b := textLine(s, 1, "x y z"), textLine(s, 2, "x y z")
	for _, c := range []struct{ stage, in, want string }{
		{"records", "1\ta b", "the input ends inside it"},
		{"records", "1\ta\n2\n", "line 2: "},
		{"records", "-1\ta\n", `place "-1"`},
		{"records", "1\ta\\x\n", "unknown escape"},
		{"records", "1\ta\\\n", "one backslash"},
		{"bucket", key + "\t1\tb\n", "3 fields, a posting has 4"},
		{"bucket", "12\t1\tb\t" + sketch + "\n", "16 hex digits"},
		{"bucket", key + "\t1\t\t" + sketch + "\n", `role ""`},
		{"bucket", key + "\t1\tib\t" + sketch + "\n", `role "ib"`},
		{"bucket", key + "\t9223372036854775807\tb\t" + sketch + "\n", "place"},
		{"verify", "x\t1\n", `kind "x"`},
		{"verify", "t\t" + a + "c\t2\t1\n", "the text at 2 is not in this block"},
		{"verify", "t\t" + a + "t\t" + b + "c\t1\t2\n", "1 does not come after 2"},
		{"verify", "t\t1\tx y z\n", "2 fields, a text has 3"},
		{"verify", "t\t" + a + "t\t2\t0123456789abcdef\tx y z\nc\t2\t1\n", "line 2: the text is not the one that was there when records were made: at 2"},
		{"verify", "t\t" + a + "t\t" + b + "c\t2\t1\nt\t" + textLine(s, 3, "x y z") + "c\t3\t1\n", "line 5: not a line of the protocol: the text at 1"},
		{"lead", "2\t1\t.5\t\t\tedited\tm\tb\n2\t1\n", "line 2: "},
		{"lead", "2\t1\t1.5\t\t\tedited\tm\tb\n", `similarity "1.5"`},
		{"lead", "2\t1\tNaN\t\t\tedited\tm\tb\n", "similarity"},
		{"lead", "2\t1\t.5\t2\t\tedited\tm\tb\n", `closeness "2"`},
		{"lead", "2\t1\t.5\t\t-1\tedited\tm\tb\n", "distance"},
		{"lead", "2\t1\t.5\t\t\tcopy\tm\tjaccard\n", `relation "copy" with the basis "jaccard"`},
		{"lead", "2\t1\t.5\t\t\tother\tm\tb\n", `relation "other"`},
		{"lead", "2\t1\t.4\t\t\tunsure\tm\tb\n2\t1\n", "line 2: "},
		{"digest", "12\n", "not a digest"},
		{"digest", "a\tnew\t\t\n", "4 fields"},
		{"digest", "a\told\t\t\t\n", `decision "old"`},
		{"digest", "a\tduplicate\tb\tx\t\n", `similarity "x"`},
	} {
		var out strings.Builder
		_, err := stages[c.stage](strings.NewReader(c.in), &out)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: error %v, want one that says %s", c.stage, c.in, err, c.want)
		}
	}
	if _, err := (Stages{}).Lead(ctx, strings.NewReader("2\t1\t1\t\t\tedited\tm\tb\n1\t0\t1\t\t\tedited\tm\tb\n"), &strings.Builder{}); !errors.Is(err, batch.ErrOrder) {
		t.Errorf("edges out of order: %v", err)
	}
}

func TestEscapesComeBack(t *testing.T) {
	for _, s := range []string{"", "a", "a\tb\nc\rd\\e", `\\`, `\t`, "\\\t"} {
		if got, err := Unescape([]byte(Escape(s))); err != nil || got != s || strings.ContainsAny(Escape(s), "\t\n\r") {
			t.Errorf("%q comes back as %q from %q (%v)", s, got, Escape(s), err)
		}
	}
}

func FuzzEdge(f *testing.F) {
	f.Add("2\t1\t0.9\t0.8\t3\tedited\tngram\tedit similarity of runes")
	f.Add("7\t0\t1\t\t\tcopy\tminhash\tequal text")
	f.Fuzz(func(t *testing.T, line string) {
		fields := func(s string) (out [][]byte) {
			for f := range strings.SplitSeq(s, "\t") {
				out = append(out, []byte(f))
			}
			return out
		}
		e, err := parseEdge(fields(line))
		if err != nil {
			return
		}
		l := newLines(context.Background(), strings.NewReader(""), &strings.Builder{})
		l.edge(e)
		again, err := parseEdge(fields(string(l.line)))
		if err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%q becomes %+v, and then %+v (%v)", line, e, again, err)
		}
	})
}

func TestHotBucketIsAFailure(t *testing.T) {
	s := stagesOf(t, "minhash")
	var in strings.Builder
	for i := range 10 {
		fmt.Fprintf(&in, "0123456789abcdef\t%d\tb\t%016x\n", i, 7)
	}
	var out strings.Builder
	s.Limits.Most = 45
	if n, err := s.Bucket(context.Background(), strings.NewReader(in.String()), &out); err != nil || n.Out != 45 || strings.Count(out.String(), "\n") != 45 {
		t.Errorf("%+v, %v", n, err)
	}
	s.Limits.Most = 44
	if _, err := s.Bucket(context.Background(), strings.NewReader(in.String()), &out); !errors.Is(err, ErrHotBucket) {
		t.Errorf("more candidates than allowed: %v", err)
	}
}

func TestContract(t *testing.T) {
	a, b := stagesOf(t, "minhash"), stagesOf(t, "minhash threshold=.7")
	if err := a.Check(a.Contract()); err != nil {
		t.Error(err)
	}
	if err := a.Check(b.Contract()); !errors.Is(err, ErrUnlike) {
		t.Errorf("unlike thresholds: %v", err)
	}
}

// Three documents, stage by stage.
func ExampleStages() {
	m, err := methods.New("ngram")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, ctx := Stages{Method: m, Clean: text.Default()}, context.Background()
	docs := []string{"今天天气很好，我们去公园", "中国", "今天天气真好，我们去公园"}
	var blocks strings.Builder
	for i, d := range docs {
		blocks.WriteString("t\t" + textLine(s, i, d))
	}
	blocks.WriteString("c\t1\t0\nc\t2\t0\n") // what bucket would give, and more
	var edges strings.Builder
	if _, err := s.Verify(ctx, strings.NewReader(blocks.String()), &edges); err != nil {
		fmt.Println(err)
	}
	if _, err := (Stages{}).Lead(ctx, strings.NewReader(edges.String()), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2	0	0.9166666666666666		1	edited	ngram	edit similarity of runes
}

// Keys chosen by the counts of parts are those chosen by the counts of all.
func TestCountsOfParts(t *testing.T) {
	s, ctx := stagesOf(t, "ngram"), context.Background()
	parts := []string{"0\t今天天气很好，我们去公园\n", "1\t明天天气很好，他们去公园\n2\t中国\n"}
	records := func(parts ...string) string {
		trained := s
		for _, p := range parts {
			var b strings.Builder
			if _, err := s.Train(ctx, strings.NewReader(p), &b); err != nil {
				t.Fatal(err)
			}
			trained.Tallies = append(trained.Tallies, strings.NewReader(b.String()))
		}
		var out strings.Builder
		if _, err := trained.Records(ctx, strings.NewReader(parts[0]), &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	all := s
	for _, p := range parts {
		var b strings.Builder
		if _, err := s.Train(ctx, strings.NewReader(p), &b); err != nil {
			t.Fatal(err)
		}
		all.Tallies = append(all.Tallies, strings.NewReader(b.String()))
	}
	var added, whole strings.Builder
	if _, err := all.Train(ctx, strings.NewReader(""), &added); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Train(ctx, strings.NewReader(parts[0]+parts[1]), &whole); err != nil || added.String() != whole.String() {
		t.Errorf("tallies added up are not the tally of all (%v)", err)
	}
	if a, b := records(parts[0], parts[1]), records(parts[0]+parts[1]); !strings.HasPrefix(b, a) {
		t.Errorf("by parts:\n%sby the whole:\n%s", a, b)
	}
	if _, err := stagesOf(t, "minhash").trainer(); !errors.Is(err, ErrUntrained) {
		t.Errorf("minhash is trained: %v", err)
	}
}

// Records in the place of texts give the lines of their texts, with ids and rejects.
func TestRecordsInThePlaceOfTexts(t *testing.T) {
	s, ctx := stagesOf(t, "minhash"), context.Background()
	read := func(s Stages, in string) (string, error) {
		var out strings.Builder
		_, err := s.Records(ctx, strings.NewReader(in), &out)
		return out.String(), err
	}
	texts, err := read(s, "3\tone text\ta\\tid\n5\tother\t5\n")
	if err != nil {
		t.Fatal(err)
	}
	raw := s
	raw.Decode = func(line []byte, doc *neardup.Document) (string, error) {
		id, text, ok := strings.Cut(string(line), "\t")
		if len(line) == 0 {
			return "", ErrBlank
		}
		if !ok {
			return "no text", nil
		}
		*doc = neardup.Document{ID: id, Text: text}
		return "", nil
	}
	records, err := read(raw, "3\ta\\tid\tone text\n4\tbad\n5\t\tother\n6\t\n")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(texts, "\n")
	got := strings.Split(records, "\n")
	for i, line := range want[:2] { // the check is of the record
		f := strings.Split(strings.ReplaceAll(line, "a\\tid", "a\\\\tid"), "\t")
		f[2] = checkOf([]byte([]string{"a\\tid\tone text", "\tother"}[i]))
		if len(got) != 4 || got[2*i] != strings.Join(f, "\t")+"\t" {
			t.Errorf("%q, want %q", got, f)
		}
	}
	if f := strings.Split(got[1], "\t"); len(f) != 9 || f[0] != "4" || f[8] != "no text" || strings.Trim(f[1], "0") != "" {
		t.Errorf("a reject is %q", got[1])
	}
	var edges strings.Builder
	if _, err := raw.Verify(ctx, strings.NewReader("t\t"+textLine(raw, 1, "a\tx y\tz")+"t\t"+textLine(raw, 2, "b\tx y\tz")+"c\t2\t1\n"), &edges); err != nil || !strings.HasPrefix(edges.String(), "2\t1\t1\t\t\tcopy") {
		t.Errorf("%q, %v", edges.String(), err)
	}
	for line, want := range map[string]error{
		textLine(raw, 1, "bad"): ErrLine,
		strings.Replace(textLine(raw, 1, "a\tx y z"), "a\tx", "b\tx", 1): ErrChanged, // of the same text
		strings.Replace(textLine(raw, 1, "a\tx y z"), "a\tx", "x", 1):    ErrChanged, // no record any more
	} {
		if _, err := raw.Verify(ctx, strings.NewReader("t\t"+line), &edges); !errors.Is(err, want) || !strings.Contains(err.Error(), "at 1") {
			t.Errorf("%q: %v, want %v", line, err, want)
		}
	}
}

// The check is what Spark's xxhash64 gives.
func TestCheckIsSparks(t *testing.T) {
	for text, want := range map[string]string{"": "98b1582b0977e704", "Spark": "c466fc0dfa0ff5b7"} {
		if got := checkOf([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// What stays whole is no candidate, whatever the size of its bucket.
func TestHotBucketsStayWhole(t *testing.T) {
	s := stagesOf(t, "minhash")
	var in strings.Builder
	post := func(key, n int, sketch func(int) int) {
		for i := range n {
			fmt.Fprintf(&in, "%016x\t%d\tb\t%016x\n", key, i, sketch(i))
		}
	}
	alike := func(int) int { return 1000 }
	post(1, 9, alike)                                      // 36 pairs: paired
	post(2, 10, alike)                                     // 45 pairs: more than 4 a posting
	post(3, 100, func(i int) int { return 1 << (i % 30) }) // sizes apart: few are plausible
	post(4, largeBucket+1, alike)
	post(5, 2, alike)
	var out strings.Builder
	s.Limits.Hot = 5
	if _, err := s.Bucket(context.Background(), strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for line := range strings.Lines(out.String()) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(f) == 2:
			got["candidate"]++
		case len(f) == 6 && f[0]+f[1] == "":
			got[f[2][15:]+f[4]]++
		default:
			t.Fatalf("line %q", line)
		}
	}
	if got["2b"] != 10 || got["4B"] != largeBucket+1 || got["candidate"] < 37 || len(got) != 3 {
		t.Errorf("%v", got)
	}
}
