package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/neardup/neardup"
)

// Reader reads the records of its inputs in a fixed order. Next is for one goroutine at a time; other
// goroutines may call Progress.
type Reader struct {
	opt     Options
	fields  Fields
	columns []Column // columns of the inputs, for a Table that copies all of them; see readAll
	inputs  []*input
	at      int // index of the current input
	src     frames
	closer  io.Closer // closes src
	done    atomic.Int64
	total   int64
	seen    seenFields
	first   []byte // the first JSON object, for Names
	spool   *spool
	bare    bool     // rows of codecs are read without values
	given   int64    // number of records returned
	sampler *Decoder // nil until it is needed
}

// frames finds the records of one input. Next returns io.EOF at the end, or a *RejectError without a file name, after which
// the caller may continue. Any other error ends the input.
type frames interface {
	next() (raw []byte, line int64, err error)
}

// Open prepares to read files, directories (recursively, in the order of names), patterns (*, ?, [...]) and "-", which is
// opt.Stdin. It reads the beginning of each input whose name does not determine the format. It only reads regular files, up
// to their current length.
func Open(inputs []string, opt Options) (*Reader, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	files, err := resolve(inputs)
	if err != nil {
		return nil, err
	}
	r := &Reader{opt: opt, fields: opt.fields(), inputs: files}
	for _, in := range files {
		if err := r.prepare(in); err != nil {
			r.Close()
			return nil, err
		}
	}
	r.partition()
	if err := r.checkFields(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// prepare opens standard input and determines the format of an input.
func (r *Reader) prepare(in *input) error {
	if in.path == Stdin {
		if err := r.openStdin(in); err != nil {
			return err
		}
		r.total = -1
	}
	if r.total >= 0 {
		r.total += in.size
	}
	in.format = r.opt.formatOf(in)
	if in.format == Auto {
		err := r.detect(in)
		if _, ok := errors.AsType[ioError](err); ok && in.path == Stdin {
			return fmt.Errorf("%s: %w", in.path, err)
		}
		if err != nil {
			in.format = Files // Next will return the error at this input
		}
		if r.opt.Command != nil && errors.Is(err, errKind) {
			in.command, in.failed = true, nil
		}
	}
	in.partitions = partitions(in.path)
	in.command = in.command || (r.opt.Command != nil && r.opt.Format == Files)
	if in.command && in.path == Stdin {
		return errors.New("-: a command cannot read standard input (want a file)")
	}
	if err := r.opt.supports(in.format); err != nil {
		return fmt.Errorf("%s: %w", in.path, err)
	}
	if in.path == Stdin && (in.format == XLSX || codecOf(r.opt.Codecs, in.format) != nil) {
		return r.copyStdin(in)
	}
	return nil
}

func (r *Reader) openStdin(in *input) error {
	if r.opt.Stdin == nil {
		return errors.New("standard input is not given")
	}
	src := r.opt.Stdin
	if r.opt.SpoolDir != "" {
		var err error
		r.spool, err = newSpool(r.opt.SpoolDir, src)
		if err != nil {
			return err
		}
		src = r.spool
	}
	in.raw = src
	return nil
}

// Next returns the next record; io.EOF after the last. A *RejectError is for one bad record or, with Options.SkipDamaged,
// for the unreadable rest of one file; the caller records it and continues. Any other error ends the reading.
func (r *Reader) Next() (Item, error) {
	for r.opt.Limit == 0 || r.given < r.opt.Limit {
		it, err := r.record()
		if err == nil && !r.sampled(it) {
			continue
		}
		r.given++
		return it, err
	}
	return Item{}, io.EOF
}

func (r *Reader) samples() bool { return r.opt.Sample > 0 && r.opt.Sample < 1 }

// sampled reports whether a record is in the sample. Every record that cannot be decoded is.
func (r *Reader) sampled(it Item) bool {
	if !r.samples() {
		return true
	}
	if r.sampler == nil {
		r.sampler = r.NewDecoder()
	}
	var doc neardup.Document
	if r.sampler.Decode(it, &doc) != nil {
		return true
	}
	hash := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, r.opt.Seed), doc.Text...))
	return float64(binary.LittleEndian.Uint64(hash[:])>>11)/(1<<53) < r.opt.Sample
}

// record returns the next record of the inputs.
func (r *Reader) record() (Item, error) {
	for r.at < len(r.inputs) {
		in := r.inputs[r.at]
		if r.src == nil {
			var err error
			r.src, r.closer, err = r.frames(in)
			if err != nil {
				r.src = nil
				r.at++
				return Item{}, r.failure(in, 0, err)
			}
		}
		raw, line, err := r.src.next()
		if err == nil {
			if r.first == nil && (in.format == JSONL || in.format == JSON) {
				r.first = raw
			}
			return Item{File: in.path, Line: line, Raw: raw, in: in}, nil
		}
		if one, ok := err.(*RejectError); ok {
			one.File = in.path
			return Item{}, r.bad(one)
		}
		r.closer.Close()
		r.src = nil
		r.at++
		if err != io.EOF {
			return Item{}, r.failure(in, line, err)
		}
	}
	return Item{}, io.EOF
}

