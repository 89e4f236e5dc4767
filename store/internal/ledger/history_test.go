package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/RaduBerinde/btreemap"
	"github.com/neardup/neardup/docid"
)

// histories returns the first seed (NEARDUP_HISTORY or 0) and the number of histories (NEARDUP_HISTORIES). The
// default is one for a given seed, else a thousand.
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

// TestHistories runs random histories of three servers over one log, each from a seed. Servers lag, stop,
// crash, have full disks and wrong clocks, are emptied, or continue with a snapshot or a copy. Meanwhile the
// log is trimmed. At the end all must have the same rows, and the log must match a plain model. An article may
// be new only if nothing alive shares its names or keys. No server that answers heartbeats may lack an entry.
func TestHistories(t *testing.T) {
	first, count := histories()
	for seed := first; seed < first+count; seed++ {
		simulate(t, seed)
		if t.Failed() {
			t.Fatalf("NEARDUP_HISTORY=%d repeats it", seed)
		}
	}
}

// world holds the log, the servers, and the proposals not yet in the log. Entries before first are trimmed.
type world struct {
	*testing.T
	r         *rand.Rand
	now       int64
	servers   []*simulated
	log       [][]byte
	first     uint64
	snapshots []moment // the last two
	waiting   [][]byte
	sent      int
}

// moment is a state of a server and its last entry.
type moment struct {
	rows *tree
	at   uint64
}

// simulated is a server that keeps its states. A crash restores one of those since the last sync.
type simulated struct {
	w        *world
	who      uint64
	clock    int64 // how far it is ahead
	kv       *memory
	s        *Store
	f        *follower
	states   []moment
	answered uint64 // the last answered heartbeat
	replaced bool   // replaced since, so it may have less on disk than it answered
}

const simTenant = "t"

// simKeep is for how many heartbeats a silent server is waited for.
const simKeep = 3

