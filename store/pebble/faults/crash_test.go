// Package faults_test injects disk faults under the embedded store: crashes that lose unsynced data, and errors
// of every I/O in turn.
package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// crashes returns how many crash clones to make: NEARDUP_CRASHES, or 60.
func crashes() int {
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_CRASHES")); err == nil {
		return n
	}
	return 60 / stride()
}

// stride returns the step between tested I/Os: 1, or more under the race detector, which is ten times slower.
// It is odd, so alternating I/Os are both tested.
func stride() int {
	if testing.Short() {
		return 5
	}
	return 1
}

// small returns options with memtables so small that crashes also hit flushes, compactions, files of long
// values, and segments of postings.
func small(fs vfs.FS) pebble.Options {
	return pebble.Options{FS: fs, MemtableBytes: 128 << 10, Postings: 200}
}

// journal is the client's record of what was sent and answered (I-5).
type journal struct {
	mu      sync.Mutex
	sent    map[string]docid.Submission
	answers map[string]docid.Answer
	moves   map[string]docid.Moved // the last correction of each article
}

func newJournal() *journal {
	return &journal{sent: map[string]docid.Submission{}, answers: map[string]docid.Answer{}, moves: map[string]docid.Moved{}}
}

// move corrects an article to another article's docId or to its own.
func (j *journal) move(ctx context.Context, d *docid.Detector, sub docid.Submission, with string) error {
	m, err := d.Correct(ctx, docid.Correcting{NID: sub.ID, With: with, Text: &sub.Text, Who: "li"})
	switch {
	case errors.Is(err, docid.ErrLeads):
		return nil
	case err != nil:
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.moves[sub.ID] = m
	return nil
}

func (j *journal) send(ctx context.Context, d *docid.Detector, sub docid.Submission) error {
	j.mu.Lock()
	j.sent[sub.ID] = sub
	j.mu.Unlock()
	a, err := d.Add(ctx, sub)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.answers[sub.ID] = a
	return nil
}

func (j *journal) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.answers)
}

// acknowledged records the answers about an article: its docId, as of a change.
type acknowledged struct {
	docid.Answer
	moved docid.Moved // the last correction, if Seq is not 0
}

// acknowledged copies the answers given so far.
func (j *journal) acknowledged() map[string]acknowledged {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make(map[string]acknowledged, len(j.answers))
	for k, v := range j.answers {
		out[k] = acknowledged{v, j.moves[k]}
	}
	return out
}

// holds reports whether an article is where it was reported, or where a later unanswered correction moved it.
func (a *acknowledged) holds(m docid.Member, docID string) bool {
	switch c := m.Correction; {
	case c == nil:
		return a.moved.Seq == 0 && docID == a.DocID
	case c.Seq == a.moved.Seq:
		return docID == a.moved.DocID
	default:
		return c.Seq > a.moved.Seq
	}
}

// verify opens a store after a crash and compares it with every answer.
func (j *journal) verify(t *testing.T, fs vfs.FS, acknowledged map[string]acknowledged) {
	t.Helper()
	if err := fs.MkdirAll("data", 0o700); err != nil { // the crash may have come first
		t.Fatal(err)
	}
	report, err := pebble.Check(t.Context(), "data", pebble.Options{FS: fs})
	if err != nil || len(report.Problems) > 0 {
		t.Fatalf("check: %v, %v", report.Problems, err)
	}
	s, err := pebble.Open(t.Context(), "data", small(fs))
	if err != nil {
		t.Fatalf("open after a crash: %v", err)
	}
	defer s.Close()
	d := detector(t, s)
	for nid, a := range acknowledged {
		if m, docID, err := d.Member(t.Context(), nid); err != nil || !a.holds(m, docID) {
			t.Fatalf("answer for %q was %s at %d, moved %+v, now %q, %v", nid, a.DocID, a.Seq, a.moved, docID, err)
		}
		again, err := d.Evidence(t.Context(), a.Seq)
		if err != nil || again.ID != nid || again.DocID != a.DocID {
			t.Fatalf("change %d was %q of %s, now %+v, %v", a.Seq, nid, a.DocID, again, err)
		}
	}
	j.mu.Lock()
	sent := make(map[string]docid.Submission, len(j.sent))
	for k, v := range j.sent {
		sent[k] = v
	}
	j.mu.Unlock()
	storetest.Replay(t, d, sent)
}

func detector(t *testing.T, s docid.Store) *docid.Detector {
	t.Helper()
	d, err := open(t.Context(), s)
	if err != nil {
		t.Fatalf("detector: %v", err)
	}
	return d
}

