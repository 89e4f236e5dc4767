package corpus

import (
	"errors"
	"fmt"

	"github.com/neardup/neardup"
)

// LineDecoder makes documents of lines of JSONL or Lines that the caller has split, as a distributed engine does. Each
// goroutine needs its own.
type LineDecoder struct {
	r   *Reader // a Reader without inputs
	dec *Decoder
	in  input
}

// ErrBlank is returned for a blank line, which is not a record.
var ErrBlank = errors.New("a blank line")

// NewLineDecoder returns a decoder of lines of opt.Format. Auto means JSONL.
func NewLineDecoder(opt Options) (*LineDecoder, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if opt.Format == Auto {
		opt.Format = JSONL
	}
	lines := opt.formatOf(&input{path: Stdin})
	if lines != JSONL && lines != Lines {
		return nil, fmt.Errorf("format %s is not read line by line", opt.Format)
	}
	r := &Reader{opt: opt, fields: opt.fields()}
	return &LineDecoder{r: r, dec: r.NewDecoder(), in: input{format: lines, charset: opt.Charset}}, nil
}

// Decode makes a document of a line, with or without its line end. If the line has no id, neither has the document. For a
// blank line it returns ErrBlank. For any other unreadable line it returns a *RejectError without file and line. The
// document keeps no reference to the line.
func (d *LineDecoder) Decode(line []byte, doc *neardup.Document) error {
	*doc = neardup.Document{}
	if len(trimEnd(line)) == 0 {
		return ErrBlank
	}
	if limit := d.dec.opt.MaxDocument; int64(len(line)) > limit {
		return tooLong(0, limit)
	}
	if err := d.dec.Decode(Item{Raw: line, in: &d.in}, doc); err != nil {
		return err
	}
	if len(d.dec.rec[fieldID]) == 0 {
		doc.ID = ""
	}
	return nil
}

// CanReplace returns the same as Reader.CanReplace.
func (d *LineDecoder) CanReplace() error { return d.r.CanReplace() }

// Replace returns the last decoded line with another text, and otherwise unchanged.
func (d *LineDecoder) Replace(line []byte, text string) ([]byte, error) {
	it, err := d.dec.Replace(Item{Raw: line, in: &d.in}, text)
	return it.Raw, err
}
