package main

import (
	"context"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/ngram"
)

type tune struct {
	*app
	input                        inputFlags
	method                       methodFlags
	judged                       list
	labelled, clusters, svg, out string
	recall, precision            float64
	most                         int
	json                         bool
}

func (t *tune) do(ctx context.Context, inputs []string) error {
	if !t.method.fs.Changed("method") && len(t.judged) == 0 {
		t.method.cfg.Name = "ngram"
	}
	if err := t.check(inputs); err != nil {
		return err
	}
	if len(t.judged) > 0 || t.method.cfg.Name != "ngram" || t.out != "" || t.precision != 0 {
		return t.curve(ctx, inputs)
	}
	r, err := t.ngram(ctx, inputs)
	if err != nil {
		return err
	}
	return t.told(r)
}

// told prints what was measured, and draws it.
func (t *tune) told(r interface {
	WriteText(w io.Writer) error
	WriteSVG(w io.Writer) error
}) error {
	if t.svg != "" {
		if err := writeFile(t.svg, r.WriteSVG); err != nil {
			return err
		}
	}
	return printed(t.app, t.json, r, nil)
}

// writeFile makes a file appear whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := corpus.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// check checks the flags that say what is learned from.
func (t *tune) check(inputs []string) error {
	switch {
	case howMany(len(t.judged) > 0, t.labelled != "", t.clusters != "") != 1:
		return usage("one of --judged, --labelled and --clusters is needed")
	case t.clusters != "" && len(inputs) == 0:
		return usage("INPUT is needed: the documents that the ids are of")
	case !(t.recall > 0 && t.recall <= 1):
		return usage("--recall %v is not in (0, 1]", t.recall)
	case t.precision < 0 || t.precision > 1:
		return usage("--precision %v is not in (0, 1]", t.precision)
	}
	return nil
}

// ngram learns the substrings and the threshold of method ngram.
func (t *tune) ngram(ctx context.Context, inputs []string) (r ngram.Report, err error) {
	in := ngram.TuneInput{Recall: t.recall, Method: ngram.Config{Similarity: t.method.cfg.Similarity}}
	_, clean, err := t.method.method()
	if err == nil {
		in.Method.Shingle, err = parseShingle("shingle", t.method.shingle)
	}
	if err != nil {
		return r, err
	}
	pairs, others, err := t.sample(ctx, inputs)
	if err != nil {
		return r, err
	}
	for _, p := range pairs {
		texts := [2]string{clean.Clean(p.TextA), clean.Clean(p.TextB)}
		if same, _ := p.Positive(); same {
			in.Pairs = append(in.Pairs, texts)
		} else {
			in.Negatives = append(in.Negatives, texts)
		}
	}
	for _, text := range others {
		in.Texts = append(in.Texts, clean.Clean(text))
	}
	return ngram.Tune(ctx, in)
}