// open opens the one index of these tests. Its secrets are fixed, so an index whose creation was lost is
// created with the same ones.
func open(ctx context.Context, s docid.Store) (*docid.Detector, error) {
	set := storetest.Settings()
	set.Identity = func(string) (docid.Identity, error) { return docid.Identity{Seed: 1, Created: 1}, nil }
	return docid.NewDetector(ctx, s, "tenant", set)
}

// TestCrash clones the disk at random moments while 4 clients submit, with 0 to 100 % of the unsynced data, and
// opens the clone. Every second round continues from a clone, so crashes follow crashes.
func TestCrash(t *testing.T) {
	fs, j := vfs.NewCrashableMem(), newJournal()
	done, answers := 0, 0
	for round := 0; done < crashes(); round++ {
		clones := crashRound(t, fs, j, round)
		done += len(clones)
		for _, c := range clones {
			answers += len(c.acknowledged)
			j.verify(t, c.fs, c.acknowledged)
		}
		if round%8 == 7 { // a new disk, because replays are quadratic
			fs, j = vfs.NewCrashableMem(), newJournal()
			continue
		}
		last := clones[len(clones)-1]
		fs = vfs.NewCrashableMem()
		if _, err := vfs.Clone(last.fs, fs, "data", "data", vfs.CloneSync); err != nil {
			t.Fatal(err)
		}
		j = j.after(t, fs)
	}
	t.Logf("%d clones, which had to hold %d answers", done, answers)
	if answers < 10*done {
		t.Error("too few to show anything")
	}
}

type clone struct {
	fs           *vfs.MemFS
	acknowledged map[string]acknowledged
}

// crashRound runs clients and clones the disk under them 10 times.
func crashRound(t *testing.T, fs *vfs.MemFS, j *journal, round int) []clone {
	s, err := pebble.Open(t.Context(), "data", small(fs))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	d := detector(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			texts := storetest.NewTexts(uint64(round*10+c), 30)
			var before docid.Submission
			for ctx.Err() == nil {
				sub := texts.Next()
				sub.Media = strings.Repeat("m", len(sub.ID)*texts.R.IntN(200)) // 0 to 3 KB
				err := j.send(t.Context(), d, sub)
				if last := before.ID; err == nil && last != "" && texts.R.IntN(4) == 0 {
					err = j.move(t.Context(), d, sub, []string{"", last}[texts.R.IntN(2)])
				}
				before = sub
				if err != nil {
					t.Errorf("add, or correct: %v", err)
					return
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(uint64(round), 3))
	var clones []clone
	for n := range 10 {
		for more := j.count() + r.IntN(12); j.count() < more && !t.Failed(); {
			time.Sleep(20 * time.Microsecond)
		}
		percent := []int{0, 0, 30, 70, 100}[n%5]
		acknowledged := j.acknowledged() // before the clone, which must contain these
		clones = append(clones, clone{fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: r}), acknowledged})
	}
	stop()
	clients.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	return clones
}

// after returns the journal of a disk after a crash, with the answers that it holds.
func (j *journal) after(t *testing.T, fs vfs.FS) *journal {
	s, err := pebble.Open(t.Context(), "data", small(fs))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, next := detector(t, s), newJournal()
	next.sent = j.sent
	entries, err := d.Index().Catalog().Log(t.Context(), 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Kind == docid.KindCorrect {
			next.moves[e.NID] = docid.Moved{NID: e.NID, DocID: d.DocIDs().DocID(e.Leader), Corrected: docid.Corrected{Seq: e.Seq}}
			continue
		}
		next.answers[e.NID] = d.FromEntry(e)
	}
	return next
}

// TestCrashKeepsEverything loses all unsynced data. No answer may be lost.
func TestCrashKeepsEverything(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := pebble.Open(t.Context(), "data", small(fs))
	if err != nil {
		t.Fatal(err)
	}
	d := detector(t, s)
	for n := range 5 {
		if err := newJournal().send(t.Context(), d, sub(fmt.Sprint(n), n)); err != nil {
			t.Fatal(err)
		}
	}
	torn := fs.CrashClone(vfs.CrashCloneCfg{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := pebble.Open(t.Context(), "data", pebble.Options{FS: torn})
	if err != nil {
		t.Fatal(err)
	}
	st, err := detector(t, again).Index().Catalog().Stats(t.Context())
	if err != nil || st.Seq != 5 {
		t.Errorf("after the crash: %+v, %v", st, err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func sub(nid string, family int) docid.Submission {
	var s docid.Submission
	s.ID, s.Text = nid, storetest.Base(family)
	return s
}
