package segment

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// golden is the output of jieba 0.42.1; see testdata/golden.py.
type golden struct {
	Freq  map[string]uint64
	Cases []struct {
		Text       string
		Dictionary []string
		HMM        []string
		Own        []string
		OwnHMM     []string `json:"own_hmm"`
	}
}

func readGolden(t *testing.T) golden {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func withOwnWords(t *testing.T) *Segmenter {
	t.Helper()
	f, err := os.Open("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWordsAreThoseOfJieba(t *testing.T) {
	def, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	own := withOwnWords(t)
	gold := readGolden(t)
	for word, want := range gold.Freq { // suggested where the file gives none
		if got, _ := own.own.lookup(word); got != want {
			t.Errorf("%s has the frequency %d, want %d", word, got, want)
		}
	}
	for _, c := range gold.Cases {
		for _, run := range []struct {
			name string
			g    *Segmenter
			mode Mode
			want []string
		}{
			{"dictionary", def, Dictionary, c.Dictionary},
			{"hmm", def, HMM, c.HMM},
			{"own words", own, Dictionary, c.Own},
			{"own words, hmm", own, HMM, c.OwnHMM},
		} {
			if got := run.g.Cut(nil, c.Text, run.mode); !slices.Equal(got, run.want) {
				t.Errorf("%s: %q\n got %q\nwant %q", run.name, c.Text, got, run.want)
			}
		}
	}
}
