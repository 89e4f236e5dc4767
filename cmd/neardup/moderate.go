package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/worker"
	"github.com/spf13/cobra"
)

type correct struct {
	*app
	remote    remoteFlags
	to        api.Correction
	text, why string
	alone     bool
}

func correctCommand(a *app) *cobra.Command {
	c := &correct{app: a}
	cmd := &cobra.Command{
		Use:   "correct --server URL NID {--with NID | --docid DOCID | --alone}",
		Short: "Move an article of the service to another docId",
		Long: `Moves an article that was answered to another docId, with who did it and why. It is
the one change of an answer that was given; whoever sends the article again gets the
docId of now, and "corrected". Needs a token with the role moderate.

--with moves it to the docId of another article, --docid to one that is named, --alone
to a docId of its own: that is made of its text, which the service has of the kept
article of a docId, and with --keep-texts of all, else it is sent along with --text.
An article that made its docId cannot leave it for one of its own: what the others
were compared with stays.

` + exitHelp,
		Example: `  neardup correct --server http://127.0.0.1:8080 --token-file token 17 --with 231 --why "one event"
  neardup correct --server http://127.0.0.1:8080 --token-file token 17 --alone --text 17.txt`,
		Args: expects("NID"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.do(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&c.to.With, "with", "", "nid of another article, whose docId this one is to have")
	f.StringVar(&c.to.DocID, "docid", "", "docId that the article is to have")
	f.BoolVar(&c.alone, "alone", false, "give the article a docId of its own")
	f.StringVar(&c.text, "text", "", "with --alone: file that holds the text of the article")
	f.StringVar(&c.why, "why", "", "the reason, for the record")
	c.remote.add(f)
	return cmd
}

func (c *correct) do(ctx context.Context, nid string) error {
	if howMany(c.to.With != "", c.to.DocID != "", c.alone) != 1 {
		return usage("give one of --with, --docid and --alone")
	}
	if c.text != "" {
		if !c.alone {
			return usage("--text is for --alone")
		}
		b, err := os.ReadFile(c.text)
		if err != nil {
			return fmt.Errorf("--text: %w", err)
		}
		text := string(b)
		c.to.Content = &text
	}
	c.to.Why = c.why
	client, err := c.remote.client(c.stderr)
	if err != nil {
		return err
	}
	defer client.Close()
	m, err := client.Correct(ctx, nid, c.to)
	var refused *api.Problem
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusUnprocessableEntity && c.alone && c.text == "":
		return fmt.Errorf("%w, as --text FILE; a server with --keep-texts has it", err)
	case err != nil:
		return err
	case m.Unchanged:
		fmt.Fprintf(c.stdout, "%s has docId %s already\n", m.NID, m.DocID)
	default:
		fmt.Fprintf(c.stdout, "%s has docId %s, before %s (change %d)\n", m.NID, m.DocID, m.Corrected.Before, m.Seq)
	}
	return nil
}

type rulings struct {
	*app
	remote             remoteFlags
	out, labels, audit string
}

func rulingsCommand(a *app) *cobra.Command {
	r := &rulings{app: a}
	cmd := &cobra.Command{
		Use:   "rulings --server URL [--out FILE] [--labels FILE] [--audit FILE]",
		Short: "Read what people have said of pairs, from the service",
		Long: `Writes what moderators of a service have said of pairs of articles: as a file of
overrides, which dedup, pairs and serve obey (--overrides), as labels for eval and
tune, and as a trail of every change with who, when, why, before and after.

` + exitHelp,
		Example: `  neardup rulings --server http://127.0.0.1:8080 --token-file token > overrides.jsonl
  neardup rulings --server http://127.0.0.1:8080 --token-file token --labels labels.tsv \
    --audit audit.jsonl --out overrides.jsonl`,
		Args: expects(),
		RunE: func(cmd *cobra.Command, _ []string) error { return r.do(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&r.out, "out", "-", "file of overrides; - is the standard output")
	f.StringVar(&r.labels, "labels", "", "file of labels: set, id_a, id_b, label, band")
	f.StringVar(&r.audit, "audit", "", "file of all that was said, in order, as JSON, one a line")
	r.remote.add(f)
	return cmd
}

// rulingsPage is how many rulings are asked for at a time.
const rulingsPage = 1000

func (r *rulings) do(ctx context.Context) error {
	client, err := r.remote.client(r.stderr)
	if err != nil {
		return err
	}
	defer client.Close()
	var all []api.RulingEntry
	for after := uint64(0); ; {
		page, err := client.Rulings(ctx, after, rulingsPage)
		if err != nil {
			return err
		}
		all = append(all, page.Rulings...)
		if after = page.Next; after == 0 {
			break
		}
	}
	for _, file := range []struct {
		path  string
		write func(io.Writer, []api.RulingEntry) error
	}{{r.out, writeOverrides}, {r.labels, writeLabels}, {r.audit, writeAudit}} {
		if err := r.write(file.path, file.write, all); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file whole, or to the standard output.
func (r *rulings) write(path string, write func(io.Writer, []api.RulingEntry) error, all []api.RulingEntry) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(r.stdout, all)
	}
	var b strings.Builder
	if err := write(&b, all); err != nil {
		return err
	}
	return replaceFile(path, []byte(b.String()), 0o644)
}

// last are the rulings that hold: the last of each pair, in the order of the first.
func last(all []api.RulingEntry) []api.RulingEntry {
	at := map[[2]string]int{}
	var held []api.RulingEntry
	for _, e := range all {
		pair := [2]string{min(e.A, e.B), max(e.A, e.B)}
		if i, ok := at[pair]; ok {
			held[i] = e
			continue
		}
		at[pair] = len(held)
		held = append(held, e)
	}
	return held
}

func writeOverrides(w io.Writer, all []api.RulingEntry) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, e := range last(all) {
		link := override.Link(e.Link)
		if link != override.Must && link != override.Cannot {
			continue
		}
		if err := out.Encode(override.Ruling{A: e.A, B: e.B, Link: link, Who: e.Who, Time: e.Time.Format(time.RFC3339)}); err != nil {
			return err
		}
	}
	return nil
}

func writeLabels(w io.Writer, all []api.RulingEntry) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "set\tid_a\tid_b\tlabel\tband")
	names := map[string]string{string(override.Must): "same", string(override.Cannot): "other", string(override.Unsure): "unsure"}
	for _, e := range last(all) {
		if name := names[e.Link]; name != "" {
			fmt.Fprintf(out, "service\t%s\t%s\t%s\tservice\n", worker.Escape(e.A), worker.Escape(e.B), name)
		}
	}
	return out.Flush()
}

func writeAudit(w io.Writer, all []api.RulingEntry) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, e := range all {
		if err := out.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
