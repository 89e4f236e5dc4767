package corpus

import (
	"bytes"
	"path"
	"strings"
	"sync/atomic"
)

// formatOfName tells the format by the end of a name, compression aside; ""
// when the name does not say.
func formatOfName(name string) Format {
	name = strings.ToLower(path.Base(name))
	for _, c := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, c)
	}
	switch path.Ext(name) {
	case ".jsonl", ".ndjson", ".jsonlines", ".ldjson":
		return JSONL
	case ".csv":
		return CSV
	case ".tsv", ".tab":
		return TSV
	case ".parquet", ".pq":
		return Parquet
	case ".html", ".htm", ".xhtml":
		return HTML
	case ".warc":
		return WARC
	}
	return ""
}

// formatOfHead tells the format by the first bytes of the content; "" when it
// is some text.
func formatOfHead(head []byte) Format {
	if bytes.HasPrefix(head, []byte("PAR1")) {
		return Parquet
	}
	if bytes.HasPrefix(head, []byte("WARC/")) {
		return WARC
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) > 2 && head[0] == '{' {
		if in := bytes.TrimLeft(head[1:], " \t\r\n"); len(in) > 0 && (in[0] == '"' || in[0] == '}') {
			return JSONL
		}
	}
	lower := bytes.ToLower(head[:min(len(head), 64)])
	for _, p := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(lower, []byte(p)) {
			return HTML
		}
	}
	return ""
}

// detect sets the format of an input that Auto leaves open. A text without a
// format of its own is one document, but a text alone, or standard input, has
// one a line.
func (r *Reader) detect(in *input) error {
	if in.format = formatOfName(in.path); in.format != "" {
		return nil
	}
	head, err := r.peek(in)
	if err != nil {
		return err
	}
	if in.format = formatOfHead(head); in.format != "" {
		return nil
	}
	in.format = Files
	if in.alone {
		in.format = Lines
	}
	return nil
}

// lookedAt is how many bytes tell the format.
const lookedAt = 4 << 10

// peek returns the first bytes of the decompressed content. Standard input
// stays open, as it cannot be opened again.
func (r *Reader) peek(in *input) ([]byte, error) {
	if in.path == Stdin {
		s, err := in.open(r.opt.MaxDecompressed, &r.done)
		if err != nil {
			return nil, err
		}
		in.opened = s
		return s.look(lookedAt)
	}
	var none atomic.Int64
	s, err := in.open(1<<20, &none)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	head, _ := s.look(lookedAt) // what breaks it is told when it is read
	return head, nil
}
