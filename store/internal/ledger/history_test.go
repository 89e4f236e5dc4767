package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/RaduBerinde/btreemap"
	"github.com/neardup/neardup/docid"
)

// histories is the seed of the first, NEARDUP_HISTORY or 0, and how many are made: NEARDUP_HISTORIES; else one
// from a seed that was said, or a thousand.
func histories() (first, count uint64) {
	first, unsaid := strconv.ParseUint(os.Getenv("NEARDUP_HISTORY"), 10, 64)
	if n, err := strconv.ParseUint(os.Getenv("NEARDUP_HISTORIES"), 10, 64); err == nil {
		return first, n
	}
	switch {
	case unsaid == nil:
		return first, 1
	case testing.Short():
		return 0, 100
	}
	return 0, 1000
}

// TestHistories makes random histories of three servers over one log, each from its seed: articles that are judged
// here and appended later, servers that lag, crash back to an earlier state, stop, are emptied, or go on with the
// copy of another. In the end all have the same rows, and the log of changes is what a plain model of the rules
// makes of the entries; an article is new only where nothing that lives shares a name or key with it.
func TestHistories(t *testing.T) {
	first, count := histories()
	for seed := first; seed < first+count; seed++ {
		if simulate(t, seed); t.Failed() {
			t.Fatalf("NEARDUP_HISTORY=%d repeats it", seed)
		}
	}
}

// world is the log, the servers, and what was proposed and is not in the log yet.
type world struct {
	*testing.T
	r       *rand.Rand
	servers []*simulated
	log     [][]byte
	waiting [][]byte
	sent    int
}

// simulated is a server whose states are remembered: a crash goes back to one of those since the last sync.
type simulated struct {
	w      *world
	kv     *memory
	s      *Store
	f      *follower
	states []*tree
}

const simTenant = "t"

func simulate(t *testing.T, seed uint64) {
	t.Helper()
	w := &world{T: t, r: rand.New(rand.NewPCG(seed, 8))}
	w.log = append(w.log, w.entry(&proposal{genesis: &genesis{time: 1}}), w.entry(&proposal{tenant: simTenant, identity: &docid.Identity{Seed: 1}}))
	for range 3 {
		one := &simulated{w: w}
		one.open(newMemory())
		w.servers = append(w.servers, one)
	}
	for range 80 {
		w.step(w.servers[w.r.IntN(len(w.servers))])
	}
	for len(w.waiting) > 0 {
		w.append(0)
	}
	var rows []map[string]string
	for _, one := range w.servers {
		one.apply(len(w.log))
		rows = append(rows, one.rows())
	}
	for n := range rows {
		if !reflect.DeepEqual(rows[n], rows[0]) {
			t.Errorf("server %d has other rows than server 0", n)
		}
	}
	w.model(w.servers[0])
	for _, one := range w.servers {
		report, err := Check(t.Context(), one.kv, nil)
		if err != nil || len(report.Problems) > 0 {
			t.Errorf("check: %v, %v", report.Problems, err)
		}
		one.close()
	}
}

func (w *world) step(one *simulated) {
	switch n := w.r.IntN(100); {
	case n < 40:
		w.waiting = append(w.waiting, w.entry(&proposal{tenant: simTenant, change: one.judge()}))
	case n < 62 && len(w.waiting) > 0:
		w.append(w.r.IntN(len(w.waiting)))
	case n < 85:
		one.apply(1 + w.r.IntN(6))
	case n < 88: // the machine dies
		one.crash()
	case n < 91:
		one.close()
		one.open(one.kv)
	case n < 93:
		one.states = one.states[len(one.states)-1:] // synced
	case n < 95:
		other := w.servers[w.r.IntN(len(w.servers))]
		one.close()
		one.open(memoryOf(other.kv.clone(), nil))
	case n < 96:
		one.close()
		one.open(newMemory())
	case n < 98:
		turn, last, err := one.f.beaten()
		if err != nil {
			w.Fatal(err)
		}
		w.waiting = append(w.waiting, w.entry(&proposal{beat: &beat{turn: turn, answer: true, vote: vote{uint64(w.r.IntN(3)), last.digest}}}), w.entry(&proposal{beat: &beat{turn: turn + 1, keep: 3}}))
	case n < 99:
		w.waiting = append(w.waiting, []byte(fmt.Sprintf("%016d\x01junk", w.r.Uint32())))
	default:
		c := &docid.Change{Entry: docid.Entry{Kind: docid.KindEpoch, Leader: 1 + w.r.Uint64()>>1}}
		w.waiting = append(w.waiting, w.entry(&proposal{tenant: simTenant, change: c, past: uint64(w.r.IntN(60))}))
	}
}

