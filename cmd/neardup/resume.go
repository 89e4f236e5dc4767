package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/resume"
	"github.com/neardup/neardup/corpus"
	"github.com/spf13/pflag"
)

// resumeFlag says where a run leaves what it has done.
type resumeFlag struct {
	dir    string
	fs     *pflag.FlagSet // of the command
	folder *resume.Folder // nil: nothing is left
}

func (f *resumeFlag) add(fs *pflag.FlagSet) {
	f.fs = fs
	bind(fs, "", flags{"resume": &f.dir})
}

// open begins a run, or goes on with the one that was killed.
func (f *resumeFlag) open(r *corpus.Reader, cfg *batch.Config) error {
	if f.dir == "" {
		return nil
	}
	facts := []resume.Fact{{Name: "neardup", Value: version()}}
	for i, path := range r.Inputs() {
		if path == corpus.Stdin {
			return usage("--resume needs inputs that are files")
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		facts = append(facts, resume.Fact{
			Name:  fmt.Sprintf("input %d", i+1),
			Value: fmt.Sprintf("%s of %d bytes, changed at %s", path, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)),
		})
	}
	readingFlags().VisitAll(func(flag *pflag.Flag) {
		if given := f.fs.Lookup(flag.Name); given.Value.String() != given.DefValue {
			facts = append(facts, resume.Fact{Name: "--" + flag.Name, Value: given.Value.String()})
		}
	})
	folder, err := resume.Open(f.dir, facts...)
	if err != nil {
		return fmt.Errorf("--resume %w", err)
	}
	f.folder, cfg.Resume = folder, folder
	return nil
}

// readingFlags are those by which documents are read.
func readingFlags() *pflag.FlagSet {
	var f inputFlags
	fs := pflag.NewFlagSet("reading", pflag.ContinueOnError)
	f.add(fs)
	return fs
}

// settle removes what the run left, after the commit.
func (f *resumeFlag) settle() error {
	if f.folder == nil {
		return nil
	}
	return f.folder.Remove()
}

// finished says that a run had been committed when it was killed; any other error is returned.
func (f *resumeFlag) finished(a *app, err error) error {
	if !errors.Is(err, resume.ErrFinished) {
		return err
	}
	fmt.Fprintln(a.stderr, err)
	return f.settle()
}

func (f *resumeFlag) close() error {
	if f.folder == nil {
		return nil
	}
	return f.folder.Close()
}

// Pass passes over records that an earlier run has decoded, but for what it noted of them. Some
// are decoded until all fields that were asked for have been met.
func (b *block) Pass() {
	if b.notes == nil && b.lengths == nil && b.decoder.met.Load() {
		return
	}
	b.Decode(func(*neardup.Document, error) {})
	if len(b.decoder.r.Unmet()) == 0 {
		b.decoder.met.Store(true)
	}
}