func simulate(t *testing.T, seed uint64) {
	t.Helper()
	w := &world{T: t, r: rand.New(rand.NewPCG(seed, 8)), first: 1}
	w.log = append(w.log, w.entry(&proposal{genesis: &genesis{Time: 1}}), w.entry(&proposal{tenant: simTenant, identity: &docid.Identity{Seed: 1}}))
	for who := range 3 {
		one := &simulated{w: w, who: uint64(who)}
		one.open(newMemory())
		w.servers = append(w.servers, one)
	}
	for range 100 {
		w.now++
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
	switch n := w.r.IntN(120); {
	case n < 40:
		w.propose(&proposal{tenant: simTenant, change: one.judge()})
	case n < 62 && len(w.waiting) > 0:
		w.append(w.r.IntN(len(w.waiting)))
	case n < 85:
		one.apply(1 + w.r.IntN(6))
	case n < 88: // the machine crashes
		one.crash()
	case n < 91:
		one.close()
		one.open(one.kv)
	case n < 93:
		one.states = one.states[len(one.states)-1:] // synced
	case n < 95:
		other := w.servers[w.r.IntN(len(w.servers))]
		one.replace(moment{other.kv.clone(), other.f.at.Offset})
	case n < 96 && w.first == 1:
		one.close()
		one.open(newMemory())
		one.replaced = true
	case n < 97 && len(w.snapshots) > 0:
		one.replace(w.snapshots[len(w.snapshots)-1])
	case n < 103:
		w.propose(one.heartbeats()...)
	case n < 104:
		w.waiting = append(w.waiting, []byte(fmt.Sprintf("%016d\x01junk", w.r.Uint32())))
	case n < 105:
		c := &docid.Change{Entry: docid.Entry{Kind: docid.KindEpoch, Leader: 1 + w.r.Uint64()>>1}}
		w.propose(&proposal{tenant: simTenant, change: c, past: uint64(w.r.IntN(60))})
	case n < 108:
		one.fail(int32(full + w.r.IntN(2)))
	case n < 110:
		one.clock = []int64{-simDay, 0, simDay}[w.r.IntN(3)]
	case n < 113:
		w.propose(one.sweep()...)
	case n < 115:
		s := &sinkChange{What: []sinkVerb{sinkAttach, sinkAcknowledge, sinkClaim, sinkDetach}[w.r.IntN(4)], Name: "s", UpTo: uint64(w.r.IntN(40)), Lease: lease{fmt.Sprint(one.who), uint64(w.r.IntN(3))}}
		w.propose(&proposal{tenant: simTenant, sink: s})
	case n < 118:
		w.snapshots = append(w.snapshots, moment{one.kv.clone(), one.f.at.Offset})
		slices.SortFunc(w.snapshots, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
		w.snapshots = w.snapshots[max(0, len(w.snapshots)-2):]
	default:
		w.trim(one)
	}
}

// simDay is the difference between clocks.
const simDay = 1000

func (w *world) propose(all ...*proposal) {
	for _, p := range all {
		w.waiting = append(w.waiting, w.entry(p))
	}
}

// trim trims the log as a server does. A server that answered a heartbeat has what it needs on disk.
func (w *world) trim(by *simulated) {
	v, err := by.kv.Snapshot()
	if err != nil {
		w.Fatal(err)
	}
	defer v.Close()
	rows, last, err := heartbeats(v)
	if err != nil {
		w.Fatal(err)
	}
	if len(w.snapshots) == 0 {
		return
	}
	needs, _ := wanted(rows, last, simKeep)
	before := min(needs, w.snapshots[0].at)
	for _, one := range w.servers {
		answered := false
		for turn, row := range rows {
			answered = answered || (turn+simKeep > last && slices.ContainsFunc(row.Votes, func(v vote) bool { return v.Who == one.who }))
		}
		if answered && !one.replaced && one.states[0].at < before {
			w.Errorf("entries before %d are trimmed, server %d has %d on disk", before, one.who, one.states[0].at)
		}
	}
	w.first = max(w.first, before)
}

// heartbeats returns a server's answer to the last heartbeat, and the next one. It syncs up to the previous one.
func (one *simulated) heartbeats() []*proposal {
	v, err := one.kv.Snapshot()
	if err != nil {
		one.w.Fatal(err)
	}
	defer v.Close()
	rows, turn, err := heartbeats(v)
	if err != nil {
		one.w.Fatal(err)
	}
	for turn > 0 && one.states[0].at < rows[turn-1].Offset {
		one.states = one.states[1:]
	}
	if turn >= one.answered {
		one.answered, one.replaced = turn, false
	}
	return []*proposal{
		{heartbeat: &heartbeat{Turn: turn, Answer: true, vote: vote{one.who, rows[turn].Digest, rules}}}, {heartbeat: &heartbeat{Turn: turn + 1, Keep: simKeep}},
	}
}

// sweep ends the docIds that are due by a server's clock, and drops keys.
func (one *simulated) sweep() (all []*proposal) {
	ix := one.s.index(simTenant)
	if ix == nil {
		return nil
	}
	due, err := catalog{ix}.Due(context.Background(), one.w.now+one.clock, 10)
	if err != nil {
		one.w.Fatal(err)
	}
	for _, leader := range due {
		all = append(all, &proposal{tenant: simTenant, change: &docid.Change{Entry: docid.Entry{Kind: docid.KindExpire, Leader: leader, Time: one.w.now + one.clock}}})
	}
	return append(all, &proposal{tenant: simTenant, change: &docid.Change{Entry: docid.Entry{Kind: docid.KindForget, Leader: one.w.r.Uint64N(20)}}})
}

// append appends the proposals to the log, some of them twice.
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
	return entryOf(id, rules, p.encode())
}

func (one *simulated) open(kv *memory) {
	one.w.Helper()
	var err error
	one.s, err = load(context.Background(), kv, Options{Postings: 8 << one.w.r.IntN(6), Log: nowhere{}})
	if err != nil {
		one.w.Fatal(err)
	}
	one.f, _, err = newFollower(one.s, nowhere{}, rules)
	if err != nil {
		one.w.Fatal(err)
	}
	one.kv, one.states = kv, []moment{{kv.clone(), one.f.at.Offset}}
}

func (one *simulated) close() {
	if err := one.s.Close(); err != nil {
		one.w.Error(err)
	}
}

func (one *simulated) crash() {
	before := one.states[one.w.r.IntN(len(one.states))]
	one.close()
	one.open(memoryOf(before.rows, nil))
}

// replace makes a server continue with the folder of another.
func (one *simulated) replace(with moment) {
	one.close()
	one.open(memoryOf(with.rows.Clone(), nil))
	one.replaced = true
}

// fail makes a server's disk fail, with or without the last write. The server stops and starts again.
func (one *simulated) fail(how int32) {
	one.w.Helper()
	at := one.f.at.Offset
	if at == uint64(len(one.w.log)) || (at < one.w.first && one.w.first > 1) {
		return
	}
	one.kv.disk.Store(how)
	entries := one.w.log[at:min(at+3, uint64(len(one.w.log)))]
	if err := one.f.apply(entries); !errors.Is(err, docid.ErrFull) {
		one.w.Errorf("a disk that fails: %v", err)
	}
	if how == failing {
		one.states = append(one.states, moment{one.kv.clone(), at})
	}
	one.crash()
}

func (one *simulated) apply(n int) {
	one.w.Helper()
	if one.f.at.Offset < one.w.first && one.w.first > 1 { // the log lacks what it needs
		one.replace(one.w.snapshots[len(one.w.snapshots)-1])
	}
	at := one.f.at.Offset
	if err := one.f.apply(one.w.log[at:min(at+uint64(n), uint64(len(one.w.log)))]); err != nil {
		one.w.Fatal(err)
	}
	one.states = append(one.states, moment{one.kv.clone(), one.f.at.Offset})
}

func (one *simulated) rows() map[string]string {
	rows := map[string]string{}
	for k, v := range one.kv.rows().Ascend(btreemap.Min[string](), btreemap.Max[string]()) {
		if !slices.Contains([]byte{spaceSegment, spacePosting}, k[0]) {
			rows[k] = string(v)
		}
	}
	return rows
}

// judge returns a server's decision on a new article or operation, from what it has applied.
func (one *simulated) judge() *docid.Change {
	r := one.w.r
	c := &docid.Change{Entry: docid.Entry{NID: fmt.Sprint("n", r.IntN(40)), Request: [16]byte{byte(r.IntN(2))}, Time: one.w.now + one.clock}}
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
	c.Kind = docid.KindDuplicate
	if c.Leader == 0 {
		c.Kind, c.NewLeader = docid.KindNew, &docid.NewLeader{Keys: keys}
		if r.IntN(3) == 0 {
			c.Expires = c.Time + 1 + r.Int64N(30)
		}
	}
	return c
}

// nowhere is a log that must not be called.
type nowhere struct{ docid.Log }

// TestRollingUpgrade checks that a server with newer rules writes the older ones until all servers know the
// newer. An older server that then starts must stop with errRules, and the others continue.
func TestRollingUpgrade(t *testing.T) {
	const older, newer = rules, rules + 1
	log := &plainLog{}
	if err := BeginLog(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	open := func(kv *memory, who uint64, knows byte) (*Store, error) {
		return Open(t.Context(), kv, Options{Log: log, Server: who, Beat: 10 * time.Millisecond, rules: knows})
	}
	var servers [2]*Store
	rows := [2]*memory{newMemory(), newMemory()}
	start := func(n int, knows byte) {
		t.Helper()
		if servers[n] != nil {
			if err := servers[n].Close(); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		servers[n], err = open(rows[n], uint64(n), knows)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = servers[n].Close() })
	}
	heartbeats := func(n uint64) { // n further heartbeats
		t.Helper()
		until := func() uint64 { turn, _, _ := servers[0].follower.lastHeartbeat(); return turn }
		for first, end := until(), time.Now().Add(time.Minute); until() < first+n; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the log has no heartbeat")
			}
		}
	}
	start(0, older)
	start(1, older)
	heartbeats(3)
	start(0, newer)
	heartbeats(3)
	if got := log.rules(); got != older {
		t.Errorf("while one server knows rules %d only, an entry has rules %d", older, got)
	}
	start(1, newer)
	for end := time.Now().Add(time.Minute); log.rules() != newer; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("all servers know rules %d, and none writes them", newer)
		}
	}
	if _, err := open(newMemory(), 3, older); !errors.Is(err, docid.ErrNewerFormat) {
		t.Errorf("a server that knows rules %d: %v", older, err)
	}
	for n, s := range servers {
		if err := s.Poisoned(); err != nil {
			t.Errorf("server %d, which knows rules %d: %v", n, newer, err)
		}
	}
}