// append puts what was proposed into the log, now and then twice.
func (w *world) append(n int) {
	w.log = append(w.log, w.waiting[n])
	if w.r.IntN(10) > 0 {
		w.waiting = slices.Delete(w.waiting, n, n+1)
	}
}

func (w *world) entry(p *proposal) []byte {
	var id entryID
	w.sent++
	copy(id[:], fmt.Sprintf("%016d", w.sent))
	return entryOf(id, p)
}

func (one *simulated) open(kv *memory) {
	one.w.Helper()
	var err error
	if one.s, err = load(context.Background(), kv, Options{Postings: 8 << one.w.r.IntN(6), Log: nowhere{}}); err != nil {
		one.w.Fatal(err)
	}
	if one.f, _, err = newFollower(one.s, nowhere{}); err != nil {
		one.w.Fatal(err)
	}
	one.kv, one.states = kv, []*tree{kv.clone()}
}

func (one *simulated) close() {
	if err := one.s.Close(); err != nil {
		one.w.Error(err)
	}
}

func (one *simulated) crash() {
	before := one.states[one.w.r.IntN(len(one.states))]
	one.close()
	one.open(memoryOf(before, nil))
}

func (one *simulated) apply(n int) {
	one.w.Helper()
	at := one.f.applied.Offset
	if err := one.f.apply(one.w.log[at:min(at+uint64(n), uint64(len(one.w.log)))]); err != nil {
		one.w.Fatal(err)
	}
	one.states = append(one.states, one.kv.clone())
}

func (one *simulated) rows() map[string]string {
	rows := map[string]string{}
	for k, v := range one.kv.rows().Ascend(btreemap.Min[string](), btreemap.Max[string]()) {
		if !slices.Contains([]byte{spaceSegment, spacePosting, spacePiece, spaceImage, spaceImagePiece}, k[0]) {
			rows[k] = string(v)
		}
	}
	return rows
}

// judge is what a server makes of something that comes, by what it has applied.
func (one *simulated) judge() *docid.Change {
	r := one.w.r
	c := &docid.Change{Entry: docid.Entry{NID: fmt.Sprint("n", r.IntN(40)), Request: [16]byte{byte(r.IntN(2))}}}
	ix := one.s.index(simTenant)
	head := uint64(0)
	if ix != nil {
		head = ix.durable.Load()
	}
	switch n := r.IntN(20); {
	case n == 0:
		c.Kind = docid.KindDelete
		return c
	case n < 3 && head > 0:
		c.Kind, c.NID, c.Leader = docid.KindEnd, "", 1+r.Uint64N(head)
		return c
	}
	if r.IntN(3) == 0 {
		c.Idempotency = fmt.Sprint("k", r.IntN(20))
	}
	c.Article, c.Heat = &docid.Article{Heat: int64(r.IntN(3))}, int64(r.IntN(3))
	c.Names = []docid.Name{{byte(r.IntN(12))}}
	keys := []uint64{100 + r.Uint64N(24), 200 + r.Uint64N(24)}
	c.Query = docid.Query{Names: c.Names, KeySets: []docid.KeySet{{Keys: keys}}}
	if r.IntN(3) > 0 { // it has a picture, which counts unless it is common
		picture := docid.Name{255, 1}
		c.Article.Pictures = []docid.Picture{{Quality: int(picture[1])}}
		c.Names = append(slices.Clone(c.Names), picture)
		c.Query.Rated, c.Query.Share = []docid.Rated{{Name: picture}}, 700_000
	}
	if ix != nil {
		f, err := ix.Lookup(context.Background(), c.Query)
		if err != nil {
			one.w.Fatal(err)
		}
		c.Query.Since = f.At
		for i, common := range f.Common {
			c.Query.Rated[i].Common = common
		}
		for _, hits := range [][]docid.Hit{f.Names[0], f.KeySets[0]} {
			if c.Leader == 0 && len(hits) > 0 {
				c.Leader = hits[r.IntN(len(hits))].Leader
			}
		}
	}
	if c.Kind = docid.KindDuplicate; c.Leader == 0 {
		c.Kind, c.NewLeader = docid.KindNew, &docid.NewLeader{Keys: keys}
	}
	return c
}

// nowhere is a log that nobody asks.
type nowhere struct{ docid.Log }

// member is an article of the model, post a posting.
type (
	modelMember struct {
		seq, leader uint64
		request     [16]byte
	}
	modelPost struct{ seq, leader uint64 }
)

