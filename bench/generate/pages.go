package generate

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text/segment"
)

// Pages are documents as long as web pages, made of real sentences. A page follows a sentence for a few words, then
// continues in another sentence with the same two consecutive words. Some pages begin and end like all pages of their site.
// Some equal an earlier page or are an edited copy of one. Pages is safe for concurrent use.
type Pages struct {
	options Options
	chinese int      // number of 1,000 documents
	walks   [2]*walk // English, Chinese
}

// walk holds the sentences of a language.
type walk struct {
	*Walks
	space, stop string
}

// Shares of a page set, in thousandths, and the number of its sites.
const (
	onSite       = 300 // documents that begin and end as their site does
	sites        = 2000
	leastChinese = 10 // length of a sentence in runes
)

// NewPages prepares pages from the documents in files. chinese is the number of Chinese pages in 1,000.
func NewPages(files []string, o Options, chinese int) (*Pages, error) {
	o.Language = English // Options needs one of them, but pages have both
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("generate pages: %w", err)
	}
	english, err := Sentences(files)
	if err != nil {
		return nil, err
	}
	han, err := hanSentences(files)
	if err != nil {
		return nil, err
	}
	p := &Pages{options: o, chinese: chinese}
	for i, sentences := range [][]string{english, han} {
		w, err := NewWalks(sentences, Recombined{Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		p.walks[i] = &walk{Walks: w, space: []string{" ", ""}[i], stop: []string{". ", "。"}[i]}
	}
	return p, nil
}

// hanSentences returns the Chinese sentences of files without repetitions. Their words are separated by blanks.
func hanSentences(files []string) ([]string, error) {
	segmenter, err := segment.Default()
	if err != nil {
		return nil, err
	}
	var all []string
	seen := map[string]bool{}
	err = eachText(files, func(text string) {
		for _, s := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.Is(unicode.Han, r) && r != ',' && r != '、' }) {
			if n := utf8.RuneCountInString(s); n < leastChinese || n > mostWalk || seen[s] {
				continue
			}
			seen[s] = true
			all = append(all, strings.Join(segmenter.Cut(nil, s, segment.Dictionary), " "))
		}
	})
	return all, err
}

// Document returns page i.
func (p *Pages) Document(i int) Document {
	from := p.options.original(i)
	r := newRandom(p.options.Seed, textStream+uint64(from))
	w := p.walks[0]
	if r.below(1000) < p.chinese {
		w = p.walks[1]
	}
	var edits *random
	if p.options.kind(i) == edited {
		e := newRandom(p.options.Seed, editStream+uint64(i))
		edits = &e
	}
	length := p.options.length(&r)
	site := -1
	if r.below(1000) < onSite {
		site = r.below(1 + r.below(sites))
	}
	dst := p.boilerplate(nil, w, site, greetingStream)
	dst = w.prose(dst, &r, length, edits, p.options.Edits)
	dst = p.boilerplate(dst, w, site, greetingStream+sites)
	return Document{ID: id(i), Family: id(from), Text: string(bytes.TrimSpace(dst))}
}

// boilerplate appends some 200 to 800 bytes that all pages of a site share.
func (p *Pages) boilerplate(dst []byte, w *walk, site int, stream uint64) []byte {
	if site < 0 {
		return dst
	}
	r := newRandom(p.options.Seed, stream+uint64(site))
	return append(w.prose(append(dst, '\n'), &r, 200+r.below(600), nil, 0), '\n')
}

// prose appends about length bytes. With edits, perThousand of 1,000 words are replaced.
func (w *walk) prose(dst []byte, r *random, length int, edits *random, perThousand int) []byte {
	for end := len(dst) + length; len(dst) < end; {
		at, run := int(w.starts[r.below(len(w.starts))]), 3+r.below(8)
		for sentence := len(dst) + mostWalk; w.words[at] != "" && len(dst) < sentence; at++ {
			word := w.words[at]
			if edits != nil && edits.below(1000) < perThousand {
				word = w.word(edits)
			}
			dst = append(append(dst, word...), w.space...)
			run--
			if run > 0 {
				continue
			}
			if n := w.bigramsAt[at]; n >= 0 && len(w.next[n]) > 1 {
				at, run = int(w.next[n][r.below(len(w.next[n]))]), 3+r.below(8)
			}
		}
		dst = append(dst[:len(dst)-len(w.space)], w.stop...)
		if r.below(6) == 0 {
			dst = append(bytes.TrimRight(dst, " "), "\n\n"...)
		}
	}
	return dst
}

// WriteJSONL writes pages as JSON objects with id, family and text, one per line. It returns their number and the bytes of
// their text.
func (p *Pages) WriteJSONL(w io.Writer) (documents int, size int64, err error) {
	var line []byte
	for documents < p.options.Documents && (p.options.Bytes == 0 || size < p.options.Bytes) {
		d := p.Document(documents)
		line = append(append(append(line[:0], `{"id":"`...), d.ID...), `","family":"`...)
		line = append(append(line, d.Family...), `","text":`...)
		line = append(appendJSON(line, d.Text), "}\n"...)
		if _, err := w.Write(line); err != nil {
			return documents, size, fmt.Errorf("write pages: %w", err)
		}
		documents++
		size += int64(len(d.Text))
	}
	return documents, size, nil
}
