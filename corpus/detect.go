package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/neardup/neardup/text"
)

// byExtension maps file extensions to formats.
var byExtension = map[string]Format{
	".jsonl": JSONL, ".ndjson": JSONL, ".jsonlines": JSONL, ".ldjson": JSONL, ".csv": CSV, ".tsv": TSV, ".tab": TSV,
	".parquet": Parquet, ".pq": Parquet, ".arrow": Arrow, ".arrows": Arrow, ".feather": Arrow, ".ipc": Arrow,
	".html": HTML, ".htm": HTML, ".xhtml": HTML, ".warc": WARC, ".xlsx": XLSX, ".xlsm": XLSX, ".mbox": Mbox, ".eml": Eml, ".docx": Docx,
}

// FormatOf returns the format for the extension of a name, before any .gz or .zst. It returns "" if the extension shows
// none.
func FormatOf(name string) Format { return byExtension[extension(name)] }

// extension returns the extension of a name in lower case, before any .gz or .zst.
func extension(name string) string {
	name = strings.ToLower(name)
	for _, c := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, c)
	}
	return path.Ext(name)
}

// ErrName is wrapped by the error about an output whose extension belongs to another format.
var ErrName = errors.New("the name of an output has another format")

// CheckName returns an error if the extension of an output's name belongs to another format, or to a kind of
// file that this package never writes. Without formats any name is valid.
func CheckName(name string, formats ...Format) error {
	says := []Format{FormatOf(name)}
	switch ext := strings.ToLower(path.Ext(name)); {
	case len(formats) == 0:
		return nil
	case ext == ".json":
		says = []Format{JSON, JSONL}
	case slices.Contains(unwritten, ext):
		says[0] = Format(ext[1:])
	case says[0] == "":
		return nil
	}
	if slices.ContainsFunc(says, func(f Format) bool { return slices.Contains(formats, f) }) {
		return nil
	}
	return fmt.Errorf("%w: %s (want %s)", ErrName, name, joined(formats))
}

// unwritten lists extensions of tables and texts of other programs.
var unwritten = []string{".xls", ".ods", ".docx", ".doc", ".pdf", ".xml", ".avro", ".orc", ".db", ".sqlite", ".zip", ".xz", ".bz2"}

// joined lists the names of formats.
func joined(formats []Format) string {
	var names []string
	for _, f := range formats {
		names = append(names, string(f))
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " or " + names[n]
	}
	return strings.Join(names, "")
}

// formatOfMagic recognizes the binary formats by their first bytes. An Arrow stream begins with a marker and the length of
// the schema.
func formatOfMagic(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return Parquet
	case bytes.HasPrefix(head, []byte("ARROW1")):
		return Arrow
	case len(head) > 8 && bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")) && head[7] == 0:
		return Arrow
	}
	return ""
}

// formatOfHead returns the format of content that begins with head, or "" for plain text.
func formatOfHead(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("WARC/")):
		return WARC
	case bytes.HasPrefix(head, fromLine) && bytes.Contains(head, []byte("\nFrom: ")):
		return Mbox
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	head = bytes.TrimLeft(head, " \t\r\n")
	if f := jsonOfHead(head); f != "" {
		return f
	}
	lower := bytes.ToLower(head[:min(len(head), 64)])
	for _, p := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(lower, []byte(p)) {
			return HTML
		}
	}
	return ""
}

// jsonOfHead distinguishes one JSON object per line from JSON that spans lines.
func jsonOfHead(head []byte) Format {
	if len(head) < 2 || (head[0] != '{' && head[0] != '[') {
		return ""
	}
	in := bytes.TrimLeft(head[1:], " \t\r\n")
	switch {
	case len(in) == 0:
		return ""
	case head[0] == '[' && (in[0] == '{' || in[0] == ']'):
		return JSON
	case head[0] == '[' || (in[0] != '"' && in[0] != '}'):
		return ""
	}
	line, _, whole := bytes.Cut(head, newline)
	var s jsonScan
	err := s.object(trimEnd(line), func([]byte) error { return s.skip() })
	if whole && errors.Is(err, errJSONEnd) {
		return JSON
	}
	return JSONL
}

