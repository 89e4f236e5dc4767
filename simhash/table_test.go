package simhash

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tableOf returns a table of n fingerprints, each third without an id, and its file.
func tableOf(tb testing.TB, n int) (*Table, []byte) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	t, err := NewTable(6, "simhash/1 features=words:1")
	if err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		fp := rng.Uint64() >> (i % 3 * 30)
		if i%3 == 0 {
			err = t.Add(fp)
		} else {
			err = t.Put("id "+strconv.Itoa(i), fp)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return t, file(tb, t)
}

func file(tb testing.TB, t *Table) []byte {
	tb.Helper()
	var buf bytes.Buffer
	written, err := t.WriteTo(&buf)
	if err != nil || written != int64(buf.Len()) {
		tb.Fatalf("wrote %d of %d: %v", written, buf.Len(), err)
	}
	return buf.Bytes()
}

func ExampleTable() {
	t, err := NewTable(3, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = t.Put("a", 0xff)
	_ = t.Put("b", 0xfe)
	_ = t.Put("a", 0xf0) // in place of 0xff
	var file bytes.Buffer
	_, _ = t.WriteTo(&file)
	if t, err = ReadTable(&file); err != nil {
		fmt.Println(err)
		return
	}
	near, err := t.Near(nil, 0xf1, 3)
	for _, n := range near {
		fmt.Println(t.List().ID(int(n.ID)), n.Distance, err)
	}
	// Output:
	// a 1 <nil>
}

// TestTableAnswersAsAScan: after any puts and a way through the file, an answer
// is what a look at every entry finds.
func TestTableAnswersAsAScan(t *testing.T) {
	for _, n := range []int{0, 1, 3, 9_000} { // none, blocks of one, several blocks
		table, _ := tableOf(t, n)
		for i := range n / 2 {
			if err := table.Put("id "+strconv.Itoa(2*i), uint64(i)); err != nil { // known or not
				t.Fatal(err)
			}
		}
		read, err := ReadTable(bytes.NewReader(file(t, table)))
		if err != nil {
			t.Fatal(err)
		}
		if read.K() != 6 || read.Spec() != table.Spec() || !slices.Equal(read.List().Fingerprints, table.List().Fingerprints) {
			t.Fatalf("%d entries: another table came back", n)
		}
		for i, fp := range table.List().Fingerprints {
			if read.List().ID(i) != table.List().ID(i) {
				t.Fatalf("entry %d: id %q, want %q", i, read.List().ID(i), table.List().ID(i))
			}
			if i%50 != 0 {
				continue
			}
			want := scan(table.List().Fingerprints, fp, 4)
			slices.SortStableFunc(want, func(a, b Neighbor) int { return a.Distance - b.Distance })
			for _, x := range []*Table{table, read} {
				if got, err := x.Near(nil, fp, 4); err != nil || !slices.Equal(got, want) {
					t.Fatalf("near %x: %v, %v, want %v", fp, got, err, want)
				}
			}
		}
	}
}

func TestTableRefuses(t *testing.T) {
	if _, err := NewTable(8, ""); err == nil {
		t.Error("a table for distance 8")
	}
	if _, err := NewTable(3, strings.Repeat("x", 1<<16)); err == nil {
		t.Error("a spec that does not fit the file")
	}
	table, _ := tableOf(t, 0)
	for _, id := range []string{"", strings.Repeat("x", maxID+1)} {
		if table.Put(id, 1) == nil {
			t.Errorf("an id of %d bytes", len(id))
		}
	}
	if _, err := table.Near(nil, 0, 7); !errors.Is(err, ErrDistance) {
		t.Errorf("a table for 6 asked for 7: %v", err)
	}
}

// Every byte counts: change or cut any, or add one, and the file is refused.
func TestDamagedTablesAreRefused(t *testing.T) {
	_, data := tableOf(t, 40)
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		_, err := ReadTable(bytes.NewReader(bad))
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNewer) || errors.Is(err, ErrCorrupt) && !strings.Contains(err.Error(), "offset") {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err = ReadTable(bytes.NewReader(data[:i])); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := ReadTable(bytes.NewReader(append(data, 0))); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a byte too many: %v", err)
	}
	newer := bytes.Clone(data)
	binary.LittleEndian.PutUint16(newer[len(tableMagic):], tableVersion+1)
	if _, err := ReadTable(bytes.NewReader(newer)); !errors.Is(err, ErrNewer) {
		t.Errorf("the next version: %v", err)
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

func TestTableToFullDisk(t *testing.T) {
	table, data := tableOf(t, 10_000)
	for _, room := range []int{0, 70_000, len(data) - 1} {
		if _, err := table.WriteTo(&fullDisk{room}); !errors.Is(err, errFull) {
			t.Errorf("room for %d: %v", room, err)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	_, data := tableOf(f, 5)
	f.Add(data)
	f.Add([]byte(tableMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ReadTable(bytes.NewReader(data))
		if err != nil {
			return
		}
		again, err := ReadTable(bytes.NewReader(file(t, table)))
		if err != nil || again.List().Len() != table.List().Len() {
			t.Fatalf("written and read again: %v", err)
		}
	})
}
