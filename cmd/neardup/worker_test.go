package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/worker"
)

// cluster runs stages, one run a part, the way an engine does that can group and
// sort and nothing else.
type cluster struct {
	t         *testing.T
	flags     []string
	parts     int
	processes bool // each run is one, else a call
}

// run gives each part of the lines to a process of its own.
func (c cluster) run(stage string, parts []string) []string {
	c.t.Helper()
	var out []string
	for _, in := range parts {
		if in == "" {
			continue
		}
		args := append([]string{"worker", stage}, c.flags...)
		var stdout, stderr bytes.Buffer
		if c.processes {
			cmd := exec.Command("neardup", args...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &stdout, &stderr
			if err := cmd.Run(); err != nil {
				c.t.Fatalf("worker %s: %v: %s", stage, err, stderr.String())
			}
		} else if code := run(c.t.Context(), args, strings.NewReader(in), &stdout, &stderr); code != exitDone {
			c.t.Fatalf("worker %s ends with %d: %s", stage, code, stderr.String())
		}
		out = append(out, strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")...)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// divide makes parts of lines by a number that each has.
func (c cluster) divide(lines []string, of func(i int, line string) int) []string {
	parts := make([]strings.Builder, c.parts)
	for i, line := range lines {
		b := &parts[of(i, line)%c.parts]
		b.WriteString(line)
		b.WriteByte('\n')
	}
	out := make([]string, c.parts)
	for i := range parts {
		out[i] = parts[i].String()
	}
	return out
}

func field(line string, i int) string { return strings.Split(line, "\t")[i] }

func number(line string, i int) int {
	n, err := strconv.Atoi(field(line, i))
	if err != nil {
		panic(err)
	}
	return n
}

func anyPart(i int, _ string) int { return i }

// digest decides documents by the stages.
func (c cluster) digest(docs []neardup.Document) string {
	var lines []string
	for i, d := range docs {
		lines = append(lines, fmt.Sprintf("%d\t%s", i, worker.Escape(d.Text)))
	}
	records := c.run("records", c.divide(lines, anyPart))
	copies := c.collapse(records)
	between := c.run("verify", c.blocks(withChecks(lines, records), c.candidates(records, copies)))
	chosen := c.run("lead", []string{sortedEdges(between)})
	return c.sum(docs, append(chosen, c.run("lead", []string{sortedEdges(ofCopies(copies, between, chosen))})...))
}

// withChecks puts between place and text the check of the text, by records that are in any order.
func withChecks(lines, records []string) []string {
	out := slices.Clone(lines)
	for _, r := range records {
		place := field(r, 0)
		out[number(r, 0)] = strings.Replace(lines[number(r, 0)], place+"\t", place+"\t"+field(r, 2)+"\t", 1)
	}
	return out
}

// collapse names the first document of the text of each copy.
func (c cluster) collapse(records []string) map[int]int {
	first, copies := map[string]int{}, map[int]int{}
	slices.SortFunc(records, func(a, b string) int { return cmp.Compare(number(a, 0), number(b, 0)) })
	for _, r := range records {
		if rep, ok := first[field(r, 1)]; ok {
			copies[number(r, 0)] = rep
		} else {
			first[field(r, 1)] = number(r, 0)
		}
	}
	return copies
}

// candidates groups the postings of distinct texts by key.
func (c cluster) candidates(records []string, copies map[int]int) []string {
	var postings []string
	post := func(r string, keys, role string) {
		for _, k := range strings.Fields(keys) {
			postings = append(postings, strings.Join([]string{k, field(r, 0), role, field(r, 4)}, "\t"))
		}
	}
	for _, r := range records {
		if _, is := copies[number(r, 0)]; is {
			continue
		}
		if probe := field(r, 6); probe == "=" {
			post(r, field(r, 5), "b")
		} else {
			post(r, field(r, 5), "i")
			post(r, probe, "p")
		}
	}
	slices.Sort(postings)
	found := c.run("bucket", c.divide(postings, func(_ int, p string) int { return int(p[0]) * int(p[7]) }))
	slices.Sort(found)
	return slices.Compact(found)
}

// blocks gives each later text with its candidates to one part.
func (c cluster) blocks(lines, candidates []string) []string {
	slices.Sort(candidates)
	var out []string
	for len(candidates) > 0 {
		later := number(candidates[0], 0)
		n := 0
		var pairs []string
		block := "t\t" + lines[later]
		for ; n < len(candidates) && number(candidates[n], 0) == later; n++ {
			block += "\nt\t" + lines[number(candidates[n], 1)]
			pairs = append(pairs, "c\t"+candidates[n])
		}
		out = append(out, block+"\n"+strings.Join(pairs, "\n"))
		candidates = candidates[n:]
	}
	return c.divide(out, anyPart)
}

// sortedEdges sorts edges as lead wants them.
func sortedEdges(edges []string) string {
	slices.SortFunc(edges, func(a, b string) int {
		return cmp.Or(cmp.Compare(number(a, 0), number(b, 0)), cmp.Compare(number(a, 1), number(b, 1)))
	})
	return strings.Join(append(edges, ""), "\n")
}

// ofCopies makes edges of copies: to their equal where it is a leader, else
// to the leaders before them that it is near.
func ofCopies(copies map[int]int, between, chosen []string) (edges []string) {
	removed := map[int]bool{}
	for _, e := range chosen {
		if !slices.Contains([]string{"variant", "unsure"}, field(e, 5)) {
			removed[number(e, 0)] = true
		}
	}
	partners := map[int][]string{} // other, and what was measured
	for _, e := range between {
		f := strings.SplitN(e, "\t", 3)
		partners[number(e, 0)] = append(partners[number(e, 0)], f[1]+"\t"+f[2])
		partners[number(e, 1)] = append(partners[number(e, 1)], f[0]+"\t"+f[2])
	}
	for of, rep := range copies {
		if !removed[rep] {
			edges = append(edges, fmt.Sprintf("%d\t%d\t1\t\t\tcopy\tany\tequal text", of, rep))
			continue
		}
		for _, p := range partners[rep] {
			if leader := number(p, 0); leader < of && !removed[leader] {
				edges = append(edges, fmt.Sprintf("%d\t%s", of, p))
			}
		}
	}
	return edges
}

// sum adds up the decisions, by parts and then the parts.
func (c cluster) sum(docs []neardup.Document, chosen []string) string {
	lines := make([]string, len(docs))
	for i, d := range docs {
		lines[i] = worker.Escape(d.ID) + "\tnew\t\t\t"
	}
	for _, e := range chosen {
		later, earlier := docs[number(e, 0)].ID, docs[number(e, 1)].ID
		if slices.Contains([]string{"variant", "unsure"}, field(e, 5)) {
			lines[number(e, 0)] = worker.Escape(later) + "\tnew\t\t\t" + worker.Escape(earlier)
		} else {
			lines[number(e, 0)] = worker.Escape(later) + "\tduplicate\t" + worker.Escape(earlier) + "\t" + field(e, 2) + "\t"
		}
	}
	parts := c.run("digest", c.divide(lines, anyPart))
	return c.run("digest", []string{strings.Join(parts, "\n") + "\n"})[0]
}

// readSet reads documents of the shared data, from and to counted.
func readSet(t *testing.T, name string, from, to int) (docs []neardup.Document) {
	t.Helper()
	r, err := corpus.Open([]string{shared.Path(t, name)}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dec := r.NewDecoder()
	for n := 0; n < to; n++ {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		var d neardup.Document
		if err == nil {
			err = dec.Decode(it, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n >= from {
			docs = append(docs, d)
		}
	}
	return docs
}

// The stages over parts of a set decide as dedup does, in which
// copies, chains and later leaders of copies occur.
func TestWorkersDecideAsDedup(t *testing.T) {
	sms := readSet(t, "uci_sms/docs.jsonl", 0, 2500)
	licences := readSet(t, "en_license_texts/docs.jsonl.zst", 0, 600)
	licences = append(licences, licences[100:300]...) // copies at the end
	for i := range licences {
		licences[i].ID = fmt.Sprintf("%d\t%s", i, licences[i].ID)
	}
	none := []neardup.Document{{ID: "none"}, {ID: "blank", Text: " \t\u3000"}, {ID: "none too"}} // not copies of each other
	sms, licences = slices.Insert(sms, 9, none...), slices.Insert(licences, 9, none...)
	for _, c := range []struct {
		method    string
		parts     int
		processes bool
		docs      []neardup.Document
	}{
		{"auto", 7, false, sms[:1500]}, {"ngram", 3, false, sms[:800]}, {"minhash", 2, true, licences},
		{"simhash", 5, false, licences}, {"exact", 2, false, sms[:300]},
	} {
		if testing.Short() {
			c.docs = c.docs[:len(c.docs)/2]
		}
		t.Run(c.method, func(t *testing.T) {
			m, err := methods.New(c.method)
			if err != nil {
				t.Fatal(err)
			}
			cfg := batch.Config{Method: m, Clean: text.Default()}
			sum, err := batch.Dedup(context.Background(), batch.Documents(c.docs), cfg, func(batch.Outcome) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			stages := worker.Stages{Method: m, Clean: text.Default()}
			run := cluster{t, []string{"--method", c.method, "--expect", stages.Contract()}, c.parts, c.processes}
			if got := run.digest(c.docs); got != sum.Digest || sum.Removed == 0 {
				t.Errorf("digest %s in %d parts, want %s (%d removed)", got, c.parts, sum.Digest, sum.Removed)
			}
			if sum.Blank != int64(len(none)) {
				t.Errorf("%d documents without text", sum.Blank)
			}
		})
	}
}
