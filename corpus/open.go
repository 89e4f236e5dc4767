package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Stdin is the name of standard input among the inputs.
const Stdin = "-"

// input is one file to read.
type input struct {
	path   string // as the caller named it, or "-" for standard input
	rel    string // path of its output below the directory of the Writer
	size   int64  // in bytes; -1 for standard input
	time   time.Time
	strict bool // the file must be unchanged
	format Format
	alone  bool // the only input, and named by the caller
	named  bool // named by the caller, not found in a directory

	raw    io.Reader   // replaces the file
	copied io.ReaderAt // a copy of standard input, for a codec
	opened *stream     // standard input, which cannot be opened again
	origin

	// Set when the input is opened, before its first item.
	above
	header  []byte   // the header line of a table, or the last warcinfo record
	names   []string // names of a table's columns
	columns []int    // column of each field before Fields.Others; -1 if missing
	dialect dialect
	charset string // charset of a table or lines; "" is UTF-8, or detected for each line
}

// above holds what precedes the header of a table.
type above struct {
	mark      bool   // a byte order mark, which Excel needs
	separator []byte // the line that names the delimiter
}

// origin holds what Open finds out about an input.
type origin struct {
	failed     error             // the error of opening it, or the reason why it is not read
	command    bool              // Options.Command provides its text
	partitions map[string]string // fields named by its folders
}

// resolve finds the files of the inputs. The files of a directory are in the order of their names. A file that is named
// several times, or also by symbolic links, is read once, under its first name. Hard links are separate files, because
// removing one keeps the other.
func resolve(names []string) ([]*input, error) {
	w := &walk{seen: map[string]bool{}, single: len(names) == 1}
	for _, name := range names {
		if err := w.add(name); err != nil {
			return nil, err
		}
	}
	if len(w.inputs) == 0 {
		return nil, fmt.Errorf("no input files in %s", strings.Join(names, " "))
	}
	return w.inputs, nil
}

type walk struct {
	inputs []*input
	seen   map[string]bool
	single bool // only one name is given, so its directory is not part of rel
}

// add adds a file, a directory, standard input, or the files that a pattern matches.
func (w *walk) add(name string) error {
	if name == Stdin {
		return w.stdin()
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?[") {
		return w.glob(name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, bare(err))
	}
	if info.IsDir() {
		return w.dir(filepath.Clean(name))
	}
	return w.named(filepath.Clean(name), info)
}

// named adds a file that the caller named. If it cannot be opened, the run fails, even with SkipDamaged.
func (w *walk) named(path string, info fs.FileInfo) error {
	n := len(w.inputs)
	if err := w.file(path, realPath(path), info, ""); err != nil || len(w.inputs) == n {
		return err
	}
	w.inputs[n].named = true
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func (w *walk) stdin() error {
	if w.seen[Stdin] {
		return errors.New("standard input is named twice")
	}
	w.seen[Stdin] = true
	w.inputs = append(w.inputs, &input{path: Stdin, rel: "stdin", size: -1, alone: true, named: true})
	return nil
}

func (w *walk) glob(pattern string) error {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if len(names) == 0 {
		return fmt.Errorf("no file matches %q", pattern)
	}
	w.single = false
	for _, name := range names {
		if err := w.add(name); err != nil {
			return err
		}
	}
	return nil
}

// mark reports whether a name belongs to a file without records, such as Hadoop and Spark leave next to the files of a
// table.
func mark(name string) bool {
	return name == "_SUCCESS" || name == "_metadata" || name == "_common_metadata" ||
		strings.HasPrefix(name, "_committed_") || strings.HasPrefix(name, "_started_")
}

// dir adds the regular files below a directory. It skips hidden names, marks, and links to directories.
func (w *walk) dir(root string) error {
	real := realPath(root)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != root && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || mark(d.Name()) {
			return nil
		}
		info, err := os.Stat(path) // follows symbolic links to files
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		target := filepath.Join(real, below)
		if d.Type()&fs.ModeSymlink != 0 {
			target = realPath(path)
		}
		if !w.single {
			below = ""
		}
		return w.file(path, target, info, below)
	})
}

// file adds one file. target is the path without symbolic links. If rel is "", it is the path as named.
func (w *walk) file(path, target string, info fs.FileInfo, rel string) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file (%s)", path, kindOf(info.Mode()))
	}
	if w.seen[target] {
		return nil
	}
	w.seen[target] = true
	alone := rel == "" && w.single
	if rel == "" {
		rel = localName(path)
	}
	w.inputs = append(w.inputs, &input{path: path, rel: rel, alone: alone,
		size: info.Size(), time: info.ModTime()})
	return nil
}

// partitions returns the fields that the folders of a path name in the way of Spark and Hive, such as lang=en.
func partitions(path string) (fields map[string]string) {
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		name, value, ok := strings.Cut(part, "=")
		value, err := url.PathUnescape(value)
		if ok && name != "" && err == nil && value != "__HIVE_DEFAULT_PARTITION__" {
			if fields == nil {
				fields = map[string]string{}
			}
			fields[name] = value
		}
	}
	return fields
}

// partition makes fields that are named by folders optional in the files.
func (r *Reader) partition() {
	r.opt.Fields = slices.Clone(r.opt.Fields)
	for i, name := range r.opt.Fields {
		if slices.ContainsFunc(r.inputs, func(in *input) bool { return in.partitions[name] != "" }) {
			r.opt.Fields[i] += "?"
		}
	}
	r.fields = r.opt.fields()
}

// realPath returns an absolute path without symbolic links, as far as they can be followed. Paths in /dev/fd are unchanged,
// because they lead to files without a name.
func realPath(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

// localName returns a path without parts that lead out of a directory.
func localName(path string) string {
	path = filepath.Clean(path)[len(filepath.VolumeName(path)):]
	var keep []string
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part != "" && part != "." && part != ".." {
			keep = append(keep, part)
		}
	}
	return filepath.Join(keep...)
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe; give it as standard input"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "special"
}
