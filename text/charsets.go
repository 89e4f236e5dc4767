//go:build !js

package text

import (
	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// tableOf returns the encoding of a canonical name. GB 18030 decodes all three Chinese standards.
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

// nameOf returns the name of a charset in the WHATWG encoding standard, from any of its labels.
func nameOf(label string) (string, error) {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return "", err
	}
	return htmlindex.Name(enc)
}

// detect guesses the charset by statistics. The guesses are in no order.
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
