package redis

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
)

// mapped is what a test does to an index of its own, beside a Go map of what should
// be posted: key -> leaders that live, in the order of their changes.
type mapped struct {
	*testing.T
	ix     docid.Index
	r      *rand.Rand
	most   int // keys of a change
	keys   map[uint64][]uint64
	names  map[docid.Name][]uint64
	living []uint64
	of     map[uint64]*docid.Change
}

// unmix is a key that lies in the map as a field: so tests choose what fields begin
// and end with.
func unmix(z uint64) uint64 {
	z = (z ^ z>>31 ^ z>>62) * 0x319642b2d24d8ec3
	z = (z ^ z>>27 ^ z>>54) * 0x96de1b173f119089
	return z ^ z>>30 ^ z>>60
}

// key is a field of few, of many, or one that differs from others in one byte only.
func (m *mapped) key() uint64 {
	switch m.r.IntN(8) {
	case 0:
		return unmix(m.r.Uint64N(3)) // zeros, like what is free
	case 1:
		return unmix(m.r.Uint64N(3) << (8 * m.r.IntN(8)))
	case 2:
		return unmix(^m.r.Uint64N(2)) // like what says that a field is hot
	case 3:
		return unmix(0x0101010101010101 * m.r.Uint64N(3)) // the same at any offset
	default:
		return m.r.Uint64()
	}
}

func (m *mapped) add() {
	c := &docid.Change{Article: &docid.Article{}, Fresh: &docid.Fresh{}}
	c.Kind, c.NID = docid.KindNew, fmt.Sprint("nid", len(m.of))
	set := map[uint64]bool{}
	for range 1 + m.r.IntN(m.most) {
		set[m.key()] = true
	}
	for k := range set {
		c.Fresh.Keys = append(c.Fresh.Keys, k)
	}
	var n docid.Name
	binary.BigEndian.PutUint64(n[8*m.r.IntN(2):], unmix(m.r.Uint64N(20)))
	c.Names = []docid.Name{n}
	got, err := m.ix.Commit(m.Context(), c)
	if err != nil {
		m.Fatal(err)
	}
	m.made(c, got.Seq)
	for _, k := range c.Fresh.Keys {
		if len(m.keys[k]) > 5 {
			m.stale(k)
		}
	}
}

func (m *mapped) end() {
	if len(m.living) == 0 {
		return
	}
	i := m.r.IntN(len(m.living))
	leader := m.living[i]
	m.living = slices.Delete(m.living, i, i+1)
	c := &docid.Change{}
	c.Kind, c.Leader = docid.KindEnd, leader
	if _, err := m.ix.Commit(m.Context(), c); err != nil {
		m.Fatal(err)
	}
	without := func(in []uint64) []uint64 { return slices.DeleteFunc(in, func(l uint64) bool { return l == leader }) }
	for _, k := range m.of[leader].Fresh.Keys {
		m.keys[k] = without(m.keys[k])
	}
	for _, n := range m.of[leader].Names {
		m.names[n] = without(m.names[n])
	}
}

// check looks up some of what was posted and some of what was not.
func (m *mapped) check(some int) {
	m.Helper()
	asked := []uint64{m.r.Uint64(), unmix(5), m.key()}
	for k := range m.keys {
		if asked = append(asked, k); len(asked) > some {
			break
		}
	}
	q := docid.Query{Limit: 1 << 20, NameLimit: 1 << 20}
	for _, k := range asked {
		q.KeySets = append(q.KeySets, docid.KeySet{Keys: []uint64{k}})
	}
	names := []docid.Name{{1}}
	for n := range m.names {
		names = append(names, n)
	}
	q.Names = names
	f, err := m.ix.Lookup(m.Context(), q)
	if err != nil {
		m.Fatal(err)
	}
	leaders := func(hits []docid.Hit) (out []uint64) {
		for _, h := range hits {
			out = append(out, h.Leader)
		}
		slices.Sort(out)
		return out
	}
	for i, k := range asked {
		if got := leaders(f.KeySets[i]); !slices.Equal(got, m.keys[k]) {
			m.Fatalf("key %x: leaders %v, want %v", mix(k), got, m.keys[k])
		}
	}
	for i, n := range names {
		if got := leaders(f.Names[i]); !slices.Equal(got, m.names[n]) {
			m.Fatalf("name %x: leaders %v, want %v", n, got, m.names[n])
		}
	}
}