// plainLog is a docid.Log that loses and trims nothing.
type plainLog struct {
	docid.Log
	mu      sync.Mutex
	entries [][]byte
}

func (l *plainLog) Append(_ context.Context, _ docid.Anchor, entry []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
	return uint64(len(l.entries)), nil
}

func (l *plainLog) Read(_ context.Context, at docid.Anchor) ([][]byte, error) {
	time.Sleep(time.Millisecond)
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries[at.Offset:]), nil
}

func (l *plainLog) Durable(context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.entries)), nil
}

func (l *plainLog) Incarnation(context.Context) (string, error) { return "the only one", nil }

func (l *plainLog) Trim(context.Context, uint64) error { return nil }

// rules returns the rules version of the last entry.
func (l *plainLog) rules() byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries[len(l.entries)-1][len(entryID{})]
}

// TestOutvoted checks that a server stops if another digest has as many votes. So of two that differ both stop.
func TestOutvoted(t *testing.T) {
	const own = 1
	for _, c := range []struct {
		votes []uint64 // the digests
		stops bool
	}{
		{nil, false}, {[]uint64{own}, false}, {[]uint64{own, own}, false}, {[]uint64{own, 2}, true}, {[]uint64{2}, true},
		{[]uint64{own, own, 2}, false}, {[]uint64{own, 2, 2}, true}, {[]uint64{own, 2, 3}, true}, {[]uint64{own, own, 2, 3}, false}, {[]uint64{own, own, 2, 2}, true},
	} {
		row := heartbeatRow{Digest: own}
		for who, digest := range c.votes {
			row.Votes = append(row.Votes, vote{uint64(who), digest, rules})
		}
		if got := outvoted(row); got != c.stops {
			t.Errorf("votes %d against %d: it stops %t, want %t", c.votes, own, got, c.stops)
		}
	}
}
