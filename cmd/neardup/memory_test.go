//go:build full

package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestMemoryIsBounded checks that a process takes the memory it is given to within a fifth, its code
// included, although it reads many times as much text.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory of its own")
	}
	dir := t.TempDir()
	english, short, chinese := filepath.Join(dir, "en.jsonl"), filepath.Join(dir, "short.jsonl"), filepath.Join(dir, "zh.jsonl")
	inLetters := func(to []byte, word uint64) []byte { return strconv.AppendUint(append(to, ' '), word, 36) }
	writeRandomTexts(t, english, 80_000, 200, inLetters)
	writeRandomTexts(t, short, 30_000, 30, inLetters)
	writeRandomTexts(t, chinese, 15_000, 60, func(to []byte, word uint64) []byte {
		return utf8.AppendRune(to, rune(0x4E00+word))
	})
	// A program's file counts as far as the system maps it, and one that maps whole folios of its cache
	// may map all of a file that was just written.
	little := filepath.Join(dir, "little.jsonl")
	writeRandomTexts(t, little, 1, 1, inLetters)
	mapped, _, err := peakOf("dedup", "--method=minhash", little)
	if err != nil {
		t.Fatal(err)
	}
	mapped = max(0, mapped-ownPages)
	for _, test := range []struct {
		command string
		most    int64
		in      string
	}{
		{"dedup --method=minhash", 64, english},
		{"dedup --method=minhash", 128, english},
		{"passages", 64, english},
		{"dedup", 80, short},
		{"dedup", 80, chinese},
		{"dedup --method=weighted", 80, chinese},
	} {
		peak, onDisk, err := peakOf(append(strings.Fields(test.command), "--memory="+strconv.FormatInt(test.most, 10)+"MiB", test.in)...)
		if err != nil || peak > test.most<<20*6/5+mapped || onDisk < 1<<20 {
			t.Errorf("%s of %s in %d MiB: %d MiB, %d of them mapped without need, %d bytes on disk, %v",
				test.command, filepath.Base(test.in), test.most, peak>>20, mapped>>20, onDisk, err)
		}
	}
}

// peakOf runs the command, and returns the memory and disk that it reports.
func peakOf(args ...string) (memory, disk int64, err error) {
	// A shell starts the process, because a process inherits the peak of its parent if that is higher.
	out, err := exec.Command("sh", append([]string{"-c", `neardup "$@" --json && :`, "sh"}, args...)...).Output()
	var sum struct{ PeakMemoryBytes, TemporaryBytes int64 }
	if err == nil {
		err = json.Unmarshal(out, &sum)
	}
	return sum.PeakMemoryBytes, sum.TemporaryBytes, err
}

// writeRandomTexts writes n documents of some of 20,000 words, of which each fourth repeats the one before.
func writeRandomTexts(t *testing.T, path string, n, words int, add func(to []byte, word uint64) []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var line, text []byte
	for i := range n {
		if i%4 > 0 {
			text = text[:0]
			for range words {
				text = add(text, rng.Uint64N(20000))
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
}
