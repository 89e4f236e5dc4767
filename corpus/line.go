package corpus

import (
	"errors"
	"fmt"

	"github.com/neardup/neardup"
)

// LineDecoder makes documents from lines of JSONL or Lines that the caller has split, as an engine for many
// machines does. Use one for each goroutine.
type LineDecoder struct {
	r   *Reader // without inputs
	dec *Decoder
	in  input
}

// ErrBlank is returned for a line without anything on it, which is not a record.
var ErrBlank = errors.New("a blank line")

// NewLineDecoder returns a decoder of lines of opt.Format; Auto is JSONL.
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

// Decode makes a document of a line, with or without its end. Without an id it
// has none. What it cannot read is a *RejectError without file and line, and a
// line without anything ErrBlank. The document keeps nothing of the line.
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

// CanReplace reports what Reader.CanReplace does.
func (d *LineDecoder) CanReplace() error { return d.r.CanReplace() }

// Replace returns the line that Decode has read last with another text, all else as it was.
func (d *LineDecoder) Replace(line []byte, text string) ([]byte, error) {
	it, err := d.dec.Replace(Item{Raw: line, in: &d.in}, text)
	return it.Raw, err
}
