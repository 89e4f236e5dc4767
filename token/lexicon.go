package token

import (
	"sync"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text/segment"
)

// TablesLabel is the name, in a Spec, of the built-in dictionary and idf tables, with their version. A test holds their
// digests.
const TablesLabel = "built-in/2"

// Weights are idf in units of 1/256.
const (
	Unit        = 256
	leastWeight = Unit / 4
	// MostWeight limits a weight, so that sums of weights never overflow.
	MostWeight = 15 * Unit
	// NumberWeight is the weight of every number. Which numbers a corpus has is random, so an idf of them would be too.
	NumberWeight = 5 * Unit
	// measureWeight is the weight of every unit and currency, because only a difference between them matters.
	measureWeight = 2 * Unit
)

// Lexicon returns how rare words are. Chinese needs a dictionary and a table of some 20 MB, which take a while to load. So
// they are loaded at the first Chinese character.
type Lexicon struct {
	own     *keyword.IDFTable // replaces both built-in tables; nil means the built-in ones
	other   *keyword.IDFTable // table for words of alphabets
	chinese func() chineseTables
}

type chineseTables struct {
	segmenter *segment.Segmenter
	idf       *keyword.IDFTable
}

// NewLexicon returns a lexicon with the built-in tables, or with a table of the user in their place.
func NewLexicon(own *keyword.IDFTable) (*Lexicon, error) {
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

// Label returns the name of the tables in a Spec.
func (l *Lexicon) Label() string {
	if l.own != nil {
		return l.own.Digest()
	}
	return TablesLabel
}

// loadChinese loads the tables for Chinese. If they are embedded it never fails, because tests verify them. If loading
// fails elsewhere, it panics, because without the tables the program would decide differently.
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
