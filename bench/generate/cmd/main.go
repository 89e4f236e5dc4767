// Command cmd writes generated texts or fingerprints to standard output.
//
//	go run -C bench ./generate/cmd -documents 1000000 -median 60 -sigma 500 -max 400 > short.jsonl
//	go run -C bench ./generate/cmd -bytes 2000000000 -median 4000 -sigma 1200 -near 100 > 2gb.jsonl
//	go run -C bench ./generate/cmd -fingerprints 100000000 -near 10 > fingerprints.bin
//
// Or it makes texts of real ones, which package corpus reads from FILES:
//
//	go run -C bench ./generate/cmd -of sentences -documents 1000000 -near 100 -truth truth.tsv FILE... > short.jsonl
//	go run -C bench ./generate/cmd -of paragraphs -documents 200000 -max 3000 FILE... > paragraphs.jsonl
//	go run -C bench ./generate/cmd -of pages -bytes 1000000000 -copies 50 -near 150 FILE... > 1gb.jsonl
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/neardup/neardup/bench/generate"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	o := generate.Options{}
	f := generate.Fingerprints{}
	real := ofReal{}
	hex := false
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Uint64Var(&o.Seed, "seed", 1, "seed: the same one gives the same bytes")
	flags.StringVar((*string)(&o.Language), "language", "english", "english or chinese")
	flags.IntVar(&o.Documents, "documents", 0, "number of documents (default: as many as -bytes needs)")
	flags.Int64Var(&o.Bytes, "bytes", 0, "stop at n bytes of text")
	flags.IntVar(&o.Median, "median", 2000, "median length in bytes")
	flags.IntVar(&o.Sigma, "sigma", 1000, "sigma of the logarithm of the length, in thousandths")
	flags.IntVar(&o.Max, "max", 1<<20, "largest length in bytes (of paragraphs: runes)")
	flags.IntVar(&o.Copies, "copies", 0, "documents of 1,000 that equal an earlier one")
	flags.IntVar(&o.Near, "near", 0, "documents (fingerprints) of 1,000 that are near an earlier one")
	flags.IntVar(&o.Edits, "edits", 20, "words of 1,000 of a near one that are replaced")
	flags.IntVar(&o.Greeting, "greeting", 0, "bytes with which every document begins")
	flags.IntVar(&f.Count, "fingerprints", 0, "write n 64-bit fingerprints instead of texts")
	flags.IntVar(&f.Distance, "distance", 3, "bits that a near fingerprint differs by, at most")
	flags.BoolVar(&hex, "hex", false, "fingerprints as hex lines, not as 8 little-endian bytes")
	flags.StringVar(&real.of, "of", "", `make texts of those in FILES: "sentences" or "pages" recombined, or "paragraphs" as they are`)
	flags.IntVar(&real.chinese, "chinese", 400, "of pages: how many of 1,000 are Chinese")
	flags.IntVar(&real.jump, "jump", 700, "of sentences: in how many of 1,000 places where it can a text goes on in another sentence")
	flags.IntVar(&real.least, "least", 1, "of paragraphs: the least runes")
	flags.StringVar(&real.truth, "truth", "", "of sentences: write here which text is an edited copy of which")
	if err := flags.Parse(args); err != nil {
		return err
	}
	w := bufio.NewWriterSize(stdout, 1<<20)
	if real.of != "" {
		if err := real.write(w, o, flags.Args()); err != nil {
			return err
		}
		return w.Flush()
	}
	f.Seed, f.Near = o.Seed, o.Near
	if err := write(w, o, f, hex, stderr); err != nil {
		return err
	}
	return w.Flush()
}

func write(w io.Writer, o generate.Options, f generate.Fingerprints, hex bool, stderr io.Writer) error {
	switch {
	case f.Count > 0 && hex:
		return f.WriteHex(w)
	case f.Count > 0:
		return f.WriteBinary(w)
	case o.Documents == 0 && o.Bytes == 0:
		return fmt.Errorf("one of -documents, -bytes and -fingerprints is needed")
	case o.Documents == 0:
		o.Documents = math.MaxInt
	}
	c, err := generate.New(o)
	if err != nil {
		return err
	}
	documents, bytes, err := c.WriteJSONL(w)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "%d documents, %d bytes of text\n", documents, bytes)
	return err
}
