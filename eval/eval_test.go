package eval_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/eval"
)

// file writes lines (blanks become tabs) to a temporary file.
func file(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.tsv")
	content := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", " ", "\t")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const truthHeader, pairsHeader = "id_a id_b jaccard containment same_family", "id_a id_b similarity"

func TestPairsCounts(t *testing.T) {
	truth := file(t, truthHeader,
		"a b 1.0000 1 1",
		"a c 0.9500 1 1",
		"c b 0.8500 1 1",
		"a d 0.8000 1 1",
		"d b 0.6000 1 1",
		"x y 0.3100 1 0")
	tests := []struct {
		name                      string
		reported                  []string
		found, of                 int // recall
		right, judged             int // precision
		below, unlisted, repeated int
		agree, compared           int
	}{
		{"nothing reported", nil, 0, 4, 0, 0, 0, 0, 0, 0, 0},
		{"all found", []string{"a b 1", "a c .95", "b c .85", "a d .8"}, 4, 4, 4, 4, 0, 0, 0, 4, 4},
		{"other order of ids", []string{"b a 1", "c a .95"}, 2, 4, 2, 2, 0, 0, 0, 2, 2},
		{"a repeated pair counts once", []string{"a b 1", "b a 1", "a b 1"}, 1, 4, 1, 1, 0, 0, 2, 1, 1},
		{"below the threshold is false", []string{"a b 1", "b d .81"}, 1, 4, 1, 2, 1, 0, 0, 1, 2},
		{"not in the truth is false", []string{"a b 1", "a x .9", "x a .9"}, 1, 4, 1, 2, 0, 1, 1, 1, 1},
		{"an id nobody knows is false", []string{"a b 1", "p q .9"}, 1, 4, 1, 2, 0, 1, 0, 1, 1},
		{"similarity off by .0005 agrees, by .001 not", []string{"a c .9505", "b c .849"}, 2, 4, 2, 2, 0, 0, 0, 1, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reported := file(t, append([]string{pairsHeader}, test.reported...)...)
			r, err := eval.Pairs(truth, reported, eval.Options{At: .8})
			if err != nil {
				t.Fatal(err)
			}
			got := []int{r.Recall.Count, r.Recall.Of, r.Precision.Count, r.Precision.Of, r.Below, r.Unlisted, r.Repeated, r.Agreement.Count, r.Agreement.Of}
			want := []int{test.found, test.of, test.right, test.judged, test.below, test.unlisted, test.repeated, test.agree, test.compared}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("recall, precision, below, unlisted, repeated, agreement (-want +got):\n%s", diff)
			}
			if r.Floor != .3 {
				t.Errorf("floor %v, want .3", r.Floor)
			}
		})
	}
}

func TestPairsBands(t *testing.T) {
	truth := file(t, truthHeader, "a b 1.0000 1 1", "a c 0.9999 1 1", "a d 0.9000 1 1", "a e 0.8999 1 1", "a f 0.5000 1 1", "a g 0.4900 1 1")
	reported := file(t, pairsHeader, "a b 1", "a d .9")
	r, err := eval.Pairs(truth, reported, eval.Options{At: .9})
	if err != nil {
		t.Fatal(err)
	}
	var got [][4]float64
	for i, b := range r.Bands {
		got = append(got, [4]float64{b.Low, b.High, float64(b.Recall.Count*10 + b.Recall.Of), float64(r.AtLeast[i].Recall.Count*10 + r.AtLeast[i].Recall.Of)})
	}
	want := [][4]float64{
		{.5, .6, 1, 25}, {.6, .7, 0, 24}, {.7, .8, 0, 24}, {.8, .9, 1, 24}, {.9, 1, 12, 23}, {1, 1, 11, 11},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bands: low, high, 10*found+pairs in the band, and from it on (-want +got):\n%s", diff)
	}
}

