package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// result is the output of a run, with the fields of peer.py.
type result struct {
	Bytes     int     `json:"bytes"`
	Documents int     `json:"documents"`
	CPU       float64 `json:"cpu"`
	Pairs     int     `json:"pairs"`
}

// pair is a pair of documents, by number.
type pair struct{ a, b int }

// measure runs a job. It loads the corpus first, and measures only the work.
func measure(job, corpus, pairsPath string) error {
	documents, err := load(corpus)
	if err != nil {
		return err
	}
	work, err := newWork(job)
	if err != nil {
		return err
	}
	texts := make([]string, len(documents))
	out := result{Documents: len(documents)}
	for i, d := range documents {
		texts[i] = d.Text
		out.Bytes += len(d.Text)
	}
	start, err := cpu()
	if err != nil {
		return err
	}
	pairs, err := work(texts)
	if err != nil {
		return err
	}
	end, err := cpu()
	if err != nil {
		return err
	}
	out.CPU, out.Pairs = (end - start).Seconds(), len(pairs)
	if pairsPath != "" {
		if err := writePairs(pairsPath, documents, pairs); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// cpu returns the user and system time of all threads of the process.
func cpu() (time.Duration, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, fmt.Errorf("resource usage: %w", err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}

func load(path string) ([]document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var documents []document
	for records := json.NewDecoder(bufio.NewReaderSize(f, 1<<20)); ; {
		var d document
		if err := records.Decode(&d); err == io.EOF {
			return documents, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		documents = append(documents, d)
	}
}

func writePairs(path string, documents []document, pairs []pair) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "id_a\tid_b")
	for _, p := range pairs {
		fmt.Fprintf(w, "%s\t%s\n", documents[p.a].ID, documents[p.b].ID)
	}
	return first(w.Flush(), f.Close())
}
