package harness_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/bench/harness"
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
	if r, l := history(); len(harness.Audit(r, l).Violations) > 0 {
		t.Fatalf("a sound history: %v", harness.Audit(r, l).Violations)
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
			l[2].Evidence.Similarity = .4
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
		{"an answer that an epoch passed over", "I-5", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			return r, append(l[:4], harness.Entry{Seq: 100, Kind: "epoch"})
		}},
		{"a docId given again after what gave it was lost", "I-6", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			again := r[5]
			again.NID, again.Answer = "e", &harness.Answer{Seq: 101, Decision: "new", DocID: "D"}
			return append(r, again), append(l[:4], harness.Entry{Seq: 100, Kind: "epoch"}, harness.Entry{Seq: 101, Kind: "new", DocID: "D", NID: "e"})
		}},
		{"an end of nothing", "I-1", func(r []harness.Record, l []harness.Entry) ([]harness.Record, []harness.Entry) {
			l[3].DocID = "Z"
			return r, l
		}},
	} {
		r, l := test.harm(history())
		found := strings.Join(harness.Audit(r, l).Violations, "\n")
		if !strings.Contains(found, test.want) {
			t.Errorf("%s: want %s, found %q", test.name, test.want, found)
		}
	}
}

// TestAuditKnowsWhatIsKept follows members and kept copies, and excuses what a
// service that may lose answers says was lost.
func TestAuditKnowsWhatIsKept(t *testing.T) {
	r, l := history()
	l[0].Heat, l[2].Heat = 1, 2
	r = append(r,
		harness.Record{Op: "add", Group: 2, NID: "f", From: 20, To: 21, Answer: &harness.Answer{Seq: 6, Decision: "duplicate", DocID: "B"}},
		harness.Record{Op: "add", Group: 2, NID: "g", From: 22, To: 23, Answer: &harness.Answer{Seq: 7, Decision: "duplicate", DocID: "B"}})
	l = append(l, harness.Entry{Seq: 6, Kind: "duplicate", DocID: "B", NID: "f", Heat: 5, Evidence: &harness.Answer{Similarity: 1}},
		harness.Entry{Seq: 90, Kind: "epoch"})
	o := harness.Audit(r, l, harness.Span{From: 22, To: 23})
	if len(o.Violations) > 0 || o.Lost != 1 || !o.Gone(7) || o.Gone(6) || o.Gone(90) {
		t.Errorf("a history with a loss: %+v", o)
	}
	if o := harness.Audit(r, l, harness.Span{From: 10, To: 22}); len(o.Violations) != 1 || !strings.Contains(o.Violations[0], "I-5") {
		t.Errorf("an answer was lost when none may be: %v", o.Violations)
	}
	if len(o.Undone) > 0 {
		t.Errorf("what the log has is undone: %v", o.Undone)
	}
	if o := harness.Audit(append(r, harness.Record{Op: "delete", NID: "d"}, harness.Record{Op: "end", DocID: "D"}), l, harness.Span{To: 23}); !o.Undone["d"] || !o.Undone["D"] || len(o.Undone) != 2 {
		t.Errorf("what nobody carried out: %v", o.Undone)
	}
	if o.Members["f"] != "B" || o.Members["a"] != "" || o.Kept["B"] != "f" || o.Kept["D"] != "d" || len(o.Kept) != 2 {
		t.Errorf("members %v, kept %v", o.Members, o.Kept)
	}
}
