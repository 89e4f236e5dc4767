package ngram_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/ngram"
)

// Counts commute and records are pure: four workers, in another order, make
// the same table and the same records as one.
func TestWorkersChangeNothing(t *testing.T) {
	texts := editPairTexts(t, 100)
	for _, similarity := range []ngram.Similarity{ngram.Edit, ngram.Containment} {
		m := newMethod(t, ngram.Config{Similarity: similarity})
		alone := train(m, texts).(ngram.Method)
		together := trainBy(ngram.Selecting(m), func(add func(string)) { each(texts, add) }).(ngram.Method)
		if !slices.Equal(ngram.Levels(alone), ngram.Levels(together)) {
			t.Fatalf("%s: tables differ", similarity)
		}
		want := map[string]neardup.Record{}
		for _, text := range texts {
			var rec neardup.Record
			alone.Record(text, &rec)
			want[text] = rec
		}
		each(texts, func(text string) {
			var rec neardup.Record
			together.Record(text, &rec)
			w := want[text]
			if !slices.Equal(rec.Index, w.Index) || !slices.Equal(rec.Probe, w.Probe) || rec.Sketch != w.Sketch {
				t.Errorf("%s: records of %q differ", similarity, text)
			}
			if match := together.Compare(together.Prepare(text), together.Prepare(text)); match.Similarity != 1 {
				t.Errorf("%s: %q is not equal to itself: %+v", similarity, text, match)
			}
			keys := slices.Clone(rec.Index)
			slices.Sort(keys)
			if len(slices.Compact(keys)) != len(rec.Index) {
				t.Errorf("%s: %q has a key twice", similarity, text)
			}
		})
	}
}

// each calls do with every text from four workers, last texts first.
func each(texts []string, do func(string)) {
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := len(texts) - 1 - worker; i >= 0; i -= 4 {
				do(texts[i])
			}
		})
	}
	wg.Wait()
}
