package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/server/api"
)

// A journal records how far a stream of files is processed, so that an interrupted run can resume. Recorded
// items were answered. Items answered after the last record are sent again and get the same answers.
type journal struct {
	progress
	Before  int64 // Items at the start
	path    string
	answers *os.File      // nil: standard output, or no answers
	out     *bufio.Writer // nil: answers are not written
	saved   time.Time
}

// progress is the content of the state file.
type progress struct {
	Server string      `json:"server"`
	Inputs []inputFile `json:"inputs"`
	Items  int64       `json:"records"`
	// Answers is the length of the answers file at this point.
	Answers int64 `json:"answerBytes"`
}

type inputFile struct {
	Path     string    `json:"path"`
	Size     int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
}

// saveEvery bounds the work that a crash may repeat.
const saveEvery = time.Second

func openJournal(a *app, f *streamFlags, inputs []string) (*journal, error) {
	j := &journal{path: f.state, progress: progress{Server: f.remote.server}}
	if j.path != "" {
		if err := j.load(inputs); err != nil {
			return nil, err
		}
	}
	switch f.answers {
	case "":
	case "-":
		j.out = bufio.NewWriter(a.stdout)
	default:
		if err := corpus.CheckName(f.answers, corpus.JSONL); err != nil {
			return nil, usage("%w", err)
		}
		file, err := reopen(f.answers, j.Answers)
		if err != nil {
			return nil, fmt.Errorf("--answers: %w", err)
		}
		j.answers, j.out = file, bufio.NewWriter(file)
	}
	return j, nil
}

// reopen opens a file and truncates it to the length in the state.
func reopen(path string, length int64) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	switch {
	case err != nil:
	case size < length:
		err = fmt.Errorf("%s is shorter than the state says", path)
	default:
		if err = file.Truncate(length); err == nil {
			_, err = file.Seek(length, io.SeekStart)
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// load reads the state and rejects a state of other inputs.
func (j *journal) load(inputs []string) error {
	for _, path := range inputs {
		info, err := os.Stat(path)
		if err != nil {
			return usage("--state needs inputs that are files: %w", err)
		}
		j.Inputs = append(j.Inputs, inputFile{path, info.Size(), info.ModTime().UTC()})
	}
	b, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--state: %w", err)
	}
	var old progress
	if err := json.Unmarshal(b, &old); err != nil {
		return fmt.Errorf("--state %s: %w", j.path, err)
	}
	if old.Server != j.Server || !slices.EqualFunc(old.Inputs, j.Inputs, func(a, b inputFile) bool {
		return a.Path == b.Path && a.Size == b.Size && a.Modified.Equal(b.Modified)
	}) {
		return usage("--state %s is of another server or of other inputs; delete it to begin anew", j.path)
	}
	j.progress, j.Before = old, old.Items
	return nil
}

// rejectsFile opens the file of rejected records. It truncates the file unless the run resumes.
func (j *journal) rejectsFile(path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if j.Before > 0 {
		mode = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	f, err := os.OpenFile(path, mode, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--rejects: %w", err)
	}
	return f, nil
}

func (j *journal) answer(a *api.Answer) error {
	if j.out == nil {
		return nil
	}
	b, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("write answers: %w", err)
	}
	n, err := j.out.Write(append(b, '\n'))
	j.Answers += int64(n)
	if err != nil {
		return fmt.Errorf("write answers: %w", err)
	}
	return nil
}

// advance records that items more records are done.
func (j *journal) advance(items int64) error {
	j.Items += items
	if time.Since(j.saved) < saveEvery {
		return nil
	}
	return j.save()
}

// save makes the answers durable and then the state.
func (j *journal) save() error {
	j.saved = time.Now()
	if j.out != nil {
		if err := j.out.Flush(); err != nil {
			return fmt.Errorf("write answers: %w", err)
		}
	}
	if j.path == "" {
		return nil
	}
	if j.answers != nil {
		if err := j.answers.Sync(); err != nil {
			return fmt.Errorf("write answers: %w", err)
		}
	}
	b, err := json.Marshal(j.progress)
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return replaceFile(j.path, append(b, '\n'), 0o644)
}

func (j *journal) close() error {
	err := j.save()
	if j.answers != nil {
		err = errors.Join(err, j.answers.Close())
	}
	return err
}
