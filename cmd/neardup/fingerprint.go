package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/inorder"
	"github.com/neardup/neardup/worker"
	"github.com/spf13/pflag"
)

type fingerprint struct {
	*app
	input       inputFlags
	method      methodFlags
	run         runFlags `flags:"workers rejects strict json quiet"`
	scheme, out string
	tsv, binary bool
}

// ready makes simhash the default.
func (f *fingerprint) ready(fs *pflag.FlagSet) {
	f.method.cfg.Name = "simhash"
	fs.Lookup("method").DefValue = f.method.cfg.Name
}

func (f *fingerprint) do(ctx context.Context, inputs []string) error {
	p, err := f.printer()
	if err != nil {
		return err
	}
	formats := []corpus.Format{corpus.JSONL}
	switch {
	case f.tsv:
		formats[0] = corpus.TSV
	case f.binary:
		formats = nil
	}
	return f.batchRun(&f.input, &f.run, inputs, "", []string{f.out}, func(r *corpus.Reader, rep *reporter) (func() error, error) {
		out := rep.open(f.out, formats...)
		if rep.err != nil {
			return nil, rep.err
		}
		sum := fingerprintSummary{Spec: p.spec}
		err := inorder.Map(ctx, f.run.workers, newSource(r).next, p.block, func(l lines) error {
			if err := rep.read(&l, &sum.Documents, &sum.Rejected); err != nil {
				return err
			}
			sum.Few += l.few
			rep.progress(batch.Progress{Phase: "read", Documents: sum.Documents})
			_, err := out.Write(l.text)
			return err
		})
		if err != nil {
			return nil, err
		}
		return func() error { return sum.tell(rep) }, rep.nothingRead(sum.Documents)
	})
}

// tell prints the summary.
func (sum fingerprintSummary) tell(rep *reporter) error {
	return rep.summarize(sum, sum.Rejected, func(w io.Writer) {
		rep.documents(w, sum.Documents, sum.Rejected)
		if sum.Few > 0 {
			fmt.Fprintf(w, "too short   %s have too few features for their fingerprints to say anything\n", grouped(sum.Few))
		}
		fmt.Fprintf(w, "spec        %s\n", sum.Spec)
		rep.effort(w)
	})
}

type fingerprintSummary struct {
	Documents int64  `json:"documents"`
	Rejected  int64  `json:"rejected"`
	Few       int64  `json:"few"`
	Spec      string `json:"spec"`
}

// lines is what becomes of a block of documents.
type lines struct {
	text      []byte
	documents int64
	few       int64
	rejects   []error
}

// printer prints documents; safe for concurrent use.
type printer struct {
	spec string
	// line appends what is printed of a document, and says whether it had
	// too few features.
	line func(dst []byte, doc *neardup.Document) (out []byte, few bool, err error)
}

func (p *printer) block(b *block) lines {
	var l lines
	b.each(func(it corpus.Item, doc *neardup.Document, err error) {
		var few bool
		if err == nil {
			l.text, few, err = p.line(l.text, doc)
			if err != nil {
				err = &corpus.RejectError{File: it.File, Line: it.Line, Reason: err.Error(), Err: err}
			}
		}
		if err != nil {
			l.rejects = append(l.rejects, err)
			return
		}
		l.documents++
		if few {
			l.few++
		}
	})
	return l
}

// printer checks the flags and makes the printer that they ask for.
func (f *fingerprint) printer() (*printer, error) {
	if f.tsv && f.binary {
		return nil, usage("--tsv and --binary exclude each other")
	}
	if f.input.format == string(corpus.Images) {
		return f.pictures()
	}
	if f.scheme == "" {
		m, n, err := f.method.method()
		if err != nil {
			return nil, err
		}
		source, err := simhashSource(m, n)
		if err != nil {
			return nil, err
		}
		return f.print(source), nil
	}
	if f.method.features.given() || f.method.cfg.Name != "simhash" {
		return nil, usage("--scheme has its own features, and none of --method, --idf, --stopwords, --dictionary")
	}
	if !f.cmd.Flags().Changed("normalize") {
		f.method.normalize = "none"
	}
	source, err := schemeSource(f.scheme, f.method.normalize)
	if err != nil {
		return nil, err
	}
	return f.print(source), nil
}

// fingerprintLine is what is printed of a document as JSON.
type fingerprintLine struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"`
	Few         bool   `json:"few,omitempty"`
	Method      string `json:"method,omitempty"`
	Scheme      string `json:"scheme,omitempty"`
	*pictureSize
	Spec string `json:"spec"`
}

// print makes the printer of fingerprints in the format asked for.
func (f *fingerprint) print(s fingerprints) *printer {
	return &printer{s.spec, func(dst []byte, doc *neardup.Document) ([]byte, bool, error) {
		v, err := s.of(doc.Text)
		if err != nil {
			return dst, false, err
		}
		digits := fmt.Sprintf("%016x", v.fp)
		switch {
		case f.binary:
			return binary.LittleEndian.AppendUint64(dst, v.fp), v.few, nil
		case f.tsv && v.few:
			return dst, true, nil
		case f.tsv:
			return appendf(dst, "%s\t%s\n", worker.Escape(doc.ID), digits), false, nil
		case v.none:
			digits = "00"
		}
		dst, err = appendJSON(dst, fingerprintLine{ID: doc.ID, Fingerprint: digits, Few: v.few, Method: s.method, Scheme: s.scheme, Spec: s.spec})
		return dst, v.few, err
	}}
}

// appendJSON appends a line of JSON.
func appendJSON(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(append(dst, b...), '\n'), err
}
