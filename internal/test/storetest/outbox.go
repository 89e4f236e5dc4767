package storetest

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
)

// waiting describes the pending deliveries after a change: number, kind, text, and the effect on the kept copy.
func (o *opened) waiting(after uint64) string {
	o.t.Helper()
	var s []string
	for {
		ds, err := o.Index().Outbox().Pending(o.t.Context(), after, 2)
		must(o.t, "pending", err, nil)
		if len(ds) == 0 {
			return strings.Join(s, ", ")
		}
		for _, d := range ds {
			text := "-"
			if d.Article != nil {
				text = d.Article.ID + "=" + d.Article.Text
			}
			text += map[docid.KeptEffect]string{docid.KeptSame: "", docid.KeptReplaced: "!", docid.KeptRemoved: " gone", docid.KeptReheated: "~"}[d.Kept]
			s = append(s, fmt.Sprintf("%d %s %s", d.Seq, d.Kind, text))
			after = d.Seq
		}
	}
}

// testOutbox checks that articles are kept for every attached sink, and no longer than needed.
func testOutbox(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	box := func() docid.Outbox { return o.Index().Outbox() }
	acknowledge := func(sink string, upTo uint64, want error) {
		t.Helper()
		must(t, fmt.Sprintf("%s acknowledges %d", sink, upTo), box().Acknowledge(ctx, sink, upTo), want)
	}
	attach := func(sink string, want uint64) {
		t.Helper()
		at, err := box().Attach(ctx, sink)
		must(t, "attach", err, nil)
		equal(t, sink+" has acknowledged", at, want)
	}
	o.commit("before", nil)
	equal(t, "no sink is attached", o.waiting(0), "1 new -")
	attach("rows", 0)
	o.commit("a", nil)
	attach("kept", 0)
	o.commit("b", nil)
	text := "changed"
	_, err := o.Update(ctx, "a", docid.Revision{Text: &text})
	must(t, "update", err, nil)
	_, err = o.Delete(ctx, "b")
	must(t, "delete", err, nil)

	const all = "1 new -, 2 new a=text of a!, 3 new b=text of b!, 4 update a=changed!, 5 delete - gone"
	equal(t, "all wait", o.waiting(0), all)
	if p.Lasting {
		o.reopen()
		equal(t, "all wait after a restart", o.waiting(0), all)
	}
	acknowledge("rows", 4, nil)
	attach("rows", 4)
	equal(t, "one sink has not got them", o.waiting(0), all)
	acknowledge("kept", 2, nil)
	equal(t, "after both have two", o.waiting(2), "3 new b=text of b!, 4 update a=changed!, 5 delete - gone")
	if ds, err := box().Pending(ctx, 0, 9); err == nil && ds[1].Article != nil {
		t.Error("an article that every sink has still waits")
	}
	acknowledge("rows", 3, nil) // a smaller number has no effect
	acknowledge("rows", 6, docid.ErrBehind)
	acknowledge("nobody", 1, docid.ErrNotFound)
	_, err = box().Pending(ctx, 6, 1)
	must(t, "after more than there is", err, docid.ErrBehind)

	if p.Lasting {
		o.reopen()
	}
	as, err := box().Attached(ctx)
	must(t, "attached", err, nil)
	equal(t, "attached", fmt.Sprint(as), "[{kept 2 0} {rows 4 0}]")
	must(t, "detach", box().Detach(ctx, "kept"), nil)
	if ds, err := box().Pending(ctx, 3, 9); err == nil && ds[0].Article != nil {
		t.Error("an article waits for a sink that was detached")
	}
	must(t, "detach", box().Detach(ctx, "rows"), nil)
	o.commit("c", nil)
	equal(t, "no sink is attached any longer", o.waiting(4), "5 delete -, 6 new -")
}

// testBacklog checks that no article is accepted while too many changes are pending. Repeated submissions are still
// answered, and changes that free space are made.
func testBacklog(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	s := Settings()
	s.Backlog = 2
	o.Detector = o.detector("tenant", s)
	o.commit("no sink is attached", nil)
	o.commit("so nothing waits", nil)
	o.commit("at all", nil)
	must(t, "attach", second(o.Index().Outbox().Attach(ctx, "rows")), nil)
	first := article("a", Base(1))
	a := o.add(first)
	o.add(article("b", Base(2)))
	add := func(nid string, want error) {
		t.Helper()
		must(t, "add "+nid, second(o.Add(ctx, article(nid, Base(len(nid))))), want)
	}
	if p.Lasting {
		o.reopen()
		o.Detector = o.detector("tenant", s)
	}
	add("ccc", docid.ErrBacklog)
	equal(t, "a retry", o.add(first).DocID, a.DocID)
	text, heat := "changed", int64(7)
	must(t, "new text", second(o.Update(ctx, "b", docid.Revision{Text: &text})), docid.ErrBacklog)
	must(t, "heat of a kept copy", second(o.Update(ctx, "b", docid.Revision{Heat: &heat})), docid.ErrBacklog)
	must(t, "delete", second(o.Delete(ctx, "b")), nil)
	must(t, "acknowledge", o.Index().Outbox().Acknowledge(ctx, "rows", 5), nil)
	add("ccc", nil)
	add("dddd", docid.ErrBacklog) // the deletion and ccc are pending
	must(t, "detach", o.Index().Outbox().Detach(ctx, "rows"), nil)
	add("dddd", nil)
}

