// Command reading draws pairs from runs for a person to read. From the labels it computes how often a method is right:
//
//	go run -C bench ./reading -data "$NEARDUP_TEST_DATA:FOLDER" -show    # what has no label
//	go run -C bench ./reading -data "$NEARDUP_TEST_DATA:FOLDER" -score
//	go run -C bench ./reading -set zh_laws -score -show                  # where it is wrong
//
// FOLDER has the sets that fresh/fetch.py fetches. From each set it draws 50 removed texts with their leaders, except equal
// clean texts, and 50 variants with the leaders that they name. It draws by a hash of the two texts. So two versions of a
// method draw the same pairs where their decisions agree, and each pair is labelled once. Pairs from which the shipped
// weights were learned come last. The reader does not see the decision: both kinds are mixed, and the text with the smaller
// id is first.
//
// Without -score it prints the pairs without a label, as JSONL. Add label and reason, and append the lines to
// LABELS/SET.jsonl. With -show it prints pairs for reading, and of long texts only the lines that differ.
//
// A removal is right if the two texts are the same or versions of one text, and a kept text is right if they are not. A
// part is not the same. Pairs that the reader could not decide do not count.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/test/shared"
)

// options selects the pairs that are drawn.
type options struct {
	data, labels string
	set          string
	learned      []string // files of pairs
	n            int
	score, show  bool
	method       string
}

func main() {
	var o options
	learned := filepath.Join("..", "docs", "reading", "*.jsonl")
	judged := filepath.Join(shared.Dir(), "judged")
	o.learned = []string{learned, filepath.Join(judged, "judged_pairs.tsv"), filepath.Join(judged, "more", "pairs.tsv")}
	flag.StringVar(&o.data, "data", shared.Dir(), "folders of sets, parted as in PATH")
	flag.StringVar(&o.labels, "labels", filepath.Join("reading", "apart"), "folder of the labels given so far")
	flag.StringVar(&o.set, "set", "", "a set of -data (default: all that have labels)")
	flag.IntVar(&o.n, "n", 50, "how many removals, and how many of the kept")
	flag.BoolVar(&o.score, "score", false, "print how many of them are right")
	flag.BoolVar(&o.show, "show", false, "print pairs to be read")
	flag.StringVar(&o.method, "method", "", "auto unless given")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, o); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, o options) error {
	sets := []string{o.set}
	if o.set == "" {
		files, err := filepath.Glob(filepath.Join(o.labels, "*.jsonl"))
		if err != nil {
			return err
		}
		sets = sets[:0]
		for _, file := range files {
			sets = append(sets, strings.TrimSuffix(filepath.Base(file), ".jsonl"))
		}
	}
	learned, err := readLearned(o.learned)
	if err != nil {
		return err
	}
	var all [2]count
	for _, set := range sets {
		known, err := readLabels(filepath.Join(o.labels, set+".jsonl"))
		if err != nil {
			return err
		}
		docs, err := readSet(filepath.SplitList(o.data), set)
		if err != nil {
			return err
		}
		o.set = set
		d := drawing{documents: docs, options: o, learned: learned}
		drawn, err := d.draw(ctx)
		if err != nil {
			return err
		}
		if o.score {
			err = d.score(out, drawn, known, &all)
		} else {
			err = d.unread(out, drawn, known)
		}
		if err != nil {
			return err
		}
	}
	if o.score && len(sets) > 1 {
		_, err = fmt.Fprintf(out, "all: removed %v; kept %v\n", &all[removed], &all[kept])
	}
	return err
}

// unread prints the drawn pairs without a label.
func (d *drawing) unread(out io.Writer, drawn []pair, known map[pairKey]pair) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, p := range drawn {
		if _, read := known[p.key()]; read {
			continue
		}
		p := pair{JudgedPair: eval.JudgedPair{Set: p.Set, A: min(p.A, p.B), B: max(p.A, p.B)}} // omits the decision
		if d.show {
			if err := p.show(out, d.documents); err != nil {
				return err
			}
			continue
		}
		if a, b := d.raw[p.A], d.raw[p.B]; len(a)+len(b) < mostShort {
			p.TextA, p.TextB = a, b
		}
		if err := e.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// count holds the numbers of drawn pairs of one decision, by label.
type count struct{ learned, learnedRight, unread, unsure, scored, right int }

func (c *count) String() string {
	s := fmt.Sprint(eval.NewRate(c.right, c.scored))
	if c.learned > 0 {
		s += fmt.Sprintf(" (%d of %d not learned from)", c.right-c.learnedRight, c.scored-c.learned)
	}
	for _, n := range []struct {
		of   int
		name string
	}{{c.unsure, "unsure"}, {c.unread, "without a label"}} {
		if n.of > 0 {
			s += fmt.Sprintf(", %d %s", n.of, n.name)
		}
	}
	return s
}

// score counts the drawn pairs by decision, and adds them to all.
func (d *drawing) score(out io.Writer, drawn []pair, known map[pairKey]pair, all *[2]count) error {
	var counts [2]count
	for _, p := range drawn {
		label, read := known[p.key()]
		same, scored := label.Positive()
		scored = scored || label.Label == "part"
		right := same == (p.decision == removed)
		for _, c := range []*count{&counts[p.decision], &all[p.decision]} {
			if !read {
				c.unread++
				continue
			}
			if !scored {
				c.unsure++
				continue
			}
			c.scored++
			c.right += number(right)
			if p.learned {
				c.learned++
				c.learnedRight += number(right)
			}
		}
		if d.show && scored && !right {
			if _, err := fmt.Fprintf(out, "%s, %s %s: ", p.decision, label.Label, label.Reason); err != nil {
				return err
			}
			if err := p.show(out, d.documents); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(out, "%s: removed %v; kept %v\n", d.set, &counts[removed], &counts[kept])
	return err
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
