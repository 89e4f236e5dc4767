package storetest

import (
	"context"
	"testing"

	"github.com/neardup/neardup/docid"
)

// Replay reads the log of an index from the first change on, and lets the model decide each in turn (I-1). The decisions
// must agree. subs holds the submissions by nid. It also checks properties of the log: no gaps (I-6), and leaders with
// smaller numbers that had not ended (I-3).
func Replay(t *testing.T, d *docid.Detector, subs map[string]docid.Submission) {
	t.Helper()
	replay(t, d, standard, subs)
}

func replay(t *testing.T, d *docid.Detector, c Cascade, subs map[string]docid.Submission) {
	t.Helper()
	m := NewModel(c)
	for seq := uint64(0); ; {
		entries, err := d.Index().Catalog().Log(context.Background(), seq, 500)
		if err != nil {
			t.Fatalf("log: %v", err)
		}
		if len(entries) == 0 {
			return
		}
		for _, e := range entries {
			if e.Kind == docid.KindEpoch {
				seq, m.Seq = e.Seq-1, e.Seq-1 // skips the lost numbers
			}
			seq++
			if e.Seq != seq {
				t.Fatalf("log: change %d follows %d", e.Seq, seq-1)
			}
			again(t, m, d, e, subs)
		}
	}
}

func again(t *testing.T, m *Model, d *docid.Detector, e docid.Entry, subs map[string]docid.Submission) {
	t.Helper()
	switch e.Kind {
	case docid.KindNew, docid.KindDuplicate:
		sub, ok := subs[e.NID]
		if !ok {
			t.Fatalf("change %d: no client submitted %q", e.Seq, e.NID)
		}
		if got, want := outcome(d.FromEntry(e)), m.Add(sub, e.Time, e.Window); got != want {
			t.Fatalf("change %d was %+v, replayed it is %+v", e.Seq, got, want)
		}
	case docid.KindDelete:
		m.Delete(e.NID)
	case docid.KindUpdate:
		m.Update(e.NID, &e.Heat, nil)
	case docid.KindEnd, docid.KindExpire:
		m.End(e.Leader)
	case docid.KindCorrect:
		text := subs[e.NID].Text
		to := e.Leader
		if e.Leads() {
			to = 0
		}
		if _, _, err := m.Correct(e.NID, to, &text, e.Time); err != nil {
			t.Fatalf("change %d: %v", e.Seq, err)
		}
	case docid.KindRule:
		m.Rule(e.NID, e.Ruling.Other, e.Ruling.Link)
	case docid.KindForget, docid.KindEpoch:
		m.Seq++
	}
	if m.Seq != e.Seq {
		t.Fatalf("change %d (%s of %q) had no effect when replayed", e.Seq, e.Kind, e.NID)
	}
}
