package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/report"
)

// rejects are the records that a run rejected, by their reasons, as a page has them. A person is told
// each reason once, by the first record that has it, and not before something could be read, because
// where nothing can the run's own error says it all.
type rejects struct {
	w     io.Writer // nil: nobody is told
	count int64
	first error
	kinds []report.Reject // by their first
	shown int
}

const (
	shownRejects = 5  // reasons that are told where no file takes the records
	mostReasons  = 50 // that are told apart
	mostExamples = 3
)

// rejection is what is told of a record that was rejected.
func rejection(err error) *corpus.RejectError {
	return cmp.Or(corpus.Rejected(err), &corpus.RejectError{Reason: err.Error()})
}

func (r *rejects) add(err error) {
	if r.count++; r.count == 1 {
		r.first = err
	}
	one := rejection(err)
	i := slices.IndexFunc(r.kinds, func(x report.Reject) bool { return x.Reason == one.Reason })
	switch {
	case i >= 0:
	case len(r.kinds) == mostReasons:
		i = mostReasons - 1
		r.kinds[i].Reason = "other"
	default:
		i, r.kinds = len(r.kinds), append(r.kinds, report.Reject{Reason: one.Reason})
	}
	kind := &r.kinds[i]
	if kind.Count++; len(kind.Examples) < mostExamples {
		place := corpus.RejectError{File: one.File, Line: one.Line}
		kind.Examples = append(kind.Examples, strings.TrimSuffix(place.Error(), ": "))
	}
}

// list is for a page: the most frequent first.
func (r *rejects) list() []report.Reject {
	return slices.SortedStableFunc(slices.Values(r.kinds), func(a, b report.Reject) int { return cmp.Compare(b.Count, a.Count) })
}

// waits reports whether there is a reason to tell.
func (r *rejects) waits() bool { return r.w != nil && r.shown < min(len(r.kinds), shownRejects+1) }

// tell tells the reasons that nobody was told of.
func (r *rejects) tell() {
	for ; r.waits(); r.shown++ {
		if r.shown == shownRejects {
			fmt.Fprintln(r.w, "more records are rejected; --rejects FILE lists them all")
			continue
		}
		kind := r.kinds[r.shown]
		fmt.Fprintf(r.w, "rejected %s\n", oneLine(strings.TrimPrefix(kind.Examples[0]+": "+kind.Reason, ": ")))
	}
}

// end tells what is left to tell, and how many records were rejected for reasons told before.
func (r *rejects) end() {
	r.tell()
	for _, kind := range r.kinds[:min(len(r.kinds), shownRejects)] {
		if r.w != nil && kind.Count > 1 {
			fmt.Fprintf(r.w, "rejected %s: %s more for the same reason\n", oneLine(kind.Examples[0]), grouped(kind.Count-1))
		}
	}
}

// strictness is the flag --strict. Without it a run fails if most records are rejected.
type strictness struct{ set, on bool }

// Set takes a value.
func (s *strictness) Set(v string) (err error) {
	s.set = true
	s.on, err = strconv.ParseBool(v)
	return err
}

// String returns the value.
func (s *strictness) String() string { return strconv.FormatBool(s.on) }

// Type names the kind of value for the help.
func (s *strictness) Type() string { return "bool" }

// most is the error of a run most of whose records were rejected.
func (r *rejects) most(documents int64) error {
	return fmt.Errorf("most records were rejected, %s of %s, the first: %w; --strict=false takes the rest",
		grouped(r.count), grouped(r.count+documents), r.first)
}

// nothingRead is the error of a run that could read no document; nil where none was there.
func (r *rejects) nothingRead() error {
	switch {
	case r.count == 0:
		return nil
	case r.count == 1:
		return fmt.Errorf("nothing could be read: %w", r.first)
	case len(r.kinds) > 1:
		r.tell()
	}
	return fmt.Errorf("nothing could be read: all %s records were rejected, the first: %w", grouped(r.count), r.first)
}
