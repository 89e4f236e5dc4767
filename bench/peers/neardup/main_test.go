package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sentence = "the quick brown fox jumps over the lazy dog and then runs away from the angry farmer "

func TestJobsFindThePlantedPair(t *testing.T) {
	texts := []string{
		strings.Repeat(sentence, 1) + "one two three four five six seven eight nine ten",
		"something else altogether, about ships and the sea, and about the men who sail them",
		strings.Repeat(sentence, 1) + "one two three four five six seven eight nine TEN!",
	}
	for _, job := range []string{"minhash-words", "minhash-runes+clean"} {
		run, err := newWork(job)
		if err != nil {
			t.Fatal(err)
		}
		pairs, err := run(texts)
		if err != nil || len(pairs) != 1 || pairs[0] != (pair{0, 2}) {
			t.Errorf("%s: %v, %v", job, pairs, err)
		}
	}
	for _, job := range []string{"simhash-chars", "simhash-words", "simhash-runes+clean"} {
		run, err := newWork(job)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run(texts); err != nil {
			t.Errorf("%s: %v", job, err)
		}
	}
	if _, err := newWork("bubble-sort"); err == nil {
		t.Error("a job that nobody knows was accepted")
	}
}

func TestMeasureWritesPairs(t *testing.T) {
	dir := t.TempDir()
	corpus, out := filepath.Join(dir, "corpus.jsonl"), filepath.Join(dir, "pairs.tsv")
	f, err := os.Create(corpus)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []document{{"x", sentence}, {"y", "no"}, {"z", sentence}} {
		if err := json.NewEncoder(f).Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := measure("minhash-words", corpus, out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil || string(got) != "id_a\tid_b\nx\tz\n" {
		t.Errorf("%q, %v", got, err)
	}
}
