package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/neardup/neardup/corpus"
)

// rejects are the records that a run rejected, as a person is told of them: each reason once, by
// the first record that has it. They are held until something could be read, because where nothing
// can the run's own error says it all.
type rejects struct {
	w       io.Writer // nil: nobody is told
	count   int64
	first   error
	reasons map[string]*repeated
	order   []*repeated
	shown   int
}

// repeated is the first record of a reason, and how many more have it.
type repeated struct {
	first *corpus.RejectError
	more  int64
}

// shownRejects is how many reasons are shown where no file takes the records.
const shownRejects = 5

// rejection is what is told of a record that was rejected.
func rejection(err error) *corpus.RejectError {
	return cmp.Or(corpus.Rejected(err), &corpus.RejectError{Reason: err.Error()})
}

func (r *rejects) add(err error) {
	if r.count++; r.count == 1 {
		r.first = err
	}
	one := rejection(err)
	if same := r.reasons[one.Reason]; same != nil {
		same.more++
		return
	}
	if len(r.order) > shownRejects { // one more is known, to say that there are more
		return
	}
	if r.reasons == nil {
		r.reasons = map[string]*repeated{}
	}
	r.reasons[one.Reason] = &repeated{first: one}
	r.order = append(r.order, r.reasons[one.Reason])
}

// waits reports whether there is a reason to show.
func (r *rejects) waits() bool { return r.w != nil && r.shown < len(r.order) }

// show prints the reasons that nobody was told of.
func (r *rejects) show() {
	for ; r.waits(); r.shown++ {
		if r.shown == shownRejects {
			fmt.Fprintln(r.w, "more records are rejected; --rejects FILE lists them all")
			continue
		}
		fmt.Fprintf(r.w, "rejected %s\n", oneLine(r.order[r.shown].first.Error()))
	}
}

// end shows what is left to show, and how many records were rejected for reasons shown before.
func (r *rejects) end() {
	r.show()
	for i, of := range r.order {
		if r.w != nil && i < shownRejects && of.more > 0 {
			at := *of.first
			at.Reason = grouped(of.more) + " more for the same reason"
			fmt.Fprintf(r.w, "rejected %s\n", oneLine(at.Error()))
		}
	}
}

// nothingRead is the error of a run that could read no document; nil where none was there.
func (r *rejects) nothingRead() error {
	switch {
	case r.count == 0:
		return nil
	case r.count == 1:
		return fmt.Errorf("nothing could be read: %w", r.first)
	case len(r.order) > 1:
		r.show()
	}
	return fmt.Errorf("nothing could be read: all %s records were rejected, the first: %w", grouped(r.count), r.first)
}

// strict is the error of a run under --strict.
func (r *rejects) strict() error {
	return fmt.Errorf("%s %w, the first: %w", grouped(r.count), errRejects, r.first)
}
