package ngram_test

import (
	"testing"

	"github.com/neardup/neardup/ngram"
)

// A table belongs to a method that was trained; it changes no spec.
func TestTrainingChangesNoSpec(t *testing.T) {
	m := newMethod(t, ngram.Config{})
	if m.TableDigest() != "none" {
		t.Errorf("untrained digest = %q", m.TableDigest())
	}
	table := train(newMethod(t, ngram.Config{}), []string{"亲爱的朋友早上好", "亲爱的朋友晚上好", "亲爱的同学"}).(ngram.Method).Table()
	if got := m.WithTable(table).TableDigest(); got != table.Digest() || len(got) != 32 {
		t.Errorf("digest = %q", got)
	}
	if a, b := m.Spec().String(), m.WithTable(table).Spec().String(); a != b {
		t.Errorf("training changed the spec: %q, %q", a, b)
	}
}
