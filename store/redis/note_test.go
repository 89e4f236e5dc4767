package redis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
)

// elsewhere adds as another version of the functions does, beside this one.
func (m *mapped) elsewhere() {
	m.Helper()
	ix := m.ix.(*index)
	c := &docid.Change{Article: &docid.Article{}, Fresh: &docid.Fresh{Keys: []uint64{m.r.Uint64(), m.key()}}}
	c.Kind, c.NID = docid.KindNew, fmt.Sprint("else", len(m.of))
	a, err := ix.arguments(m.Context(), c)
	if err != nil {
		m.Fatal(err)
	}
	answer, err := ix.s.c.Do(m.Context(), ix.s.c.B().Fcall().Function("neardup_commit_other").Numkeys(1).Key(ix.p).Arg(a[1:]...).Build()).ToArray()
	if err != nil {
		m.Fatal(err)
	}
	r, err := ix.receipt(m.Context(), answer, c.NID, c.Request)
	if err != nil {
		m.Fatal(err)
	}
	m.made(c, r.Seq)
}

// made notes a change that was made.
func (m *mapped) made(c *docid.Change, seq uint64) {
	leader := c.Leader
	if c.Kind == docid.KindNew {
		leader = seq
		m.living, m.of[leader] = append(m.living, leader), c
		for _, k := range c.Fresh.Keys {
			m.keys[k] = append(m.keys[k], leader)
		}
	}
	for _, n := range c.Names {
		if !slices.Contains(m.names[n], leader) {
			m.names[n] = append(m.names[n], leader)
			slices.Sort(m.names[n])
		}
		if c.Kind != docid.KindNew {
			m.of[leader].Names = append(m.of[leader].Names, n)
		}
	}
}

// noted looks up what a submission has, lets others be first, and commits it with what was seen.
func (m *mapped) noted(i int) (refused bool) {
	m.Helper()
	c := &docid.Change{Article: &docid.Article{}}
	c.NID = fmt.Sprint("noted", i)
	var n docid.Name
	binary.BigEndian.PutUint64(n[:], unmix(m.r.Uint64N(40)))
	keys := []uint64{m.r.Uint64(), m.r.Uint64(), m.r.Uint64()}
	if m.r.IntN(4) == 0 {
		keys = append(keys, m.key())
	}
	if c.Kind = docid.KindNew; len(m.living) > 0 && m.r.IntN(3) == 0 {
		c.Kind, c.Leader = docid.KindDuplicate, m.living[m.r.IntN(len(m.living))]
		if names := m.of[c.Leader].Names; len(names) > 0 {
			n = names[0] // leads there
		}
	} else if c.Fresh = (&docid.Fresh{Keys: keys}); m.r.IntN(4) == 0 {
		c.Fresh.Keys = append([]uint64{m.r.Uint64()}, keys[1:]...) // is found under others than it is searched by
	}
	c.Names = []docid.Name{n}
	c.Query = docid.Query{Names: c.Names, KeySets: []docid.KeySet{{Keys: keys}}}
	f, err := m.ix.Lookup(m.Context(), c.Query)
	if err != nil {
		m.Fatal(err)
	}
	if f.Note == nil {
		m.Fatal("a look-up that notes nothing")
	}
	c.Query.Since, c.Query.Note = f.At, f.Note
	for range m.r.IntN(3) {
		switch m.r.IntN(6) {
		case 0:
			m.end()
		case 1:
			m.elsewhere()
		default:
			m.add()
		}
	}
	newer := func(leaders []uint64) bool {
		return slices.ContainsFunc(leaders, func(l uint64) bool { return l > f.At })
	}
	want := error(nil)
	if newer(m.names[n]) || slices.ContainsFunc(keys, func(k uint64) bool { return newer(m.keys[k]) }) {
		want = docid.ErrConflict
	}
	if c.Kind == docid.KindDuplicate && !slices.Contains(m.living, c.Leader) {
		want = docid.ErrEnded
	}
	r, err := m.ix.Commit(m.Context(), c)
	if !errors.Is(err, want) {
		m.Fatalf("%s as of %d: %v, want %v", c.NID, f.At, err, want)
	}
	if err == nil {
		m.made(c, r.Seq)
	}
	return err != nil
}

// TestNote: a submission that tells what its look-up saw is refused where one that tells
// nothing would be, and posts the same, whatever was posted, swept or split meanwhile, and by whom.
func TestNote(t *testing.T) {
	_, s := opened(t)
	other := strings.Replace(strings.ReplaceAll(library, version, "other"), "neardup_other\n", "neardup_other2\n", 1)
	if err := s.c.Do(t.Context(), s.c.B().FunctionLoad().FunctionCode(other).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		tenant := fmt.Sprint("noted", seed)
		ix, err := s.Index(t.Context(), tenant, func() (docid.Identity, error) { return docid.Identity{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		m := &mapped{T: t, ix: ix, r: rand.New(rand.NewPCG(seed, 2)), most: 25, keys: map[uint64][]uint64{}, names: map[docid.Name][]uint64{}, of: map[uint64]*docid.Change{}}
		refused := 0
		for i := range 250 {
			if m.noted(i) {
				refused++
			}
		}
		if refused < 5 || refused > 150 {
			t.Errorf("%d of 250 were refused: too few or too many to show anything", refused)
		}
		m.check(1 << 20)
		for len(m.living) > 0 {
			m.end()
		}
		if left := postings(t.Context(), t, s, tenant); len(left) > 0 {
			t.Errorf("after all ended there are %q", left)
		}
	}
}

// TestNoteOfAnotherRun: a submission whose look-up saw what Redis then lost is not told where to write by it: in the
// buckets as they are now, other postings may lie there.
func TestNoteOfAnotherRun(t *testing.T) {
	server, s := opened(t)
	ix, err := s.Index(t.Context(), "tenant", func() (docid.Identity, error) { return docid.Identity{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	m := &mapped{T: t, ix: ix, r: rand.New(rand.NewPCG(1, 2)), most: 3, keys: map[uint64][]uint64{}, names: map[docid.Name][]uint64{}, of: map[uint64]*docid.Change{}}
	for range 10 {
		m.add()
	}
	server.Stop()
	files, copied := filepath.Join(server.Dir, "appendonlydir"), filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	server.Start(t)
	if err := ix.BeginEpoch(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	lost := *m
	lost.keys, lost.names, lost.of = maps.Clone(m.keys), maps.Clone(m.names), maps.Clone(m.of)
	var seen []*docid.Change // by requests that go on when Redis is back
	for range 30 {
		lost.add()
		c := &docid.Change{Article: &docid.Article{}, Fresh: &docid.Fresh{Keys: []uint64{m.r.Uint64()}}}
		c.Kind, c.NID, c.Names = docid.KindNew, fmt.Sprint("late", len(seen)), []docid.Name{{byte(len(seen) + 1)}}
		c.Query = docid.Query{Names: c.Names, KeySets: []docid.KeySet{{Keys: c.Fresh.Keys}}}
		f, err := ix.Lookup(t.Context(), c.Query)
		if err != nil {
			t.Fatal(err)
		}
		c.Query.Since, c.Query.Note = f.At, f.Note
		seen = append(seen, c)
	}
	server.Kill()
	if err := errors.Join(os.RemoveAll(files), os.CopyFS(files, os.DirFS(copied))); err != nil {
		t.Fatal(err)
	}
	server.Start(t)
	if err := ix.BeginEpoch(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
	for _, c := range seen {
		r, err := ix.Commit(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		m.made(c, r.Seq)
	}
	m.check(1 << 20)
}
