package ngram_test

import (
	"testing"

	"github.com/neardup/neardup/ngram"
)

// A table belongs to a method that was trained; it changes no spec.
func TestTrainingChangesNoSpec(t *testing.T) {
	m := newMethod(t, ngram.Config{})
	trained := train(newMethod(t, ngram.Config{}), []string{"亲爱的朋友早上好", "亲爱的朋友晚上好", "亲爱的同学"})
	if ngram.Levels(m) != nil || ngram.Levels(trained) == nil {
		t.Error("a method has a table if it was trained")
	}
	if a, b := m.Spec().String(), trained.Spec().String(); a != b {
		t.Errorf("training changed the spec: %q, %q", a, b)
	}
}
