package segment

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:generate go run -C ../../bench ./dictionaries/segment -archive jieba-0.42.1.tar.gz

// trieData is data/dict.txt.gz, compiled.
//
//go:embed data/dict.trie.gz
var trieData string

//go:embed data/hmm.txt.gz
var hmmData string

// unpack returns a reader of one of the embedded files.
func unpack(name, data string) (io.Reader, error) {
	r, err := gzip.NewReader(strings.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("unpack built-in %s: %w", name, err)
	}
	return r, nil
}

// builtIn is the built-in dictionary, and the sum of its frequencies.
func builtIn() (t trie, total uint64, err error) {
	r, err := unpack("dictionary", trieData)
	if err != nil {
		return t, 0, err
	}
	if t, total, err = readCompiled(r); err != nil {
		return t, 0, fmt.Errorf("read built-in dictionary: %w", err)
	}
	return t, total, nil
}

// loadModel parses the built-in model once; it is shared by all Segmenters.
var loadModel = sync.OnceValues(func() (*model, error) {
	r, err := unpack("model", hmmData)
	if err != nil {
		return nil, err
	}
	return readModel(r)
})
