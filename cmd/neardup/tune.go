package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/text"
	"github.com/spf13/cobra"
)

type tune struct {
	*app
	input      inputFlags
	labelled   string
	pairs      string
	clusters   string
	similarity string
	shingle    string
	normalize  string
	recall     float64
	most       int
	svg        string
	json       bool
}

func tuneCommand(a *app) *cobra.Command {
	t := &tune{app: a}
	cmd := &cobra.Command{
		Use:   "tune (--labelled FILE | --pairs FILE INPUT... | --clusters FILE INPUT...) [flags]",
		Short: "Learn from similar texts which substrings and which threshold find them",
		Long: `Learns from texts known to be similar how long their common substrings are and
how similar they are, and proposes m (for --method ngram --keys any) and the
threshold: the largest that find --recall of the pairs or, where there are pairs
known not to be similar, the threshold that tells the two kinds apart best.
Prints how many pairs each m and each threshold finds and what work it makes.

The sample is one of
  --labelled FILE  JSONL with text_a, text_b and label (1 or none: similar; 0: not)
  --pairs FILE     TSV "id_a id_b [label]" of documents in INPUT
  --clusters FILE  JSONL as dedup --clusters prints it, of documents in INPUT
Documents of INPUT that are in no pair count for the work. Of a cluster of more
than 50 texts each is paired with the leader only.

` + exitHelp,
		Example: `  neardup tune --labelled pairs.jsonl --svg curves.svg
  neardup tune --pairs similar.tsv comments.jsonl
  neardup dedup comments.jsonl --method ngram --threshold .7 --clusters c.jsonl
  neardup tune --clusters c.jsonl comments.jsonl --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return t.do(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&t.labelled, "labelled", "", "JSONL of pairs of texts")
	fs.StringVar(&t.pairs, "pairs", "", "TSV of pairs of ids")
	fs.StringVar(&t.clusters, "clusters", "", "JSONL of clusters of ids")
	fs.StringVar(&t.similarity, "similarity", "edit", "edit, jaccard, cosine or containment")
	fs.StringVar(&t.shingle, "shingle", "", "shingles of the set similarities: runes:2 (the default), words:1, ...")
	fs.StringVar(&t.normalize, "normalize", "default", "normalisation of the texts")
	fs.Float64Var(&t.recall, "recall", .95, "share of the pairs to find")
	fs.IntVar(&t.most, "most", 100_000, "documents of INPUT in no pair to measure work with")
	fs.StringVar(&t.svg, "svg", "", "draw both curves to this file")
	fs.BoolVar(&t.json, "json", false, "print JSON")
	t.input.add(fs)
	return cmd
}

func (t *tune) do(ctx context.Context, inputs []string) error {
	in, err := t.sample(ctx, inputs)
	if err != nil {
		return err
	}
	r, err := ngram.Tune(ctx, in)
	if err != nil {
		return err
	}
	if t.svg != "" {
		if err := writeFile(t.svg, r.WriteSVG); err != nil {
			return err
		}
	}
	out := corpus.NewStream(t.stdout)
	if t.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.WriteText(out)
	}
	if err != nil {
		return err
	}
	return out.Commit()
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

// sample checks the flags and reads the sample that they name.
func (t *tune) sample(ctx context.Context, inputs []string) (ngram.TuneInput, error) {
	in := ngram.TuneInput{Recall: t.recall}
	chosen := 0
	for _, path := range []string{t.labelled, t.pairs, t.clusters} {
		if path != "" {
			chosen++
		}
	}
	switch {
	case chosen != 1:
		return in, usage("one of --labelled, --pairs and --clusters is needed")
	case t.labelled == "" && len(inputs) == 0:
		return in, usage("INPUT is needed: the documents that the ids are of")
	case !(t.recall > 0 && t.recall <= 1):
		return in, usage("--recall %v is not in (0, 1]", t.recall)
	}
	clean, err := text.ParseNormalizer(t.normalize)
	if err != nil {
		return in, usage("--normalize: %w", err)
	}
	in.Method.Similarity = ngram.Similarity(t.similarity)
	if in.Method.Shingle, err = parseShingle("--shingle", t.shingle); err != nil {
		return in, err
	}
	if _, err := ngram.New(in.Method); err != nil {
		return in, usage("%w", err)
	}
	s := sampler{texts: map[string]*string{}}
	switch {
	case t.labelled != "":
		err = s.readLabelled(t.labelled)
	case t.pairs != "":
		err = s.readPairs(t.pairs)
	default:
		err = s.readClusters(t.clusters)
	}
	if err == nil && len(inputs) > 0 {
		err = t.readTexts(ctx, inputs, &s)
	}
	if err == nil {
		err = s.fill(&in, clean)
	}
	return in, err
}
