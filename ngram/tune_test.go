package ngram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/neardup/neardup/ngram"
)

func ExampleTune() {
	report, err := ngram.Tune(context.Background(), ngram.TuneInput{
		Pairs:     [][2]string{{"今天天气很好我们去公园", "今天天气很好我们去花园"}, {"明天上午九点开会", "明天上午十点开会"}},
		Negatives: [][2]string{{"今天天气很好我们去公园", "明天上午九点开会"}},
	})
	fmt.Println(report.M, report.Threshold, err)
	// Output: 4 0.85 <nil>
}

func TestTuneCurves(t *testing.T) {
	in := ngram.TuneInput{Pairs: [][2]string{{"abcdefgh", "abcdefgx"}, {"abcdefgh", "abcdyfgh"}, {"abcdefgx", "abcdyfgh"}}, Texts: []string{"ab", "zzzz"}}
	r, err := ngram.Tune(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if r.Pairs != 3 || r.Texts != 5 {
		t.Errorf("pairs %d, texts %d", r.Pairs, r.Texts)
	}
	for i, want := range map[int]int{1: 3, 4: 3, 5: 1, 7: 1, 8: 0} {
		if got := r.ByM[i-1]; got.M != i || got.Found != want {
			t.Errorf("m = %d: %+v, want %d found", i, got, want)
		}
	}
	for i := 1; i < len(r.ByM); i++ {
		if r.ByM[i].Found > r.ByM[i-1].Found {
			t.Errorf("a longer m finds more: %+v", r.ByM[i])
		}
	}
	for i := 1; i < len(r.ByThreshold); i++ {
		if r.ByThreshold[i].Found > r.ByThreshold[i-1].Found {
			t.Errorf("a higher threshold finds more: %+v", r.ByThreshold[i])
		}
	}
	if r.M != 4 || r.Threshold != .75 {
		t.Errorf("m %d, threshold %v", r.M, r.Threshold)
	}
}

func TestTuneRefuses(t *testing.T) {
	if _, err := ngram.Tune(t.Context(), ngram.TuneInput{}); !errors.Is(err, ngram.ErrNoSample) {
		t.Errorf("no pairs: %v", err)
	}
	pairs := [][2]string{{"a", "b"}}
	if _, err := ngram.Tune(t.Context(), ngram.TuneInput{Pairs: pairs, Recall: 2}); err == nil {
		t.Error("a recall of 2 was taken")
	}
	long := [][2]string{{strings.Repeat("a", 6000), "b"}}
	if _, err := ngram.Tune(t.Context(), ngram.TuneInput{Pairs: long}); err == nil {
		t.Error("a text of 6000 runes was taken")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ngram.Tune(ended, ngram.TuneInput{Pairs: pairs}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

// FuzzTune takes any two texts as a pair: the report is well-formed XML.
func FuzzTune(f *testing.F) {
	f.Add("中国", "中国人")
	f.Add("", "!")
	f.Add("\xff\x00", "abc")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 500 {
			return
		}
		r, err := ngram.Tune(t.Context(), ngram.TuneInput{Pairs: [][2]string{{a, b}}})
		if err != nil {
			t.Fatal(err)
		}
		checkDrawing(t, r)
	})
}

func checkDrawing(t *testing.T, r ngram.Report) {
	t.Helper()
	var svg, text bytes.Buffer
	if err := errors.Join(r.WriteSVG(&svg), r.WriteText(&text)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(svg.String(), "NaN") || strings.Contains(text.String(), "NaN") {
		t.Fatalf("NaN in the report:\n%s", text.String())
	}
	d := xml.NewDecoder(&svg)
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// The sample of Chinese corrections; with NEARDUP_SVG the drawing is kept.
func TestTuneOnCorrections(t *testing.T) {
	var pairs [][2]string
	lines(t, "zh_edit_pairs/pairs.jsonl", func(line []byte) {
		var d struct {
			A string `json:"text_a"`
			B string `json:"text_b"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, [2]string{d.A, d.B})
	})
	r, err := ngram.Tune(t.Context(), ngram.TuneInput{Pairs: pairs[:1000]})
	if err != nil {
		t.Fatal(err)
	}
	checkDrawing(t, r)
	var text bytes.Buffer
	_ = r.WriteText(&text)
	t.Log(text.String())
	if path := os.Getenv("NEARDUP_SVG"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := r.WriteSVG(f); err != nil {
			t.Fatal(err)
		}
	}
}
