package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// Writer writes items in the format of the input, or as a [Table] if the name has the extension of another table format.
// Lines and rows are written byte for byte, under the header of the first table. Rows of Parquet and Arrow keep the schema.
// WARC records are written byte for byte, each as a gzip member. A directory gets a file for each input, under its relative
// name, and files that are one document are copied unchanged.
//
// The items must come from one Reader (or its Again), and be written in the order they were read. A Writer is for one
// goroutine at a time.
type Writer struct {
	Output
	write func(it Item, values ...any) error
}

// NewWriter starts an output for items of r: a file, "-" for standard output, or a new or empty directory. Inputs of the
// formats Files and HTML need a directory. Inputs of several formats need a Table or a directory. The output must not be an
// input. If its extension belongs to a format that cannot be written, the error wraps ErrName. In a Table, columns precede
// those of the records, and Write receives their values.
func NewWriter(path string, r *Reader, columns ...Column) (*Writer, error) {
	if err := r.CheckOutput(path); err != nil {
		return nil, err
	}
	format, err := r.outputFormat()
	to := FormatOf(path)
	table := len(columns) > 0 || to == XLSX || (to != format && slices.Contains(TableFormats(), to))
	switch {
	case isFolder(path) || (err == nil && format == Files && !table):
		d, err := r.CreateDir(path)
		if err != nil {
			return nil, err
		}
		s := &folderSink{AtomicDir: d, r: r, columns: columns}
		return &Writer{s, s.write}, nil
	case table:
		format = to
	case err != nil:
		return nil, err
	}
	if CheckName(path, format) != nil && !table {
		formats := slices.DeleteFunc(TableFormats(), func(f Format) bool { return f == format })
		return nil, fmt.Errorf("%w: %s (want %s, the format of the inputs, or %s)", ErrName, path, format, joined(formats))
	}
	f, err := CreateAtomic(path)
	if err != nil {
		return nil, err
	}
	return r.writerOf(f, r.inputs, format, table, columns)
}

// NewWriterTo starts an output to w for items of r. The inputs must not be files that are one document each.
func NewWriterTo(w io.Writer, r *Reader) (*Writer, error) {
	format, err := r.outputFormat()
	if err == nil && format == Files {
		err = fmt.Errorf("%w: format %s: each document is a file", ErrName, format)
	}
	if err != nil {
		return nil, err
	}
	return r.writerOf(NewStream(w), r.inputs, format, false, nil)
}

// isFolder reports whether a path names a directory.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return (err == nil && info.IsDir()) || (path != "" && os.IsPathSeparator(path[len(path)-1]))
}

// writerOf returns a writer for items of inputs to one file. After an error it aborts the file.
func (r *Reader) writerOf(f *AtomicFile, inputs []*input, format Format, table bool, columns []Column) (w *Writer, err error) {
	defer func() {
		if err != nil {
			f.Abort()
		}
	}()
	switch c := codecOf(r.opt.Codecs, format); {
	case table:
		t, err := NewTable(f, TableStyle{Raw: true}, r.opt.Codecs, columns...)
		if err == nil {
			err = t.suits(r, inputs)
		}
		s := &tableSink{AtomicFile: f, table: t, r: r, dec: r.NewDecoder()}
		f.last = s.end
		return &Writer{s, s.write}, err
	case c != nil && f.pack != nil:
		return nil, fmt.Errorf("%s: %s is not compressed as a whole", f.path, format)
	case c != nil:
		s := &rowSink{AtomicFile: f, rows: c.Create(f, f.path), first: inputs[0]}
		f.last = s.end
		return &Writer{s, s.write}, nil
	case format == JSON:
		s := &jsonSink{AtomicFile: f}
		f.last = s.end
		return &Writer{f, s.write}, nil
	case format == WARC:
		return &Writer{f, (&warcSink{AtomicFile: f}).write}, nil
	}
	s := &lineSink{AtomicFile: f, first: inputs[0], mixed: len(inputs) > 1 && format != JSONL}
	f.last = s.end
	return &Writer{f, s.write}, nil
}

// outputFormat returns the common format of all inputs. Formats with one record per file count as Files.
func (r *Reader) outputFormat() (Format, error) {
	format := func(in *input) Format {
		if in.format.isWhole() {
			return Files
		}
		return in.format
	}
	first := r.inputs[0]
	for _, in := range r.inputs {
		if format(in) != format(first) {
			return "", fmt.Errorf("%s is %s but %s is %s: several formats cannot be written to this output (want --out DIR/ or FILE.jsonl)",
				first.path, first.format, in.path, in.format)
		}
	}
	return format(first), nil
}

// CheckOutput returns an error if writing to one of the paths would overwrite an input, or if two paths are the same file.
// It ignores "" and "-".
func (r *Reader) CheckOutput(paths ...string) error {
	seen := map[string]bool{}
	for _, path := range paths {
		if path == "" {
			continue
		}
		out, outErr := os.Stat(path)
		abs, _ := filepath.Abs(path)
		if seen[abs] && (outErr != nil || out.Mode().IsRegular()) {
			return fmt.Errorf("two outputs would be written to %s", path)
		}
		seen[abs] = true
		if path == Stdin {
			continue
		}
		for _, in := range r.inputs {
			if in.path == Stdin {
				continue
			}
			inAbs, _ := filepath.Abs(in.path)
			same := inAbs == abs
			if outErr == nil && !same {
				info, err := os.Stat(in.path)
				same = err == nil && os.SameFile(out, info)
			}
			if same {
				return fmt.Errorf("output %s is an input", path)
			}
		}
	}
	return nil
}

