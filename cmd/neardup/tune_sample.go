package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/ngram"
)

// sampler collects a sample: pairs and clusters of ids, and the text of each.
type sampler struct {
	similar  [][2]string
	unlike   [][2]string
	clusters [][]string
	texts    map[string]*string // of the ids that are wanted; nil until found
	others   []string
}

func (s *sampler) add(a, b string, similar bool) {
	s.want(a)
	s.want(b)
	if similar {
		s.similar = append(s.similar, [2]string{a, b})
	} else {
		s.unlike = append(s.unlike, [2]string{a, b})
	}
}

func (s *sampler) want(id string) {
	if _, ok := s.texts[id]; !ok {
		s.texts[id] = nil
	}
}

// offer takes a text if its id is wanted; the first of an id counts.
func (s *sampler) offer(id, text string) (wanted bool) {
	found, wanted := s.texts[id]
	if wanted && found == nil {
		s.texts[id] = &text
	}
	return wanted
}

var errSample = errors.New("no sample")

// readLabelled reads pairs of texts, which are their own ids.
func (s *sampler) readLabelled(path string) error {
	return textlines.Each(path, func(_ int, line []byte) error {
		var p struct {
			A     *string         `json:"text_a"`
			B     *string         `json:"text_b"`
			Label json.RawMessage `json:"label"`
		}
		if err := textlines.Object(line, &p, "pair"); err != nil {
			return err
		}
		if p.A == nil || p.B == nil {
			return fmt.Errorf("%w: text_a or text_b is no text", errSample)
		}
		similar, err := similarLabel(strings.Trim(string(p.Label), `"`), p.Label != nil)
		if err != nil {
			return err
		}
		s.add(*p.A, *p.B, similar)
		s.offer(*p.A, *p.A)
		s.offer(*p.B, *p.B)
		return nil
	})
}

func similarLabel(label string, given bool) (bool, error) {
	switch strings.ToLower(label) {
	case "1", "true":
		return true, nil
	case "0", "false":
		return false, nil
	}
	if !given {
		return true, nil
	}
	return false, fmt.Errorf("%w: label %q is neither 0 nor 1", errSample, label)
}

// readPairs reads "id_a TAB id_b [TAB label]", with a header or without. A
// third column of another name than label (a similarity) is not read.
func (s *sampler) readPairs(path string) error {
	labelled := true
	return textlines.Each(path, func(n int, line []byte) error {
		cols := strings.Split(string(line), "\t")
		if len(cols) < 2 {
			return fmt.Errorf("%w: no tab between two ids", errSample)
		}
		if n == 1 && cols[0] == "id_a" {
			labelled = len(cols) > 2 && cols[2] == "label"
			return nil
		}
		label, given := "", labelled && len(cols) > 2
		if given {
			label = cols[2]
		}
		similar, err := similarLabel(label, given)
		if err == nil {
			s.add(tsvID(cols[0]), tsvID(cols[1]), similar)
		}
		return err
	})
}

var tsvUnescapes = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

// tsvID is the inverse of worker.Escape.
func tsvID(field string) string { return tsvUnescapes.Replace(field) }

// readClusters reads what dedup --clusters prints.
func (s *sampler) readClusters(path string) error {
	return eachCluster(path, func(leader string, duplicates []clustered) error {
		cluster := []string{leader}
		for _, d := range duplicates {
			cluster = append(cluster, d.ID)
		}
		for _, id := range cluster {
			s.want(id)
		}
		s.clusters = append(s.clusters, cluster)
		return nil
	})
}

// readTexts finds the texts of the ids, and others to measure work with.
func (t *tune) readTexts(ctx context.Context, inputs []string, s *sampler) error {
	return t.input.each(ctx, t.app, inputs, func(doc *neardup.Document) {
		if !s.offer(doc.ID, doc.Text) && len(s.others) < t.most {
			s.others = append(s.others, doc.Text)
		}
	})
}

// wholeCluster is the largest cluster whose texts are all paired with each
// other; of a larger one each is paired with the leader.
const wholeCluster = 50

// fill makes the input of Tune. A pair whose text was not found is an error.
func (s *sampler) fill(in *ngram.TuneInput, clean neardup.Cleaner) error {
	for _, id := range slices.Sorted(maps.Keys(s.texts)) {
		text := s.texts[id]
		if text == nil {
			return fmt.Errorf("%w: no document has the id %q", errSample, id)
		}
		*text = clean.Clean(*text)
	}
	for _, p := range s.similar {
		in.Pairs = append(in.Pairs, [2]string{*s.texts[p[0]], *s.texts[p[1]]})
	}
	for _, p := range s.unlike {
		in.Negatives = append(in.Negatives, [2]string{*s.texts[p[0]], *s.texts[p[1]]})
	}
	for _, c := range s.clusters {
		for i, id := range c[1:] {
			for _, earlier := range c[:i+1] {
				in.Pairs = append(in.Pairs, [2]string{*s.texts[earlier], *s.texts[id]})
				if len(c) > wholeCluster {
					break
				}
			}
		}
	}
	for _, t := range s.others {
		in.Texts = append(in.Texts, clean.Clean(t))
	}
	return nil
}

// clustered is a duplicate as dedup --clusters prints it.
type clustered struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"`
}

// eachCluster reads what dedup --clusters prints.
func eachCluster(path string, do func(leader string, duplicates []clustered) error) error {
	return textlines.Each(path, func(_ int, line []byte) error {
		var c struct {
			Leader     string      `json:"leader"`
			Duplicates []clustered `json:"duplicates"`
		}
		if err := textlines.Object(line, &c, "cluster"); err != nil {
			return err
		}
		if c.Leader == "" {
			return errors.New("no leader: what dedup --clusters writes is needed")
		}
		return do(c.Leader, c.Duplicates)
	})
}
