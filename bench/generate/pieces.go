package generate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/corpus"
)

// This file cuts real texts into pieces. Recombined texts are made of them, and they are also used unchanged.

// Sentences returns sentences of 40 to 200 bytes that are nearly all ASCII letters, without repetitions and in the order of
// the files. Package corpus reads the files.
func Sentences(files []string) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	err := eachText(files, func(text string) {
		for _, s := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n.!?;。", r) }) {
			s = strings.Join(strings.Fields(s), " ")
			if len(s) >= leastWalk && len(s) <= mostWalk && english(s) && !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	})
	return all, err
}

// english reports whether nine of ten bytes are ASCII letters or blanks.
func english(s string) bool {
	n := 0
	for i := range len(s) {
		if c := s[i] | 0x20; (c >= 'a' && c <= 'z') || s[i] == ' ' {
			n++
		}
	}
	return 10*n >= 9*len(s)
}

// Paragraphs returns n pieces between blank lines with least to most runes, without repetitions. It selects them evenly
// from all, or returns all if n < 0.
func Paragraphs(files []string, least, most, n int) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	err := eachText(files, func(text string) {
		for p := range strings.SplitSeq(text, "\n\n") {
			p = strings.TrimSpace(p)
			if runes := utf8.RuneCountInString(p); runes >= least && runes <= most && !seen[p] {
				seen[p] = true
				all = append(all, p)
			}
		}
	})
	if err != nil || n < 0 || n >= len(all) {
		return all, err
	}
	for i := range n {
		all[i] = all[i*len(all)/n]
	}
	return all[:n], nil
}

// eachText calls fn with the text of each document of the files.
func eachText(files []string, fn func(string)) error {
	r, err := corpus.Open(files, corpus.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		if err != nil {
			return fmt.Errorf("read texts: %w", err)
		}
		fn(doc.Text)
	}
	return nil
}

// WritePieces writes texts as JSON objects with id and text, one per line.
func WritePieces(w io.Writer, texts []string) error {
	var line []byte
	for i, t := range texts {
		line = append(append(append(line[:0], `{"id":"`...), id(i)...), `","text":`...)
		line = append(appendJSON(line, t), "}\n"...)
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("write texts: %w", err)
		}
	}
	return nil
}

// appendJSON appends s as a JSON string.
func appendJSON(dst []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return append(dst, `""`...) // strings always marshal
	}
	return append(dst, b...)
}