// rated reports that a picture is not as rare, or common, as a judgement has it.
func rated(q *docid.Query, leads, ended map[uint64]bool, named map[string]bool) (otherwise bool) {
	for _, r := range q.Rated {
		living, have := 0, 0
		for leader := range leads {
			if !ended[leader] {
				living++
			}
			if !ended[leader] && named[fmt.Sprint(leader, r.Name)] {
				have++
			}
		}
		otherwise = otherwise || r.Common != (have > max(5, living*7/10))
	}
	return otherwise
}

// model applies the log by maps and lists, and holds the rows of a server to that.
func (w *world) model(one *simulated) {
	w.Helper()
	var want []docid.Entry
	ended, leads := map[uint64]bool{}, map[uint64]bool{}
	nids, idem, posts, named := map[string]modelMember{}, map[string]modelMember{}, map[string][]modelPost{}, map[string]bool{}
	head := uint64(0)
	post := func(leader uint64, key string) { posts[key] = append(posts[key], modelPost{head, leader}) }
	name := func(c *docid.Change) {
		for _, n := range c.Names {
			if at := fmt.Sprint(c.Leader, n); !named[at] {
				named[at] = true
				post(c.Leader, fmt.Sprint("n", n))
			}
		}
	}
	for _, b := range w.log {
		p, err := readEntry(b)
		if err != nil || p.change == nil {
			continue
		}
		c := p.change
		switch c.Kind {
		case docid.KindEpoch:
			if head > p.past {
				continue
			}
			head = p.past
		case docid.KindDelete:
			m, there := nids[c.NID]
			if !there {
				continue
			}
			delete(nids, c.NID)
			c.Leader = m.leader
		case docid.KindEnd:
			if !leads[c.Leader] || ended[c.Leader] {
				continue
			}
			ended[c.Leader] = true
			for nid, m := range nids {
				if m.leader == c.Leader {
					delete(nids, nid)
				}
			}
		default:
			_, keyed := idem[c.Idempotency]
			_, taken := nids[c.NID]
			if keyed || taken || c.Kind == docid.KindDuplicate && (!leads[c.Leader] || ended[c.Leader]) {
				continue
			}
			newer, living := false, false
			asks := []string{fmt.Sprint("n", c.Query.Names[0])}
			for _, k := range c.Query.KeySets[0].Keys {
				asks = append(asks, fmt.Sprint("k", k))
			}
			for _, ask := range asks {
				for _, at := range posts[ask] {
					newer = newer || at.seq > c.Query.Since && !ended[at.leader]
					living = living || !ended[at.leader]
				}
			}
			if newer || rated(&c.Query, leads, ended, named) {
				continue
			}
			if c.Kind == docid.KindNew && living {
				w.Errorf("change %d is new, though a docId that lives shares a key with it", head+1)
			}
		}
		head++
		if c.Kind == docid.KindNew || c.Kind == docid.KindDuplicate {
			if c.Kind == docid.KindNew {
				c.Leader, leads[head] = head, true
				for _, k := range c.NewLeader.Keys {
					post(head, fmt.Sprint("k", k))
				}
			}
			name(c)
			m := modelMember{head, c.Leader, c.Request}
			if nids[c.NID] = m; c.Idempotency != "" {
				idem[c.Idempotency] = m
			}
		}
		want = append(want, docid.Entry{Seq: head, Kind: c.Kind, Leader: c.Leader, NID: c.NID})
	}
	ix := one.s.index(simTenant)
	entries, err := catalog{ix}.Log(context.Background(), 0, 10_000)
	if err != nil {
		w.Error(err)
	}
	var got []docid.Entry
	for _, e := range entries {
		got = append(got, docid.Entry{Seq: e.Seq, Kind: e.Kind, Leader: e.Leader, NID: e.NID})
	}
	if !reflect.DeepEqual(got, want) {
		w.Errorf("the log of changes is\n%v, the model's\n%v", got, want)
	}
	for nid, m := range nids {
		r, err := ix.Replay(context.Background(), docid.ReplayKey{NID: nid, Request: m.request})
		if err != nil || r.Seq != m.seq || !r.Replayed {
			w.Errorf("a retry of %s: %+v, %v", nid, r, err)
		}
		m.request[1]++
		if _, err := ix.Replay(context.Background(), docid.ReplayKey{NID: nid, Request: m.request}); !errors.Is(err, docid.ErrTaken) {
			w.Errorf("another article as %s: %v", nid, err)
		}
	}
}
