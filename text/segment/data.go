package segment

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:generate go run -C ../../bench ./dictionaries/segment -archive jieba-0.42.1.tar.gz
//go:generate go test -run TestBuiltIn -update

// trieData is data/dict.txt.gz, compiled.
//
//go:embed data/dict.trie.zst
var trieData []byte

//go:embed data/hmm.txt.gz
var hmmData string

// builtIn returns the built-in dictionary, and the sum of its frequencies.
func builtIn() (t trie, total uint64, err error) {
	t, total, err = readCompiled(trieData)
	if err != nil {
		return t, 0, fmt.Errorf("read built-in dictionary: %w", err)
	}
	return t, total, nil
}

// loadModel parses the built-in model once; it is shared by all Segmenters.
var loadModel = sync.OnceValues(func() (*model, error) {
	r, err := gzip.NewReader(strings.NewReader(hmmData))
	if err != nil {
		return nil, fmt.Errorf("unpack built-in model: %w", err)
	}
	return readModel(r)
})
