//go:build full

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/inorder"
	"github.com/neardup/neardup/server/api"
)

// A job holds at most jobArticles articles of jobBytes together. Its JSON stays below a server's limit.
const (
	jobArticles = 100
	jobBytes    = 1 << 20
)

type streamFlags struct {
	remote   remoteFlags
	input    inputFlags
	run      runFlags `flags:"rejects strict quiet"`
	parallel int
	answers  string
}

// A job is a run of consecutive records to send to the server.
type job struct {
	entries []api.BatchEntry
	places  []corpus.RejectError // positions of the entries in the input
	rejects []error              // rejected while reading
	replies []api.EntryReply
	err     error
}

type ask func(ctx context.Context, c *api.Client, entries []api.BatchEntry) ([]api.EntryReply, error)

// stream sends inputs to a server with parallel requests. It bounds the unanswered jobs, so a slow server
// slows the reading.
type stream struct {
	*reporter
	f       *streamFlags
	client  *api.Client
	answers *corpus.AtomicFile
	ask     ask

	articles, fresh int64
	blank           int64 // new documents without a text
	again           int64 // articles that were already stored

	source  *source
	decoder *corpus.Decoder
	sent    bool // at least one job was made
}

func (f *streamFlags) send(ctx context.Context, a *app, inputs []string, how ask) error {
	tell := a.stderr
	if f.run.quiet {
		tell = io.Discard
	}
	c, err := f.remote.client(tell)
	if err != nil {
		return err
	}
	defer c.Close()
	f.input.opt.Fields = []string{"category?", "media?", "imageCount?", "heat?"}
	return a.batchRun(&f.input, &f.run, inputs, false, func(r *corpus.Reader, rep *reporter) (result, error) {
		s := &stream{reporter: rep, f: f, client: c, ask: how, source: newSource(r), decoder: r.NewDecoder(), answers: rep.open(f.answers, corpus.JSONL)}
		s.source.mostBytes, s.source.mostItems = jobBytes, jobArticles
		if rep.err != nil {
			return nil, rep.err
		}
		rep.next = []func() error{func() error { return s.nothingRead(s.articles) }}
		return s, s.all(ctx)
	})
}

// all reads, sends and records all jobs. It sends jobs in parallel and records them in order. If one cannot
// be recorded, it cancels the others.
func (s *stream) all(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	err := inorder.Map(ctx, s.f.parallel, s.next, func(j *job) *job {
		if j.err == nil && len(j.entries) > 0 {
			j.replies, j.err = s.ask(ctx, s.client, j.entries)
		}
		return j
	}, func(j *job) error {
		failed = s.note(j)
		if failed != nil {
			cancel()
		}
		return failed
	})
	return cmp.Or(failed, err)
}

// next makes a job of the next records. It returns an input error in the last
// job, so that earlier jobs are recorded.
func (s *stream) next() (*job, error) {
	b, err := s.source.Next()
	j := &job{}
	switch {
	case errors.Is(err, io.EOF):
		return nil, err
	case err != nil:
		s.source.ended, j.err = true, err
		return j, nil
	}
	for _, e := range b.(*block).entries {
		if e.reject != nil {
			j.rejects = append(j.rejects, e.reject)
		} else {
			j.add(s.decoder, e.item)
		}
	}
	// Without the field of --id-field articles would be stored under their positions in the file.
	if id := s.f.input.opt.IDField; !s.sent && id != "" && slices.Contains(s.r.Unmet(), id) {
		j.err = fmt.Errorf("nothing was sent: none of the first %d records has the field %q; the first has: %s", len(j.entries), id, s.r.Names())
	}
	s.sent = true
	return j, nil
}

