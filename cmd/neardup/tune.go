package main

import (
	"context"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/ngram"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type tune struct {
	*app
	input     inputFlags
	method    methodFlags
	judged    []string
	labelled  string
	clusters  string
	recall    float64
	precision float64
	most      int
	svg       string
	out       string
	json      bool
}

func tuneCommand(a *app) *cobra.Command {
	t := &tune{app: a}
	cmd := verb("tune", nil, func(cmd *cobra.Command, args []string) error { return t.do(cmd.Context(), args) })
	t.flags(cmd.Flags())
	return cmd
}

func (t *tune) flags(fs *pflag.FlagSet) {
	grouping(fs, inputGroup, func(fs *pflag.FlagSet) {
		bind(fs, "tune", flags{"labelled": &t.labelled, "clusters": &t.clusters})
		fs.StringSliceVar(&t.judged, "judged", nil, "pairs judged by reading, as for eval --judged")
		bind(fs, "tune", flags{"most": &t.most})
	})
	bind(fs, "tune", flags{
		"recall": &t.recall, "precision": &t.precision, "out": &t.out,
		"svg": &t.svg, "json": &t.json,
	})
	t.method.add(fs)
	t.input.add(fs)
}

func (t *tune) do(ctx context.Context, inputs []string) error {
	if !t.method.fs.Changed("method") && len(t.judged) == 0 {
		t.method.name = "ngram"
	}
	if err := t.check(inputs); err != nil {
		return err
	}
	if len(t.judged) > 0 || t.method.name != "ngram" || t.out != "" || t.precision != 0 {
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
	c, err := t.method.choice()
	_, clean, err := t.method.made(c, err)
	if err != nil {
		return r, err
	}
	in := ngram.TuneInput{Recall: t.recall, Method: ngram.Config{Similarity: ngram.Similarity(c.Get("similarity"))}}
	if s := c.Get("shingle"); s != "" {
		if in.Method.Shingle, err = feature.ParseShingle(s); err != nil {
			return r, err
		}
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
