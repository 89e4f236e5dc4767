package redis

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/storetest"
)

// TestRestored: a Redis that is restored from a copy while servers are running
// gives no docId and no number a second time, and the servers go on by
// themselves. One that comes back empty is refused.
func TestRestored(t *testing.T) {
	ctx := t.Context()
	server, s := opened(t)
	lost := 0
	settings := storetest.Settings()
	settings.Lost = func(has, seen uint64) { lost += int(seen - has) }
	var servers [2]*docid.Detector
	for i := range servers {
		d, err := docid.NewDetector(ctx, s, "tenant", settings)
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = d
	}
	numbers, ids := map[uint64]string{}, map[string]string{}
	add := func(who int, nid string, text int) docid.Answer {
		t.Helper()
		var sub docid.Submission
		sub.ID, sub.Text = nid, storetest.Base(text)
		a, err := servers[who].Add(ctx, sub)
		if err != nil {
			t.Fatalf("add %s: %v", nid, err)
		}
		if other, ok := numbers[a.Seq]; ok && !a.Replayed {
			t.Errorf("%s got number %d, as %s did", nid, a.Seq, other)
		}
		numbers[a.Seq] = nid
		if other, ok := ids[a.DocID]; ok && other != fmt.Sprint(text) {
			t.Errorf("docId %s of text %s names text %d too", a.DocID, other, text)
		}
		ids[a.DocID] = fmt.Sprint(text)
		return a
	}
	kept := add(0, "kept", 0)
	add(1, "kept too", 1)
	server.Stop()
	files := filepath.Join(server.Dir, "appendonlydir")
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	server.Start(t)
	for n := 2; n < 7; n++ {
		add(n%2, fmt.Sprint("lost", n), n)
	}
	restore := func() {
		t.Helper()
		server.Kill()
		if err := os.RemoveAll(files); err != nil {
			t.Fatal(err)
		}
		if copied != "" {
			if err := os.CopyFS(files, os.DirFS(copied)); err != nil {
				t.Fatal(err)
			}
		}
		server.Start(t)
	}
	restore()
	for n := 7; n < 12; n++ {
		add(n%2, fmt.Sprint("after", n), n)
	}
	if a := add(1, "copy", 0); a.DocID != kept.DocID {
		t.Errorf("a copy of what was kept is %s, want %s", a.DocID, kept.DocID)
	}
	if lost != 4 { // server 1 has not seen the last
		t.Errorf("told of %d lost changes, want 4", lost)
	}
	copied = ""
	restore()
	var sub docid.Submission
	sub.Text = storetest.Base(0)
	if a, err := servers[0].Add(ctx, sub); !errors.Is(err, docid.ErrBehind) {
		t.Errorf("an empty Redis in the place of the other: %+v, %v", a, err)
	}
}