func (j *job) add(dec *corpus.Decoder, it corpus.Item) {
	var doc neardup.Document
	err := dec.Decode(it, &doc)
	if err != nil {
		j.rejects = append(j.rejects, err)
		return
	}
	var e api.BatchEntry
	place := corpus.RejectError{File: it.File, Line: it.Line}
	e.Extras, err = extrasOf(dec, it)
	if heat := strings.TrimSpace(doc.Fields["heat"]); heat != "" && err == nil {
		e.Heat, err = strconv.ParseInt(heat, 10, 64)
		if err != nil {
			err = fmt.Errorf("heat %.40q: not a whole number", heat)
		}
	}
	if err != nil {
		bad := place
		bad.Reason = err.Error()
		j.rejects = append(j.rejects, &bad)
		return
	}
	e.Category, e.Media, e.ImageCount = doc.Fields["category"], doc.Fields["media"], doc.Fields["imageCount"]
	e.NID, e.URL, e.Title, e.Content = doc.ID, doc.URL, doc.Title, doc.Text
	if t := time.Unix(0, doc.Time).UTC(); doc.Time != 0 {
		e.PublishTime = t.Format(time.RFC3339Nano)
	}
	j.entries = append(j.entries, e)
	j.places = append(j.places, place)
}

func (s *stream) note(j *job) error {
	if j.err != nil {
		return j.err
	}
	for _, err := range j.rejects {
		if err := s.reject(0, err); err != nil {
			return err
		}
	}
	for i, r := range j.replies {
		if r.Problem != nil {
			place := j.places[i]
			place.Reason = reason(r.Problem)
			if err := s.reject(0, &place); err != nil {
				return err
			}
			continue
		}
		s.articles++
		if r.Answer.Decision.Decision == neardup.New {
			s.fresh++
			if r.Answer.Basis == neardup.BasisBlank {
				s.blank++
			}
		}
		if r.Answer.Replayed {
			s.again++
		}
		if err := s.answers.WriteJSON(r.Answer); err != nil {
			return err
		}
	}
	s.progress(batch.Progress{Phase: "sent", Documents: s.articles + s.rejected.count})
	return nil
}

// reason formats a problem without its position in the request, because the caller knows the position in the file.
func reason(p *api.Problem) string {
	switch {
	case len(p.Errors) > 0:
		location := p.Errors[0].Location
		return location[strings.LastIndexByte(location, '.')+1:] + ": " + p.Errors[0].Message
	case p.Detail != "":
		return p.Detail
	}
	return p.Error()
}

func (s *stream) print(w io.Writer) {
	fmt.Fprintf(w, "%s articles: %s new, %s duplicates; %s rejected\n",
		grouped(s.articles), grouped(s.fresh), grouped(s.articles-s.fresh), grouped(s.rejected.count))
	if s.again > 0 {
		fmt.Fprintf(w, "%s of them were sent before and got their earlier answers again\n", grouped(s.again))
	}
	noText(w, s.blank)
}

// each collects answers and the problems that only concern one article.
func each(entries []api.BatchEntry, one func(*api.BatchEntry) (api.Answer, error)) ([]api.EntryReply, error) {
	replies := make([]api.EntryReply, len(entries))
	for i := range entries {
		a, err := one(&entries[i])
		var p *api.Problem
		switch {
		case err == nil:
			replies[i].Answer = &a
		case errors.As(err, &p) && (p.Status == http.StatusRequestEntityTooLarge || p.Status == http.StatusUnprocessableEntity || p.Status == http.StatusConflict):
			replies[i].Problem = p
		default:
			return nil, err
		}
	}
	return replies, nil
}

type add struct {
	*app
	stream streamFlags
}

func (v *add) do(ctx context.Context, inputs []string) error {
	// A job is one batch. If the batch is too large for the server, its articles are sent one by one.
	return v.stream.send(ctx, v.app, inputs, func(ctx context.Context, c *api.Client, entries []api.BatchEntry) ([]api.EntryReply, error) {
		a, err := c.SubmitBatch(ctx, entries)
		var p *api.Problem
		if !errors.As(err, &p) || p.Status != http.StatusRequestEntityTooLarge {
			return a.Answers, err
		}
		return each(entries, func(e *api.BatchEntry) (api.Answer, error) { return c.Submit(ctx, e.Submission, e.IdempotencyKey) })
	})
}
