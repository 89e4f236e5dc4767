package storetest

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/override"
)

const clients = 16

// together runs f in 16 goroutines at once.
func together(f func(client int)) {
	var wg sync.WaitGroup
	gate := make(chan struct{})
	for c := range clients {
		wg.Go(func() {
			<-gate
			f(c)
		})
	}
	close(gate)
	wg.Wait()
}

// testSimultaneous checks that of 16 near articles sent at once exactly one is new.
func testSimultaneous(t *testing.T, p Backend) {
	o := start(t, p)
	for round := range 60 {
		answers := make([]docid.Answer, clients)
		together(func(c int) {
			text := []byte(Base(1000 + round))
			text[c*7] = '#' // all differ from the base by one character
			a, err := o.Add(t.Context(), article(fmt.Sprintf("%d-%d", round, c), string(text)))
			if err != nil {
				t.Errorf("add: %v", err)
			}
			answers[c] = a
		})
		news, ids := 0, map[string]bool{}
		for _, a := range answers {
			ids[a.DocID] = true
			if a.Decision.Decision == neardup.New {
				news++
			}
		}
		if news != 1 || len(ids) != 1 {
			t.Errorf("round %d: %d new, %d docIds", round, news, len(ids))
		}
	}
}

// testSharedBand checks that two articles that only share their last key conflict.
func testSharedBand(t *testing.T, p Backend) {
	o := start(t, p)
	for round := range 40 {
		accepted := make([]bool, clients)
		together(func(c int) {
			keys := []uint64{uint64(round*1000 + c + 1), uint64(round*1000 + 999)}
			ch := &docid.Change{Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: keys}}
			ch.Kind = docid.KindNew
			ch.Query = docid.Query{Since: uint64(round), KeySets: []docid.KeySet{{Keys: keys}}}
			_, err := o.Index().Commit(t.Context(), ch)
			accepted[c] = err == nil
		})
		n := 0
		for _, ok := range accepted {
			if ok {
				n++
			}
		}
		equal(t, "accepted under one key", n, 1)
	}
}

// call is one operation of a history.
type call struct {
	op   string // "add", "end"
	text int    // the family
	doc  uint64 // the docId to end
}

type result struct {
	leader uint64
	isNew  bool
	ok     bool
}

// testLinearizable records short histories of submissions and ends in a few families. porcupine searches for an order that
// explains them.
func testLinearizable(t *testing.T, p Backend) {
	o := start(t, p)
	for round := range 12 {
		var mu sync.Mutex
		var history []porcupine.Operation
		begin := time.Now()
		together(func(c int) {
			r := NewTexts(uint64(round*100+c), 1).R
			last := uint64(0)
			for n := range 6 {
				in := call{op: "add", text: r.IntN(3)}
				if last != 0 && r.IntN(4) == 0 {
					in = call{op: "end", doc: last}
				}
				from := time.Since(begin)
				out := o.perform(in, fmt.Sprintf("l%d-%d-%d", round, c, n), round)
				to := time.Since(begin)
				last = out.leader
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: c, Input: in, Call: int64(from), Output: out, Return: int64(to)})
				mu.Unlock()
			}
		})
		if res := porcupine.CheckOperationsTimeout(families, history, 20*time.Second); res != porcupine.Ok {
			t.Fatalf("round %d: history of %d operations is %s", round, len(history), res)
		}
	}
}

func (o *opened) perform(in call, nid string, round int) result {
	if in.op == "end" {
		_, err := o.End(o.t.Context(), o.DocIDs().DocID(in.doc))
		return result{leader: in.doc, ok: err == nil}
	}
	a, err := o.Add(o.t.Context(), article(nid, Base(5000+round*10+in.text)))
	if err != nil {
		o.t.Errorf("add: %v", err)
	}
	return result{a.LeaderSeq, a.Decision.Decision == neardup.New, err == nil}
}

// families is the specification for porcupine. Each of 3 families has a living docId or none, and an ended docId never
// returns.
var families = porcupine.Model{
	Init: func() any { return [3]uint64{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.([3]uint64), input.(call), output.(result)
		if in.op == "end" {
			for i, doc := range s {
				if doc == in.doc {
					s[i] = 0
					return out.ok, s
				}
			}
			return !out.ok, s
		}
		if s[in.text] == 0 {
			s[in.text] = out.leader
			return out.isNew, s
		}
		return !out.isNew && out.leader == s[in.text], s
	},
	Equal: func(a, b any) bool { return a == b },
}

// operations returns the least number of changes that testReplay makes: NEARDUP_OPERATIONS, or 1,000.
func operations() int {
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_OPERATIONS")); err == nil {
		return n
	}
	return 1000
}

