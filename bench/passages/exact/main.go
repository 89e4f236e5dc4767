// Command exact compares package passage with a suffix array. It finds all passages of real texts in both ways. It reports
// the bytes that were missed or wrongly found, and the spans whose source has a different text.
//
//	go run -C bench ./passages/exact [-mb 200] [-least 200] [-memory 64] FILE...
//
// Documents are taken from the files in turn. The suffix array takes nine bytes of memory per byte of text. It writes TSV
// to standard output, and exits with status 1 if there is a difference.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/passage"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "exact:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("exact", flag.ContinueOnError)
	mb := flags.Float64("mb", 200, "megabytes of text at most")
	least := flags.Int("least", 200, "least length of a passage in bytes")
	memory := flags.Int64("memory", 64, "MiB that package passage plans with")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, err := read(flags.Args(), int(*mb*1e6))
	if err != nil {
		return err
	}
	start := time.Now()
	repeated := c.repeated(*least)
	fmt.Fprintln(out, "first\ttext_mb\tdocuments\trepeated_bytes\tspans\tmissed\tinvented\tuntrue\tarray_s\tfind_s")
	array, wrong := time.Since(start).Seconds(), false
	for _, first := range []bool{false, true} {
		start = time.Now()
		d, err := c.compare(repeated, config(*least, first, *memory))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%v\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.1f\n", first, float64(len(c.text))/1e6, len(c.begin)-1,
			d.repeated, d.spans, d.missed, d.invented, d.untrue, array, time.Since(start).Seconds())
		wrong = wrong || d.missed+d.invented+d.untrue > 0
	}
	if wrong {
		return errors.New("the two differ")
	}
	return nil
}

func config(least int, first bool, memory int64) passage.Config {
	return passage.Config{Least: passage.Length{N: least}, First: first, Memory: memory << 20}
}

// texts holds the texts of all documents, one after the other.
type texts struct {
	text  []byte
	begin []int // start of each document, and the end of the last
}

func (c *texts) document(i int) []byte { return c.text[c.begin[i]:c.begin[i+1]] }

// read takes documents from the files in turn.
func read(files []string, most int) (*texts, error) {
	c := &texts{}
	var open []*corpus.Reader
	for _, file := range files {
		r, err := corpus.Open([]string{file}, corpus.Options{})
		if err != nil {
			return nil, err
		}
		defer r.Close()
		open = append(open, r)
	}
	for len(open) > 0 && len(c.text) < most {
		left := open[:0]
		for _, r := range open {
			switch err := c.add(r); {
			case errors.Is(err, io.EOF):
			case err != nil:
				return nil, err
			default:
				left = append(left, r)
			}
		}
		open = left
	}
	c.begin = append(c.begin, len(c.text))
	return c, nil
}

// add takes the next document of a file.
func (c *texts) add(r *corpus.Reader) error {
	item, err := r.Next()
	if err != nil {
		return err
	}
	var doc neardup.Document
	if err := r.NewDecoder().Decode(item, &doc); err != nil {
		return err
	}
	c.begin = append(c.begin, len(c.text))
	c.text = append(c.text, doc.Text...)
	return nil
}

// source returns the documents for package passage.
func (c *texts) source() (batch.Source, error) {
	docs := make([]neardup.Document, len(c.begin)-1)
	var all strings.Builder
	all.Write(c.text)
	for i := range docs {
		docs[i].Text = all.String()[c.begin[i]:c.begin[i+1]]
	}
	return batch.Documents(docs), nil
}

// differences counts the differences between package passage and the suffix array.
type differences struct{ repeated, spans, missed, invented, untrue int }

// compare finds the passages and counts their differences from the repeated windows.
func (c *texts) compare(windows *windows, cfg passage.Config) (d differences, err error) {
	want := c.cover(windows, cfg.First)
	spans, err := passage.Find(context.Background(), c.source, cfg)
	if err != nil {
		return d, err
	}
	defer spans.Close()
	for {
		s, err := spans.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return d, err
		}
		d.spans++
		at := c.begin[s.Item] + s.Byte
		if string(c.document(s.Item)[s.Byte:s.Byte+s.Len]) != string(c.document(s.From.Item)[s.From.Byte:s.From.Byte+s.Len]) {
			d.untrue++
		}
		for i := at; i < at+s.Len; i++ {
			if want.has(i) {
				d.repeated++
				want.clear(i) // report each byte once
			} else {
				d.invented++
			}
		}
	}
	d.missed = want.count()
	return d, nil
}
