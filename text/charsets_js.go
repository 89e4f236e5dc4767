package text

import "golang.org/x/text/encoding"

// The tables of charsets are large, so builds for a browser omit them. Text that needs one is an error.

func tableOf(string) (encoding.Encoding, error) { return nil, ErrCharset }

func nameOf(label string) (string, error) {
	switch label {
	case "utf-8", "utf8":
		return "utf-8", nil
	case "utf-16", "utf-16le":
		return "utf-16le", nil
	case "utf-16be":
		return label, nil
	}
	return "", ErrCharset
}

func detect([]byte) []charsetGuess { return nil }
