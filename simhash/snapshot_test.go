package simhash

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// snapshot returns an index of some copies and its snapshot.
func snapshot(tb testing.TB, n int) (*Index, []byte) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	x := newIndex(tb, IndexOptions{K: 6, Expect: 1000})
	insertAll(tb, x, fill64(n, func(i int) uint64 { return rng.Uint64() >> (i % 3 * 30) }))
	var buf bytes.Buffer
	written, err := x.WriteTo(&buf)
	if err != nil || written != int64(buf.Len()) {
		tb.Fatalf("wrote %d of %d: %v", written, buf.Len(), err)
	}
	return x, buf.Bytes()
}

func entries(x *Index) []Neighbor {
	var all []Neighbor
	x.All(func(id, fp uint64) bool {
		all = append(all, Neighbor{ID: id, Fingerprint: fp})
		return true
	})
	slices.SortFunc(all, byID)
	return all
}

func TestSnapshotRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, snapshotBlock, 10_000} {
		x, data := snapshot(t, n)
		y, err := ReadIndex(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if y.Layout().String() != x.Layout().String() || y.Layout().K() != 6 || !slices.Equal(entries(x), entries(y)) {
			t.Errorf("%d entries: another index came back", n)
		}
	}
}

// Every byte counts: change or cut any and the snapshot is refused.
func TestDamagedSnapshotsAreRefused(t *testing.T) {
	_, data := snapshot(t, 40)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		_, err := ReadIndex(bytes.NewReader(bad))
		version := strings.Contains(fmt.Sprint(err), "version")
		if !errors.Is(err, ErrCorrupt) && !version || !version && !strings.Contains(err.Error(), "offset") {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err = ReadIndex(bytes.NewReader(data[:i])); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

type fullDisk struct{ left int }

var errFull = errors.New("no space")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestSnapshotToFullDisk(t *testing.T) {
	x, data := snapshot(t, 10_000)
	for _, room := range []int{0, 70_000, len(data) - 1} {
		if _, err := x.WriteTo(&fullDisk{room}); !errors.Is(err, errFull) {
			t.Errorf("room for %d: %v", room, err)
		}
	}
}

func FuzzReadIndex(f *testing.F) {
	_, data := snapshot(f, 5)
	f.Add(data)
	f.Add([]byte(snapshotMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := ReadIndex(bytes.NewReader(data))
		if err != nil {
			return
		}
		var buf bytes.Buffer
		if _, err := x.WriteTo(&buf); err != nil {
			t.Fatal(err)
		}
		y, err := ReadIndex(&buf)
		if err != nil || y.Len() != x.Len() {
			t.Fatalf("written and read again: %v", err)
		}
	})
}