// stale commits what was judged without the last leader of a key, wherever that lies by
// now, and whatever was swept since.
func (m *mapped) stale(key uint64) {
	m.Helper()
	leaders := m.keys[key]
	if len(leaders) == 0 {
		return
	}
	c := &docid.Change{Article: &docid.Article{}, Fresh: &docid.Fresh{}}
	c.Kind, c.NID = docid.KindNew, "stale"
	last := leaders[len(leaders)-1]
	c.Query = docid.Query{Since: last - 1, KeySets: []docid.KeySet{{Keys: []uint64{key}}}}
	if r, err := m.ix.Commit(m.Context(), c); !errors.Is(err, docid.ErrConflict) {
		m.Fatalf("key %x was posted by %d, and who did not know is answered %+v, %v", mix(key), last, r, err)
	}
}

// TestPacked: whatever is posted and swept, in which buckets it came to lie and how
// often these were split, a look-up finds that and nothing else, a commit sees what is
// newer than it knows; and nothing is left of what ended.
func TestPacked(t *testing.T) {
	_, s := opened(t)
	for seed := range uint64(4) {
		ix, err := s.Index(t.Context(), fmt.Sprint("tenant", seed), func() (docid.Identity, error) { return docid.Identity{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		m := &mapped{T: t, ix: ix, r: rand.New(rand.NewPCG(seed, 1)), keys: map[uint64][]uint64{}, names: map[docid.Name][]uint64{}, of: map[uint64]*docid.Change{}}
		steps := 120
		m.most = 40
		if seed == 0 {
			steps, m.most = 550, 200 // past 256 buckets, where entries get shorter
		}
		for step := range steps {
			if seed > 0 && m.r.IntN(3) == 0 || seed == 0 && m.r.IntN(20) == 0 {
				m.end()
			} else {
				m.add()
			}
			if step%60 == 0 {
				m.check(100)
			}
		}
		m.check(1 << 20)
		for k := range m.keys {
			m.stale(k)
		}
		if e, err := ix.Catalog().Engine(t.Context()); err != nil || seed == 0 && e["keys"] < 256*64 {
			t.Errorf("%v, %v: too few to show anything", e, err)
		}
		for len(m.living) > 0 {
			m.end()
		}
		m.check(100)
		if e, err := ix.Catalog().Engine(t.Context()); err != nil || e["keys"] != 0 || e["names"] != 0 {
			t.Errorf("after all ended: %v, %v", e, err)
		}
		if left := postings(t.Context(), t, s, fmt.Sprint("tenant", seed)); len(left) > 0 {
			t.Errorf("after all ended there are %q", left)
		}
	}
}

// postings are the keys of maps that a tenant has.
func postings(ctx context.Context, t *testing.T, s *Store, tenant string) (left []string) {
	t.Helper()
	all, err := s.c.Do(ctx, s.c.B().Keys().Pattern(prefix(tenant)+"*").Build()).AsStrSlice()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		if strings.ContainsAny(k[len(prefix(tenant)):][:1], "kaqh") {
			left = append(left, k)
		}
	}
	return left
}

// TestUnmix: the fields of these tests are what they say.
func TestUnmix(t *testing.T) {
	for _, z := range []uint64{0, 1, 1 << 63, ^uint64(0), 0x0101010101010101} {
		if got := mix(unmix(z)); got != z {
			t.Errorf("%x comes back as %x", z, got)
		}
	}
}

// TestLayout: an index that lies in another way is refused by name.
func TestLayout(t *testing.T) {
	ctx := t.Context()
	_, s := opened(t)
	detect(t, s)
	key := prefix("tenant") + "i"
	value, err := s.c.Do(ctx, s.c.B().Get().Key(key).Build()).ToString()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		as   string
		want error
		says string
	}{
		{strings.Replace(value, `"Layout":2,`, ``, 1), docid.ErrOlderFormat, "layout 1, which this version does not read"},
		{strings.Replace(value, `"Layout":2,`, `"Layout":3,`, 1), docid.ErrNewerFormat, "layout 3, this version knows 2"},
		{value, nil, ""},
	} {
		set := s.c.B().Set().Key(key).Value(c.as).Build()
		if err := s.c.Do(ctx, set).Error(); err != nil {
			t.Fatal(err)
		}
		_, err := s.Index(ctx, "tenant", nil)
		if (c.want == nil) != (err == nil) || c.want != nil && (!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.want.Error())) {
			t.Errorf("%s: %v, want %q", c.as, err, c.says)
		}
	}
}