func TestWorstExamples(t *testing.T) {
	truth := file(t, truthHeader, "a b 0.8000 1 1", "a c 0.9900 1 1", "b c 0.9000 1 1", "d e 0.7000 1 1", "d f 0.3000 1 1")
	reported := file(t, pairsHeader, "d e .8", "d f .81", "p q .82", "q r .95")
	r, err := eval.Pairs(truth, reported, eval.Options{Examples: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := func(v float64) *float64 { return &v }
	if diff := cmp.Diff([]eval.Example{{A: "a", B: "c", Truth: f(.99)}, {A: "b", B: "c", Truth: f(.9)}}, r.Misses); diff != "" {
		t.Errorf("misses (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]eval.Example{{A: "q", B: "r", Reported: f(.95)}, {A: "p", B: "q", Reported: f(.82)}}, r.False); diff != "" {
		t.Errorf("false pairs (-want +got):\n%s", diff)
	}
	if r.Border != 1 {
		t.Errorf("%d misses at the border, want 1", r.Border)
	}
}

func TestLabelledTruth(t *testing.T) {
	reported := file(t, pairsHeader, "1/a 1/b .9", "2/b 2/a .9", "1/a 2/a .9")
	for name, truth := range map[string]string{
		"table": file(t, "id_a id_b label", "1/a 1/b 1", "2/a 2/b 0", "3/a 3/b 1"),
		"ids":   file(t, `{"id_a":"1/a","id_b":"1/b","label":1}`, `{"id_a":"2/a","id_b":"2/b","label":0}`, `{"id_a":"3/a","id_b":"3/b"}`),
		"texts": file(t, `{"id":"1","label":1}`, `{"id":"2","text_a":"x","text_b":"y","label":0}`, `{"id":"3","label":1}`),
	} {
		r, err := eval.Pairs(truth, reported, eval.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if !r.Labelled || r.Recall.String() != eval.NewRate(1, 2).String() || r.Precision.String() != eval.NewRate(1, 2).String() || r.Unlisted != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	lines := file(t, `{"id_a":"1/a","id_b":"1/b"}`, `{"id_a":"2/b","id_b":"2/a"}`)
	r, err := eval.Pairs(file(t, "id_a id_b label", "1/a 1/b 1", "2/a 2/b 0", "3/a 3/b 1"), lines, eval.Options{})
	if err != nil || r.Recall.Count != 1 || r.Precision.Of != 2 {
		t.Errorf("reported as JSONL: %+v, %v", r, err)
	}
	if _, err := eval.Pairs(lines, file(t, `{"text_a":"x","text_b":"y"}`), eval.Options{}); err == nil || !strings.Contains(err.Error(), "needs id_a and id_b") {
		t.Errorf("reported without ids: %v", err)
	}
	bare := file(t, "1/a 1/b", "3/a 3/b")
	r, err = eval.Pairs(bare, reported, eval.Options{})
	if err != nil || r.Recall.Count != 1 || r.Recall.Of != 2 || r.Precision.Of != 1 {
		t.Errorf("two ids a line: %+v, %v", r, err)
	}
}

func TestCompressedFiles(t *testing.T) {
	plain := []byte("id_a\tid_b\tjaccard\na\tb\t0.9\n")
	var zipped, zstded bytes.Buffer
	z := gzip.NewWriter(&zipped)
	s, err := zstd.NewWriter(&zstded)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{z, s} {
		if _, err := w.Write(plain); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string][]byte{"plain": plain, "gzip": zipped.Bytes(), "zstd": zstded.Bytes()} {
		path := filepath.Join(t.TempDir(), "any-name")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := eval.Pairs(path, path, eval.Options{})
		if err != nil || r.Recall.Count != 1 {
			t.Errorf("%s: %+v, %v", name, r.Recall, err)
		}
	}
}

func TestErrorsNameFileLineReason(t *testing.T) {
	good := file(t, truthHeader, "a b 0.9 1 1")
	tests := []struct{ name, want string }{
		{file(t, pairsHeader, "a b 0.9", "a c zero"), `file.tsv:3: similarity "zero": invalid (want a number from 0 to 1)`},
		{file(t, pairsHeader, "a b 1.5"), `file.tsv:2: similarity "1.5": invalid`},
		{file(t, pairsHeader, "a b NaN"), `file.tsv:2: similarity "NaN": invalid`},
		{file(t, pairsHeader, "a"), `file.tsv:2: a pair needs two ids`},
		{file(t, pairsHeader, "a a 1"), `file.tsv:2: pair: both ids are "a"`},
		{file(t, pairsHeader, "a b"), `file.tsv:2: third column: no similarity`},
		{filepath.Join(t.TempDir(), "missing"), `missing: no such file`},
	}
	for _, test := range tests {
		_, err := eval.Pairs(good, test.name, eval.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "read pairs") {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	contradiction := file(t, truthHeader, "a b 0.9 1 1", "b a 0.8 1 1")
	if _, err := eval.Pairs(contradiction, good, eval.Options{}); err == nil || !strings.Contains(err.Error(), `"a" "b": listed with`) {
		t.Errorf("contradicting truth: %v", err)
	}
	if _, err := eval.Pairs(good, good, eval.Options{At: 1.5}); err == nil {
		t.Error("threshold of 1.5 accepted")
	}
}

func TestTruthWithHigherFloorThanThresholdSaysSo(t *testing.T) {
	truth := file(t, truthHeader, "a b 0.9 1 1")
	r, err := eval.Pairs(truth, truth, eval.Options{At: .5})
	if err != nil || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "only pairs >= 0.9") {
		t.Errorf("notes %q, %v", r.Notes, err)
	}
}

func TestReportAsTextAndJSON(t *testing.T) {
	truth := file(t, truthHeader, "a b 0.95 1 1", "a c 0.85 1 1")
	r, err := eval.Pairs(truth, file(t, pairsHeader, "a b 0.95", "x y .9"), eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"recall       0.5000 (0.0945..0.9055)  1 of 2",
		"precision    0.5000 (0.0945..0.9055)  1 of 2",
		"0.9 .. 1            1        1  1.0000 (0.2065..1.0000)",
		"0.8500   -        a  c",
		"-        0.9000   x  y",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	var back eval.Report
	encoded, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("JSON there and back:\n%s", diff)
	}
}

func TestWilsonInterval(t *testing.T) {
	for _, test := range []struct {
		count, of int
		low, high float64 // by R's binom.wilson
	}{{0, 10, 0, .2775}, {10, 10, .7225, 1}, {5, 10, .2366, .7634}, {990, 1000, .9817, .9946}} {
		r := eval.NewRate(test.count, test.of)
		if math.Abs(r.Low-test.low) > 5e-5 || math.Abs(r.High-test.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f..%.4f, want %.4f..%.4f", test.count, test.of, r.Low, r.High, test.low, test.high)
		}
	}
}

func TestDecisions(t *testing.T) {
	// b is near a and c; c is near b only: greedy leader keeps a and c.
	truth := file(t, truthHeader, "a b 0.9 1 1", "b c 0.95 1 1", "d e 0.9 1 1", "e f 0.7 1 1")
	decide := func(pairs ...string) string {
		var lines []string
		for _, p := range pairs {
			id, leader, duplicate := strings.Cut(p, ">")
			if duplicate {
				lines = append(lines, `{"id":"`+id+`","decision":"duplicate","leader":"`+leader+`"}`)
			} else {
				lines = append(lines, `{"id":"`+id+`","decision":"new"}`)
			}
		}
		return file(t, lines...)
	}
	tests := []struct {
		name                                      string
		decisions                                 []string
		removed, kept, other, notNear, allRemoved int
	}{
		{"right", []string{"a", "b>a", "c", "d", "e>d", "f"}, 0, 0, 0, 0, 2},
		{"chained through b", []string{"a", "b>a", "c>b", "d", "e>d", "f"}, 1, 0, 0, 0, 3},
		{"removed without evidence", []string{"a", "b>a", "c", "d", "e>d", "f>e"}, 1, 0, 0, 1, 3},
		{"kept", []string{"a", "b", "c", "d", "e>d", "f"}, 0, 1, 0, 0, 1},
		{"other leader", []string{"a", "c", "b>a", "d", "e>d", "f"}, 0, 0, 1, 0, 2},
		{"other order", []string{"b", "a>b", "c>b", "d", "e>d", "f"}, 0, 0, 0, 0, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := eval.Decisions(truth, decide(test.decisions...), eval.Options{At: .8})
			if err != nil {
				t.Fatal(err)
			}
			got := []int{r.WronglyRemoved.Count, r.WronglyKept.Count, r.OtherLeader.Count, r.NotNear.Count, r.Removed}
			want := []int{test.removed, test.kept, test.other, test.notNear, test.allRemoved}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("wrongly removed, wrongly kept, other leader, not near, removed (-want +got):\n%s", diff)
			}
			if len(r.WrongRemovals) != test.removed || len(r.MissedRemovals) != test.kept {
				t.Errorf("listed %v %v", r.WrongRemovals, r.MissedRemovals)
			}
		})
	}
}

func TestDecisionErrors(t *testing.T) {
	truth := file(t, truthHeader, "a b 0.9 1 1")
	for want, path := range map[string]string{
		":2: document \"a\" has two decisions": file(t, `{"id":"a","decision":"new"}`, `{"id":"a","decision":"new"}`),
		":1: duplicate \"a\": no leader":       file(t, `{"id":"a","decision":"duplicate"}`),
		":1: decision \"old\": invalid":        file(t, `{"id":"a","decision":"old"}`),
		":1: not a JSON object (want a decision): column 1: unexpected \"N\" (want a value)": file(t, `Nonsense`),
		": no decisions": file(t),
	} {
		if _, err := eval.Decisions(truth, path, eval.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
