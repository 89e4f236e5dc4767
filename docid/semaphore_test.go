package docid_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/memory"
)

// hotMethod is a method under which all texts of one first word share a key and are never near. If compare is
// not nil, each comparison calls it with the text that is judged. record is called with each text whose keys are made.
type hotMethod struct{ compare, record func(text string) }

type hotView string

func (hotView) Bytes() int { return 1 }

func (m *hotMethod) Spec() neardup.Spec { return neardup.Spec{Method: "hotMethod", Version: 1} }

func (m *hotMethod) Record(clean string, rec *neardup.Record) {
	if m.record != nil {
		m.record(clean)
	}
	rec.Reset()
	key := uint64(7)
	word, _, _ := strings.Cut(clean, " ")
	for _, b := range []byte(word) {
		key = key*31 + uint64(b)
	}
	rec.Index = append(rec.Index, key)
}

func (m *hotMethod) Plausible(a, b uint64) bool { return true }

func (m *hotMethod) Prepare(clean string) neardup.Prepared { return hotView(clean) }

func (m *hotMethod) Compare(a, b neardup.Prepared) neardup.Match {
	if m.compare != nil {
		m.compare(string(a.(hotView)))
	}
	return neardup.Match{Distance: -1, Method: "hotMethod"}
}

// counted counts the calls of an index.
type counted struct {
	docid.Index
	reads, conflicts atomic.Int64
	commits          func(text string) // nil: not watched
}

func (c *counted) Material(ctx context.Context, leader uint64) (docid.Material, error) {
	c.reads.Add(1)
	return c.Index.Material(ctx, leader)
}

func (c *counted) Commit(ctx context.Context, ch *docid.Change) (docid.Receipt, error) {
	if c.commits != nil {
		c.commits(ch.Article.Text)
	}
	r, err := c.Index.Commit(ctx, ch)
	if errors.Is(err, docid.ErrConflict) {
		c.conflicts.Add(1)
	}
	return r, err
}

// countedStore gives out its one index counted.
type countedStore struct {
	docid.Store
	index *counted
}

func (s *countedStore) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	s.index = &counted{Index: ix}
	return s.index, err
}

