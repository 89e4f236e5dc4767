package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/resume"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/lockfile"
	"github.com/neardup/neardup/report"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

// blockBytes and blockItems bound what one worker decodes at a time.
const (
	blockBytes = 256 << 10
	blockItems = 1024
)

// source reads a corpus for the batch engine. Rejected records count as items, so that a second reading has
// the same numbers.
type source struct {
	r       *corpus.Reader
	decoder *decoders
	ended   bool
	items   int // number of items returned so far

	mostBytes, mostItems int // limits of a block
	passing
}

// passing holds the actions on documents while they are read. A nil field disables its action.
type passing struct {
	notes   *notes          // stores fields of the documents
	lengths *report.Lengths // counts the lengths of the documents
	copies  *bitmap         // items to leave out, because an earlier item has their text
}

func newSource(r *corpus.Reader) *source {
	return &source{r: r, mostBytes: blockBytes, mostItems: blockItems, decoder: &decoders{r: r, Pool: sync.Pool{New: func() any { return r.NewDecoder() }}}}
}

// decoders lends each worker a decoder of its own.
type decoders struct {
	sync.Pool
	r   *corpus.Reader
	met atomic.Bool // set when all requested fields have been found
}

// An entry is a record or the reason why it was rejected.
type entry struct {
	item   corpus.Item
	reject error
}

type block struct {
	entries []entry
	decoder *decoders
	first   int // index of the first entry
	passing
}

// Next returns the next records, a *block.
func (s *source) Next() (batch.Block, error) {
	if s.ended {
		return nil, io.EOF
	}
	b := &block{decoder: s.decoder, first: s.items, passing: s.passing}
	defer func() { s.items += len(b.entries) }()
	for bytes := 0; bytes < s.mostBytes && len(b.entries) < s.mostItems; {
		it, err := s.r.Next()
		switch {
		case err == nil, corpus.Rejected(err) != nil:
			b.entries = append(b.entries, entry{it, err})
			bytes += len(it.Raw)
		case errors.Is(err, io.EOF):
			s.ended = true
			if len(b.entries) == 0 {
				return nil, io.EOF
			}
			return b, nil
		default:
			return nil, err
		}
	}
	return b, nil
}

// errCopy marks a document that is left out because an earlier one has its text.
var errCopy = errors.New("a copy")

// Decode decodes the records and performs the actions of passing.
func (b *block) Decode(item func(*neardup.Document, error)) {
	var kept []note
	at := b.first
	b.each(func(_ *corpus.Decoder, _ corpus.Item, doc *neardup.Document, err error) {
		if b.notes != nil {
			kept = append(kept, b.notes.noteOf(doc))
		}
		if b.lengths != nil && doc != nil {
			b.lengths.Add(utf8.RuneCountInString(doc.Text))
		}
		if b.copies != nil && doc != nil && b.copies.has(at) {
			doc, err = nil, errCopy
		}
		at++
		item(doc, err)
	})
	if b.notes != nil {
		b.notes.put(b.first, kept)
	}
}

// each decodes the records and calls do with each record and its item.
func (b *block) each(do func(*corpus.Decoder, corpus.Item, *neardup.Document, error)) {
	dec := b.decoder.Get().(*corpus.Decoder)
	defer b.decoder.Put(dec)
	for _, e := range b.entries {
		var doc neardup.Document
		err := e.reject
		if err == nil {
			err = dec.Decode(e.item, &doc)
		}
		if err != nil {
			do(dec, e.item, nil, err)
			continue
		}
		do(dec, e.item, &doc, nil)
	}
	b.entries = nil
}

// resumeFlag is the flag --resume, the folder where a run saves its state.
type resumeFlag struct {
	dir    string
	fs     *pflag.FlagSet // flags of the command
	folder *resume.Folder // nil if the run saves nothing
}

func (f *resumeFlag) add(fs *pflag.FlagSet) {
	f.fs = fs
	bind(fs, "", flags{"resume": &f.dir})
}

