// Command segmentation cuts texts into words. It reads a JSON string per line and writes a JSON array of its words per
// line, for compare-jieba.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/neardup/neardup/text/segment"
)

func main() {
	plain := flag.Bool("no-hmm", false, "dictionary only")
	flag.Parse()
	mode := segment.HMM
	if *plain {
		mode = segment.Dictionary
	}
	if err := run(os.Stdin, os.Stdout, mode); err != nil {
		fmt.Fprintln(os.Stderr, "segmentation:", err)
		os.Exit(1)
	}
}

func run(r io.Reader, w io.Writer, mode segment.Mode) error {
	g, err := segment.Default()
	if err != nil {
		return err
	}
	in, out := json.NewDecoder(bufio.NewReader(r)), bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	var words []string
	for {
		var text string
		if err := in.Decode(&text); errors.Is(err, io.EOF) {
			return out.Flush()
		} else if err != nil {
			return fmt.Errorf("read text: %w", err)
		}
		words = g.Cut(words[:0], text, mode)
		if err := enc.Encode(words); err != nil {
			return err
		}
	}
}
