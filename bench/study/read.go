package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/text"
)

// source is a set of the shared data.
type source struct {
	name     string
	language string
	file     string
	oracle   bool            // the set has exact_pairs.tsv
	shingle  feature.Shingle // the shingle of the oracle, or of the one that is computed here
	sample   int             // limit of the number of texts; 0 means all
}

func sources() []source {
	words3, runes3 := feature.Shingle{Unit: feature.Words, K: 3}, feature.Shingle{Unit: feature.Runes, K: 3}
	return []source{
		{"ota_terms_versions", "en", "docs.jsonl.zst", true, words3, 0},
		{"uci_sms", "en", "docs.jsonl", true, runes3, 0},
		{"zh_lctt_proofread", "zh", "docs.jsonl.zst", true, runes3, 0},
		{"zh_tidb_docs_versions", "zh", "docs.jsonl.zst", true, runes3, 0},
		{"zh_laws", "zh", "docs.jsonl.zst", true, runes3, 0},
		{"zh_edit_pairs", "zh", "pairs.jsonl", false, runes3, 6000},
		{"zh_weibo_hotsearch", "zh", "titles.tsv.zst", false, runes3, 6000},
	}
}

// texts holds the distinct clean texts of a set, and its similar pairs.
type texts struct {
	clean    []string
	pairs    pairs // without repetitions
	labelled pairs // the two texts of a record that is labelled as similar
}

// pair is a pair of positions, a < b, with the Jaccard similarity according to the oracle.
type pair struct {
	a, b    int
	jaccard float64
}

// read returns the texts of a source with the default normalization. It omits texts equal to an earlier one, because every
// method finds those.
func (s source) read(data string) (texts, error) {
	var t texts
	byID, byText := map[string]int{}, map[string]int{}
	clean := text.Default()
	add := func(id, raw string) {
		c := clean.Clean(raw)
		at, known := byText[c]
		if !known {
			at = len(t.clean)
			byText[c] = at
			t.clean = append(t.clean, c)
		}
		byID[id] = at
	}
	records, err := s.records(filepath.Join(data, s.name, s.file))
	if err != nil {
		return t, err
	}
	step := 1
	if s.sample > 0 {
		step = max(1, len(records)/s.sample)
	}
	for i := 0; i < len(records) && (s.sample == 0 || i/step < s.sample); i += step {
		r := records[i]
		add(r.id, r.texts[0])
		if len(r.texts) > 1 {
			add(r.id+"'", r.texts[1])
			t.labelled = t.labelled.add(byID[r.id], byID[r.id+"'"], 1)
		}
	}
	if !s.oracle {
		t.pairs = exactPairs(t.clean, s.shingle)
		return t, nil
	}
	err = eachLine(filepath.Join(data, s.name, "exact_pairs.tsv"), func(line string) error {
		return t.addPair(line, byID)
	})
	t.pairs = t.pairs.distinct()
	return t, err
}

// addPair adds a line of an oracle.
func (t *texts) addPair(line string, byID map[string]int) error {
	f := strings.Split(line, "\t")
	if len(f) < 3 || f[0] == "id_a" {
		return nil
	}
	j, err := strconv.ParseFloat(f[2], 64)
	if err != nil {
		return err
	}
	a, okA := byID[f[0]]
	b, okB := byID[f[1]]
	if !okA || !okB {
		return fmt.Errorf("pair %s %s: no such document", f[0], f[1])
	}
	t.pairs = t.pairs.add(a, b, j)
	return nil
}

type pairs []pair

// add adds a pair of two different texts.
func (p pairs) add(a, b int, jaccard float64) pairs {
	if a == b {
		return p
	}
	return append(p, pair{min(a, b), max(a, b), jaccard})
}

// distinct keeps the most similar of pairs that became equal by cleaning.
func (p pairs) distinct() pairs {
	slices.SortFunc(p, func(x, y pair) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(y.jaccard, x.jaccard))
	})
	return slices.CompactFunc(p, func(x, y pair) bool { return x.a == y.a && x.b == y.b })
}

// record is a line of a file, with one text or two.
type record struct {
	id    string
	texts []string
}

func (s source) records(path string) ([]record, error) {
	var out []record
	err := eachLine(path, func(line string) error {
		if strings.HasSuffix(strings.TrimSuffix(path, ".zst"), ".tsv") {
			_, title, _ := strings.Cut(line, "\t")
			out = append(out, record{strconv.Itoa(len(out)), []string{title}})
			return nil
		}
		var d struct {
			ID, Text string
			TextA    string `json:"text_a"`
			TextB    string `json:"text_b"`
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return err
		}
		r := record{d.ID, []string{d.Text}}
		if d.TextA != "" {
			r.texts = []string{d.TextA, d.TextB}
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// exactPairs returns all pairs with J >= .8, by comparing all pairs.
func exactPairs(clean []string, s feature.Shingle) pairs {
	sets := make([][]uint64, len(clean))
	for i, c := range clean {
		sets[i] = feature.Set(s.Append(nil, c, 0))
	}
	var out pairs
	for b := range sets {
		for a := range b {
			if both, ok := feature.JaccardAtLeast(sets[a], sets[b], .8); ok {
				out = out.add(a, b, float64(both)/float64(len(sets[a])+len(sets[b])-both))
			}
		}
	}
	return out
}

// eachLine calls fn with every line of a file, which may be compressed.
func eachLine(path string, fn func(string) error) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(path, ".zst") {
		path += ".zst"
	}
	return textlines.Each(path, func(_ int, line []byte) error { return fn(string(line)) })
}
