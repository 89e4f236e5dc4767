package token

import (
	"sync"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text/segment"
)

// TablesLabel names, in a Spec, the built-in dictionary and idf tables at their version; a test holds their
// digests.
const TablesLabel = "built-in/2"

// Weights are idf in units of 1/256.
const (
	Unit        = 256
	leastWeight = Unit / 4
	// MostWeight bounds a weight so that sums of them are far from overflow.
	MostWeight = 15 * Unit
	// NumberWeight is the weight of every number. Which numbers a corpus has is chance, so their idf would be
	// too.
	NumberWeight = 5 * Unit
	// measureWeight is the weight of every unit and currency: only a difference between them matters.
	measureWeight = 2 * Unit
)

// Lexicon returns how rare words are. Chinese needs a dictionary and a table that take a while to load and some
// 20 MB, so they are loaded with the first Chinese character.
type Lexicon struct {
	own     *keyword.Table // in place of both built-in tables; nil: those
	other   *keyword.Table // words of alphabets
	chinese func() chineseTables
}

type chineseTables struct {
	segmenter *segment.Segmenter
	idf       *keyword.Table
}

// NewLexicon returns the built-in tables, or one of a corpus in their place.
func NewLexicon(own *keyword.Table) (*Lexicon, error) {
	l := &Lexicon{own: own, other: own}
	if own == nil {
		var err error
		l.other, err = keyword.English()
		if err != nil {
			return nil, err
		}
	}
	l.chinese = sync.OnceValue(l.loadChinese)
	return l, nil
}

// Label names the tables in a Spec.
func (l *Lexicon) Label() string {
	if l.own != nil {
		return l.own.Digest()
	}
	return TablesLabel
}

// loadChinese reads the tables of Chinese. They cannot fail where they are embedded, because the tests prove them
// whole. Where they are loaded they can, and then the program ends: without them it would decide otherwise.
func (l *Lexicon) loadChinese() chineseTables {
	g, err := segment.Default()
	c := chineseTables{segmenter: g, idf: l.own}
	if err == nil && c.idf == nil {
		c.idf, err = keyword.Chinese()
	}
	if err != nil {
		panic(err)
	}
	return c
}