// Items yields the results of Next up to io.EOF. It continues after a *RejectError. Any other error is the last.
func (r *Reader) Items() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for {
			it, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(it, err) {
				return
			}
			if err != nil && Rejected(err) == nil {
				return
			}
		}
	}
}

// Documents yields the decoded items in the same way. A document is valid until the next one.
func (r *Reader) Documents() iter.Seq2[*neardup.Document, error] {
	return func(yield func(*neardup.Document, error) bool) {
		dec := r.NewDecoder()
		var doc neardup.Document
		for it, err := range r.Items() {
			if err == nil {
				err = dec.Decode(it, &doc)
			}
			if !yield(&doc, err) {
				return
			}
		}
	}
}

// ErrField is wrapped by the error of Next if a file lacks a required field. It ends the reading, because the
// setting is wrong, not a record.
var ErrField = errors.New("no column")

// Twice returns the error about a table that has two columns of a required name. It wraps ErrField.
func Twice(name string) error {
	return fmt.Errorf("%w %q with a unique name (rename the others, or name another field)", ErrField, name)
}

// seenFields records which fields the decoded JSON objects had. It has a bit for each of Fields.All, and one for any
// object.
type seenFields struct{ atomic.Uint32 }

const seenObject = 1 << 31

// mostExtra is the number of Options.Fields that are recorded.
const mostExtra = 16

// Unmet returns the required fields that no JSON object had so far. For tables, Next returns an error instead.
func (r *Reader) Unmet() (names []string) {
	had := r.seen.Load()
	if had&seenObject == 0 {
		return nil
	}
	all := r.fields.All()
	met := map[string]bool{}
	for i, f := range all[:fieldOthers] {
		met[f.Name] = met[f.Name] || had>>i&1 != 0
	}
	for i, f := range all[fieldOthers:] {
		if f.Required && i < mostExtra && had>>(fieldOthers+i)&1 == 0 {
			names = append(names, f.Name)
		}
	}
	for _, f := range all[:fieldOthers] {
		if f.Required && !met[f.Name] {
			names = append(names, f.Name)
		}
	}
	return names
}

// Names lists the fields of the first JSON object, for a message about a missing field.
func (r *Reader) Names() string { return r.NewDecoder().names(r.first) }

// ErrNoEffect is wrapped by the error of Open for an option that applies to no input.
var ErrNoEffect = errors.New("option without effect")

// ErrDamaged is wrapped by the error of Next about a file that cannot be read completely. It ends the reading unless
// Options.SkipDamaged is set.
var ErrDamaged = errors.New("the rest of the file cannot be read")

// bad returns the error about a record, or about the rest of its file.
func (r *Reader) bad(one *RejectError) error {
	if one.damaged && !r.opt.SkipDamaged {
		return fmt.Errorf("%s: %w", one.Error(), ErrDamaged) // not a RejectError, because the caller would continue after that
	}
	return one
}

// failure distinguishes errors that end the reading from errors that end one input.
func (r *Reader) failure(in *input, line int64, err error) error {
	var sick ioError
	if errors.As(err, &sick) || errors.Is(err, ErrField) {
		return fmt.Errorf("%s: %w", in.path, err)
	}
	var closed *fs.PathError
	if in.named && errors.As(err, &closed) {
		return err
	}
	reason := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		reason = "the file is truncated or damaged"
	}
	return r.bad(&RejectError{File: in.path, Line: line, Reason: reason, Err: err, damaged: !errors.Is(err, errKind)})
}

// checkFields rejects a named field if no input has fields, because the option would have no effect.
func (r *Reader) checkFields() error {
	format := r.inputs[0].format
	some := func(has func(Format) bool) bool {
		return slices.ContainsFunc(r.inputs, func(in *input) bool { return has(in.format) })
	}
	if r.opt.Delimiter != 0 && !some(Format.isCells) {
		return fmt.Errorf("%w: the delimiter %s of format %s", ErrNoEffect, delimiterName(r.opt.Delimiter), format)
	}
	if r.opt.Compare == TitleAndText && !some(func(f Format) bool { return f != Lines && f != Files }) {
		return fmt.Errorf("%w: no titles to compare in format %s", ErrNoEffect, format)
	}
	own := func(name string) bool { return !strings.HasSuffix(name, "?") && !r.opt.pixels(name) }
	for _, in := range r.inputs {
		if i := slices.IndexFunc(r.opt.Fields, own); i >= 0 && !in.format.hasFields() {
			return fmt.Errorf("%w: the field %q of format %s", ErrNoEffect, r.opt.Fields[i], in.format)
		}
	}
	if some(Format.hasFields) {
		return nil
	}
	o := &r.opt
	for _, f := range []struct{ kind, name string }{{"text", o.TextField}, {"id", o.IDField}, {"title", o.TitleField},
		{"url", o.URLField}, {"time", o.TimeField}, {"HTML", o.HTMLField}} {
		inHeader := format == WARC && f.kind == "id" // the id is a header field of a record
		if f.name != "" && !inHeader {
			return fmt.Errorf("%w: the %s field %q of format %s", ErrNoEffect, f.kind, f.name, format)
		}
	}
	return nil
}

