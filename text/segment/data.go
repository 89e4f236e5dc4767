package segment

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"sync"
)

//go:generate go run -C ../../bench ./dictionaries/segment -archive jieba-0.42.1.tar.gz
//go:generate go test -run TestBuiltIn -update

// builtIn returns the built-in dictionary, which is compiled from data/dict.txt.gz, and the sum of its frequencies.
func builtIn() (t trie, total uint64, err error) {
	packed, err := dataFile("dict.trie.zst")
	if err != nil {
		return t, 0, err
	}
	t, total, err = readCompiled(packed)
	if err != nil {
		return t, 0, fmt.Errorf("read built-in dictionary: %w", err)
	}
	return t, total, nil
}

// loadModel parses the built-in model once. All Segmenters share it.
var loadModel = sync.OnceValues(func() (*model, error) {
	packed, err := dataFile("hmm.txt.gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack built-in model: %w", err)
	}
	return readModel(r)
})
