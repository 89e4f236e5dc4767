package harness_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/harness"
)

// history is sound: two groups, a duplicate, a retry, an end and a new docId.
func history() ([]harness.Record, []harness.Entry) {
	answer := func(seq uint64, decision, docID string) *harness.Answer {
		return &harness.Answer{Seq: seq, Decision: decision, DocID: docID}
	}
	records := []harness.Record{
		{Op: "add", Group: 1, NID: "a", Key: "k", From: 1, To: 2, Answer: answer(1, "new", "A")},
		{Op: "add", Group: 2, NID: "b", From: 3, To: 4, Answer: answer(2, "new", "B")},
		{Op: "add", Group: 1, NID: "c", From: 5, To: 6, Answer: answer(3, "duplicate", "A")},
		{Op: "again", Group: 1, NID: "a", Key: "k", From: 7, To: 8, Answer: &harness.Answer{Seq: 1, Decision: "new", DocID: "A", Replayed: true}},
		{Op: "end", DocID: "A", From: 9, To: 10, Answer: &harness.Answer{Seq: 4, Kind: "end", DocID: "A"}},
		{Op: "add", Group: 1, NID: "d", From: 11, To: 12, Answer: answer(5, "new", "D")},
	}
	log := []harness.Entry{
		{Seq: 1, Kind: "new", DocID: "A", NID: "a"},
		{Seq: 2, Kind: "new", DocID: "B", NID: "b"},
		{Seq: 3, Kind: "duplicate", DocID: "A", NID: "c", Evidence: &harness.Answer{Similarity: .95}},
		{Seq: 4, Kind: "end", DocID: "A"},
		{Seq: 5, Kind: "new", DocID: "D", NID: "d"},
	}
	return records, log
}

// TestAuditFindsEveryViolation breaks a sound history in one place at a time.
func TestAuditFindsEveryViolation(t *testing.T) {
	if found := harness.Audit(history()); len(found) > 0 {
		t.Fatalf("a sound history: %v", found)
	}
	for _, test := range []struct {
		name, want string
		harm       func([]harness.Record, []harness.Entry) ([]harness.Record, []harness.Entry)
	}{
		{"the log lost its end", "I-5", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) { return r, l[:4] }},
		{"a gap in the log", "I-6", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			return r, slices.Delete(l, 1, 2)
		}},
		{"a docId given again", "I-6", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			l[4].DocID, r[5].Answer.DocID = "A", "A"
			return r, l
		}},
		{"two docIds for one group", "I-4", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			l[2].Kind, l[2].DocID = "new", "C"
			return r, l
		}},
		{"a duplicate of a strange leader", "I-3", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			l[2].DocID = "B"
			return r, l
		}},
		{"a duplicate that is not near", "I-3", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			l[2].Evidence.Similarity = .5
			return r, l
		}},
		{"an answer that changed", "I-5", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			r[2].Answer.DocID = "B"
			return r, l
		}},
		{"numbers against time", "I-1", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			r[0].From, r[0].To = 13, 14
			return r, l
		}},
		{"a key decided twice", "I-7", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			r[3].Answer.Seq = 3
			return r, l
		}},
		{"an end of nothing", "I-1", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			l[3].DocID = "Z"
			return r, l
		}},
	} {
		found := strings.Join(harness.Audit(test.harm(history())), "\n")
		if !strings.Contains(found, test.want) {
			t.Errorf("%s: want %s, found %q", test.name, test.want, found)
		}
	}
}
