package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup/bench/learn"
	"github.com/neardup/neardup/bench/made"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// genres lists the sets of each genre. Sets that share texts or templates are one family: FAMILY=SET,SET.
const genres = `short prose: uci_sms nus_en nus_zh fortunes_en reviews_zh verses_en poems_zh sts_news quips_en sayings_zh
long prose: reuters laws=laws,zh_laws lctt=lctt,zh_lctt_proofread ota=ota,ota_terms_versions tidb=tidb,zh_tidb_docs_versions goldminer clough news_zh mails_en
titles: headlines=zh_weibo_hotsearch ag_title zhihu
lists: deb=deb_short,deb_en_short,deb_zh_short,deb_zh pypi=pypi_en,pypi_zh npm curl glosses_en definitions_en help_zh products manpages_zh
long templates: deb=deb_long,deb_zh_long,packages_en en_license_texts
written: written
OCR: ocr_bln600
records: dblp_acm reviews=copper,tafenoquine
made short: made=made_short_a measured=made_short_b
made long: measured=made_long_b`

// place is the genre and the family of a set.
type place struct{ genre, family string }

// places reads genres, and returns the genres in their order.
func places() (of map[string]place, order []string) {
	of = map[string]place{}
	for line := range strings.Lines(genres) {
		genre, sets, _ := strings.Cut(strings.TrimSpace(line), ": ")
		order = append(order, genre)
		for _, entry := range strings.Fields(sets) {
			family, members, ok := strings.Cut(entry, "=")
			if !ok {
				members = family
			}
			for _, set := range strings.Split(members, ",") {
				of[set] = place{genre, family}
			}
		}
	}
	return of, order
}

// pair is a labelled pair with its measurements.
type pair struct {
	eval.JudgedPair
	place
	x, y string // the clean texts
	q    []float64
	same bool
	part bool
	seen bool // auto/4 was learned from it or, for bench/reading, from others of its family
	test bool // weights are never learned from it
}

// labels holds all labelled pairs.
type labels struct {
	pairs                  []pair
	genres                 []string
	equal, missing, unsure int // pairs that were left out
}

func (l *labels) families() int {
	names := map[string]bool{}
	for i := range l.pairs {
		names[l.pairs[i].family] = true
	}
	return len(names)
}

// load reads all labels. The first folder is the shared data. Weights are never learned from texts that only another folder
// has.
func load(data []string) (*labels, error) {
	l := &labels{}
	if err := errors.Join(l.readJudged(data), l.readOCR(data[0]), l.readRecords(data[0]), l.readMade(data[0])); err != nil {
		return nil, err
	}
	return l, l.finish()
}

// root returns the folder of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

func (l *labels) readJudged(data []string) error {
	for _, source := range []struct {
		pattern string
		seen    bool
	}{
		{filepath.Join(data[0], "judged", "judged_pairs.tsv"), true},
		{filepath.Join(data[0], "judged", "more", "pairs.tsv"), true},
		{filepath.Join(data[0], "judged", "released", "pairs.tsv"), false},
		{filepath.Join(root(), "docs", "reading", "*.jsonl"), true},
		{filepath.Join(root(), "bench", "reading", "apart", "*.jsonl"), false},
		{filepath.Join(root(), "bench", "reading", "fresh", "pairs.tsv"), false},
	} {
		files, err := filepath.Glob(source.pattern)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%s: no labels there", source.pattern)
		}
		for _, file := range files {
			judged, err := eval.ReadJudged(file)
			if err != nil {
				return err
			}
			if err := fill(judged, data[0]); err != nil {
				return err
			}
			elsewhere := eval.MissingTexts(judged)
			for _, folder := range data[1:] {
				if err := fill(judged, folder); err != nil {
					return err
				}
			}
			for _, p := range judged {
				l.add(pair{JudgedPair: p, seen: source.seen, test: elsewhere[p.A] != nil || elsewhere[p.B] != nil})
			}
		}
	}
	learned := map[string]bool{}
	for _, p := range l.pairs {
		learned[p.family] = learned[p.family] || p.seen
	}
	for i := range l.pairs {
		p := &l.pairs[i]
		p.seen = p.seen || (p.Band == "" && learned[p.family]) // pairs of bench/reading have no band
	}
	return nil
}

