package ledger

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/RaduBerinde/btreemap"
	"github.com/neardup/neardup/docid"
)

// tree is an ordered map whose states share what did not change.
type tree = btreemap.BTreeMap[string, []byte]

// memory is a KV in memory.
type memory struct {
	state atomic.Pointer[tree]
	mu    sync.Mutex // a tree that is cloned is written to
	heads []Head
}

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

func (m *memory) get(key string) []byte {
	_, v, _ := m.rows().Get(key)
	return v
}

func (m *memory) set(key string, value []byte) { m.rows().ReplaceOrInsert(key, value) }

// keys are those of some spaces, in order.
func (m *memory) keys(spaces ...byte) (keys []string) {
	for k := range m.rows().Ascend(btreemap.Min[string](), btreemap.Max[string]()) {
		if slices.Contains(spaces, k[0]) {
			keys = append(keys, k)
		}
	}
	return keys
}

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

func (b *state) Commit() error { b.kv.state.Store(b.rows); return nil }
func (b *state) Close()        {}

// history makes changes of every kind, at random.
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
			c.Leader, c.Fresh = 0, &docid.Fresh{Keys: []uint64{h.r.Uint64()}, Sketch: h.r.Uint64()}
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
		c.Fresh = &docid.Fresh{Keys: []uint64{h.r.Uint64()}, Sketch: h.r.Uint64()}
	}
	if _, err := ix.Commit(h.t.Context(), c); err != nil && c.Kind != docid.KindDelete && c.Kind != docid.KindUpdate {
		h.t.Fatalf("%s: %v", c.Kind, err)
	}
}

// leader is any docId that lives.
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

// resident is what an image stands for, and what must be known.
type resident struct {
	leaders          []imaged
	docIDs, articles int64
	forgotten        []string
	head             uint64
}

// residentOf reads the state of an index, and the nids and keys in the rows that it does not know.
func residentOf(ix *index, kv *memory) (r resident) {
	for n := range leaderNo(ix.posts.leaders.len()) {
		if l := ix.posts.leaders.at(n); l.ended.Load() == 0 {
			r.leaders = append(r.leaders, imaged{l.seq, l.sketch, l.time, l.size.Load()})
		}
	}
	for _, k := range kv.keys(spaceNID, spaceIdem) {
		if !ix.known.has([]byte(k)) {
			r.forgotten = append(r.forgotten, k)
		}
	}
	r.docIDs, r.articles, r.head = ix.leaders.Load(), ix.members.Load(), ix.head
	return r
}

func (r resident) String() string {
	return fmt.Sprintf("%v %d %d %v %d", r.leaders, r.docIDs, r.articles, r.forgotten, r.head)
}

// withoutImage is a copy of the rows that has no image.
func withoutImage(kv *memory) *memory {
	c := killed(kv)
	for _, k := range images(c) {
		c.rows().Delete(k)
	}
	return c
}

// killed is a copy of the rows as a kill would leave them.
func killed(kv *memory) *memory { return memoryOf(kv.clone(), kv.heads) }

// images are the rows of images, the header first.
func images(kv *memory) []string { return kv.keys(spaceImage, spaceImagePiece) }

