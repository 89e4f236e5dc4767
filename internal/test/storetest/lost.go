package storetest

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/docid"
)

// testLost checks an index that lacks changes which a sink has seen. It begins one epoch after these and continues. It
// gives no number and no docId twice, answers for the remaining changes as before, and keeps one log.
func testLost(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "sink")
	drain := func() {
		t.Helper()
		sink, err := OpenFileSink(path)
		must(t, "open sink", err, nil)
		o.drain("sink", sink, false)
	}
	drain()
	sent := map[string]string{}
	add := func(nid string, n int) docid.Answer {
		t.Helper()
		sent[nid] = Base(n)
		return o.add(article(nid, Base(n)))
	}
	a := add("a", 1)
	b := add("b", 2)
	must(t, "begin an epoch that others began", o.Index().BeginEpoch(ctx, 1), nil)
	equal(t, "changes", o.seq(), 2)

	var told []string
	s := Settings()
	s.Lost = func(has, seen uint64) { told = append(told, fmt.Sprint(has, " of ", seen)) }
	o.Detector = o.detector("tenant", s)
	must(t, "resume where it was", o.Resume(ctx, 2), nil)
	var seen docid.Delivery
	seen.Seq = 5
	file := filepath.Join(t.TempDir(), "ahead")
	for _, lost := range [][]docid.Delivery{{seen}, nil} {
		ahead, err := OpenFileSink(file)
		must(t, "open sink", err, nil)
		must(t, "what was lost", ahead.Apply(ctx, "tenant", lost), nil)
		o.drain("ahead", ahead, false)
	}
	must(t, "resume again", o.Resume(ctx, 5), nil)
	equal(t, "told of losses", fmt.Sprint(told), "[2 of 5]")
	must(t, "detach", o.Index().Outbox().Detach(ctx, "ahead"), nil)
	first := o.seq()
	if first <= 6 {
		t.Errorf("the epoch begins with change %d; somebody may have seen more than 5", first)
	}
	if p.Lasting {
		o.reopen()
	}
	c := add("c", 3)
	equal(t, "the next change", c.Seq, first+1)
	equal(t, "a copy of what was there before", add("d", 1).DocID, a.DocID)
	equal(t, "a copy of what came after", add("e", 3).DocID, c.DocID)
	retry := article("b", Base(2))
	equal(t, "a retry", outcome(o.add(retry)), outcome(b))
	_, err := o.Evidence(ctx, 4)
	must(t, "evidence of what was lost", err, docid.ErrNotFound)
	epochs, err := o.Index().Catalog().Epochs(ctx)
	must(t, "epochs", err, nil)
	equal(t, "epochs", len(epochs), 1)
	equal(t, "the epoch begins", epochs[0].First, first)

	drain()
	if p.Lasting {
		o.reopen()
	}
	add("f", 4)
	drain()
	CheckLines(t, o.Detector, path, sent)

	fresh := o.detector("another tenant", Settings())
	must(t, "an index that has lost everything", fresh.Resume(ctx, 3), docid.ErrBehind)
}

// seq returns the number of the last change.
func (o *opened) seq() uint64 {
	o.t.Helper()
	st, err := o.Stats(o.t.Context())
	must(o.t, "stats", err, nil)
	return st.Seq
}
