package eval_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/shared"
)

func ExampleExact() {
	shingle, err := feature.ParseShingle("words:1")
	if err != nil {
		fmt.Println(err)
		return
	}
	texts := []string{"one two three", "three two one", "one two three four", "five"}
	for _, pair := range eval.Exact(texts, shingle, .5) {
		fmt.Printf("%d %d %.2f\n", pair.A, pair.B, pair.Similarity)
	}
	// Output:
	// 0 1 1.00
	// 0 2 0.75
	// 1 2 0.75
}

func TestExactSetsSkipsNothing(t *testing.T) {
	sets := [][]uint64{{1, 2, 3}, {}, {3, 4}, {}, {1, 2, 3, 4}, {9}}
	want := map[[2]int]float64{{0, 2}: .25, {0, 4}: .75, {2, 4}: .5}
	got := eval.ExactSets(sets, 1e-9)
	if len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, pair := range got {
		if want[[2]int{pair.A, pair.B}] != pair.Similarity {
			t.Errorf("%v, want %v", pair, want)
		}
	}
	if got := eval.ExactSets(sets, .75); len(got) != 1 {
		t.Errorf("at .75: %v", got)
	}
}

// The Go oracle against the Python one, which hashes nothing.
func TestExactEqualsTheSharedOracle(t *testing.T) {
	const set, least = "zh_laws", .3
	var texts []string
	place := map[string]int{}
	r := zstdFile(t, shared.Path(t, set+"/docs.jsonl.zst"))
	for records := json.NewDecoder(r); records.More(); {
		var d struct{ ID, Text string }
		if err := records.Decode(&d); err != nil {
			t.Fatal(err)
		}
		place[d.ID] = len(texts)
		texts = append(texts, strings.ToLower(d.Text))
	}
	truth, err := os.ReadFile(shared.Path(t, set+"/exact_pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	shingle, err := feature.ParseShingle("runes:3")
	if err != nil {
		t.Fatal(err)
	}
	got := map[[2]int]float64{}
	for _, pair := range eval.Exact(texts, shingle, least) {
		got[[2]int{pair.A, pair.B}] = pair.Similarity
	}
	lines := strings.Split(strings.TrimSpace(string(truth)), "\n")[1:]
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		a, b := place[cells[0]], place[cells[1]]
		want, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if s := got[[2]int{min(a, b), max(a, b)}]; math.Abs(s-want) > .00005001 {
			t.Errorf("%s %s: %.4f, want %.4f", cells[0], cells[1], s, want)
		}
	}
	if len(got) != len(lines) {
		t.Errorf("%d pairs, want %d", len(got), len(lines))
	}
}

func zstdFile(t *testing.T, path string) *zstd.Decoder {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); _ = f.Close() })
	return r
}
