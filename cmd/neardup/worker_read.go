package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/worker"
)

// workerRead is the stage that knows file formats: a file becomes documents.
type workerRead struct {
	*app
	input inputFlags
	name  string
}

func (v *workerRead) do(ctx context.Context, args []string) error {
	file := args[0]
	r, err := v.input.open(v.app, []string{file}, "")
	if err != nil {
		return err
	}
	defer r.Close()
	var counts worker.Counts
	dec, out := r.NewDecoder(), bufio.NewWriterSize(v.stdout, 1<<18)
	for it, next := range r.Items() {
		counts.In++
		counts.Out++
		if err = errors.Join(ctx.Err(), v.line(out, dec, file, it, next)); err != nil {
			break
		}
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("worker read: %w", err)
	}
	return json.NewEncoder(v.stderr).Encode(counts)
}

// line writes the line of a record, or of the reason why there is none.
func (v *workerRead) line(out io.Writer, dec *corpus.Decoder, file string, it corpus.Item, err error) error {
	var doc neardup.Document
	if err == nil {
		err = dec.Decode(it, &doc)
	}
	line, reason := it.Line, ""
	if reject := corpus.Rejected(err); reject != nil {
		line, reason, doc = reject.Line, reject.Reason, neardup.Document{}
	} else if err != nil {
		return err
	}
	id := doc.ID
	if rest, ok := strings.CutPrefix(id, file); ok && v.name != "" && (rest == "" || rest == fmt.Sprintf(":%d", it.Line)) {
		id = v.name + rest
	}
	_, err = fmt.Fprintf(out, "%d\t%s\t%s\t%s\n", line, worker.Escape(id), worker.Escape(doc.Text), worker.Escape(reason))
	return err
}
