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

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/memory"
)

// crowding is a method under which all texts of one first word share a key and
// none is near another. compare, where not nil, is called for each comparison
// with the text that is judged.
type crowding struct{ compare func(text string) }

type crowdView string

func (crowdView) Bytes() int { return 1 }

func (m *crowding) Spec() neardup.Spec { return neardup.Spec{Method: "crowding", Version: 1} }

func (m *crowding) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	key := uint64(7)
	word, _, _ := strings.Cut(clean, " ")
	for _, b := range []byte(word) {
		key = key*31 + uint64(b)
	}
	rec.Index = append(rec.Index, key)
}

func (m *crowding) Plausible(a, b uint64) bool { return true }

func (m *crowding) View(clean string) neardup.View { return crowdView(clean) }

func (m *crowding) Compare(a, b neardup.View) neardup.Match {
	if m.compare != nil {
		m.compare(string(a.(crowdView)))
	}
	return neardup.Match{Distance: -1, Method: "crowding"}
}

// counted counts what is asked of an index.
type counted struct {
	docid.Index
	reads, conflicts atomic.Int64
}

func (c *counted) Material(ctx context.Context, leader uint64) (docid.Material, error) {
	c.reads.Add(1)
	return c.Index.Material(ctx, leader)
}

func (c *counted) Commit(ctx context.Context, ch *docid.Change) (docid.Receipt, error) {
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

// crowded is a detector over a bucket with so many leaders that judging one
// more is long.
func crowded(t *testing.T, m *crowding, turns int) (*docid.Detector, *counted) {
	t.Helper()
	inner, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	store := &countedStore{Store: inner}
	d, err := docid.NewDetector(t.Context(), store, "tenant", docid.Settings{
		Content: docid.Near, Turns: docid.NewTurns(turns),
		ContentMethod: func(uint64, []byte) (neardup.Method, error) { return m, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 1100 {
		addNew(t, d, fmt.Sprintf("crowd %d", n))
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

// TestLongJudgementsTakeTurns: at one moment no more judgements are beyond
// what is free than there are turns, all come to their end, and as each keeps
// its turn for the commit, none is refused.
func TestLongJudgementsTakeTurns(t *testing.T) {
	m := &crowding{}
	d, index := crowded(t, m, 1)
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
		all.Go(func() { addNew(t, d, fmt.Sprintf("crowd late %d", n)) })
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d long judgements worked at one moment", most.Load())
	}
	if n := index.conflicts.Load(); n != 0 {
		t.Errorf("%d commits were refused", n)
	}
}

// TestShortJudgementsWaitForNobody: while a long judgement stands still in the
// middle of its turn, and another waits for one, others are decided and
// stored. Who waits for a turn gives up with its context.
func TestShortJudgementsWaitForNobody(t *testing.T) {
	m := &crowding{}
	d, _ := crowded(t, m, 1)
	within, release := make(chan struct{}), make(chan struct{})
	n := 0
	m.compare = func(text string) {
		if text != "crowd slow" {
			return
		}
		if n++; n == 1060 {
			close(within)
			<-release
		}
	}
	var slow sync.WaitGroup
	slow.Go(func() { addNew(t, d, "crowd slow") })
	<-within
	for n := range 20 {
		addNew(t, d, fmt.Sprintf("honest %d", n))
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow.Go(func() {
		if _, err := d.Add(ctx, submission("", "", "crowd waiting")); !errors.Is(err, context.Canceled) {
			t.Errorf("who waited for a turn got %v", err)
		}
	})
	cancel()
	close(release)
	slow.Wait()
	addNew(t, d, "crowd later") // the turn was given back
}

// TestLeadersOfACrowdAreNotRead: an article that becomes a leader after it was
// compared is compared with later ones without being read from the store.
func TestLeadersOfACrowdAreNotRead(t *testing.T) {
	_, index := crowded(t, &crowding{}, 1)
	if n := index.reads.Load(); n > 1 {
		t.Errorf("%d leaders were read, want the first at most", n)
	}
}
