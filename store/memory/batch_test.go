package memory_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/store/memory"
)

// TestBatchEqualsService feeds real messages to a batch and, in the same order, to the service, with the same
// method and seed. Every decision must be the same (I-14).
func TestBatchEqualsService(t *testing.T) {
	docs := messages(t)
	m, err := minhash.New(minhash.Config{Seed: 42, Threshold: 0.6})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]neardup.Decision{}
	_, err = batch.Dedup(t.Context(), batch.Documents(docs), batch.Config{Method: m}, func(o batch.Outcome) error {
		want[o.ID] = o.Decision
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	d, err := docid.NewDetector(t.Context(), store, "tenant", docid.Settings{
		Content:       docid.Near,
		ContentMethod: func(uint64, []byte) (neardup.Method, error) { return m, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	duplicates := 0
	for _, doc := range docs {
		a, err := d.Add(t.Context(), (&docid.Article{Document: doc}).Submission())
		if err != nil {
			t.Fatal(err)
		}
		w := want[doc.ID]
		if a.Decision.Decision != w.Decision || a.Similarity != w.Similarity ||
			(w.Decision == neardup.Duplicate && a.Leader != w.Leader) {
			t.Errorf("%s: service %+v, batch %+v", doc.ID, a.Decision, w)
		}
		if w.Decision == neardup.Duplicate {
			duplicates++
		}
	}
	t.Logf("%d documents, %d duplicates", len(docs), duplicates)
}

func messages(t *testing.T) []neardup.Document {
	data, err := os.ReadFile(shared.Path(t, "uci_sms/docs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var docs []neardup.Document
	for line := range bytes.Lines(data) {
		var doc struct{ ID, Text string }
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, neardup.Document{ID: doc.ID, Text: doc.Text})
	}
	return docs
}
