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
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/batch/resume"
	"github.com/spf13/pflag"
)

// A run that is killed (NEARDUP_KILLS times per method) and resumed writes the same bytes as an uninterrupted
// run, and leaves nothing else.
func TestKilledRunsGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("whole processes are killed: nothing for the race detector")
	}
	kills := 6
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_KILLS")); err == nil {
		kills = n
	}
	seed := uint64(time.Now().UnixNano()) // where a kill hits is chance anyway
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	outputs := []string{"kept.jsonl", "decisions.jsonl", "clusters.jsonl", "groups.csv", "rejects.jsonl"}
	for method, documents := range map[string]int{"minhash": 2000, "auto": 500, "simhash": 2000, "ngram": 100} {
		t.Run(method, func(t *testing.T) {
			in := filepath.Join(t.TempDir(), "all.jsonl")
			var all bytes.Buffer
			for i := range documents {
				if i%50 == 7 {
					fmt.Fprintln(&all, "no JSON")
				}
				fmt.Fprintf(&all, "{\"id\":\"%d\",\"text\":\"%s\"}\n", i, familyText(rng))
			}
			write(t, in, all.Bytes())
			command := func(to string, more ...string) *exec.Cmd {
				args := append([]string{"dedup", in, "--json", "--audit=on", "--method", method}, more...)
				for i, flag := range []string{"--out=", "--decisions=", "--write=clusters,relation,text:", "--write=groups:", "--rejects="} {
					args = append(args, flag+filepath.Join(to, outputs[i]))
				}
				return exec.Command("neardup", args...)
			}
			want, begun := t.TempDir(), time.Now()
			undisturbed := summaryOf(t, command(want))
			took := time.Since(begun)
			for done := 0; done < kills; {
				got, left := t.TempDir(), filepath.Join(t.TempDir(), "left")
				for range 1 + rng.IntN(3) {
					cmd := command(got, "--resume", left)
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Duration(rng.Int64N(int64(took))))
					_ = cmd.Process.Kill()
					_ = cmd.Wait()
					done++
				}
				if sum := summaryOf(t, command(got, "--resume", left)); sum != undisturbed {
					t.Errorf("the summary is\n%s\nof the run that was not killed\n%s", sum, undisturbed)
				}
				for _, name := range outputs {
					a, b := read(t, filepath.Join(want, name)), read(t, filepath.Join(got, name))
					if !bytes.Equal(a, b) {
						t.Errorf("%s differs", name)
					}
				}
				if entries, err := os.ReadDir(left); err != nil || len(entries) > 0 {
					t.Errorf("%v is left: %v", entries, err)
				}
			}
		})
	}
}

func TestOneRunAFolder(t *testing.T) {
	dir := t.TempDir()
	folder, err := resume.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	in := filepath.Join(t.TempDir(), "in.txt")
	write(t, in, []byte("a text\n"))
	out, err := exec.Command("neardup", "dedup", in, "--resume", dir).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("another run is using the folder")) {
		t.Errorf("a second run says %s, %v", out, err)
	}
}

// A new flag of dedup must be a fact of a run, by which another is refused, or change no decision.
func TestFlagsAreFactsOrChangeNoDecision(t *testing.T) {
	known := map[string]bool{}
	for name := range strings.FieldsSeq("keep link per overrides normalize against " + // facts of the engine
		"add audit config decisions dry-run help json memory out overwrite quiet rejects resume size-field strict tmp workers write") {
		known[name] = true
	}
	readingFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	parts := pflag.NewFlagSet("method", pflag.ContinueOnError) // of the method's spec
	new(methodFlags).add(parts)
	parts.VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	new(app).command(verbSpec{"dedup", "", dedup{}}).Flags().VisitAll(func(f *pflag.Flag) {
		if !known[f.Name] {
			t.Errorf("--%s: does a run with --resume depend on it?", f.Name)
		}
	})
}

// summaryOf runs a command and returns its summary, without times and what depends on them.
func summaryOf(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	var sum map[string]any
	if err := json.Unmarshal(out, &sum); err != nil {
		t.Fatal(err)
	}
	var kept []string
	for name, value := range sum {
		if slices.Contains([]string{"method", "documents", "texts", "kept", "removed", "equal", "clusters", "largest", "work", "digest"}, name) {
			kept = append(kept, fmt.Sprint(name, ": ", value))
		}
	}
	slices.Sort(kept)
	return fmt.Sprint(kept)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
