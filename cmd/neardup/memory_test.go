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
	var line, text []byte
	for i := range 80_000 {
		if i%4 > 0 { // each fourth repeats the one before
			text = text[:0]
			for range 200 {
				text = strconv.AppendUint(append(text, ' '), rng.Uint64N(20000), 36)
			}
		}
		line = append(append(append(line[:0], `{"id":`+strconv.Itoa(i)+`,"text":"`...), text...), "\"}\n"...)
		if _, err := f.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command []string
		most    int64
	}{
		{[]string{"dedup", "--method=minhash"}, 64},
		{[]string{"dedup", "--method=minhash"}, 128},
		{[]string{"passages"}, 64},
	} {
		// The shell stands between because a process is told the peak of the one that started it, if that is more.
		args := append([]string{"-c", `neardup "$@" && :`, "sh"}, test.command...)
		out, err := exec.Command("sh", append(args, "--json", "--memory="+strconv.FormatInt(test.most, 10)+"MiB", in)...).Output()
		var sum struct{ PeakMemoryBytes, TemporaryBytes int64 }
		if err == nil {
			err = json.Unmarshal(out, &sum)
		}
		if err != nil || sum.PeakMemoryBytes > test.most<<20*6/5 || sum.TemporaryBytes < 1<<20 {
			t.Errorf("%s in %d MiB: %d MiB, %d bytes on disk, %v", test.command[0], test.most, sum.PeakMemoryBytes>>20, sum.TemporaryBytes, err)
		}
	}
}
