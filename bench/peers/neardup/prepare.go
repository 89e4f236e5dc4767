package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup/internal/test/shared"
)

// sets lists the labelled sets. The Chinese ones together are the Chinese corpus.
var sets = [...]string{"ota_terms_versions", "zh_lctt_proofread", "zh_tidb_docs_versions", "zh_laws"}

// document is one line of every corpus.
type document struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// prepare writes SET.jsonl for each set, chinese.jsonl (all Chinese sets), and short.jsonl (the distinct sentences of 40 to
// 100 bytes of the English set). No document is repeated to fill a corpus.
func prepare(dir string) error {
	chinese, err := newCorpus(dir, "chinese")
	if err != nil {
		return err
	}
	short, err := newCorpus(dir, "short")
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, set := range sets {
		c, err := newCorpus(dir, set)
		if err != nil {
			return err
		}
		err = eachDocument(set, func(d document) error {
			if strings.HasPrefix(set, "zh_") {
				return first(c.add(d), chinese.add(d))
			}
			return first(c.add(d), addSentences(short, d, seen))
		})
		if err := first(err, c.close()); err != nil {
			return err
		}
	}
	return first(chinese.close(), short.close())
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func addSentences(c *corpusFile, d document, seen map[string]bool) error {
	for i, line := range strings.Split(strings.ReplaceAll(d.Text, ". ", ".\n"), "\n") {
		if len(line) < 40 || len(line) > 100 || seen[line] {
			continue
		}
		seen[line] = true
		if err := c.add(document{ID: fmt.Sprintf("%s/%d", d.ID, i), Text: line}); err != nil {
			return err
		}
	}
	return nil
}

func eachDocument(set string, fn func(document) error) error {
	f, err := os.Open(filepath.Join(shared.Dir(), set, "docs.jsonl.zst"))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return err
	}
	defer z.Close()
	for records := json.NewDecoder(z); ; {
		var d document
		if err := records.Decode(&d); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		if err := fn(d); err != nil {
			return err
		}
	}
}

// corpusFile is a JSONL file that is being written.
type corpusFile struct {
	file    *os.File
	buffer  *bufio.Writer
	records *json.Encoder
}

func newCorpus(dir, name string) (*corpusFile, error) {
	f, err := os.Create(filepath.Join(dir, name+".jsonl"))
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriterSize(f, 1<<20)
	records := json.NewEncoder(buffer)
	records.SetEscapeHTML(false)
	return &corpusFile{f, buffer, records}, nil
}

func (c *corpusFile) add(d document) error { return c.records.Encode(d) }

func (c *corpusFile) close() error { return first(c.buffer.Flush(), c.file.Close()) }