// TestComesBack: a Redis that was started again may lack what another server has
// seen, and who asks first need not know of that. Nothing is decided before an epoch
// has begun, and the numbers that it passes over do not count as waiting for the sinks.
func TestComesBack(t *testing.T) {
	ctx := t.Context()
	server, s := opened(t)
	settings := storetest.Settings()
	settings.Backlog, settings.Now = 6, nil
	var servers [2]*docid.Detector
	for i := range servers {
		d, err := docid.NewDetector(ctx, s, "tenant", settings)
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = d
	}
	add := func(who int, nid string, text int) docid.Answer {
		t.Helper()
		var sub docid.Submission
		sub.ID, sub.Text = nid, storetest.Base(text)
		a, err := servers[who].Add(ctx, sub)
		if err != nil {
			t.Fatalf("add %s: %v", nid, err)
		}
		return a
	}
	if _, err := servers[0].Index().Outbox().Attach(ctx, "rows"); err != nil {
		t.Fatal(err)
	}
	add(0, "a", 1)
	add(1, "b", 2)
	files := filepath.Join(server.Dir, "appendonlydir")
	copied := filepath.Join(t.TempDir(), "copy")
	server.Stop()
	if err := os.CopyFS(copied, os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	server.Start(t)
	lost := add(0, "lost", 3) // server 1 has not seen it, nor the epoch before it
	server.Kill()
	if err := os.RemoveAll(files); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(files, os.DirFS(copied)); err != nil {
		t.Fatal(err)
	}
	server.Start(t)
	if e, err := servers[1].Delete(ctx, "b"); err != nil || e.Seq <= lost.Seq {
		t.Errorf("after a loss that it has not seen a server made change %d (%v), though %d was given before", e.Seq, err, lost.Seq)
	}
	after := add(1, "c", 4)
	if again := add(0, "d", 3); again.DocID == lost.DocID || again.Seq <= after.Seq {
		t.Errorf("what was lost is decided again as %+v, it was %+v", again, lost)
	}
	var sub docid.Submission
	sub.Text = storetest.Base(5)
	if _, err := servers[0].Add(ctx, sub); !errors.Is(err, docid.ErrBacklog) {
		t.Errorf("with six changes waiting: %v", err)
	}
	as, err := servers[0].Index().Outbox().Attached(ctx)
	st, err2 := servers[0].Stats(ctx)
	if err := errors.Join(err, err2); err != nil || len(as) != 1 || st.Seq-as[0].Seq-as[0].Lost != 6 {
		t.Errorf("%+v waits of %+v, want 6 changes (%v)", as, st, err)
	}
}

// TestAnotherIndex: a Redis that was emptied, or was given another index, under a running
// server is neither read nor written by that: what it answered is not denied, and no
// article gets a docId by one index that lies in the other. The mark by which it knows
// its own may be lost alone, and the index may be made again below it.
func TestAnotherIndex(t *testing.T) {
	ctx := t.Context()
	server, s := opened(t)
	say := func(words ...string) {
		t.Helper()
		if err := s.c.Do(ctx, s.c.B().Arbitrary(words...).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	detector := func() *docid.Detector {
		t.Helper()
		d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	add := func(d *docid.Detector, nid string, text int) error {
		var sub docid.Submission
		sub.ID, sub.Text = nid, storetest.Base(text)
		_, err := d.Add(ctx, sub)
		return err
	}
	old := detector()
	if err := add(old, "answered", 1); err != nil {
		t.Fatal(err)
	}
	say("DEL", prefix("tenant")+"y")
	if err := add(old, "without a mark", 2); err != nil {
		t.Errorf("a replica that had not got the mark: %v", err)
	}
	refuses := func(when string) {
		t.Helper()
		c := old.Index().Catalog()
		_, member := c.Member(ctx, "answered")
		_, group := c.Group(ctx, 1, 0, 9)
		_, groups := c.Groups(ctx, docid.GroupPage{Limit: 9})
		_, log := c.Log(ctx, 0, 9)
		_, due := c.Due(ctx, 1<<62, 9)
		_, stats := c.Stats(ctx)
		_, lookup := old.Index().Lookup(ctx, docid.Query{})
		_, deleted := old.Delete(ctx, "answered")
		for what, err := range map[string]error{
			"an article by nid": member, "a docId": group, "docIds": groups, "the log": log, "what expires": due, "counts": stats,
			"a look-up": lookup, "a deletion": deleted, "the article again": add(old, "answered", 1), "another article": add(old, "more", 3),
		} {
			if !errors.Is(err, docid.ErrBehind) {
				t.Errorf("%s, %s: %v", when, what, err)
			}
		}
	}
	say("FLUSHALL")
	refuses("an empty Redis")
	young := detector()
	for n := range 5 { // more than the old one has seen
		if err := add(young, fmt.Sprint("young", n), n); err != nil {
			t.Fatal(err)
		}
	}
	refuses("another index")
	server.Kill()
	server.Start(t)
	if err := add(young, "after a start", 6); err != nil {
		t.Error(err)
	}
	refuses("another index after an epoch")
	if st, err := young.Stats(ctx); err != nil || st.Members != 6 {
		t.Errorf("the other index holds %+v, %v, want its 6 articles alone", st, err)
	}
}