// open begins a run or resumes an interrupted one.
func (f *resumeFlag) open(r *corpus.Reader, cfg *batch.Config) error {
	if f.dir == "" {
		return nil
	}
	facts := []resume.Fact{{Name: "neardup", Value: version()}}
	for i, path := range r.Inputs() {
		if path == corpus.Stdin {
			return usage("--resume: standard input cannot be read twice (want files)")
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

// readingFlags returns the flags for reading documents.
func readingFlags() *pflag.FlagSet {
	var f inputFlags
	var run runFlags
	fs := pflag.NewFlagSet("reading", pflag.ContinueOnError)
	f.add(fs)
	run.sample.add(fs)
	bind(fs, "", flags{"limit": &run.limit})
	return fs
}

// settle removes the state of the run after the commit.
func (f *resumeFlag) settle() error {
	if f.folder == nil {
		return nil
	}
	return f.folder.Remove()
}

// finished reports that an interrupted run had already been committed. It returns any other error.
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

// Pass skips records that an earlier run has decoded, unless notes or lengths need them. It decodes records
// until all requested fields have been found.
func (b *block) Pass() {
	if b.notes == nil && b.lengths == nil && b.decoder.met.Load() {
		return
	}
	b.Decode(func(*neardup.Document, error) {})
	if len(b.decoder.r.Unmet()) == 0 {
		b.decoder.met.Store(true)
	}
}

// sparkPrefix begins the names of temporary folders for Spark runs (50 MB with the command in them).
// python/src/neardup/spark/_folders.py uses the same prefix. Each side removes what killed processes of the
// other left.
const sparkPrefix = "neardup-spark-"

// heldLock is the file that the owner of a folder locks. The system releases the lock when the process ends.
const heldLock = ".lock"

// heldFolder makes a temporary folder of this process in tmp (default: the system's). It also removes folders
// with the same prefix whose process has ended. remove deletes the new folder.
func heldFolder(tmp, prefix string) (dir string, remove func() error, err error) {
	if tmp == "" {
		tmp = os.TempDir()
	}
	removeLeft(tmp, prefix)
	for {
		dir, err := os.MkdirTemp(tmp, prefix)
		if err != nil {
			return "", nil, err
		}
		unlock, err := lockfile.Lock(filepath.Join(dir, heldLock))
		if err == nil {
			return dir, func() error { return errors.Join(unlock(), os.RemoveAll(dir)) }, nil
		}
		if !errors.Is(err, lockfile.ErrLocked) && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		// Another process took the lock first and removed the folder as an abandoned one.
	}
}

// removeLeft removes folders whose owner has ended. It ignores folders that it cannot remove, such as those
// of other users.
func removeLeft(tmp, prefix string) {
	entries, _ := os.ReadDir(tmp)
	for _, e := range entries {
		dir := filepath.Join(tmp, e.Name())
		lock := filepath.Join(dir, heldLock)
		if _, err := os.Lstat(lock); err != nil || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !lockfile.Ours(info) {
			continue
		}
		if unlock, err := lockfile.Lock(lock); err == nil {
			_ = errors.Join(os.RemoveAll(dir), unlock())
		}
	}
}

// commandTime is the timeout of a command for one file.
const commandTime = time.Minute

// fileMark is the place of the file's name in a command.
const fileMark = "{}"

// textCommand returns a function that runs a command line for a file, without a shell, and returns at most `most` bytes of
// its output.
func textCommand(line string, most int64) (func(path string) (string, error), error) {
	words, err := commandWords(line)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(strings.Join(words[1:], " "), fileMark) {
		return nil, fmt.Errorf("%q: {} for the name of the file is missing (want for example 'pdftotext {} -')", line)
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	return func(path string) (string, error) {
		if strings.HasPrefix(path, "-") {
			path = "." + string(filepath.Separator) + path // so that the name is not taken for a flag
		}
		args := slices.Clone(words[1:])
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], fileMark, path)
		}
		ctx, stop := context.WithTimeout(context.Background(), commandTime)
		defer stop()
		out, said := limitedBuffer{most: most, stop: stop}, limitedBuffer{most: 4 << 10, stop: func() {}}
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &said, time.Second
		err := cmd.Run()
		switch {
		case out.over:
			return "", fmt.Errorf("%s: too much output (want at most %d bytes)", words[0], most)
		case ctx.Err() != nil:
			return "", fmt.Errorf("%s: timed out after %s", words[0], commandTime)
		case err != nil:
			return "", fmt.Errorf("%s: %w %s", words[0], err, oneLine(strings.TrimSpace(said.buf.String())))
		}
		s, _, err := text.Decode(out.buf.Bytes(), "")
		return s, err
	}, nil
}

// limitedBuffer keeps the first bytes that are written to it, and calls stop for more.
type limitedBuffer struct {
	buf  bytes.Buffer // not embedded: its ReadFrom has no limit
	most int64
	over bool
	stop func()
}

// Write writes p up to the limit.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	kept := min(int64(len(p)), b.most-int64(b.buf.Len()))
	if kept < int64(len(p)) {
		b.over = true
		b.stop()
	}
	b.buf.Write(p[:kept])
	return len(p), nil
}

var (
	commandWord = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
	quotedPart  = regexp.MustCompile(`"([^"]*)"|'([^']*)'`)
)

// commandWords splits a command line at spaces outside of quotes.
func commandWords(line string) (words []string, err error) {
	for _, word := range commandWord.FindAllString(line, -1) {
		words = append(words, quotedPart.ReplaceAllString(word, "$1$2"))
	}
	switch {
	case strings.ContainsAny(commandWord.ReplaceAllString(line, ""), `"'`):
		return nil, errors.New("a quote is not closed")
	case len(words) == 0:
		return nil, errors.New("empty")
	}
	return words, nil
}
