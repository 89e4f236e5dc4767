package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// TestMemoryIsBounded: what a process takes, its own code and all, is what it
// was told to within a fifth, many times as much text though it reads.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory of its own")
	}
	in := filepath.Join(t.TempDir(), "in.jsonl")
	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var line []byte
	for i := range 80_000 {
		line = append(line[:0], `{"id":`+strconv.Itoa(i)+`,"text":"`...)
		for range 200 {
			line = strconv.AppendUint(append(line, ' '), rng.Uint64N(20000), 36)
		}
		if _, err := f.Write(append(line, "\"}\n"...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, most := range []int64{64, 128} {
		// The shell stands between because a process is told the peak of the one that started it, if that is more.
		out, err := exec.Command("sh", "-c", `neardup "$@" && :`, "sh", "dedup", "--json", "--method=minhash", "--memory="+strconv.FormatInt(most, 10)+"MiB", in).Output()
		var sum struct{ PeakMemoryBytes, TemporaryBytes int64 }
		if err == nil {
			err = json.Unmarshal(out, &sum)
		}
		if err != nil || sum.PeakMemoryBytes > most<<20*6/5 || sum.TemporaryBytes < 1<<20 {
			t.Errorf("in %d MiB: %d MiB, %d bytes on disk, %v", most, sum.PeakMemoryBytes>>20, sum.TemporaryBytes, err)
		}
	}
}
