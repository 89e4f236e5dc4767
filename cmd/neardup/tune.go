package main

import (
	"context"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/ngram"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type tune struct {
	*app
	input     inputFlags
	method    methodFlags
	judged    []string
	corpus    []string
	made      []string
	weights   string
	prior     string
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
	cmd := &cobra.Command{
		Use:   "tune (--judged FILE | --corpus FILE | --labelled FILE | --clusters FILE INPUT...) [flags]",
		Short: "Choose a threshold by pairs that people have labelled",
		Long: `Measures precision and recall of a method (--method and its flags, by default
auto) against every threshold, on pairs that people have labelled, with 95 %
intervals, and proposes one: the best F1, the lowest of --precision, or, where no
pair is a counterexample, the highest of --recall. It says when the pairs are too
few. --out writes the configuration, for dedup --config.

For --method ngram (the default but for --judged) it also learns how long the
common substrings of similar texts are, and proposes m (for keys=any): the
largest that finds --recall of the pairs. Prints how many pairs each m and each
threshold finds and what work it makes.

With --weights it learns what each piece of evidence is worth to auto from pairs
of --judged (several files), and tells how each source of them is decided by
weights that were learned without it. The shipped weights are where it begins,
so twenty to fifty pairs of your own move them; --method 'auto weights=FILE' takes the table.

With --corpus it decides all texts of a corpus and writes, with the weights, the
differences that tell many of them apart from others, as "; documentation" does in a
list of packages: what no pair can say by itself. Look at the list before you use it: what
many texts only add, such as the name of a source, is to be taken out.

The sample is one of
  --judged FILE    as for eval --judged; texts it lacks are in INPUT
  --corpus FILE    documents, without labels
  --labelled FILE  JSONL with text_a, text_b and label (1 or none: similar; 0: not),
                   or a table "id_a id_b [label]" of documents in INPUT
  --clusters FILE  JSONL as dedup --clusters prints it, of documents in INPUT
Documents of INPUT that are in no pair count for the work. Of a cluster of more
than 50 texts each is paired with the leader only.

` + exitHelp,
		Example: `  neardup tune --judged judged_pairs.tsv --precision .95 --out neardup.toml
  neardup tune --judged mine.jsonl --weights mine.toml
  neardup tune --corpus packages.jsonl --weights packages.toml
  neardup tune --labelled pairs.jsonl --method minhash
  neardup tune --labelled pairs.jsonl --svg curves.svg
  neardup tune --labelled similar.tsv comments.jsonl
  neardup dedup comments.jsonl --method ngram --threshold .7 --clusters c.jsonl
  neardup tune --clusters c.jsonl comments.jsonl --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return t.do(cmd.Context(), args) },
	}
	t.flags(cmd.Flags())
	return cmd
}

func (t *tune) flags(fs *pflag.FlagSet) {
	grouping(fs, inputGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&t.labelled, "labelled", "", "pairs labelled 1 or 0")
		fs.StringVar(&t.clusters, "clusters", "", "clusters, as dedup writes them")
		fs.StringSliceVar(&t.judged, "judged", nil, "pairs judged by reading, as for eval --judged")
		fs.StringSliceVar(&t.corpus, "corpus", nil, "with --weights: documents among which differences that recur are slots")
		fs.StringSliceVar(&t.made, "made", nil, "with --weights: pairs made by a change whose meaning is known")
		fs.IntVar(&t.most, "most", 100_000, "documents of INPUT in no pair to measure work with")
	})
	grouping(fs, methodGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&t.prior, "prior", "shipped", "with --weights: what the pairs move: the shipped weights, none, or a table of weights")
		fs.Float64Var(&t.recall, "recall", .95, "share of the pairs to find")
		fs.Float64Var(&t.precision, "precision", 0, "share of what is called a duplicate that is to be one")
	})
	grouping(fs, outputGroup, func(fs *pflag.FlagSet) {
		fs.StringVar(&t.weights, "weights", "", "with --judged or --corpus: learn the weights of auto, and write them here (TOML)")
		fs.StringVar(&t.out, "out", "", "write the proposal as a configuration here (TOML)")
		fs.StringVar(&t.svg, "svg", "", "draw the curves to this file")
		fs.BoolVar(&t.json, "json", false, "print JSON")
	})
	t.method.add(fs)
	t.input.add(fs)
}

func (t *tune) do(ctx context.Context, inputs []string) error {
	if !t.method.fs.Changed("method") && len(t.judged) == 0 && len(t.corpus) == 0 {
		t.method.cfg.Name = "ngram"
	}
	if err := t.check(inputs); err != nil {
		return err
	}
	if len(t.corpus) > 0 {
		return t.slots(ctx)
	}
	if t.weights != "" {
		return t.learn(ctx, inputs)
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
	case howMany(len(t.judged) > 0, len(t.corpus) > 0, t.labelled != "", t.clusters != "") != 1:
		return usage("one of --judged, --corpus, --labelled and --clusters is needed")
	case len(t.corpus) > 0 && len(inputs) > 0:
		return usage("--corpus names the documents: INPUT has no effect")
	case len(t.corpus) > 0 && t.weights == "":
		return usage("--corpus needs --weights FILE, the table to write")
	case t.clusters != "" && len(inputs) == 0:
		return usage("INPUT is needed: the documents that the ids are of")
	case t.weights != "" && len(t.judged) == 0 && len(t.corpus) == 0:
		return usage("--weights are learned from --judged pairs or a --corpus")
	case t.weights == "" && len(t.made) > 0:
		return usage("--made has no effect without --weights")
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
