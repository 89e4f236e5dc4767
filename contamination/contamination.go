// Package contamination finds the items of an evaluation in documents: questions, answers and passages, whole,
// with changed words, or in part.
//
// An item is searched by its rarest shingles. If a document has some of them, the best window is found by
// aligning the words, each weighed by how rare it is. As for duplicates, the evidence of the words decides
// whether the window states the same numbers and facts. A part that contains too little, such as "Which of
// these is true?", is searched with its answer or not at all.
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

// Part is the part of an item that was found.
type Part string

// The parts of an item.
const (
	Text         Part = "text"
	Question     Part = "question"
	WithAnswer   Part = "question and answer" // of a question that contains too little alone
	Answer       Part = "answer"
	PassageOfOne Part = "passage"
)

// Verdict is the meaning of a finding.
type Verdict string

const (
	// Contaminated: the document holds the text or the question of the item; of its
	// other parts, that it holds these too.
	Contaminated Verdict = "contaminated"
	// Partial: it holds another part, some of one, or one with other numbers.
	Partial Verdict = "partial"
)

// Finding is a part of an item in a document.
type Finding struct {
	Item    string  `json:"item"`
	Part    Part    `json:"part"`
	Verdict Verdict `json:"verdict"`
	// Start and End bound the passage of the document, in runes.
	Start int `json:"start"`
	End   int `json:"end"`
	// Held is the share of the part that the passage holds, in its order, words weighed
	// by how rare they are.
	Held float64 `json:"held"`
	// Probability that the passage means the same, as duplicates are decided.
	Probability float64 `json:"probability"`
	// Answered is set if the answer is next to the question.
	Answered bool `json:"answered,omitempty"`
	// Differs are the numbers and opposites that the passage has in place of others.
	Differs []Difference `json:"differs,omitempty"`
	Passage string       `json:"passage"`
	Of      string       `json:"of"` // the part, in the form that is compared
	Why     string       `json:"why"`

	first, last int // units of the document
	source      int // number of the item
	negated     bool
}

// Difference is a part of the item that is replaced in the passage.
type Difference struct {
	Item    string `json:"item"`
	Passage string `json:"passage"`
}

// Config sets how items are found.
type Config struct {
	// Least is the share of a part, by weight, from which it counts as contaminated if it is long; 0 means .8.
	// For 20 words and fewer it is half as far from 1.
	Least float64
	// Memory bounds what the items take, in bytes; 0 means 512 MiB.
	Memory int64
}

// ErrMemory is wrapped by the error about items that take more than the memory.
var ErrMemory = errors.New("the items take more than the memory")

// Finder finds items. Safe for concurrent use.
type Finder struct {
	cfg     Config
	items   []source
	needles []needle
	index   index
	lexicon *token.Lexicon
	scorer  *evidence.Scorer
	works   sync.Pool // of *work
	summary Items
}

// Items counts what became of the items.
type Items struct {
	Items    int `json:"items"`
	Repeated int `json:"repeatedItems"` // of the question, or text, of one before
	Stubs    int `json:"stubItems"`     // contain too little to be found
	// StubIDs are the items that are not searched for.
	StubIDs []string `json:"stubs,omitempty"`
}

// source is a question, or a text, and the items that have it.
type source struct {
	ids     []string
	answers [][]unit // of each
}

type needle struct {
	source  int
	part    Part
	clean   string
	weights []uint16
	total   uint64
	keys    int
	shared  []bool // units that also occur so in other items; nil: none, or all
}

const (
	// stubWeight is the least weight of a part that is searched for alone: that of a key of weighted texts,
	// rare in any corpus.
	stubWeight = 16 * token.Unit
	// partialHeld is the share of a part that is worth telling, if it weighs partialWeight: less
	// is a formula, "comes into force on 1 January".
	partialWeight = 2 * stubWeight
	partialHeld   = .5
	// near is the probability from which a person should look, because a false finding is better than a miss.
	near = .3
	// mostUnits bounds the searched length of a part.
	mostUnits = 1 << 14
)

// New indexes items.
func New(items iter.Seq2[Item, error], cfg Config) (*Finder, error) {
	if items == nil {
		return nil, errors.New("contamination: no items given")
	}
	if cfg.Least == 0 {
		cfg.Least = .8
	}
	if !(cfg.Least > partialHeld && cfg.Least <= 1) {
		return nil, fmt.Errorf("contamination: a least share of %v is not in (%v, 1]", cfg.Least, partialHeld)
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
	f.works.New = func() any { return &work{Finder: f, places: places{clean: text.Default().Clean}} }
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

// Items returns what became of the items.
func (f *Finder) Items() Items { return f.summary }
