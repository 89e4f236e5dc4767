package ledger

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/RaduBerinde/btreemap"
	"github.com/neardup/neardup/docid"
)

// tree is an ordered map whose clones share unchanged parts.
type tree = btreemap.BTreeMap[string, []byte]

// memory is a KV in memory.
type memory struct {
	state atomic.Pointer[tree]
	mu    sync.Mutex // a tree that is cloned is written to
	heads []Head
	disk  atomic.Int32 // full fails a commit before, failing after the write
}

const (
	full = 1 + iota
	failing
)

func newMemory() *memory { return memoryOf(btreemap.New[string, []byte](64, cmp.Compare[string]), nil) }

func memoryOf(rows *tree, heads []Head) *memory {
	m := &memory{heads: heads}
	m.state.Store(rows)
	return m
}

func (m *memory) rows() *tree { return m.state.Load() }

func (m *memory) clone() *tree {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rows().Clone()
}

func (m *memory) Heads() []Head               { return slices.Clone(m.heads) }
func (m *memory) Snapshot() (Snapshot, error) { return &state{m, m.rows()}, nil }
func (m *memory) Batch() Batch                { return &state{m, m.clone()} }
func (m *memory) Close() error                { return nil }

func (m *memory) set(key string, value []byte) { m.rows().ReplaceOrInsert(key, value) }

// state is a Snapshot or a Batch.
type state struct {
	kv   *memory
	rows *tree
}

func (b *state) Get(key []byte) ([]byte, error) {
	_, v, _ := b.rows.Get(string(key))
	return v, nil
}

func (b *state) Scan(from, to []byte, visit func(key, value []byte) error) error {
	for k, v := range b.rows.Ascend(btreemap.GE(string(from)), btreemap.LT(string(to))) {
		if err := visit([]byte(k), v); err != nil {
			return err
		}
	}
	return nil
}

func (b *state) Set(key, value []byte) error {
	b.rows.ReplaceOrInsert(string(key), slices.Clone(value))
	return nil
}

func (b *state) Delete(key []byte) error {
	b.rows.Delete(string(key))
	return nil
}

func (b *state) DeleteRange(from, to []byte) error {
	var keys []string
	for k := range b.rows.Ascend(btreemap.GE(string(from)), btreemap.LT(string(to))) {
		keys = append(keys, k)
	}
	for _, k := range keys {
		b.rows.Delete(k)
	}
	return nil
}

// Commit fails if the disk does.
func (b *state) Commit() error {
	disk := b.kv.disk.Load()
	if disk != full {
		b.kv.state.Store(b.rows)
	}
	if disk != 0 {
		return docid.ErrFull
	}
	return nil
}

func (b *state) Close() {}

// history makes random changes of every kind.
type history struct {
	t    *testing.T
	r    *rand.Rand
	nids []string
	n    int
}

func (h *history) change(ix docid.Index) {
	h.t.Helper()
	h.n++
	nid := fmt.Sprintf("n%d", h.n)
	c := &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: nid, Time: int64(h.r.IntN(1000))}}
	any, lives := h.leader(ix)
	switch kind := h.r.IntN(14); {
	case kind < 5 || !lives:
	case kind < 8:
		c.Kind, c.Leader = docid.KindDuplicate, any
	case kind < 9:
		c.Kind, c.NID = docid.KindDelete, h.nids[h.r.IntN(len(h.nids))]
	case kind < 10:
		c.Kind, c.Leader, c.NID = docid.KindEnd, any, ""
	case kind < 11:
		heat := int64(h.r.IntN(9))
		c.Kind, c.NID, c.SetHeat = docid.KindUpdate, h.nids[h.r.IntN(len(h.nids))], &heat
	case kind < 13:
		c.NID = h.nids[h.r.IntN(len(h.nids))]
		m, err := ix.Catalog().Member(h.t.Context(), c.NID)
		if err != nil || m.Leader == any {
			return
		}
		c.Kind, c.Leader, c.Article, c.Ruling = docid.KindCorrect, any, &docid.Article{}, &docid.Ruling{Before: m.Leader}
		if h.r.IntN(2) == 0 {
			c.Leader, c.NewLeader = 0, &docid.NewLeader{Keys: []uint64{h.r.Uint64()}, Sketch: h.r.Uint64()}
		}
	default:
		c.Kind, c.NID, c.Leader = docid.KindForget, "", h.r.Uint64N(uint64(h.n))
	}
	if submission(c.Kind) {
		c.Idempotency = "k" + nid
		c.Article = &docid.Article{}
		h.nids = append(h.nids, nid)
	}
	if c.Kind == docid.KindNew {
		c.NewLeader = &docid.NewLeader{Keys: []uint64{h.r.Uint64()}, Sketch: h.r.Uint64()}
	}
	if _, err := ix.Commit(h.t.Context(), c); err != nil && c.Kind != docid.KindDelete && c.Kind != docid.KindUpdate {
		h.t.Fatalf("%s: %v", c.Kind, err)
	}
}

// leader returns a random living docId.
func (h *history) leader(of docid.Index) (uint64, bool) {
	all := &of.(*index).posts.leaders
	for range 100 {
		if n := all.len(); n > 0 {
			if l := all.at(leaderNo(h.r.IntN(n))); l.ended.Load() == 0 {
				return l.seq, true
			}
		}
	}
	return 0, false
}

func opened(t *testing.T, kv KV) (*Store, *index) {
	t.Helper()
	s, err := Open(t.Context(), kv, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
	if err != nil {
		t.Fatal(err)
	}
	return s, ix.(*index)
}

// resident holds the in-memory state of docIds and articles.
type resident struct {
	leaders          []loaded
	docIDs, articles int64
	head             uint64
}

// loaded is the in-memory state of a docId.
type loaded struct {
	seq, sketch uint64
	time, size  int64
}

func residentOf(ix *index) (r resident) {
	for n := range leaderNo(ix.posts.leaders.len()) {
		if l := ix.posts.leaders.at(n); l.ended.Load() == 0 {
			r.leaders = append(r.leaders, loaded{l.seq, l.sketch, l.time, l.size.Load()})
		}
	}
	r.docIDs, r.articles, r.head = ix.leaders.Load(), ix.members.Load(), ix.head
	return r
}

// killed returns a copy of the rows as a kill would leave them.
func killed(kv *memory) *memory { return memoryOf(kv.clone(), kv.heads) }

// TestStart makes random histories and stops or kills them. A start must load the same state, and a check must find
// nothing.
func TestStart(t *testing.T) {
	for seed := range uint64(40) {
		h, kv := &history{t: t, r: rand.New(rand.NewPCG(seed, 1))}, newMemory()
		s, ix := opened(t, kv)
		for range 5 {
			for range h.r.IntN(120) {
				h.change(ix)
			}
			live, left := residentOf(ix), killed(kv)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if h.r.IntN(2) == 0 {
				left = kv
			}
			kv = left
			s, ix = opened(t, kv)
			if got := residentOf(ix); !reflect.DeepEqual(got, live) {
				t.Fatalf("history %d: loaded %+v\nlived: %+v", seed, got, live)
			}
			if report, err := Check(t.Context(), kv, nil); err != nil || len(report.Problems) > 0 {
				t.Fatalf("history %d: check: %v, %v", seed, report.Problems, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