// wholeJSON reports whether a file with a JSONL name holds an array, or objects that span lines. In the latter case, the
// first line is not an object, and the next begins with a key.
func wholeJSON(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if jsonOfHead(head) != JSON {
		return false
	}
	_, next, _ := bytes.Cut(head, newline)
	return head[0] == '[' || bytes.HasPrefix(bytes.TrimLeft(next, " \t\r\n"), []byte{'"'})
}

// detect sets the format of an input if the option is Auto. A text file without a known extension is one document. If the
// only input has no telling name, or is standard input, each line is a document.
func (r *Reader) detect(in *input) error {
	in.format = FormatOf(in.path)
	if in.format != "" && in.format != JSONL {
		return nil
	}
	head, err := r.peek(in)
	if in.format == JSONL {
		if err == nil && wholeJSON(head) {
			in.format = JSON
			r.opt.Warn(in.path, "named JSONL, but read as JSON, because its objects are in an array or span several lines")
		}
		return nil
	}
	if err != nil {
		return err
	}
	if err := refuse(head, r.opt.Format); err != nil { // a compressed file
		in.failed = err
		return err
	}
	magic := formatOfMagic(head)
	head = readable(head, r.opt.Charset)
	in.format = cmp.Or(magic, formatOfHead(head))
	switch {
	case in.format != "":
	case extension(in.path) == ".json":
		in.format = JSON
	case r.opt.Delimiter != 0:
		in.format = CSV
	case in.alone && headed(head, r.fields) == '\t':
		in.format = TSV
	case in.alone && headed(head, r.fields) != 0:
		in.format = CSV
	default:
		in.format = Files
		if in.alone && !slices.Contains(documents, extension(in.path)) {
			in.format = Lines
		}
		r.doubt(in, head)
	}
	return nil
}

// documents lists extensions of text files that hold one document each. If a file with another name is the only input, as a
// log may be, its lines are documents.
var documents = []string{".txt", ".text", ".md", ".markdown", ".rst", ".srt", ".vtt", ".tex"}

// readable returns the beginning of a text file as UTF-8, without a byte order mark. It returns nil for other files.
func readable(head []byte, charset string) []byte {
	if s, _, err := text.Decode(head, charset); err == nil {
		return []byte(s)
	}
	return head
}

// doubt warns if a file that is read as plain text looks like something else.
func (r *Reader) doubt(in *input, head []byte) {
	as := "one text"
	if in.format == Lines {
		as = "one text a line"
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch c := looksLikeTable(head); {
	case c != 0 && in.alone:
		r.opt.Warn(in.path, fmt.Sprintf("read as %s, but it looks like a table separated by %s (to read a table, use --format csv with delimiter, and --text-field)", as, delimiterName(c)))
	case bytes.HasPrefix(start, []byte("{")), bytes.HasPrefix(start, []byte("[{")), bytes.HasPrefix(start, []byte("[\"")):
		r.opt.Warn(in.path, "read as "+as+", but it begins like JSON (--format jsonl or json shows the error)")
	case bytes.HasPrefix(start, []byte("<?xml")), bytes.HasPrefix(start, []byte("<!--")):
		r.opt.Warn(in.path, "read as "+as+", with its tags, but it begins like XML (use --format html for the text of a page)")
	case in.alone && in.format == Files && bytes.Count(head, newline) > 1:
		r.opt.Warn(in.path, "read as one text (use --format lines for one text a line)")
	}
}

// lookedAt is the number of bytes that detection looks at.
const lookedAt = 4 << 10

// peek returns the first bytes of the decompressed content. Standard input
// stays open, as it cannot be opened again.
func (r *Reader) peek(in *input) ([]byte, error) {
	if in.path == Stdin {
		in.opened, in.failed = in.open(r.opt.MaxDecompressed, &r.done)
		if in.failed != nil {
			return nil, in.failed
		}
		return in.opened.look(lookedAt)
	}
	var none atomic.Int64
	s, err := in.open(1<<20, &none)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	head, _ := s.look(lookedAt) // reading the file will report the error
	return head, nil
}
