package faults_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// TestCrashWithPictures crashes while articles with pictures are added, with 0 to 100 % of the unsynced data.
// Every answer, its pictures, and the common pictures must remain.
func TestCrashWithPictures(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s, err := pebble.Open(t.Context(), "data", small(fs))
	if err != nil {
		t.Fatal(err)
	}
	d := pictured(t, s)
	j := newJournal()
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 9))
			for n := 0; ctx.Err() == nil; n++ {
				if err := j.send(t.Context(), d, storetest.PicturedArticle(r, fmt.Sprint(c, "-", n))); err != nil {
					t.Errorf("add: %v", err)
					return
				}
			}
		})
	}
	var clones []clone
	for n := range 6 {
		for more := j.count() + 20; j.count() < more && !t.Failed(); {
			time.Sleep(20 * time.Microsecond)
		}
		answered := j.acknowledged()
		cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 100}[n%3], RNG: rand.New(rand.NewPCG(uint64(n), 3))}
		clones = append(clones, clone{fs.CrashClone(cfg), answered})
	}
	stop()
	clients.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	for _, c := range clones {
		picturesHold(t, c, maps.Clone(j.sent))
	}
}

func picturesHold(t *testing.T, c clone, sent map[string]docid.Submission) {
	t.Helper()
	report, err := pebble.Check(t.Context(), "data", pebble.Options{FS: c.fs})
	if err != nil || len(report.Problems) > 0 {
		t.Fatalf("check: %v, %v", report.Problems, err)
	}
	s, err := pebble.Open(t.Context(), "data", small(c.fs))
	if err != nil {
		t.Fatalf("open after a crash: %v", err)
	}
	defer s.Close()
	d := pictured(t, s)
	for nid, a := range c.acknowledged {
		if again, err := d.Evidence(t.Context(), a.Seq); err != nil || again.ID != nid || !reflect.DeepEqual(again.SameImages, a.SameImages) {
			t.Fatalf("change %d was %+v, now %+v, %v", a.Seq, a.Answer, again, err)
		}
	}
	storetest.ReplayAlone(t, d, "tenant", storetest.Pictured(), sent)
}

func pictured(t *testing.T, s docid.Store) *docid.Detector {
	t.Helper()
	d, err := docid.NewDetector(t.Context(), s, "tenant", storetest.Pictured())
	if err != nil {
		t.Fatalf("detector: %v", err)
	}
	return d
}
