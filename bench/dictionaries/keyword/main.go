// Command keyword makes the embedded data of package keyword: the Chinese IDF
// table and the Chinese stop words from the source archive of jieba 0.42.1, the
// English table from the shared labelled texts.
//
//	pip download jieba==0.42.1 --no-deps --no-binary :all:
//	go run ./dictionaries/keyword -archive jieba-0.42.1.tar.gz -shared ../../shared/data
//
// go test ./feature/keyword -run TestChineseTable -update then compiles the Chinese table. The output is
// the same, byte for byte, at every run.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	sources "github.com/neardup/neardup/bench/dictionaries/archive"
)

func main() {
	archive := flag.String("archive", "jieba-0.42.1.tar.gz", "source archive of jieba 0.42.1")
	shared := flag.String("shared", "../../shared/data", "folder of the shared data")
	out := flag.String("out", "../feature/keyword/data", "folder to write to")
	flag.Parse()
	if err := run(*archive, *shared, *out); err != nil {
		fmt.Fprintln(os.Stderr, "keyword:", err)
		os.Exit(1)
	}
}

func run(archive, shared, out string) error {
	files, err := sources.Extract(archive, "jieba/dict.txt", "jieba/analyse/idf.txt")
	if err != nil {
		return err
	}
	table, err := chinese(files["jieba/analyse/idf.txt"])
	if err != nil {
		return err
	}
	if err := pack(filepath.Join(out, "idf.zh.gz"), table); err != nil {
		return err
	}
	stop := stopWords(files["jieba/dict.txt"])
	if err := os.WriteFile(filepath.Join(out, "stop.txt"), []byte(stop), 0o644); err != nil {
		return err
	}
	table, err = english(context.Background(), shared)
	if err != nil {
		return err
	}
	return pack(filepath.Join(out, "idf.en.gz"), table)
}

// pack writes data compressed, without a time stamp.
func pack(path string, data []byte) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