// testReplay runs 16 clients with mixed operations and then replays the log in order. Every decision must be the same. An
// answer given before a request was sent must have a smaller number in the log (I-1).
func testReplay(t *testing.T, p Backend) {
	o := start(t, p)
	cascade := Cascade{URL: docid.Exact, Title: docid.Near, Content: docid.Near, TitleNear: .7, ContentNear: Threshold, TitleAgrees: .3}
	set := cascade.Settings(clock())
	o.Detector = o.detector("replayed", set)
	r := &recorder{cascade: cascade, subs: map[string]docid.Submission{}}
	together(func(c int) {
		client := &mixed{recorder: r, opened: o, texts: NewTexts(uint64(c), 10)}
		for n := 0; r.last.Load() < uint64(operations()); n++ {
			client.step(n)
		}
	})
	t.Logf("%d changes: %v", r.last.Load(), r.counts())
	replay(t, o.Detector, cascade, r.subs)
	if p.Lasting {
		o.reopen()
		replay(t, o.detector("replayed", set), cascade, r.subs)
	}
}

// recorder holds what the clients know: the submissions that they sent, and the last change that one of them was told of.
type recorder struct {
	cascade                       Cascade
	mu                            sync.Mutex
	subs                          map[string]docid.Submission
	last                          atomic.Uint64
	adds, deletes, ends, expiries atomic.Int64
	corrections, rules            atomic.Int64
}

func (r *recorder) counts() string {
	return fmt.Sprintf("%d submissions, %d deletes, %d ends, %d expiries, %d corrections, %d rules", r.adds.Load(), r.deletes.Load(),
		r.ends.Load(), r.expiries.Load(), r.corrections.Load(), r.rules.Load())
}

// heard records a change that was answered.
func (r *recorder) heard(seq uint64) {
	for old := r.last.Load(); old < seq && !r.last.CompareAndSwap(old, seq); old = r.last.Load() {
	}
}

// mixed is a client that runs all operations. It ends its own docIds, the oldest first, so after 400,000 changes as many
// live as after 1,000.
type mixed struct {
	*recorder
	*opened
	texts *Texts
	made  []string
}

// mostMade is the number of its own docIds that a client keeps alive.
const mostMade = 8

func (m *mixed) step(n int) {
	sub := m.texts.NextOf(m.cascade)
	if n%9 == 4 {
		sub.TTL = time.Second
	}
	a := m.submit(sub)
	switch {
	case n%7 == 3:
		m.end(a.DocID)
	case n%5 == 3:
		if e, err := m.Delete(m.t.Context(), sub.ID); err == nil { // another client may have ended its docId
			m.heard(e.Seq)
			m.deletes.Add(1)
		}
	case n%6 == 1:
		m.moderate(sub)
	case n%9 == 4:
		done, err := m.Expire(m.t.Context(), time.Unix(1_700_000_000, 0).Add(1e6*time.Hour), 8)
		must(m.t, "expire", err, nil)
		m.expiries.Add(int64(done))
	}
	if len(m.made) > mostMade {
		m.end(m.made[0])
		m.made = m.made[1:]
	}
}

// moderate moves an article to the docId of another client's article, or to one of its own, and makes a ruling on the two.
// Another client may have ended either.
func (m *mixed) moderate(sub docid.Submission) {
	other := m.anybody(sub.ID)
	c := docid.Correcting{NID: sub.ID, Who: "li", Text: &sub.Text}
	if m.texts.R.IntN(2) == 0 {
		c.With = other
	}
	if moved, err := m.Correct(m.t.Context(), c); err == nil && !moved.Unchanged {
		m.heard(moved.Seq)
		m.corrections.Add(1)
	}
	if m.texts.R.IntN(2) == 0 {
		return
	}
	next := fmt.Sprint(other, "'") // an article that does not exist yet
	links := []override.Link{override.Must, override.Cannot, override.Unsure}
	if e, err := m.Rule(m.t.Context(), sub.ID, next, docid.Ruling{Who: "li", Link: links[m.texts.R.IntN(3)]}); err == nil {
		m.heard(e.Seq)
		m.rules.Add(1)
		sub = m.texts.NextOf(m.cascade)
		sub.ID, sub.Idempotency = next, ""
		if !m.taken(next) {
			m.submit(sub)
		}
	}
}

// anybody returns a nid that some client sent, but not this one.
func (m *mixed) anybody(but string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for nid := range m.subs {
		if nid != but {
			return nid
		}
	}
	return "nobody"
}

// taken reports whether a nid was sent before, and marks it as sent.
func (m *mixed) taken(nid string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.subs[nid]
	if !ok {
		m.subs[nid] = docid.Submission{}
	}
	return ok
}

func (m *mixed) submit(sub docid.Submission) docid.Answer {
	m.mu.Lock()
	m.subs[sub.ID] = sub
	m.mu.Unlock()
	before := m.last.Load()
	a := m.add(sub)
	if a.Seq <= before {
		m.t.Errorf("an article sent after change %d was answered became change %d", before, a.Seq)
	}
	m.heard(a.Seq)
	m.adds.Add(1)
	if a.Decision.Decision == neardup.New {
		m.made = append(m.made, a.DocID)
	}
	return a
}

// end ends a docId, unless another client has ended it.
func (m *mixed) end(docID string) {
	if e, err := m.End(m.t.Context(), docID); err == nil {
		m.heard(e.Seq)
		m.ends.Add(1)
	}
}
