package weighted

import (
	"sync"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text/segment"
)

// tablesLabel names, in a Spec, the built-in dictionary and idf tables at
// their version; a test holds the digests it stands for.
const tablesLabel = "built-in/1"

// Weights are idf in units of 1/256.
const (
	unit        = 256
	leastWeight = unit / 4
	// mostWeight bounds a weight so that sums of them are far from overflow.
	mostWeight = 15 * unit
	// numberWeight is that of every number: which numbers a corpus has is
	// chance, so their idf would be too.
	numberWeight = 5 * unit
)

// lexicon cuts and weighs words. Chinese needs a dictionary and a table that
// take a while to load and some 20 MB, so they are made when the first Chinese
// character turns up.
type lexicon struct {
	own     *keyword.Table // in place of both built-in tables; nil: those
	other   *keyword.Table // words of alphabets
	chinese func() chineseLexicon
}

type chineseLexicon struct {
	segmenter *segment.Segmenter
	idf       *keyword.Table
}

func newLexicon(own *keyword.Table) (*lexicon, error) {
	l := &lexicon{own: own, other: own}
	if own == nil {
		var err error
		if l.other, err = keyword.English(); err != nil {
			return nil, err
		}
	}
	l.chinese = sync.OnceValue(l.loadChinese)
	return l, nil
}

// loadChinese makes what Chinese needs of embedded data, which the tests prove
// to be whole: nothing can fail here that did not fail there. Without a
// segmenter each character would be a word.
func (l *lexicon) loadChinese() chineseLexicon {
	c := chineseLexicon{idf: l.own}
	if g, err := segment.Default(); err == nil {
		c.segmenter = g
	}
	if c.idf == nil {
		if t, err := keyword.Chinese(); err == nil {
			c.idf = t
		}
	}
	return c
}

// weigh returns the weight of a word and whether the table has it. A word that
// the table lacks is a name or a slip of the pen, and counts half of what a
// word in the middle of the table does.
func weigh(t *keyword.Table, word string) (weight uint32, known bool) {
	if t == nil {
		return numberWeight, false
	}
	idf, known := t.Find(word)
	w := idf * unit / keyword.Unit
	if !known {
		w /= 2
	}
	return uint32(min(max(w, leastWeight), mostWeight)), known
}
