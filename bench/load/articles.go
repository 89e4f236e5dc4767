package load

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Articles makes articles of 3 KB by number; a number always gives the same article. They have sentences of words from a
// vocabulary of 20,000. Every third article is a copy of an earlier one on another site. A copy has the frame of
// that site, repeats one word in 150, and in half of the cases has a shortened title.
type Articles struct{ vocabulary []string }

// NewArticles draws the vocabulary.
func NewArticles() *Articles {
	r := rand.New(rand.NewPCG(1, 2))
	a := &Articles{vocabulary: make([]string, 20_000)}
	for i := range a.vocabulary {
		word := make([]byte, 3+r.IntN(9))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		a.vocabulary[i] = string(word)
	}
	return a
}

// Article is the body of a request.
type Article struct {
	NID     string `json:"nid"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

// Make returns article n.
func (a *Articles) Make(n int) Article {
	family, copied := n, n%3 == 2
	if copied {
		family = n - 2 - 3*(n%1000)
		if family < 0 {
			family = n - 2
		}
	}
	title, text := a.original(family)
	if copied {
		title, text = reprint(n, title, text)
	}
	return Article{NID: fmt.Sprintf("n%d", n), URL: fmt.Sprintf("https://news.example/%d", n), Title: title, Content: text}
}

// Copy returns the version that a site makes of an original, which is article n of Make for n a multiple of 3.
func (a *Articles) Copy(n, site int) Article {
	title, text := a.original(n)
	title, text = reprint(n+site, title, text)
	name := fmt.Sprintf("%d-%d", n, site)
	return Article{NID: "c" + name, URL: "https://site.example/" + name, Title: title, Content: text}
}

// original draws the text of a family. It has sentences of a dozen words, and its first words are the title.
func (a *Articles) original(family int) (title, text string) {
	r := rand.New(rand.NewPCG(uint64(family), 11))
	b := make([]byte, 0, 3100)
	for length := 0; len(b) < 3000; length++ {
		start := len(b)
		b = append(b, a.vocabulary[r.IntN(len(a.vocabulary))]...)
		if length%12 == 0 {
			b[start] -= 'a' - 'A'
		}
		if length%12 == 11 {
			b = append(b, '.')
		}
		b = append(b, ' ')
	}
	return string(b[:bytes.LastIndexByte(b[:60], ' ')]), string(b)
}

// reprint returns a text as another site prints it: in its own frame, with a few words repeated, and in every second case
// with a shortened title.
func reprint(n int, title, text string) (string, string) {
	r := rand.New(rand.NewPCG(uint64(n), 12))
	b := make([]byte, 0, len(text)+200)
	b = append(b, "Home | News | Weather | Sport\n"...)
	even := false // adjacent words that different sites repeat would look like replacements of each other
	for word := range strings.FieldsSeq(text) {
		b = append(append(b, word...), ' ')
		even = !even
		if even && r.IntN(75) == 0 && !strings.HasSuffix(word, ".") {
			b = append(append(b, word...), ' ')
		}
	}
	if n%2 == 0 {
		title = title[:strings.LastIndexByte(title, ' ')]
	}
	return title, string(b) + "\nRead more of this on our pages. Share this article."
}

// CrowdSize is the number of articles of a flood, after which the next flood begins.
const CrowdSize = 100_000

// Crowd returns article n of a flood into one bucket. All articles of a flood have two thirds of the words in common, so
// their similarity is about .5. They share keys, but are not duplicates at .6, the threshold of auto.
func (a *Articles) Crowd(n int) Article {
	r := rand.New(rand.NewPCG(uint64(n), 13))
	text := make([]byte, 0, 3100)
	for i := 500 * (n / CrowdSize); len(text) < 2000; i++ {
		text = append(append(text, a.vocabulary[i%len(a.vocabulary)]...), ' ')
	}
	for len(text) < 3000 {
		text = append(append(text, a.vocabulary[r.IntN(len(a.vocabulary))]...), ' ')
	}
	return Article{NID: fmt.Sprintf("flood%d", n), URL: fmt.Sprintf("https://flood.example/%d", n), Title: fmt.Sprintf("Flood %d", n), Content: string(text)}
}

// Topic returns article n of an honest client on the topic of the first flood. Half of its words are those of the flood's
// template, in the same order.
func (a *Articles) Topic(n int) Article {
	r := rand.New(rand.NewPCG(uint64(n), 29))
	text := make([]byte, 0, 3100)
	for i := 100 + r.IntN(50); len(text) < 1500; i++ {
		text = append(append(text, a.vocabulary[i]...), ' ')
	}
	for len(text) < 3000 {
		text = append(append(text, a.vocabulary[r.IntN(len(a.vocabulary))]...), ' ')
	}
	return Article{NID: fmt.Sprintf("topic%d", n), Title: string(text[2000:2060]), Content: string(text)}
}

// Copy returns a copy of an article with one additional word.
func Copy(of Article, n int) Article {
	return Article{NID: fmt.Sprintf("copy%d", n), Title: of.Title + " copied", Content: of.Content + "copied"}
}
