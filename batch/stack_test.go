package batch_test

import (
	"testing"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/test/stack"
	"github.com/neardup/neardup/methods"
)

// There are few calls between Dedup and the method that judges a pair. The goal is 12.
func TestStackOfAPair(t *testing.T) {
	auto, err := methods.New("")
	if err != nil {
		t.Fatal(err)
	}
	judged := &stack.Probe{From: "batch.Dedup"}
	cfg := batch.Config{Method: stack.Judging(auto, judged.Look)}
	if _, err := batch.Dedup(t.Context(), batch.Documents(reports(1, 60, 40)), cfg, func(batch.Outcome) error { return nil }); err != nil {
		t.Fatal(err)
	}
	judged.Check(t, 17)
}
