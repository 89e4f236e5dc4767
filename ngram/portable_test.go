package ngram

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
)

// The counts of parts add up to those of the whole, also beyond the capacity of a slot, and so give the same
// keys.
func TestCountsOfPartsAddUp(t *testing.T) {
	var texts []string
	for i := range 900 {
		texts = append(texts, fmt.Sprintf("您好，这是第%d条短信，请回复%d", i, i*i))
	}
	for _, c := range []Config{{Similarity: Edit}, {Similarity: Jaccard}} {
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		count := func(texts []string) neardup.Mergeable {
			trainer := m.(neardup.Trainable).Trainer(1 << 22).(neardup.Mergeable)
			for _, s := range texts {
				trainer.Add(s)
			}
			return trainer
		}
		stored := func(trainer neardup.Mergeable) string {
			var b bytes.Buffer
			if n, err := trainer.WriteTo(&b); err != nil || n != int64(b.Len()) {
				t.Fatalf("%d bytes of %d: %v", n, b.Len(), err)
			}
			return b.String()
		}
		all, sum := count(texts), count(nil)
		for _, part := range [][]string{texts[:100], texts[100:101], texts[101:]} {
			if n, err := sum.ReadFrom(strings.NewReader(stored(count(part)))); err != nil || n == 0 {
				t.Fatal(err)
			}
		}
		if stored(all) != stored(sum) {
			t.Errorf("%s: the sum of parts is not the trainer of all", m.Spec())
		}
		var a, b neardup.Record
		for _, s := range texts[:50] {
			all.Method().Record(s, &a)
			sum.Method().Record(s, &b)
			if !slices.Equal(a.Index, b.Index) {
				t.Fatalf("%s: keys differ", m.Spec())
			}
		}
		whole := stored(count(texts[:5]))
		for _, bad := range []string{"", whole[:len(whole)-1], "x" + whole[1:], strings.Replace(whole, "threshold", "thresholt", 1)} {
			if _, err := count(nil).ReadFrom(strings.NewReader(bad)); err == nil {
				t.Errorf("%s: %d bytes are taken for a trainer", m.Spec(), len(bad))
			}
		}
	}
	edit, err := New(Config{Similarity: Edit})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := edit.(neardup.Trainable).Trainer(1 << 26).(neardup.Mergeable).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := edit.(neardup.Trainable).Trainer(1 << 22).(neardup.Mergeable).ReadFrom(&b); !errors.Is(err, ErrCounts) {
		t.Errorf("a trainer of another memory: %v", err)
	}
}
