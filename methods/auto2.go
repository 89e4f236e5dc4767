package methods

import (
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/ngram"
)

// newAuto2 makes auto/2, what "auto" was before: edit similarity below the
// limit, Jaccard above it, both at .8. Indexes made with it go on with it.
func newAuto2(c Config) (neardup.Method, error) {
	limit, err := limitOf(c)
	if err != nil {
		return nil, err
	}
	short, err := ngram.New(ngram.Config{Similarity: ngram.Edit, Threshold: c.Threshold, Seed: c.Seed, Variants: c.Variants == Keep})
	if err != nil {
		return nil, err
	}
	long, err := minhash.New(minhash.Config{Shingle: c.Shingle, Threshold: c.Threshold, Recall: c.Recall, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	threshold := c.Threshold
	if threshold == 0 {
		threshold = .8
	}
	// Of n runes at most (1-t)n are edited, one more for the rounding, and
	// each takes away a rune, a letter where there is one. (A partner of more
	// runes needs an edit for each, which does not make it shorter.)
	return &trainedAuto{auto{version: 2, limit: limit, short: short, long: long, border: func(runes, letters int) bool {
		edits := int((1-threshold)*float64(runes)) + 1
		return runes-edits < limit && lengthOf(runes, letters)-lengthOf(edits, min(edits, letters)) < 2*limit
	}}}, nil
}

// trainedAuto is auto with a short method that chooses its keys by a corpus.
type trainedAuto struct{ auto }

// Trainer counts what the short method wants to know, in the texts it sees.
func (a *trainedAuto) Trainer(memory int64) neardup.Trainer {
	return &autoTrainer{&a.auto, a.short.(neardup.Trainable).Trainer(memory)}
}

type autoTrainer struct {
	auto  *auto
	short neardup.Trainer
}

// Add counts a text that carries ngram keys.
func (t *autoTrainer) Add(clean string) {
	if t.auto.route(clean) != routeLong {
		t.short.Add(clean)
	}
}

// Again goes on where ngram wants to see its texts once more.
func (t *autoTrainer) Again() neardup.Trainer {
	if short, ok := t.short.(neardup.Repeated); ok {
		if next := short.Again(); next != nil {
			return &autoTrainer{t.auto, next}
		}
	}
	return nil
}

// Method returns auto with the trained ngram.
func (t *autoTrainer) Method() neardup.Method {
	trained := trainedAuto{*t.auto}
	trained.short = t.short.Method()
	return &trained
}