// hotBucket returns a detector over a bucket with enough leaders that the next judgement is long.
func hotBucket(t *testing.T, m *hotMethod, places int) (*docid.Detector, *counted) {
	t.Helper()
	inner, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	store := &countedStore{Store: inner}
	d, err := docid.NewDetector(t.Context(), store, "tenant", docid.Settings{
		Content: docid.Near, Semaphore: docid.NewSemaphore(places),
		ContentMethod: func(uint64, []byte) (neardup.Method, error) { return m, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 1100 {
		addNew(t, d, fmt.Sprintf("hot %d", n))
	}
	return d, store.index
}

func addNew(t *testing.T, d *docid.Detector, text string) {
	t.Helper()
	a, err := d.Add(t.Context(), submission("", "", text))
	if err != nil || a.Decision.Decision != neardup.New {
		t.Errorf("%s: %v, %v", text, a.Decision, err)
	}
}

// TestLongJudgementsAcquireTheSemaphore: at one moment no more judgements are beyond
// what is free than there are places, all come to their end, and as each keeps
// its place for the commit, none is refused.
func TestLongJudgementsAcquireTheSemaphore(t *testing.T) {
	m := &hotMethod{}
	d, index := hotBucket(t, m, 1)
	var mu sync.Mutex
	compared := map[string]int{}
	var working, most atomic.Int64
	m.compare = func(text string) {
		mu.Lock()
		compared[text]++
		long := compared[text] > 1024
		mu.Unlock()
		if !long {
			return
		}
		if now := working.Add(1); now > most.Load() {
			most.Store(now)
		}
		runtime.Gosched()
		working.Add(-1)
	}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() { addNew(t, d, fmt.Sprintf("hot late %d", n)) })
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d long judgements worked at one moment", most.Load())
	}
	if n := index.conflicts.Load(); n != 0 {
		t.Errorf("%d commits were refused", n)
	}
}

// TestShortJudgementsWaitForNobody: while one long judgement is blocked and another waits for its place, short
// ones are decided and stored. A waiting judgement gives up with its context.
func TestShortJudgementsWaitForNobody(t *testing.T) {
	m := &hotMethod{}
	d, _ := hotBucket(t, m, 1)
	within, release := make(chan struct{}), make(chan struct{})
	n := 0
	m.compare = func(text string) {
		if text != "hot slow" {
			return
		}
		n++
		if n == 1060 {
			close(within)
			<-release
		}
	}
	var slow sync.WaitGroup
	slow.Go(func() { addNew(t, d, "hot slow") })
	<-within
	for n := range 20 {
		addNew(t, d, fmt.Sprintf("honest %d", n))
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow.Go(func() {
		if _, err := d.Add(ctx, submission("", "", "hot waiting")); !errors.Is(err, context.Canceled) {
			t.Errorf("who waited for a place got %v", err)
		}
	})
	cancel()
	close(release)
	slow.Wait()
	addNew(t, d, "hot later") // the place was given back
}

// TestLeadersOfAHotBucketAreNotRead: an article that becomes a leader after it was
// compared is compared with later ones without being read from the store.
func TestLeadersOfAHotBucketAreNotRead(t *testing.T) {
	_, index := hotBucket(t, &hotMethod{}, 1)
	if n := index.reads.Load(); n > 1 {
		t.Errorf("%d leaders were read, want the first at most", n)
	}
}

// A comparison whose context ends stops between one text and the next.
func TestCompareEndsWithItsContext(t *testing.T) {
	store, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for after := range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		clean := &counting{left: 1000, over: cancel}
		d, err := docid.NewDetector(t.Context(), store, "t", docid.Settings{Clean: clean, Content: docid.Exact})
		if err != nil {
			t.Fatal(err)
		}
		clean.texts, clean.left = 0, after
		_, err = d.Compare(ctx, docid.Submission{Title: "a", Text: "one"}, docid.Submission{Title: "b", Text: "two"})
		if over := after < 4; over != errors.Is(err, context.Canceled) || clean.texts != min(after+1, 4) {
			t.Errorf("over after %d texts: %v, %d were cleaned", after, err, clean.texts)
		}
		cancel()
	}
}

// counting ends a context after a number of texts.
type counting struct {
	texts, left int
	over        func()
}

func (c *counting) String() string { return "counting" }

func (c *counting) Clean(text string) string {
	c.texts++
	if c.texts > c.left {
		c.over()
	}
	return text
}

// TestLongTextsAcquireTheSemaphore checks that one long text is prepared, compared or committed at a moment, whatever
// the request, and that short ones are decided meanwhile.
func TestLongTextsAcquireTheSemaphore(t *testing.T) {
	inner, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	store := &countedStore{Store: inner}
	m := &hotMethod{}
	d, err := docid.NewDetector(t.Context(), store, "tenant", docid.Settings{
		Content: docid.Near, Semaphore: docid.NewSemaphore(1),
		ContentMethod: func(uint64, []byte) (neardup.Method, error) { return m, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	long := func(n int) string { return fmt.Sprint("long ", n, strings.Repeat(" word", 20_000)) }
	for n := range 3 {
		addNew(t, d, long(n))
	}
	own := submission("", "", "short")
	own.ID = "own"
	if _, err := d.Add(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	within, release, begun := make(chan struct{}), make(chan struct{}), sync.Once{}
	var working, most, short atomic.Int64
	work := func(text string) {
		if len(text) < 1000 {
			short.Add(1)
			return
		}
		most.Store(max(most.Load(), working.Add(1)))
		begun.Do(func() {
			close(within)
			<-release
		})
		time.Sleep(time.Millisecond)
		working.Add(-1)
	}
	m.record, m.compare, store.index.commits = work, work, work
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() { addNew(t, d, long(10+n)) })
		all.Go(func() { addNew(t, d, fmt.Sprint("lone", n, " ", long(n))) }) // shares no key
		all.Go(func() {
			if _, err := d.Check(t.Context(), submission("", "", long(20+n))); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			text := long(30 + n)
			if _, err := d.Update(t.Context(), "own", docid.Revision{Text: &text}); err != nil {
				t.Error(err)
			}
		})
	}
	<-within
	for n := range 20 {
		addNew(t, d, fmt.Sprintf("short %d", n))
	}
	if most.Load() != 1 || short.Load() < 20 {
		t.Errorf("%d long texts at one moment, and %d calls for short ones", most.Load(), short.Load())
	}
	close(release)
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d long texts were worked on at one moment", most.Load())
	}
}