// testPassedOver checks that no sink waits for numbers that an epoch skipped.
func testPassedOver(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	s := Settings()
	s.Backlog = 3
	o.Detector = o.detector("tenant", s)
	must(t, "attach", second(o.Index().Outbox().Attach(ctx, "rows")), nil)
	add := func(nid string, want error) {
		t.Helper()
		must(t, "add "+nid, second(o.Add(ctx, article(nid, Base(len(nid))))), want)
	}
	attached := func(want string) {
		t.Helper()
		as, err := o.Index().Outbox().Attached(ctx)
		must(t, "attached", err, nil)
		equal(t, "attached", fmt.Sprint(as), want)
	}
	add("a", nil)
	must(t, "begin an epoch", o.Index().BeginEpoch(ctx, 1000), nil)
	attached("[{rows 0 999}]")
	add("bb", nil) // a and the epoch are pending
	add("ccc", docid.ErrBacklog)
	reopen := func() {
		if p.Lasting {
			o.reopen()
			o.Detector = o.detector("tenant", s)
		}
	}
	reopen()
	attached("[{rows 0 999}]")
	add("ccc", docid.ErrBacklog)
	must(t, "acknowledge", o.Index().Outbox().Acknowledge(ctx, "rows", 1), nil)
	reopen() // the epoch is still pending, although it has no article
	attached("[{rows 1 999}]")
	add("ccc", nil)
	add("dddd", docid.ErrBacklog)
	must(t, "acknowledge", o.Index().Outbox().Acknowledge(ctx, "rows", 1001), nil)
	attached("[{rows 1001 0}]")
	add("dddd", nil)
}

func second[T any](_ T, err error) error { return err }

// testKeeps checks that deliveries state which article is the kept copy after each change.
func testKeeps(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	_, err := o.Index().Outbox().Attach(ctx, "kept")
	must(t, "attach", err, nil)
	text := Base(1)
	hot := func(nid string, heat int64) docid.Submission {
		s := article(nid, text)
		s.Heat = heat
		return s
	}
	heat := func(nid string, n int64) {
		t.Helper()
		_, err := o.Update(ctx, nid, docid.Revision{Heat: &n})
		must(t, "heat of "+nid, err, nil)
	}
	first := o.add(hot("a", 5))
	o.add(hot("b", 5)) // a tie, so the first stays
	o.add(hot("c", 9))
	heat("c", 1) // it stays, with another heat
	heat("b", 3) // hotter, but its text is not stored
	_, err = o.End(ctx, first.DocID)
	must(t, "end", err, nil)
	equal(t, "kept", strings.ReplaceAll(o.waiting(0), text, "T"),
		"1 new a=T!, 2 duplicate b=T, 3 duplicate c=T!, 4 update c=T~, 5 update -, 6 end - gone")
}

// testRelay checks a sink that sometimes fails before or after writing, and one that is reopened repeatedly. Both end with
// every change once, in order, including articles.
func testRelay(t *testing.T, p Backend) {
	o := start(t, p)
	texts, sent := NewTexts(3, 6), map[string]string{}
	paths := []string{filepath.Join(t.TempDir(), "failing"), filepath.Join(t.TempDir(), "reopened")}
	failing := func(int) error {
		if texts.R.IntN(3) == 0 {
			return errors.New("now and then")
		}
		return nil
	}
	for range 40 {
		for range texts.R.IntN(6) {
			sub := texts.Next()
			o.add(sub)
			sent[sub.ID] = sub.Text
			if texts.R.IntN(4) == 0 {
				_, err := o.Delete(t.Context(), sub.ID)
				must(t, "delete", err, nil)
			}
		}
		for i, path := range paths {
			sink, err := OpenFileSink(path)
			must(t, "open sink", err, nil)
			if i == 0 {
				sink.Fail = failing
			}
			o.drain(fmt.Sprint("sink", i), sink, i == 0)
		}
		if p.Lasting && texts.R.IntN(10) == 0 {
			o.reopen()
		}
	}
	for i, path := range paths {
		sink, err := OpenFileSink(path)
		must(t, "open sink", err, nil)
		o.drain(fmt.Sprint("sink", i), sink, false)
		CheckLines(t, o.Detector, path, sent)
	}
}

func (o *opened) drain(name string, sink docid.Sink, mayFail bool) {
	o.t.Helper()
	r, err := o.Relay(o.t.Context(), name, sink)
	must(o.t, "attach", err, nil)
	if _, err := r.Drain(o.t.Context()); err != nil && !mayFail {
		o.t.Errorf("drain: %v", err)
	}
	must(o.t, "close sink", sink.Close(), nil)
}

// CheckLines compares the lines of a sink that was attached from the first change on with the log of an index. Each change
// must be there once, in order, with its docId and the article that was sent.
func CheckLines(t *testing.T, d *docid.Detector, path string, sent map[string]string) {
	t.Helper()
	lines, _, err := ReadLines(path)
	must(t, "read sink", err, nil)
	entries, err := d.Index().Catalog().Log(t.Context(), 0, 1<<20)
	must(t, "log", err, nil)
	equal(t, "changes in the sink", len(lines), len(entries))
	for i, e := range entries[:min(len(lines), len(entries))] {
		want := Line{Seq: e.Seq, Kind: e.Kind, NID: e.NID}
		if e.Kind != docid.KindForget && e.Kind != docid.KindEpoch {
			want.DocID = d.DocIDs().DocID(e.Leader)
		}
		if e.Kind == docid.KindNew || e.Kind == docid.KindDuplicate {
			want.Article, want.Text = sent[e.NID], true
		}
		equal(t, "line", lines[i], want)
	}
}
