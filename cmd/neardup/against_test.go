package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An index survives what kills who writes it: it is as before or as after, and the
// pieces in the end are one run. NEARDUP_KILLS says how many kills.
func TestKilledAdditionsHappenOrDoNot(t *testing.T) {
	kills := 12
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) // where a kill hits is chance anyway
	const pieces = 4
	var all bytes.Buffer
	for i := range pieces {
		var piece bytes.Buffer
		for j := range 400 {
			fmt.Fprintf(&piece, "{\"id\":\"%d-%d\",\"text\":\"%s\"}\n", i, j, familyText(rng))
		}
		all.Write(piece.Bytes())
		write(t, filepath.Join(dir, fmt.Sprint(i, ".jsonl")), piece.Bytes())
	}
	write(t, filepath.Join(dir, "all.jsonl"), all.Bytes())
	var one struct{ Digest string }
	runJSON(t, &one, "dedup", "--method=minhash", "--json", filepath.Join(dir, "all.jsonl"))

	for done := 0; done < kills; {
		index := filepath.Join(dir, fmt.Sprint("index-", done))
		took := 40 * time.Millisecond
		for i := 0; i < pieces; i++ {
			before := digestOfIndex(t, index)
			cmd := exec.Command("neardup", "dedup", "-q", "--method=minhash", "--against", index, "--add", filepath.Join(dir, fmt.Sprint(i, ".jsonl")))
			begun := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killed := done < kills && rng.IntN(3) > 0
			if killed {
				time.Sleep(time.Duration(rng.Int64N(int64(took))))
				_ = cmd.Process.Kill()
				done++
			}
			if err := cmd.Wait(); err != nil && !killed {
				t.Fatal(err)
			} else if !killed {
				took = time.Since(begun)
			}
			if digestOfIndex(t, index) == before {
				if !killed {
					t.Fatalf("piece %d was added, and the digest stayed %s", i, before)
				}
				i-- // nothing of it is there: once more
			}
		}
		if got := digestOfIndex(t, index); got != one.Digest {
			t.Fatalf("after %d kills the index has the digest %s, one run %s", done, got, one.Digest)
		}
		// A kill after the last addition may have left files: the next change removes them.
		if out, err := exec.Command("neardup", "index", "compact", index).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := digestOfIndex(t, index); got != one.Digest {
			t.Fatalf("compact made the digest %s of %s", got, one.Digest)
		}
		if left, err := filepath.Glob(filepath.Join(index, ".*")); err != nil || len(left) > 0 {
			t.Errorf("%v is left of what was killed", left)
		}
	}
}

// digestOfIndex proves an index and returns its digest; "" where there is none.
func digestOfIndex(t *testing.T, index string) string {
	t.Helper()
	if !holdsIndex(index) {
		return ""
	}
	if out, err := exec.Command("neardup", "index", "check", index).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var info indexInfos
	runJSON(t, &info, "index", "info", "--json", index)
	if info.Documents == 0 {
		return "" // it has begun
	}
	return info.Digest
}

func runJSON(t *testing.T, to any, args ...string) {
	t.Helper()
	out, err := exec.Command("neardup", args...).Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if err := json.Unmarshal(out, to); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// familyText is a text of one of 150 families, mostly with a word of its own.
func familyText(rng *rand.Rand) string {
	family := rand.New(rand.NewPCG(rng.Uint64N(150), 9))
	words := make([]string, 40)
	for i := range words {
		words[i] = fmt.Sprint("w", family.IntN(5000))
	}
	if rng.IntN(3) > 0 {
		words[rng.IntN(len(words))] = fmt.Sprint("w", rng.IntN(5000))
	}
	return strings.Join(words, " ")
}

// The commands that pages of docs walk through are those of their scripts.
func TestWalkedCommandsAreRun(t *testing.T) {
	for name, least := range map[string]int{"against": 6, "contaminated": 4} {
		page, err := os.ReadFile("../../docs/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		script, err := os.ReadFile("testdata/script/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		walked := 0
		for line := range strings.Lines(string(page)) {
			if !strings.HasPrefix(line, "neardup ") {
				continue
			}
			if walked++; !strings.Contains(string(script), "\n"+line) {
				t.Errorf("%s: the script does not run %q", name, line)
			}
		}
		if walked < least {
			t.Errorf("%s: %d commands were found", name, walked)
		}
	}
}
