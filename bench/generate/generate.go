// Package generate makes texts and fingerprints for tests of memory, speed and growth, for which there are too few real
// ones. The same options give the same bytes on every machine. It uses integers, and floats only where IEEE 754 determines
// the result.
//
// Its output resembles text (a Zipf vocabulary, sentences, paragraphs, log-normal lengths, edited copies), but quality must
// be measured on real texts.
package generate

import (
	"fmt"
	"io"
	"strconv"
)

// Language names a vocabulary.
type Language string

const (
	English Language = "english" // words of Latin syllables between blanks
	Chinese Language = "chinese" // words of 1 to 4 Han characters without blanks
)

// Options describe a corpus. Lengths are in bytes of text.
type Options struct {
	Seed      uint64
	Language  Language
	Documents int
	Bytes     int64 // stop after the document that reaches this many bytes of text (a line end counts as 2); 0 means no limit
	// Lengths are log-normal. Median is the median, Sigma the sigma of the natural logarithm in thousandths, and Max the
	// limit.
	Median, Sigma, Max int
	// Of 1,000 documents, Copies are equal to an earlier original. Near are edited copies of one, in which Edits of 1,000
	// words are replaced.
	Copies, Near, Edits int
	// Greeting is the approximate number of bytes with which every document begins.
	Greeting int
}

// Validate returns an error about the first invalid option.
func (o Options) Validate() error {
	switch {
	case o.Language != English && o.Language != Chinese:
		return fmt.Errorf("language %q is neither english nor chinese", o.Language)
	case o.Documents < 0 || o.Bytes < 0 || o.Greeting < 0:
		return fmt.Errorf("negative number of documents, bytes or greeting bytes")
	case o.Median < 1 || o.Max < o.Median || o.Sigma < 0 || o.Sigma > 4000:
		return fmt.Errorf("lengths need 1 <= median <= max and sigma 0..4000, not %d, %d and %d", o.Median, o.Max, o.Sigma)
	case o.Copies < 0 || o.Near < 0 || o.Copies+o.Near > 1000 || o.Edits < 0 || o.Edits > 1000:
		return fmt.Errorf("copies and near together, and edits, go from 0 to 1000")
	}
	return nil
}

// Corpus returns the documents of a set of options, in any order and without storing any. It is safe for concurrent use.
type Corpus struct {
	options  Options
	words    *vocabulary
	greeting []byte
}

// New prepares a corpus, with a vocabulary of 32,768 words.
func New(o Options) (*Corpus, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("generate texts: %w", err)
	}
	c := &Corpus{options: o, words: newVocabulary(o.Language, o.Seed)}
	if o.Greeting > 0 {
		w := writer{words: c.words, random: newRandom(o.Seed, greetingStream), newline: "\n"}
		c.greeting = w.append(nil, o.Greeting, nil, 0)
		if o.Language == English {
			c.greeting = append(c.greeting, ' ')
		}
	}
	return c, nil
}

// Document is a generated text.
type Document struct {
	ID     string
	Family string // id of the original that it equals or was edited from
	Text   string
}

// Document returns document i.
func (c *Corpus) Document(i int) Document {
	return Document{ID: id(i), Family: id(c.options.original(i)), Text: string(c.appendText(nil, i, "\n"))}
}

func id(i int) string { return "g" + strconv.Itoa(i) }

// kind is the kind of a document.
type kind int

const (
	fresh kind = iota
	copied
	edited
)

func (o Options) kind(i int) kind {
	if i == 0 {
		return fresh
	}
	r := newRandom(o.Seed, kindStream+uint64(i))
	switch p := r.below(1000); {
	case p < o.Copies:
		return copied
	case p < o.Copies+o.Near:
		return edited
	}
	return fresh
}

// original returns the document from which document i was made. All earlier ones are about equally likely.
func (o Options) original(i int) int {
	if o.kind(i) == fresh {
		return i
	}
	r := newRandom(o.Seed, sourceStream+uint64(i))
	j := r.below(i)
	for o.kind(j) != fresh {
		j--
	}
	return j
}

// appendText appends the text of document i, with the given line end.
func (c *Corpus) appendText(dst []byte, i int, newline string) []byte {
	from := c.options.original(i)
	w := writer{words: c.words, random: newRandom(c.options.Seed, textStream+uint64(from)), newline: newline}
	length := c.options.length(&w.random)
	dst = append(dst, c.greeting...)
	if c.options.kind(i) != edited {
		return w.append(dst, length, nil, 0)
	}
	edits := newRandom(c.options.Seed, editStream+uint64(i))
	return w.append(dst, length, &edits, c.options.Edits)
}

// WriteJSONL writes the corpus as JSON objects with id, family and text, one per line, at about 400 MB/s. It returns the
// number of documents and of bytes of text.
func (c *Corpus) WriteJSONL(w io.Writer) (documents int, bytes int64, err error) {
	const flushAt = 1 << 18
	var buffer []byte
	for documents < c.options.Documents && (c.options.Bytes == 0 || bytes < c.options.Bytes) {
		buffer = append(buffer, `{"id":"g`...)
		buffer = strconv.AppendInt(buffer, int64(documents), 10)
		buffer = append(buffer, `","family":"g`...)
		buffer = strconv.AppendInt(buffer, int64(c.options.original(documents)), 10)
		buffer = append(buffer, `","text":"`...)
		start := len(buffer)
		buffer = c.appendText(buffer, documents, `\n`)
		bytes += int64(len(buffer) - start)
		buffer = append(buffer, "\"}\n"...)
		documents++
		if len(buffer) >= flushAt {
			if _, err := w.Write(buffer); err != nil {
				return documents, bytes, fmt.Errorf("write texts: %w", err)
			}
			buffer = buffer[:0]
		}
	}
	if _, err := w.Write(buffer); err != nil {
		return documents, bytes, fmt.Errorf("write texts: %w", err)
	}
	return documents, bytes, nil
}
