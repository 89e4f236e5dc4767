// Package contamination finds the items of an evaluation (questions, answers and passages) in documents: whole, with
// changed words, or in part.
//
// An item is searched by its rarest shingles. If a document has some of them, aligning the words finds the best window.
// Words are weighted by rarity. As for duplicates, the evidence of the words decides whether the window states
// the same numbers and facts. A part that contains too little, such as "Which of these is true?", is searched along with
// its answer or not at all.
package contamination

import (
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/text"

	"github.com/neardup/neardup/token"
)

// Item is an item of an evaluation: a text, or a question with its other parts. Empty parts are not searched
// for.
type Item struct {
	ID                              string
	Text, Question, Answer, Passage string
}

// Part is the part of an item that a finding is about.
type Part string

// The parts of an item.
const (
	Text         Part = "text"
	Question     Part = "question"
	WithAnswer   Part = "question and answer" // used for a question that contains too little by itself
	Answer       Part = "answer"
	PassageOfOne Part = "passage"
)

// Verdict is the meaning of a finding.
type Verdict string

const (
	// Contaminated means that the document holds the text or the question of the item. Another part is contaminated if the
	// document also holds that part.
	Contaminated Verdict = "contaminated"
	// Partial means that the document holds another part, a piece of a part, or a part with other numbers.
	Partial Verdict = "partial"
)

// Finding is a part of an item in a document.
type Finding struct {
	Item    string  `json:"item"`
	Part    Part    `json:"part"`
	Verdict Verdict `json:"verdict"`
	// Start and End are the bounds of the passage in the document, in runes.
	Start int `json:"start"`
	End   int `json:"end"`
	// Held is the share of the part that the passage holds in the same order. Words are weighted by rarity.
	Held float64 `json:"held"`
	// Probability is the probability that the passage means the same, computed as for duplicates.
	Probability float64 `json:"probability"`
	// Answered is set if the answer is next to the question.
	Answered bool `json:"answered,omitempty"`
	// Differs lists the numbers and opposites with which the passage replaces those of the part.
	Differs []Difference `json:"differs,omitempty"`
	Passage string       `json:"passage"`
	Of      string       `json:"of"` // the part, in the form that was compared
	Why     string       `json:"why"`

	first, last int // the passage in units of the document
	source      int // index of the item
	negated     bool
}

// Difference is a part of the item that is replaced in the passage.
type Difference struct {
	Item    string `json:"item"`
	Passage string `json:"passage"`
}

// Config sets how items are searched.
type Config struct {
	// Least is the share of a long part, by weight, that must be held for the part to count as contaminated; 0 means .8.
	// For parts of up to 20 words it is half as far from 1.
	Least float64
	// Memory limits the memory of the items, in bytes; 0 means 512 MiB.
	Memory int64
}

// ErrMemory is wrapped by the error about items that exceed the memory limit.
var ErrMemory = errors.New("the items need more memory than allowed")

// Finder finds items in documents. It is safe for concurrent use.
type Finder struct {
	cfg     Config
	items   []source
	needles []needle
	index   index
	lexicon *token.Lexicon
	scorer  *evidence.Scorer
	works   sync.Pool // holds *work
	summary Items
}

// Items counts the items by how they are searched.
type Items struct {
	Items    int `json:"items"`
	Repeated int `json:"repeatedItems"` // items whose question or text an earlier item has
	Stubs    int `json:"stubItems"`     // items that contain too little to be searched
	// StubIDs lists the items that are not searched.
	StubIDs []string `json:"stubs,omitempty"`
}

// source is a question or a text, with the items that have it.
type source struct {
	ids     []string
	answers [][]unit // answer of each item
}

type needle struct {
	source  int
	part    Part
	clean   string
	weights []uint16
	total   uint64
	keys    int
	shared  []bool // units whose shingle other items also have; nil if none or all are shared
}

const (
	// stubWeight is the least weight of a part that is searched by itself. It is the weight of a key of weighted texts, so
	// it is rare in any corpus.
	stubWeight = 16 * token.Unit
	// A part that is partly held is reported if it weighs partialWeight and the document holds the share partialHeld of it.
	// A smaller part is usually a formula such as "comes into force on 1 January".
	partialWeight = 2 * stubWeight
	partialHeld   = .5
	// near is the probability from which a finding is reported. It is low because a false finding costs a person less than
	// a miss.
	near = .3
	// mostUnits is the number of units to which a part is cut for the search.
	mostUnits = 1 << 14
)

// New returns a Finder of items.
func New(items iter.Seq2[Item, error], cfg Config) (*Finder, error) {
	if items == nil {
		return nil, errors.New("contamination: no items given")
	}
	if cfg.Least == 0 {
		cfg.Least = .8
	}
	if !(cfg.Least > partialHeld && cfg.Least <= 1) {
		return nil, fmt.Errorf("contamination: least share %v: out of range (want above %v, at most 1)", cfg.Least, partialHeld)
	}
	if cfg.Memory == 0 {
		cfg.Memory = 512 << 20
	}
	f := &Finder{cfg: cfg}
	var err error
	f.lexicon, err = token.NewLexicon(nil)
	if err != nil {
		return nil, err
	}
	f.scorer = evidence.New(f.lexicon, evidence.Shipped)
	f.works.New = func() any { return &work{Finder: f, rawOffsets: rawOffsets{clean: text.Default().Clean}} }
	b := builder{Finder: f, byText: map[string]int{}, documents: map[uint32]uint32{}, cutter: token.NewCutter(f.lexicon, 0)}
	for item, err := range items {
		if err == nil {
			err = b.add(&item)
		}
		if err != nil {
			return nil, err
		}
	}
	b.end()
	return f, nil
}

// Items returns the counts of the items.
func (f *Finder) Items() Items { return f.summary }
