package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/batch/reference"
	"pgregory.net/rapid"
)

// addTo decides documents against the index of a folder and adds them to it.
func addTo(t testing.TB, dir string, docs []neardup.Document, cfg Config) (all []neardup.Decision) {
	t.Helper()
	w := change(t, dir)
	cfg.Add, cfg.Reference = w, w.Index
	_, err := Dedup(context.Background(), Documents(docs), cfg, func(o Outcome) error {
		all = append(all, o.Decision)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	return all
}

func change(t testing.TB, dir string) *reference.Writer {
	t.Helper()
	w, err := reference.Change(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// commit commits a change and merges small parts of the index.
func commit(t testing.TB, w *reference.Writer) {
	t.Helper()
	err := w.Commit()
	if err == nil {
		err = w.Settle(context.Background())
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// checked checks the index of a folder and returns its digest.
func checked(t testing.TB, dir string) string {
	t.Helper()
	x, err := reference.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := CheckIndex(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	return x.Digest()
}

func decideAll(t testing.TB, docs []neardup.Document, cfg Config) (all []neardup.Decision, digest string) {
	t.Helper()
	sum, err := Dedup(context.Background(), Documents(docs), cfg, func(o Outcome) error {
		all = append(all, o.Decision)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, sum.Digest
}

// cut cuts documents into pieces at random places.
func cut(t *rapid.T, docs []neardup.Document) (pieces [][]neardup.Document) {
	for least := len(docs) / 4; len(docs) > 0; {
		n := rapid.IntRange(min(least+1, len(docs)), len(docs)).Draw(t, "piece")
		pieces, docs = append(pieces, docs[:n]), docs[n:]
	}
	return pieces
}

// A corpus that is added in pieces is decided as in one run. After removals the rest is as if only it had been added.
func TestAnyPiecesAndRemovalsAreOneRun(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		few, hot := joinFrom, leastMemory
		leastMemory = 1
		joinFrom = uint32(rapid.SampledFrom([]int{2, 256}).Draw(rt, "join from"))
		defer func() { joinFrom, leastMemory = few, hot }()
		m := shingled{.5, rapid.Bool().Draw(rt, "asymmetry")}
		cfg := Config{
			Method: m, Memory: rapid.SampledFrom([]int64{1 << 12, 1 << 24}).Draw(rt, "memory"),
			Workers: rapid.IntRange(1, 3).Draw(rt, "workers"), Tmp: t.TempDir(),
		}
		dir := filepath.Join(t.TempDir(), "index")
		if err := CreateIndex(dir, cfg, nil); err != nil {
			t.Fatal(err)
		}
		docs := randomDocs(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 120).Draw(rt, "documents"))
		var there []neardup.Document
		for _, piece := range cut(rt, docs) {
			got := addTo(t, dir, piece, cfg)
			there = append(there, piece...)
			want, digest := decideAll(t, there, cfg)
			if diff := gocmp.Diff(want[len(want)-len(got):], got); diff != "" {
				t.Fatalf("decided against the index, otherwise than in one run (-one +index):\n%s", diff)
			}
			if got := checked(t, dir); got != digest {
				t.Fatalf("the digest of the index is %s, that of one run %s", got, digest)
			}
			if rapid.Bool().Draw(rt, "remove") {
				there = removeSome(t, rt, dir, there, cfg)
			}
			if rapid.IntRange(0, 3).Draw(rt, "compact") == 0 {
				w := change(t, dir)
				if err := errors.Join(w.Compact(ctx, cfg.Tmp, cfg.Memory), w.Close()); err != nil {
					t.Fatal(err)
				}
				if w.Removed() > 0 {
					t.Fatalf("%d removed documents are still there", w.Removed())
				}
				checked(t, dir)
			}
		}
	})
}

// removeSome removes documents from an index and returns the others.
func removeSome(t *testing.T, rt *rapid.T, dir string, there []neardup.Document, cfg Config) []neardup.Document {
	share := rapid.SampledFrom([]float64{.05, .5}).Draw(rt, "share")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "removal"), 2))
	gone := map[string]bool{}
	left := slices.DeleteFunc(slices.Clone(there), func(d neardup.Document) bool {
		if rng.Float64() < share {
			gone[d.ID] = true
		}
		return gone[d.ID]
	})
	before, _ := decideAll(t, there, cfg)
	now := map[string]neardup.Decision{}
	for _, d := range before {
		now[d.ID] = d
	}
	w := change(t, dir)
	done, err := Remove(context.Background(), w, cfg, func(id string, _ int64) bool { return gone[id] }, func(d neardup.Decision) error {
		now[d.ID] = d
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	want, digest := decideAll(t, left, cfg)
	for _, d := range want {
		if diff := gocmp.Diff(d, now[d.ID]); diff != "" {
			t.Fatalf("without %d of %d documents (-decided anew +removed from the index):\n%s", len(gone), len(there), diff)
		}
	}
	if got := checked(t, dir); got != digest || done.Digest != digest || int(done.Removed) != len(there)-len(left) {
		t.Fatalf("the index has the digest %s, the removal of %d documents says %s, those that are left have %s", got, done.Removed, done.Digest, digest)
	}
	return left
}

func TestIndexesRefuseWhatIsUnlike(t *testing.T) {
	cfg := Config{Method: shingled{threshold: .5}}
	dir := filepath.Join(t.TempDir(), "index")
	if err := CreateIndex(dir, cfg, nil); err != nil {
		t.Fatal(err)
	}
	addTo(t, dir, randomDocs(1, 20), cfg)
	x, err := reference.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, test := range []struct {
		change func(*Config)
		says   string
	}{
		{func(c *Config) { c.Method = other{shingled{threshold: .5}} }, `records are not comparable: the index was made with shingled/1, this run uses other/2 ("shingled/1" against "other/2")`},
		{func(c *Config) { c.Clean = upper{} }, `records are not comparable: the texts of the index were normalised by "none", those of this run by "upper"`},
		{func(c *Config) { c.Link = Components }, "batch: components cannot be combined with an index"},
		{func(c *Config) { c.Audit = &audit.Config{} }, "batch: an audit cannot be combined with an index"},
	} {
		cfg := cfg
		cfg.Reference = x
		test.change(&cfg)
		_, err := Dedup(context.Background(), Documents(nil), cfg, func(Outcome) error { return nil })
		if fmt.Sprint(err) != test.says {
			t.Errorf("it says %v, want %s", err, test.says)
		}
	}
	if _, err := reference.Open(t.TempDir()); !errors.Is(err, reference.ErrNone) {
		t.Errorf("of an empty folder it says %v", err)
	}
	w := change(t, dir)
	defer w.Close()
	if _, err := reference.Change(dir); !errors.Is(err, reference.ErrLocked) {
		t.Errorf("a second writer is told %v", err)
	}
}

// Clusters against an index contain the new documents, a leader of the index first.
func TestClustersAgainstAnIndex(t *testing.T) {
	cfg := Config{Method: shingled{threshold: .5}, Tmp: t.TempDir()}
	dir := filepath.Join(t.TempDir(), "index")
	if err := CreateIndex(dir, cfg, nil); err != nil {
		t.Fatal(err)
	}
	docs := randomDocs(5, 200)
	addTo(t, dir, docs[:100], cfg)
	x, err := reference.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	cfg.Reference, cfg.Keep = x, Longest
	want, got := map[string][]string{}, map[string][]string{}
	leader, left, ofIndex := "", 0, 0
	cfg.Clusters = func(o Outcome, size int) error {
		left--
		if left < 0 {
			leader, left = o.ID, size-1
			if o.Item < 0 {
				ofIndex++
				if o.LeaderItem >= 0 || o.Known < 0 || docs[o.Known].ID != leader {
					t.Errorf("the leader is %+v", o)
				}
			} else if docs[100+o.Item].ID != leader || o.Known >= 0 {
				t.Errorf("the leader is %+v", o)
			}
			return nil
		}
		got[leader] = append(got[leader], fmt.Sprintf("%+v", o))
		return nil
	}
	_, err = Dedup(context.Background(), Documents(docs[100:]), cfg, func(o Outcome) error {
		if o.Decision.Decision == neardup.Duplicate {
			want[o.Leader] = append(want[o.Leader], fmt.Sprintf("%+v", o))
		}
		return nil
	})
	if err != nil || left != 0 || ofIndex < 3 || ofIndex == len(got) {
		t.Errorf("%d of %d clusters are led by the index, %d members are wanting: %v", ofIndex, len(got), left, err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("clusters are not what was decided (-decided +clusters):\n%s", diff)
	}
}

type other struct{ shingled }

func (other) Spec() neardup.Spec { return neardup.Spec{Method: "other", Version: 2} }

type upper struct{ asIs }

func (upper) String() string { return "upper" }

// The pairs of a corpus are exactly those within each piece and those of a piece with the index of all earlier
// ones.
func TestPairsAgainstAnIndex(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		least := leastMemory
		leastMemory = 1
		defer func() { leastMemory = least }()
		cfg := Config{
			Method: shingled{.5, rapid.Bool().Draw(rt, "asymmetry")}, Variants: rapid.Bool().Draw(rt, "variants"),
			Memory:  rapid.SampledFrom([]int64{1 << 12, 1 << 24}).Draw(rt, "memory"),
			Workers: rapid.IntRange(1, 3).Draw(rt, "workers"), Tmp: t.TempDir(),
		}
		pairs := func(docs []neardup.Document, x *reference.Index) (all []Pair) {
			c := cfg
			c.Reference = x
			if _, err := Pairs(ctx, Documents(docs), c, func(p Pair) error { all = append(all, p); return nil }); err != nil {
				rt.Fatal(err)
			}
			return all
		}
		dir := filepath.Join(t.TempDir(), "index")
		if err := CreateIndex(dir, cfg, nil); err != nil {
			t.Fatal(err)
		}
		docs := randomDocs(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 100).Draw(rt, "documents"))
		var got []Pair
		for _, piece := range cut(rt, docs) {
			x, err := reference.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, pairs(piece, x)...)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			addTo(t, dir, piece, cfg)
		}
		if diff := gocmp.Diff(pairs(docs, nil), got); diff != "" {
			rt.Fatalf("in pieces they are others: %s", diff)
		}
	})
}

// EachAgainst adds the postings of leaders under the same keys and no others, as a scan of the whole index
// shows.
func TestPostingsAgainstAnIndex(t *testing.T) {
	m := shingled{.5, true}
	cfg := Config{Method: m}
	dir := filepath.Join(t.TempDir(), "index")
	if err := CreateIndex(dir, cfg, nil); err != nil {
		t.Fatal(err)
	}
	docs := randomDocs(3, 400)
	for i := 0; i < 300; i += 100 {
		addTo(t, dir, docs[i:i+100], cfg)
	}
	gone := map[string]bool{}
	for _, d := range docs[:300:300] {
		gone[d.ID] = len(gone) < 30
	}
	w := change(t, dir)
	if _, err := Remove(t.Context(), w, cfg, func(id string, _ int64) bool { return gone[id] }, func(neardup.Decision) error { return nil }); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	x, err := reference.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	own, keys := NewPostings(t.TempDir(), 1<<20), map[uint64]bool{}
	defer own.Close()
	var want, got []Posting
	var rec neardup.Record
	for i, d := range docs[300:] {
		rec.Reset()
		m.Record(d.Text, &rec)
		for _, p := range AppendPostings(nil, &rec, 1<<32+Ordinal(i)) {
			keys[p.Key()] = true
			want = append(want, p)
			if own.Add(p) != nil {
				t.Fatal("a posting cannot be added")
			}
		}
	}
	err = x.Each(func(doc uint32, r *reference.Row) error {
		clean, err := x.Text(r)
		rec.Reset()
		m.Record(clean, &rec)
		if !r.Leads() || r.Blank {
			return err
		}
		for _, key := range rec.Index {
			if keys[key] {
				want = append(want, NewPosting(key, rec.Sketch, Ordinal(doc), Indexed))
			}
		}
		return err
	})
	if err == nil {
		err = own.EachAgainst(t.Context(), x, func(p Posting) error { got = append(got, p); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(got, func(a, b Posting) int { return cmp.Compare(a.Key(), b.Key()) }) {
		t.Error("they do not come by key")
	}
	for _, all := range [][]Posting{got, want} {
		slices.SortFunc(all, func(a, b Posting) int { return slices.Compare(a[:], b[:]) })
	}
	if !slices.Equal(got, want) || len(got) < 2*len(keys) {
		t.Errorf("%d postings, not %d, of %d keys", len(got), len(want), len(keys))
	}
}
