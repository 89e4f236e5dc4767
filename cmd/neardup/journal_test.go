package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/server/api"
)

// A run that is killed leaves answers that the state does not know yet; the
// next run cuts them off and asks again.
func TestJournalGoesOnWhereItStopped(t *testing.T) {
	dir := t.TempDir()
	input, state, answers := filepath.Join(dir, "in"), filepath.Join(dir, "state"), filepath.Join(dir, "answers")
	if err := os.WriteFile(input, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := &streamFlags{state: state, answers: answers}
	begin := func() *journal {
		t.Helper()
		j, err := openJournal(&app{stdout: &bytes.Buffer{}}, flags, []string{input})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	answer := func(j *journal, seq uint64) {
		t.Helper()
		if err := j.answer(&api.Answer{Seq: seq}); err != nil {
			t.Fatal(err)
		}
	}
	j := begin()
	answer(j, 1)
	if err := j.advance(1); err != nil { // the first save comes at once
		t.Fatal(err)
	}
	answer(j, 2)
	if err := j.out.Flush(); err != nil { // written, but not in the state: killed here
		t.Fatal(err)
	}
	_ = j.answers.Close()

	j = begin()
	if j.Before != 1 || j.Items != 1 {
		t.Errorf("goes on at %d", j.Items)
	}
	answer(j, 3)
	if err := j.advance(1); err != nil {
		t.Fatal(err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(got, []byte("\n")); n != 2 || bytes.Contains(got, []byte(`"seq":2`)) {
		t.Errorf("answers:\n%s", got)
	}

	if err := os.Truncate(answers, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(&app{}, flags, []string{input}); err == nil {
		t.Error("answers that are shorter than the state says were taken")
	}
	flags.answers = ""
	if err := os.WriteFile(input, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(&app{}, flags, []string{input}); err == nil {
		t.Error("a state of other inputs was taken")
	}
}
