package segment

import (
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:generate go run ./gen -archive jieba-0.42.1.tar.gz -out data

//go:embed data/dict.txt.gz
var dictData string

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

func builtIn() (*dictionary, error) {
	r, err := unpack("dictionary", dictData)
	if err != nil {
		return nil, err
	}
	return readDictionary(r)
}

// loadModel parses the built-in model once; it is shared by all Segmenters.
var loadModel = sync.OnceValues(func() (*model, error) {
	r, err := unpack("model", hmmData)
	if err != nil {
		return nil, err
	}
	return readModel(r)
})
