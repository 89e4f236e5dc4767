package main

import (
	"errors"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/interop"
)

// outputs are the results of one run: all of them appear, or none. Once one could not be begun, err says why,
// and those after it are nil.
type outputs struct {
	*app
	json  bool            // the summary goes to standard output
	begun []corpus.Output // in their order
	ends  []func() error  // what is done before they appear
	last  []corpus.Output // appear when all else has
	err   error
}

// begin begins an output at a path; its zero value where none is given.
func begin[O corpus.Output](o *outputs, path string, open func() (O, error)) (out O) {
	if path == "" || o.err != nil {
		return out
	}
	if path == corpus.Stdin {
		if o.json {
			o.err = usage("two results would go to standard output: give all but one of them, --json among them, a file")
			return out
		}
		o.json = true
	}
	made, err := open()
	if errors.Is(err, corpus.ErrName) {
		err = usage("%w", err)
	}
	if o.err = err; err != nil {
		return out
	}
	o.begun = append(o.begun, made)
	return made
}

// open begins a file of one of the formats, which its name may say, or standard output for "-".
func (o *outputs) open(path string, formats ...corpus.Format) *corpus.AtomicFile {
	return begin(o, path, func() (*corpus.AtomicFile, error) {
		if path == corpus.Stdin {
			return corpus.NewStream(o.stdout), nil
		}
		if err := corpus.CheckName(path, formats...); err != nil {
			return nil, err
		}
		return corpus.CreateAtomic(path)
	})
}

// records begins what takes records of r, in their format.
func (o *outputs) records(path string, r *corpus.Reader) *corpus.Writer {
	return begin(o, path, func() (*corpus.Writer, error) { return corpus.NewWriter(path, r) })
}

// forms begins what is told in the forms of other tools; label is what the command finds.
func (o *outputs) forms(f *writes, label string, r *corpus.Reader) (ws interopWriters) {
	add := func(path string, open func() (interop.Writer, error)) {
		if w := begin(o, path, open); w != nil {
			ws, o.ends = append(ws, w), append(o.ends, w.Close)
		}
	}
	add(f.path("dolma"), func() (interop.Writer, error) { return interop.NewDolma(f.path("dolma"), label, r) })
	add(f.path("datatrove"), func() (interop.Writer, error) { return interop.NewDatatrove(f.path("datatrove"), r) })
	add(f.path("removed"), func() (interop.Writer, error) { return interop.NewIDs(f.path("removed"), codecs) })
	return ws
}

// commit makes all appear.
func (o *outputs) commit() error {
	for _, end := range o.ends {
		if err := end(); err != nil {
			return err
		}
	}
	return corpus.CommitAll(append(o.begun, o.last...)...)
}

// abort removes what was not committed.
func (o *outputs) abort() {
	for _, out := range o.begun {
		out.Abort()
	}
}
