package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/neardup/neardup/bench/generate"
)

// ofReal holds the settings of texts made from real ones.
type ofReal struct {
	of          string
	jump, least int
	truth       string
	chinese     int
}

func (r ofReal) write(w io.Writer, o generate.Options, files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("-of %s needs files of texts", r.of)
	}
	switch r.of {
	case "sentences":
		return r.sentences(w, o, files)
	case "paragraphs":
		n := o.Documents
		if n == 0 {
			n = -1
		}
		all, err := generate.Paragraphs(files, r.least, o.Max, n)
		if err != nil {
			return err
		}
		return generate.WritePieces(w, all)
	case "pages":
		if o.Documents == 0 {
			o.Documents = math.MaxInt
		}
		pages, err := generate.NewPages(files, o, r.chinese)
		if err != nil {
			return err
		}
		_, _, err = pages.WriteJSONL(w)
		return err
	}
	return fmt.Errorf("-of %q is neither sentences, paragraphs nor pages", r.of)
}

func (r ofReal) sentences(w io.Writer, o generate.Options, files []string) error {
	all, err := generate.Sentences(files)
	if err != nil {
		return err
	}
	if o.Documents == 0 {
		return generate.WritePieces(w, all)
	}
	walks, err := generate.NewWalks(all, generate.Recombined{Seed: o.Seed, Near: o.Near, Jump: r.jump})
	if err != nil {
		return err
	}
	if r.truth == "" {
		return walks.WriteJSONL(w, nil, o.Documents)
	}
	file, err := os.Create(r.truth)
	if err != nil {
		return err
	}
	truth := bufio.NewWriter(file)
	err = walks.WriteJSONL(w, truth, o.Documents)
	return cmp.Or(err, truth.Flush(), file.Close())
}
