// Command study measures which features and which distance k find similar texts in the shared data. It writes tables and
// drawings:
//
//	go run -C bench ./study
//
// For every set, kind of feature, length and k from 0 to 16, it counts the similar pairs within k bits (recall), and the
// other pairs within k bits (work, precision). It also measures the distance of texts to themselves with 1, 2, 5 and 10 %
// of their units edited at random. The same data gives the same bytes. It takes about four minutes on one core and 3 GB of
// memory.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/internal/test/shared"
)

func main() {
	data := flag.String("data", shared.Dir(), "folder of the shared data")
	out := flag.String("out", filepath.Join("..", "docs"), "folder for simhash-k.tsv, simhash-edits.tsv and the drawings")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		log.Fatal(err)
	}
}

func run(data, out string) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	var pairs, edits table
	for _, s := range sources() {
		texts, err := s.read(data)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d different texts, %d pairs known\n", s.name, len(texts.clean), len(texts.pairs))
		pairs = append(pairs, measurePairs(s, texts, kinds)...)
		edits = append(edits, measureEdits(s, texts, kinds)...)
	}
	if err := pairs.save(filepath.Join(out, "simhash-k.tsv")); err != nil {
		return err
	}
	if err := edits.save(filepath.Join(out, "simhash-edits.tsv")); err != nil {
		return err
	}
	return draw(pairs, edits, out)
}
