// Command segment makes the embedded data of package segment from the source
// archive of jieba 0.42.1, as PyPI has it:
//
//	pip download jieba==0.42.1 --no-deps --no-binary :all:
//	go run ./dictionaries/segment -archive jieba-0.42.1.tar.gz
//
// go test ./text/segment -run TestBuiltIn -update then compiles the dictionary.
//
// The output is the same, byte for byte, at every run.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	sources "github.com/neardup/neardup/bench/dictionaries/archive"
)

func main() {
	archive := flag.String("archive", "jieba-0.42.1.tar.gz", "source archive of jieba 0.42.1")
	out := flag.String("out", "../text/segment/data", "folder to write to")
	flag.Parse()
	if err := run(*archive, *out); err != nil {
		fmt.Fprintln(os.Stderr, "segment:", err)
		os.Exit(1)
	}
}

func run(archive, out string) error {
	files, err := sources.Extract(archive,
		"jieba/dict.txt", "jieba/finalseg/prob_start.py",
		"jieba/finalseg/prob_trans.py", "jieba/finalseg/prob_emit.py")
	if err != nil {
		return err
	}
	model, err := hmm(files["jieba/finalseg/prob_start.py"],
		files["jieba/finalseg/prob_trans.py"], files["jieba/finalseg/prob_emit.py"])
	if err != nil {
		return err
	}
	if err := pack(filepath.Join(out, "dict.txt.gz"), dictionary(files["jieba/dict.txt"])); err != nil {
		return err
	}
	return pack(filepath.Join(out, "hmm.txt.gz"), model)
}

// dictionary drops the tags and sorts the lines by word, stably. If a word occurs twice, the last line counts.
func dictionary(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		fields := strings.Split(strings.TrimSpace(line), " ")
		lines[i] = fields[0] + " " + fields[1]
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		x, _, _ := strings.Cut(a, " ")
		y, _, _ := strings.Cut(b, " ")
		return strings.Compare(x, y)
	})
	return strings.Join(lines, "\n") + "\n"
}

// pack writes text compressed, without a time stamp.
func pack(path, text string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(z, text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
