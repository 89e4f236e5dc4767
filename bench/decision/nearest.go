package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
)

// readOCR adds pairs of transcriptions of articles. The machine's and the human transcription of an article are the same
// text. A transcription and the human one of the most similar other article are different texts.
func (l *labels) readOCR(data string) error {
	const set = "ocr_bln600"
	machine, human := map[string]string{}, map[string]string{}
	var ids []string
	err := eachDocument(filepath.Join(data, set, "docs.jsonl"), func(id, text string) {
		id, kind, _ := strings.Cut(id, ":")
		if kind == "ocr" {
			machine[id] = text
			return
		}
		human[id] = text
		ids = append(ids, id)
	})
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = human[id]
	}
	for i, j := range nearest(texts) {
		a, b := ids[i], ids[j]
		l.add(pair{JudgedPair: eval.JudgedPair{Set: set, A: a + ":ocr", B: a + ":gt", Label: "same", TextA: machine[a], TextB: human[a]}})
		other := eval.JudgedPair{Set: set, A: a + ":ocr", B: b + ":gt", Label: "other", TextA: machine[a], TextB: human[b]}
		if i%2 == 0 {
			other.A, other.TextA = a+":gt", human[a]
		}
		l.add(pair{JudgedPair: other})
	}
	return err
}

// readRecords adds each scholarly record with the most similar other one. Two records that readers marked as duplicates are
// the same. A record without a mark has no duplicate.
func (l *labels) readRecords(data string) error {
	for _, set := range []string{"copper", "tafenoquine"} {
		var ids, texts, of []string
		err := textlines.Each(filepath.Join(data, "records", set+".jsonl.zst"), func(_ int, line []byte) error {
			var r struct {
				ID, Title, Abstract string
				Dup                 int
			}
			err := json.Unmarshal(line, &r)
			ids, texts = append(ids, r.ID), append(texts, r.Title+"\n"+r.Abstract)
			of = append(of, map[int]string{0: "other", 1: "same"}[r.Dup])
			return err
		})
		if err != nil {
			return err
		}
		for i, j := range nearest(texts) {
			label := "other"
			if of[i] == "same" && of[j] == "same" {
				label = "same"
			} else if of[i] == "same" {
				continue // its duplicate has different words
			}
			l.add(pair{JudgedPair: eval.JudgedPair{Set: set, A: ids[i], B: ids[j], Label: label, TextA: texts[i], TextB: texts[j]}})
		}
	}
	return nil
}

// nearest returns, for each text, the index of the other text with the greatest Jaccard similarity of words.
func nearest(texts []string) []int {
	numbers := map[string]int{}
	sets := make([]map[int]bool, len(texts))
	for i, text := range texts {
		sets[i] = map[int]bool{}
		for _, word := range strings.Fields(strings.ToLower(text)) {
			if _, known := numbers[word]; !known {
				numbers[word] = len(numbers)
			}
			sets[i][numbers[word]] = true
		}
	}
	best := make([]int, len(texts))
	parallel(len(texts), func(i int) {
		most := -1.0
		for j := range texts {
			if i == j {
				continue
			}
			shared := 0
			for word := range sets[i] {
				if sets[j][word] {
					shared++
				}
			}
			if s := float64(shared) / float64(len(sets[i])+len(sets[j])-shared); s > most {
				best[i], most = j, s
			}
		}
	})
	return best
}