// fill finds texts of the pairs in the folders of their sets.
func fill(pairs []eval.JudgedPair, folder string) error {
	missing, done := eval.MissingTexts(pairs), map[string]bool{}
	for _, p := range pairs {
		if done[p.Set] || (missing[p.A] == nil && missing[p.B] == nil) {
			continue
		}
		done[p.Set] = true
		err := eachDocument(filepath.Join(folder, p.Set, "docs.jsonl"), func(id, text string) {
			for _, place := range missing[id] {
				*place = text
			}
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// eachDocument reads documents from a file, or from the file with the ending .zst.
func eachDocument(path string, fn func(id, text string)) error {
	each := func(path string) error {
		return textlines.Each(path, func(_ int, line []byte) error {
			var d struct{ ID, Text string }
			err := json.Unmarshal(line, &d)
			fn(d.ID, d.Text)
			return err
		})
	}
	err := each(path + ".zst")
	if errors.Is(err, fs.ErrNotExist) {
		err = each(path)
	}
	return err
}

// madeFrom lists sources that can be read quickly.
var madeFrom = []string{"uci_sms", "dblp_acm", "minhash_plagiarism_news", "zh_lctt_proofread", "zh_edit_pairs", "zh_tidb_docs_versions"}

// readMade makes a few pairs of each kind. The short pairs from one half of the words and texts are for learning, and those
// from the other half for measuring. Long pairs are never used for learning, because they make every genre but lists worse.
func (l *labels) readMade(data string) error {
	halves := []string{"a", "b"}
	var pairs [2][]made.Pair
	var errs [2]error
	parallel(len(halves), func(i int) {
		pairs[i], errs[i] = made.Make(made.Options{Data: data, Seed: 2, Half: halves[i], Most: 6, Sources: madeFrom})
	})
	for i, half := range halves {
		for _, p := range pairs[i] {
			set := strings.Join(strings.SplitN(p.Set, "_", 3)[:2], "_") + "_" + half
			if set != "made_long_a" {
				l.add(pair{JudgedPair: eval.JudgedPair{Set: set, A: p.A, B: p.B, Label: p.Label, TextA: p.TextA, TextB: p.TextB}, seen: half == "a", test: half == "b"})
			}
		}
	}
	return errors.Join(errs[:]...)
}

// add adds a pair. finish drops unusable ones.
func (l *labels) add(p pair) {
	of, _ := places()
	p.place = of[p.Set]
	l.pairs = append(l.pairs, p)
}

// finish drops pairs without a label, without texts or with equal clean texts, and repeated ones. It measures the others.
func (l *labels) finish() error {
	m, err := newMethod()
	if err != nil {
		return err
	}
	_, l.genres = places()
	clean, known := text.Default(), map[[3]string]bool{}
	kept := l.pairs[:0]
	for _, p := range l.pairs {
		key := [3]string{p.family, min(p.A, p.B), max(p.A, p.B)}
		p.same, _ = p.Positive()
		p.part = p.Label == "part"
		switch {
		case p.genre == "":
			return fmt.Errorf("set %s: no genre", p.Set)
		case known[key]:
		case p.Label == "unsure":
			l.unsure++
		case p.TextA == "" || p.TextB == "":
			l.missing++
		default:
			known[key] = true
			kept = append(kept, p)
		}
	}
	parallel(len(kept), func(i int) {
		p := &kept[i]
		p.x, p.y = clean.Clean(p.TextA), clean.Clean(p.TextB)
		if p.x == p.y {
			return
		}
		if q, ok := methods.Observe(m, p.x, p.y); ok {
			p.q = q.X
		}
	})
	l.pairs = slices.DeleteFunc(kept, func(p pair) bool {
		if p.q == nil {
			l.equal++
		}
		return p.q == nil
	})
	return nil
}

// parallel calls fn with 0 to n-1 on all cores.
func parallel(n int, fn func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wait.Wait()
}

// lesson returns the input for learning the weights.
func (l *labels) lesson() learn.Lesson {
	lesson := learn.Lesson{Signs: learn.Signs(), Made: .2}
	for i := range l.pairs {
		p := &l.pairs[i]
		lesson.Examples = append(lesson.Examples, learn.Observation{
			X: p.q, Same: p.same, Family: p.family, Made: p.family == "made", Test: p.test, Costly: p.part,
		})
	}
	return lesson
}
