//go:build !js

package text

import (
	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// tableOf returns the encoding of a canonical name. GB 18030 reads all three Chinese standards.
func tableOf(name string) (encoding.Encoding, error) {
	if name == "gb18030" {
		return simplifiedchinese.GB18030, nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		return encoding.Replacement, nil
	}
	return enc, nil
}

// nameOf returns the name that the WHATWG encoding standard gives the charset of a label.
func nameOf(label string) (string, error) {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return "", err
	}
	return htmlindex.Name(enc)
}

// detect returns the charsets by statistics, in any order.
func detect(head []byte) (out []charsetGuess) {
	found, err := chardet.NewTextDetector().DetectAll(head)
	if err != nil {
		return nil
	}
	for _, f := range found {
		out = append(out, charsetGuess{f.Charset, f.Confidence})
	}
	return out
}
