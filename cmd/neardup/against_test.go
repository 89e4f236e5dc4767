//go:build full

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

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/test/shared"
)

// pieceCase is a set of texts that is cut into pieces, which are added to an index one after the other.
type pieceCase struct {
	set, method string
	pieces      int
}

// pieceCases returns cases of real texts in random order.
func pieceCases() (all []pieceCase) {
	for _, set := range []string{"uci_sms/docs.jsonl", "en_license_texts/docs.jsonl.zst", "zh_tidb_docs_versions/docs.jsonl.zst", "zh_lctt_proofread/docs.jsonl.zst", "zh_laws/docs.jsonl.zst", "ota_terms_versions/docs.jsonl.zst"} {
		for _, method := range []string{"minhash", "auto", "weighted", "simhash", "ngram"} {
			for _, pieces := range []int{2, 5, 10} {
				if method != "ngram" || set == "uci_sms/docs.jsonl" { // edit similarity is for short texts
					all = append(all, pieceCase{set, method, pieces})
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(26, 2))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// A killed writer leaves an index as it was before or after the write, and all pieces together equal one run.
// NEARDUP_KILLS is the number of kills; 230 cover all cases.
func TestKilledAdditionsHappenOrDoNot(t *testing.T) {
	if testing.Short() {
		t.Skip("whole processes are killed: nothing for the race detector")
	}
	kills := 8
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_KILLS")); err == nil {
		kills = n
	}
	seed := uint64(time.Now().UnixNano()) // where a kill hits is chance anyway
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	done, cases := 0, pieceCases()
	for i := 0; done < kills; i++ {
		c := cases[i%len(cases)]
		t.Run(fmt.Sprintf("%s/%s/%d", c.set, c.method, c.pieces), func(t *testing.T) { done += c.killed(t, rng) })
	}
}

// killed adds the pieces, killing now and then, and returns how often.
func (c pieceCase) killed(t *testing.T, rng *rand.Rand) (kills int) {
	dir := t.TempDir()
	all := filepath.Join(dir, "all.jsonl")
	lines := linesOf(t, c.set, 150)
	write(t, all, bytes.Join(lines, nil))
	var one struct{ Digest string }
	begun := time.Now()
	runJSON(t, &one, "dedup", "--json", "--method", c.method, all)
	took := time.Since(begun)

	index, piece, before := filepath.Join(dir, "index"), filepath.Join(dir, "piece.jsonl"), ""
	for left := c.pieces; left > 0; left-- {
		n := len(lines)
		if left > 1 {
			n = rng.IntN(min(len(lines), 2*len(lines)/left+1))
		}
		write(t, piece, bytes.Join(lines[:n], nil))
		lines = lines[n:]
		if n == 0 {
			continue
		}
		args := []string{"dedup", "-q", "--method", c.method, "--against", index, "--add", piece}
		if rng.IntN(2) == 0 {
			args = append(args, "--resume", filepath.Join(dir, fmt.Sprint("left-", left)))
		}
		for added := false; !added; {
			cmd := exec.Command("neardup", args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killed := rng.IntN(3) == 0
			if killed {
				time.Sleep(time.Duration(rng.Int64N(int64(took))))
				_ = cmd.Process.Kill()
				kills++
			}
			if err := cmd.Wait(); err != nil && !killed {
				t.Fatal(err)
			}
			now := digestOfIndex(t, index)
			added = now != before
			if !added && !killed {
				t.Fatalf("a piece was added, and the digest stayed %q", before)
			}
			before = now
		}
	}
	if before != one.Digest {
		t.Fatalf("after %d kills the index has the digest %s, one run %s", kills, before, one.Digest)
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
	return kills
}

// linesOf returns the first lines of a set of the shared data.
func linesOf(t *testing.T, set string, most int) (lines [][]byte) {
	t.Helper()
	r, err := corpus.Open([]string{shared.Path(t, set)}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for it, err := range r.Items() {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, append(bytes.Clone(it.Raw), '\n'))
		if len(lines) == most {
			break
		}
	}
	return lines
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

// familyText returns a text of one of 150 families, mostly with a word of its own.
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
			walked++
			if !strings.Contains(string(script), "\n"+line) {
				t.Errorf("%s: the script does not run %q", name, line)
			}
		}
		if walked < least {
			t.Errorf("%s: %d commands were found", name, walked)
		}
	}
}