// frames opens an input and returns its closer.
func (r *Reader) frames(in *input) (frames, io.Closer, error) {
	if c := codecOf(r.opt.Codecs, in.format); c != nil {
		f, err := r.openRows(in, c)
		return f, f, err
	}
	s, err := r.stream(in)
	if err != nil {
		return nil, nil, err
	}
	in.opened = nil // the returned closer closes it
	f, err := r.framesOf(in, s)
	if err != nil {
		s.Close()
	}
	return f, s, err
}

// stream opens the content of an input.
func (r *Reader) stream(in *input) (*stream, error) {
	if in.command {
		r.done.Add(in.size)
		return &stream{Reader: bytes.NewReader(nil)}, nil
	}
	if in.format != XLSX {
		return in.open(r.opt.MaxDecompressed, &r.done)
	}
	f, err := in.openRows()
	if err != nil {
		return nil, err
	}
	sheet, err := openSheet(f, in.size, r.opt.MaxDecompressed, r.opt.Sheet)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.done.Add(in.size)
	return &stream{Reader: sheet, close: []func() error{f.Close}}, nil
}

func (r *Reader) framesOf(in *input, s *stream) (frames, error) {
	switch in.format {
	case JSONL, Lines:
		return newLineFrames(in, s, r.opt.MaxDocument, r.opt.Charset)
	case JSON:
		return &jsonFrames{b: newBlocks(utf8Stream(s)), limit: r.opt.MaxDocument}, nil
	case CSV, TSV, XLSX:
		return newTableFrames(in, s, r.fields, r.opt)
	case Mbox:
		return &mailFrames{b: newBlocks(s), limit: r.opt.MaxDocument}, nil
	case WARC:
		return newWarcFrames(in, s, &r.opt), nil
	default:
		return &wholeFrames{s: s, size: in.size, limit: r.opt.MaxDocument}, nil
	}
}

// Progress returns the number of compressed bytes that were read, and the total size of the files. The total is -1 with
// standard input.
func (r *Reader) Progress() (done, total int64) { return r.done.Load(), r.total }

// Format returns the format of all inputs. ok is false if they differ.
func (r *Reader) Format() (Format, bool) {
	first := r.inputs[0].format
	if slices.ContainsFunc(r.inputs, func(in *input) bool { return in.format != first }) {
		return Auto, false
	}
	return first, true
}

// Inputs returns the paths of the files, in the order they are read.
func (r *Reader) Inputs() []string {
	paths := make([]string, len(r.inputs))
	for i, in := range r.inputs {
		paths[i] = in.path
	}
	return paths
}

// Relative returns the names of the inputs below a directory of outputs, in the order of Inputs. If one
// directory was named, they are the names below it, otherwise their paths.
func (r *Reader) Relative() []string {
	names := make([]string, len(r.inputs))
	for i, in := range r.inputs {
		names[i] = in.rel
	}
	return names
}

// Again returns a Reader of the same inputs, which yields the same items in the same order. It returns an error if the size
// or time of an input has changed. Standard input can be read again only if Options.SpoolDir is set; Again then reads it to
// its end first. Close the first Reader last.
func (r *Reader) Again() (*Reader, error) {
	again := &Reader{opt: r.opt, fields: r.fields, columns: r.columns, total: r.total}
	for _, in := range r.inputs {
		next := &input{path: in.path, rel: in.rel, size: in.size, time: in.time,
			strict: true, format: in.format, origin: in.origin}
		if in.path == Stdin {
			if r.spool == nil {
				return nil, errors.New("standard input cannot be read twice (want a directory for a copy)")
			}
			size, err := r.spool.drain()
			if err != nil {
				return nil, fmt.Errorf("standard input: %w", err)
			}
			next.raw = io.NewSectionReader(r.spool.file, 0, size)
			if in.copied != nil {
				next.copied = r.spool.file
			}
			again.spool = &spool{file: r.spool.file, size: size, shared: true}
		} else if err := next.unchanged(); err != nil {
			return nil, err
		}
		again.inputs = append(again.inputs, next)
	}
	return again, nil
}

func (in *input) unchanged() error {
	info, err := os.Stat(in.path)
	if err != nil {
		return err
	}
	if info.Size() != in.size || !info.ModTime().Equal(in.time) {
		return fmt.Errorf("%s: changed since it was first read", in.path)
	}
	return nil
}

// Close closes the open files and removes the copy of standard input.
func (r *Reader) Close() error {
	var err error
	if r.src != nil {
		err = r.closer.Close()
		r.src = nil
	}
	for _, in := range r.inputs[min(r.at, len(r.inputs)):] {
		if in.opened != nil {
			err = errors.Join(err, in.opened.Close())
			in.opened = nil
		}
	}
	r.at = len(r.inputs)
	if r.spool != nil && !r.spool.shared {
		r.spool.files.Close()
	}
	return err
}
