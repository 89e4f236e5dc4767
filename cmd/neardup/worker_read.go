package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/worker"
	"github.com/spf13/cobra"
)

// readVerb is the stage that knows file formats: a file becomes documents.
type readVerb struct {
	*app
	input inputFlags
	name  string
}

func readCommand(a *app) *cobra.Command {
	r := &readVerb{app: a}
	cmd := verb("worker read", expects("FILE"), func(cmd *cobra.Command, args []string) error { return r.do(cmd.Context(), args[0]) })
	r.input.add(cmd.Flags())
	bind(cmd.Flags(), "worker", flags{"name": &r.name})
	return cmd
}

func (v *readVerb) do(ctx context.Context, file string) error {
	r, err := v.input.open(v.app, []string{file}, "")
	if err != nil {
		return err
	}
	defer r.Close()
	w := readLines{verb: v, file: file, dec: r.NewDecoder(), out: bufio.NewWriterSize(v.stdout, 1<<18)}
	for it, next := range r.Items() {
		if err = errors.Join(ctx.Err(), w.write(it, next)); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.out.Flush()); err != nil {
		return fmt.Errorf("worker read: %w", err)
	}
	return json.NewEncoder(v.stderr).Encode(w.counts)
}

// readLines writes the lines of the stage.
type readLines struct {
	verb   *readVerb
	file   string
	dec    *corpus.Decoder
	out    *bufio.Writer
	counts worker.Counts
}

// write writes the line of a record, or of the reason why there is none.
func (w *readLines) write(it corpus.Item, err error) error {
	var doc neardup.Document
	if err == nil {
		err = w.dec.Decode(it, &doc)
	}
	line, reason := it.Line, ""
	if reject := corpus.Rejected(err); reject != nil {
		line, reason, doc = reject.Line, reject.Reason, neardup.Document{}
	} else if err != nil {
		return err
	}
	id := doc.ID
	if rest, ok := strings.CutPrefix(id, w.file); ok && w.verb.name != "" && (rest == "" || rest == fmt.Sprintf(":%d", it.Line)) {
		id = w.verb.name + rest
	}
	w.counts.In++
	w.counts.Out++
	_, err = fmt.Fprintf(w.out, "%d\t%s\t%s\t%s\n", line, worker.Escape(id), worker.Escape(doc.Text), worker.Escape(reason))
	return err
}