// TestImageAgainstRows makes random histories with images at random moments, and stops
// and kills them: what is loaded from an image and the log after it is what is
// loaded from all rows, and a check finds nothing.
func TestImageAgainstRows(t *testing.T) {
	for seed := range uint64(40) {
		h, kv := &history{t: t, r: rand.New(rand.NewPCG(seed, 1))}, newMemory()
		s, ix := opened(t, kv)
		for range 5 {
			for range h.r.IntN(80) {
				h.change(ix)
			}
			if h.r.IntN(2) == 0 {
				if err := ix.renewImage(1); err != nil {
					t.Fatal(err)
				}
			}
			for range h.r.IntN(40) {
				h.change(ix)
			}
			stop := h.r.IntN(2) == 0
			live := residentOf(ix, kv).String()
			left := killed(kv)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if stop {
				left = kv
			}
			same(t, seed, left, live)
			kv = left
			s, ix = opened(t, kv)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// same loads rows with their image and without, checks them, and holds both to what lived.
func same(t *testing.T, seed uint64, kv *memory, live string) {
	t.Helper()
	for name, rows := range map[string]*memory{"image": killed(kv), "rows": withoutImage(kv)} {
		s, ix := opened(t, rows)
		if got := residentOf(ix, rows).String(); got != live {
			t.Fatalf("history %d, from the %s: %s\nlived: %s", seed, name, got, live)
		}
		if l := s.Loads(); name == "image" && len(images(kv)) > 0 && l[0].Why != nil {
			t.Fatalf("history %d: a sound image is not trusted: %v", seed, l[0].Why)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if report, err := Check(t.Context(), kv, nil); err != nil || len(report.Problems) > 0 {
		t.Fatalf("history %d: check: %v, %v", seed, report.Problems, err)
	}
}

// TestImageBesideWork writes images while clients work, and kills at the moment at which
// each counts: the image may be ahead of its change, and still nothing but the
// truth is loaded.
func TestImageBesideWork(t *testing.T) {
	kv := newMemory()
	h := &history{t: t, r: rand.New(rand.NewPCG(9, 9))}
	s, ix := opened(t, kv)
	done, enough := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for h.n < 5000 {
			select {
			case <-enough:
				return
			default:
				h.change(ix)
			}
		}
	}()
	for range 12 {
		if err := ix.renewImage(1); err != nil {
			t.Fatal(err)
		}
		var left *memory
		if err := s.do(t.Context(), func(Batch) (func(), error) { left = killed(kv); return nil, nil }); err != nil {
			t.Fatal(err)
		}
		all := withoutImage(left)
		other, plain := opened(t, all)
		live := residentOf(plain, all).String()
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		same(t, 0, left, live)
	}
	close(enough)
	<-done
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestImageIsNotTrusted damages an image in every way, puts older and foreign ones in its
// place, and has it lie: the rows decide, the reason is told, and check finds all
// but an image that is not there.
func TestImageIsNotTrusted(t *testing.T) {
	h, kv := &history{t: t, r: rand.New(rand.NewPCG(3, 3))}, newMemory()
	s, ix := opened(t, kv)
	for range 300 {
		h.change(ix)
	}
	live := residentOf(ix, kv).String()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	kv.heads = []Head{{"t", ix.head, ix.leaders.Load(), ix.members.Load()}}
	keys := images(kv)
	if len(keys) < 3 {
		t.Fatalf("an image of %d rows", len(keys))
	}
	header, leaders := keys[0], keys[1]
	rewrite := func(rows *memory, change func(*image, []*leader)) {
		rewriteImage(t, rows, header, leaders, change)
	}
	type damage struct {
		name, why string
		silent    bool // check has nothing to find
		hurt      func(rows *memory)
	}
	cases := []damage{
		{"no image", "no image", true, func(m *memory) { m.state.Store(withoutImage(m).rows()) }},
		{"no header", "no image", true, func(m *memory) { m.rows().Delete(header) }},
		{"of another log", "another log", false, func(m *memory) { rewrite(m, func(h *image, _ []*leader) { h.entry++ }) }},
		{"after the end of the log", "the log ends", false, func(m *memory) { rewrite(m, func(h *image, _ []*leader) { h.to++ }) }},
		{"a docId more in the header", "", false, func(m *memory) { rewrite(m, func(h *image, _ []*leader) { h.leaders++ }) }},
		{"a size that lies", "witness", false, func(m *memory) { rewrite(m, func(_ *image, ls []*leader) { ls[3].size.Add(1) }) }},
		{"a docId that lies", "", false, func(m *memory) { rewrite(m, func(_ *image, ls []*leader) { ls[3].sketch++ }) }},
	}
	for i, key := range keys {
		name := fmt.Sprintf("row %d ", i)
		cases = append(cases,
			damage{name + "flipped", "", false, func(m *memory) {
				m.set(key, changed(m.get(key), func(v []byte) []byte { v[len(v)/2] ^= 8; return v }))
			}},
			damage{name + "cut", "", false, func(m *memory) { m.set(key, changed(m.get(key), func(v []byte) []byte { return v[:len(v)/2] })) }},
			damage{name + "zeroed", "", false, func(m *memory) { m.set(key, changed(m.get(key), func(v []byte) []byte { clear(v); return v })) }})
		if i > 0 {
			cases = append(cases, damage{name + "missing", "", false, func(m *memory) { m.rows().Delete(key) }},
				damage{name + "in the place of another", "", false, func(m *memory) { m.set(key, m.get(keys[1+i%(len(keys)-1)])) }})
		}
	}
	for _, c := range cases {
		rows := killed(kv)
		c.hurt(rows)
		report, err := Check(t.Context(), rows, nil)
		if err != nil || (len(report.Problems) == 0) != c.silent {
			t.Errorf("%s: check finds %v, %v", c.name, report.Problems, err)
		}
		if c.name == "a docId that lies" {
			continue // whoever can make checksums can lie to a start, and is found by check
		}
		s, ix := opened(t, rows)
		if got := residentOf(ix, rows).String(); got != live {
			t.Errorf("%s: loaded %s\nlived %s", c.name, got, live)
		}
		if l := s.Loads()[0]; l.Image != 0 || l.Why == nil || !strings.Contains(l.Why.Error(), c.why) {
			t.Errorf("%s: loaded as %+v", c.name, l)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if report, err := Check(t.Context(), rows, nil); err != nil || len(report.Problems) > 0 {
			t.Errorf("%s: the next image is not sound: %v, %v", c.name, report.Problems, err)
		}
	}
}

func changed(v []byte, change func([]byte) []byte) []byte { return change(slices.Clone(v)) }

// rewriteImage makes an image with right checksums that says something else.
func rewriteImage(t *testing.T, rows *memory, header, piece string, change func(*image, []*leader)) {
	t.Helper()
	var h image
	if err := decode([]byte(header), rows.get(header), h.get); err != nil {
		t.Fatal(err)
	}
	var all []*leader
	err := decode([]byte(piece), rows.get(piece), func(d *decoder) {
		_ = eachLeader(d, func(l *leader) error {
			c := &leader{seq: l.seq, sketch: l.sketch, time: l.time}
			c.size.Store(l.size.Load())
			all = append(all, c)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	change(&h, all)
	var e encoder
	var last *leader
	for _, l := range all {
		putLeader(&e, last, l)
		last = l
	}
	rows.set(piece, e.seal([]byte(piece)))
	h.pieces, h.sum = 0, 0
	for _, k := range images(rows) {
		if k[0] == spaceImagePiece {
			h.chain(rows.get(k))
		}
	}
	rows.set(header, sealed([]byte(header), h.put))
}

// TestImageKnowsEveryKind: a change of a kind that no image knows has all read.
func TestImageKnowsEveryKind(t *testing.T) {
	if touches(&docid.Entry{Kind: "invented"}, map[uint64]bool{}) {
		t.Error("an unknown kind touches nothing")
	}
}

// TestImageOvergrown: what was deleted is not carried from image to image for ever.
func TestImageOvergrown(t *testing.T) {
	for _, c := range []struct {
		prints, articles uint64
		trusted          bool
	}{{0, 0, true}, {manyPrints, 0, true}, {manyPrints + 1, 0, false}, {2_000_000, 1_000_000, true}, {4_200_000, 1_000_000, false}} {
		if err := overgrown(c.prints, c.articles); (err == nil) != c.trusted {
			t.Errorf("%d fingerprints of %d articles: %v", c.prints, c.articles, err)
		}
	}
}