// Write writes an item, after the values of the columns given to NewWriter.
func (w *Writer) Write(it Item, values ...any) error { return w.write(it, values...) }

// Only makes r read no values of rows that w copies by their numbers. No other user may get the items of r.
func (w *Writer) Only(r *Reader) {
	_, byNumber := w.Output.(*rowSink)
	r.bare = byNumber && !r.samples() && !r.opt.SkipDamaged // the reader needs values to skip rows
}

// Commit makes the output appear, whole and stored on disk.
func (w *Writer) Commit() error { return CommitAll(w) }

// lineSink writes lines and rows.
type lineSink struct {
	*AtomicFile
	first   *input // its header is written even if no row is kept
	from    *input
	header  []byte
	started bool
	open    bool // the last line has no line end

	mixed   bool   // the inputs may differ in charset
	charset string // charset of the first line that is not ASCII, and the position of that line
	told    string
}

func (s *lineSink) write(it Item, _ ...any) error {
	if s.from != it.in {
		if err := s.begin(it.in); err != nil {
			return err
		}
	}
	if err := s.oneCharset(it); err != nil {
		return err
	}
	return s.line(it.Raw)
}

// oneCharset returns an error if a line has another charset than the earlier lines, because no reader could read both.
func (s *lineSink) oneCharset(it Item) error {
	charset := cmp.Or(it.in.charset, "utf-8")
	if !s.mixed || charset == s.charset || !bytes.ContainsFunc(it.Raw, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return nil
	}
	if utf8.Valid(it.Raw) { // such lines are read as UTF-8
		charset = "utf-8"
	}
	if s.charset == "" {
		s.charset, s.told = charset, it.File
	}
	if charset != s.charset {
		return fmt.Errorf("%s is in %s but %s in %s: one output cannot have two charsets (use --format charset=NAME if both have one charset)",
			s.told, s.charset, it.File, charset)
	}
	return nil
}

// begin writes the header of the first table, and verifies that the other tables have the same.
func (s *lineSink) begin(in *input) error {
	s.from = in
	if !s.started {
		s.started, s.header = true, in.header
		if in.mark {
			if _, err := s.Write(utf8Mark); err != nil {
				return err
			}
		}
		return errors.Join(s.line(in.separator), s.line(in.header))
	}
	if !bytes.Equal(trimEnd(s.header), trimEnd(in.header)) {
		return fmt.Errorf("%s: its header differs from that of the earlier inputs", in.path)
	}
	return nil
}

func (s *lineSink) line(raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	if s.open {
		if _, err := s.Write(newline); err != nil {
			return err
		}
	}
	s.open = raw[len(raw)-1] != '\n'
	_, err := s.Write(raw)
	return err
}

func (s *lineSink) end() error {
	if s.started {
		return nil
	}
	return s.begin(s.first)
}

// warcSink writes WARC records, each after the warcinfo record that describes it.
type warcSink struct {
	*AtomicFile
	n    int
	info []byte
}

func (s *warcSink) write(it Item, _ ...any) error {
	if info := it.in.header; !bytes.Equal(info, s.info) {
		s.info = info
		if err := s.record(info); err != nil {
			return err
		}
	}
	return s.record(it.Raw)
}

// record writes a record as a gzip member.
func (s *warcSink) record(raw []byte) error {
	s.n++
	if s.n > 1 {
		if err := s.member(); err != nil {
			return err
		}
	}
	if _, err := s.Write(raw); err != nil {
		return err
	}
	_, err := s.Write([]byte("\r\n\r\n"))
	return err
}

// rowSink writes rows through a codec.
type rowSink struct {
	*AtomicFile
	rows  RowWriter
	first *input // provides the schema if no row is kept
	from  *input
	file  rowFile
}

// write writes a row, with the values of the own columns first.
func (s *rowSink) write(it Item, before ...any) error {
	if s.from != it.in {
		if err := s.begin(it.in); err != nil {
			return err
		}
	}
	if err := s.rows.Copy(it.Line-1, before...); err != nil {
		return fmt.Errorf("%s:%d: %w", it.File, it.Line, err)
	}
	return nil
}

func (s *rowSink) begin(in *input) error {
	f, err := in.openRows()
	if err != nil {
		return err
	}
	if err := s.rows.From(f, in.size); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", in.path, err)
	}
	s.closeFile()
	s.from, s.file = in, f
	return nil
}

func (s *rowSink) closeFile() {
	if s.file != nil {
		s.file.Close()
	}
}

func (s *rowSink) end() error {
	if s.from == nil {
		if err := s.begin(s.first); err != nil {
			return fmt.Errorf("%w%w", err, errUnread)
		}
	}
	defer s.closeFile()
	return s.rows.Close()
}

// errUnread marks the error about an input that cannot provide the schema for an output without rows.
var errUnread = errors.New("")

// Abort implements Output.
func (s *rowSink) Abort() {
	s.closeFile()
	s.AtomicFile.Abort()
}

// below reports whether path is dir or inside it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
