package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"go.uber.org/goleak"
)

func TestComponentsAreConnectedComponents(t *testing.T) {
	for seed := range uint64(12) {
		m := shingled{threshold: .5}
		docs := randomDocs(seed, 150)
		_, digest := decideAll(t, docs, Config{Method: m, Link: Components})
		if _, other := decideAll(t, docs, Config{Method: m, Link: Components, Memory: 1 << 12}); other != digest {
			t.Errorf("seed %d: in little memory the digest is %s, else %s", seed, other, digest)
		}
		similar := similarTo(m, docs)
		root := make([]int, len(docs))
		for i := range docs {
			root[i] = i
			for j := range i {
				if _, near := similar(i, j); near {
					from, to := max(root[i], root[j]), min(root[i], root[j])
					for k := range i + 1 {
						if root[k] == from {
							root[k] = to
						}
					}
				}
			}
		}
		want, got := map[string]string{}, map[string]string{}
		for i, d := range docs {
			if root[i] != i {
				want[d.ID] = docs[root[i]].ID
			}
		}
		byID := map[string]int{}
		for i, d := range docs {
			byID[d.ID] = i
		}
		_, err := Dedup(context.Background(), Documents(docs), Config{Method: m, Link: Components}, func(o Outcome) error {
			if o.Decision.Decision == neardup.New {
				return nil
			}
			got[o.ID] = o.Leader
			s, near := similar(byID[o.ID], byID[o.Via])
			if !near || s != o.Similarity {
				t.Errorf("%s is said to be %v near %s; it is %v", o.ID, o.Similarity, o.Via, s)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: components differ from brute force (-want +got):\n%s", seed, diff)
		}
	}
}

func TestClustersHoldEveryDuplicateOnce(t *testing.T) {
	docs := randomDocs(3, 300)
	want, got := map[string][]string{}, map[string][]string{}
	leader, left := "", 0
	cfg := Config{Method: shingled{threshold: .5}, Clusters: func(o Outcome, size int) error {
		if left == 0 {
			leader, left = o.ID, size
			if o.Decision.Decision != neardup.New {
				t.Errorf("a cluster begins with %s, which is not a leader", o.ID)
			}
		} else {
			got[leader] = append(got[leader], o.ID)
		}
		left--
		return nil
	}}
	sum, err := Dedup(context.Background(), Documents(docs), cfg, func(o Outcome) error {
		if o.Leader != "" {
			want[o.Leader] = append(want[o.Leader], o.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("clusters differ from the decisions (-want +got):\n%s", diff)
	}
	if int(sum.Clusters) != len(want) || sum.Largest[0].Size < 2 {
		t.Errorf("the summary counts %d clusters, the largest of %d; there are %d", sum.Clusters, sum.Largest[0].Size, len(want))
	}
}

// A hot bucket of equal or alike texts must not cost all its pairs.
func TestHotBucketCostsNoAllPairs(t *testing.T) {
	const n = 20000
	docs := make([]neardup.Document, n)
	for i := range docs {
		docs[i] = neardup.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("one and the same long text but for its number %d at the end", i%5000)}
	}
	sum, err := Dedup(context.Background(), Documents(docs), Config{Method: shingled{threshold: .5}}, func(Outcome) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if sum.Kept != 1 || sum.Work.Verified > 3*5000 {
		t.Errorf("kept %d and compared %d pairs for 5,000 texts near one leader", sum.Kept, sum.Work.Verified)
	}
}

func TestCancelledRunEndsAndLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	stop := errors.New("stop")
	for _, after := range []int{0, 10, 500} {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		cfg := Config{Method: shingled{threshold: .5}, Memory: 1 << 14, Tmp: dir, Progress: func(Progress) {
			n++
			if n > after/100 {
				cancel()
			}
		}}
		_, err := Dedup(ctx, Documents(randomDocs(1, 2000)), cfg, func(Outcome) error { return stop })
		if !errors.Is(err, context.Canceled) && !errors.Is(err, stop) {
			t.Errorf("the run ends with %v", err)
		}
		cancel()
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v (%v)", left, err)
	}
}

type brokenSource struct{ good Source }

func (s *brokenSource) Next() (Block, error) {
	b, err := s.good.Next()
	if err != nil {
		return nil, errors.New("the disk is gone")
	}
	return b, nil
}

func TestErrorsOfTheSourceEndTheRun(t *testing.T) {
	defer goleak.VerifyNone(t)
	src := &brokenSource{Documents(randomDocs(1, 1000))}
	_, err := Dedup(context.Background(), src, Config{Method: shingled{threshold: .5}}, func(Outcome) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("the run ends with %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	leastMemory = MinMemory
	defer func() { leastMemory = 0 }()
	for want, cfg := range map[string]Config{
		"no method":                          {},
		"memory of 1 bytes: too small (want": {Method: shingled{}, Memory: 1},
		`batch: keep: "best": invalid (want`: {Method: shingled{}, Keep: "best"},
		`link "x": invalid`:                  {Method: shingled{}, Link: "x"},
	} {
		_, err := Dedup(context.Background(), Documents(nil), cfg, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

// TestNothingToRun checks that a missing argument is an error, not a panic.
func TestNothingToRun(t *testing.T) {
	cfg := Config{Method: shingled{}}
	for name, run := range map[string]func() error{
		"no source":    func() error { _, err := Dedup(t.Context(), nil, cfg, func(Outcome) error { return nil }); return err },
		"no source ":   func() error { _, err := Pairs(t.Context(), nil, cfg, func(Pair) error { return nil }); return err },
		"no callback":  func() error { _, err := Dedup(t.Context(), Documents(nil), cfg, nil); return err },
		"no callback ": func() error { _, err := Pairs(t.Context(), Documents(nil), cfg, nil); return err },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestResultDigestIsASum(t *testing.T) {
	a := neardup.Decision{ID: "a", Decision: neardup.New}
	b := neardup.Decision{ID: "b", Decision: neardup.Duplicate, Leader: "a", Similarity: .9}
	x, y, z := NewResultDigest(), NewResultDigest(), NewResultDigest()
	x.Add(a)
	x.Add(b)
	y.Add(b)
	y.Add(a)
	b.Similarity = .8
	z.Add(a)
	z.Add(b)
	if x.String() != y.String() || x.String() == z.String() {
		t.Errorf("digests %v %v %v: the order must not count, the similarity must", x, y, z)
	}
}
