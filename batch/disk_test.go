package batch

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/minhash"
)

// The forecast of temporary files is within 15 % of what a run writes, whether or not its postings fit the memory.
func TestForeseeDisk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var docs []neardup.Document
	for i := range 20000 {
		words := make([]string, 60)
		for k := range words {
			words[k] = "w" + strconv.Itoa(rng.IntN(1e6))
		}
		docs = append(docs, neardup.Document{ID: strconv.Itoa(i), Text: strings.Join(words, " ")})
	}
	m, err := minhash.New(minhash.Config{})
	if err != nil {
		t.Fatal(err)
	}
	bands, _ := m.Bands()
	for _, memory := range []int64{4 << 20, 16 << 20, 64 << 20} {
		sum, err := Dedup(context.Background(), Documents(docs), Config{Method: m, Memory: memory}, func(Outcome) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		foreseen := ForeseeDisk(memory, float64(sum.Documents), float64(sum.TextBytes), float64(sum.Texts)*float64(bands))
		if got := float64(sum.TemporaryBytes); got < .85*foreseen || got > 1.15*foreseen {
			t.Errorf("memory %d: %.0f bytes, want about %.0f", memory, got, foreseen)
		}
	}
}
