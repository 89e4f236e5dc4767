package passage

import (
	"context"
	"slices"
	"testing"

	"github.com/neardup/neardup/internal/external"
)

// Every row of a key that has several is returned once, alone or with those of its key. A row that is alone in
// its key is not.
func TestEachBucket(t *testing.T) {
	ctx := context.Background()
	j := newJob(Config{Memory: 8 << 20})
	defer j.disk.Close()
	sizes := []int{1, largeBucket + 1, 2, 1, 1, largeBucket, 3, 2*largeBucket + 7, largeBucket + 1, 1}
	rows := external.NewSorter[anchorRow](j.disk, j.memory(50))
	for key, n := range sizes {
		for at := n; at > 0; at-- {
			if err := rows.Add(anchorRow{uint64(key), uint64(at), uint64(key)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	sorted, err := rows.Sort()
	if err != nil {
		t.Fatal(err)
	}
	defer sorted.Close()
	got := make([][]uint64, len(sizes))
	add := func(r anchorRow) error { // a large bucket has no keys: the test's rows carry it twice
		got[r[2]] = append(got[r[2]], r[1])
		return nil
	}
	small := func(task []anchorRow) error {
		for _, r := range task {
			if sizes[r[0]] > largeBucket {
				t.Fatalf("a row of key %d, which has %d, is among small buckets", r[0], sizes[r[0]])
			}
			if err := add(r); err != nil {
				return err
			}
		}
		return nil
	}
	if err := j.eachBucket(ctx, sorted, small, func(b bucket) error { return b(add) }); err != nil {
		t.Fatal(err)
	}
	for key, n := range sizes {
		if n == 1 {
			n = 0
		}
		if len(got[key]) != n {
			t.Errorf("key %d of %d rows: %d are given", key, sizes[key], len(got[key]))
		}
		slices.Sort(got[key])
		for i, at := range got[key] {
			if at != uint64(i+1) {
				t.Fatalf("key %d: %d instead of %d", key, at, i+1)
			}
		}
	}
}
