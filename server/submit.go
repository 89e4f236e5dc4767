package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/span"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/text"
)

func (s *Server) routesForSubmit() {
	register(s, with(operation(Submit, http.MethodPost, "/v1/articles", "submit", "Decide on one article and store it"), http.StatusConflict), s.submit)
	register(s, operation(Submit, http.MethodPost, "/v1/batch", "submitBatch", "Decide on up to 100 articles, one after another"), s.submitBatch)
}

type submission struct {
	Key  string `header:"Idempotency-Key" doc:"Key of this request, at most 256 bytes, kept for 24 hours by default. The same key with the same article gives the first answer; with another article it is a conflict."`
	Body input[api.Submission]
}

func (s *Server) submit(ctx context.Context, in *submission) (api.Answer, error) {
	return s.add(ctx, &in.Body.is, "body", in.Key, "header.Idempotency-Key")
}

// add decides on a submission with an idempotency key. The locations of both are used in errors.
func (s *Server) add(ctx context.Context, in *api.Submission, location, key, keyLocation string) (api.Answer, error) {
	sub, err := toCore(in, location)
	if err != nil {
		return api.Answer{}, err
	}
	if len(key) > maxID {
		return api.Answer{}, at(keyLocation, fmt.Sprintf("is longer than %d bytes", maxID))
	}
	sub.Idempotency = key
	return s.decide(ctx, sub)
}

// decide decides on a submission and records its metrics.
func (s *Server) decide(ctx context.Context, sub docid.Submission) (api.Answer, error) {
	if err := s.refuseExtras(&sub); err != nil {
		return api.Answer{}, err
	}
	start, tenant := time.Now(), callerOf(ctx).tenant
	deciding, told := span.Start(ctx, "decide")
	a, err := tenant.decider.Add(deciding, sub)
	s.figures.decided(tenant.name, a, err, time.Since(start))
	decided(told, tenant.name, a, err)
	if err == nil && !a.Replayed && s.cfg.Classic == nil {
		s.keepText(ctx, a.Seq, sub.Text)
	}
	return a, err
}

// submitBatch decides in order, so an article may be the duplicate of an earlier one. A failed article does
// not stop the others, but an unavailable store does.
func (s *Server) submitBatch(ctx context.Context, in *bodyOf[api.Batch]) (api.BatchAnswer, error) {
	entries := in.Body.is.Articles
	if len(entries) < 1 || len(entries) > maxPage {
		return api.BatchAnswer{}, at("body.articles", fmt.Sprintf("must have 1 to %d articles", maxPage))
	}
	if !callerOf(ctx).client.spend(len(entries) - 1) {
		return api.BatchAnswer{}, problem(http.StatusTooManyRequests, api.CodeBusy, "too many articles; slow down")
	}
	result := api.BatchAnswer{Answers: make([]api.EntryReply, len(entries))}
	for i := range entries {
		location := fmt.Sprintf("body.articles[%d]", i)
		a, err := s.add(ctx, &entries[i].Submission, location, entries[i].IdempotencyKey, location+".idempotencyKey")
		if err == nil {
			result.Answers[i].Answer, result.Seq = &a, max(result.Seq, a.Seq)
			continue
		}
		model := problemOf(err)
		if model.Status >= http.StatusInternalServerError {
			return result, err
		}
		result.Answers[i].Problem = wire(model)
	}
	return result, nil
}

// toCore checks the limits of a submission and converts it for package docid.
func toCore(in *api.Submission, location string) (docid.Submission, error) {
	article, err := toArticle(&in.Article, location)
	for name, seconds := range map[string]int64{"ttlSeconds": in.TTLSeconds, "windowSeconds": in.WindowSeconds} {
		if err == nil && (seconds < 0 || seconds > maxSeconds) {
			err = at(location+"."+name, fmt.Sprintf("is not from 0 to %d", int64(maxSeconds)))
		}
	}
	sub := article.Submission()
	sub.TTL, sub.Window = time.Duration(in.TTLSeconds)*time.Second, time.Duration(in.WindowSeconds)*time.Second
	return sub, err
}

func toArticle(in *api.Article, location string) (docid.Article, error) {
	a := docid.Article{Category: in.Category, Media: in.Media, ImageCount: in.ImageCount, Heat: in.Heat}
	a.ID, a.URL, a.Title, a.Text = in.NID, in.URL, in.Title, in.Content
	for _, f := range []struct {
		name, value string
		limit       int
	}{
		{"id", in.NID, maxID}, {"text", in.Content, maxText},
		{"url", in.URL, maxField}, {"title", in.Title, maxField}, {"category", in.Category, maxField},
		{"media", in.Media, maxField}, {"imageCount", in.ImageCount, maxField},
	} {
		if err := within(f.value, f.limit, location+"."+f.name); err != nil {
			return a, err
		}
	}
	var err error
	a.Extras, err = toExtras(in.Extras, location)
	if err != nil {
		return a, err
	}
	if strings.HasPrefix(in.NID, docid.AnonymousPrefix) {
		return a, at(location+".id", fmt.Sprintf("begins with %q, which is reserved", docid.AnonymousPrefix))
	}
	if in.PublishTime == "" {
		return a, nil
	}
	t, err := parseTime(in.PublishTime)
	if err != nil {
		return a, at(location+".publishTime", err.Error())
	}
	a.Time = t.UnixNano()
	return a, nil
}

// within checks the size of a text in bytes, before and after normalisation. Normalisation can expand one
// character to a sentence.
func within(s string, limit int, location string) error {
	switch {
	case len(s) > limit:
		return at(location, fmt.Sprintf("is longer than %d bytes", limit))
	case len(s) > limit/text.MostNFKC && text.LenNFKC(s) > limit:
		return at(location, fmt.Sprintf("is longer than %d bytes when normalised (NFKC)", limit))
	}
	return nil
}

// parseTime parses RFC 3339 times in the range of nanosecond timestamps.
func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, errors.New("is not RFC 3339, such as 2026-11-21T12:00:00Z")
	}
	if t.Year() < 1700 || t.Year() > 2200 {
		return t, errors.New("is before 1700 or after 2200")
	}
	return t, nil
}

type revision struct {
	NID  string `path:"id" example:"17"`
	Body input[api.Revision]
}

func (s *Server) revise(ctx context.Context, in *revision) (api.Change, error) {
	if in.Body.is.Heat == nil && in.Body.is.Content == nil {
		return api.Change{}, at("body", "heat or text is missing")
	}
	if in.Body.is.Content != nil {
		if err := within(*in.Body.is.Content, maxText, "body.text"); err != nil {
			return api.Change{}, err
		}
	}
	if err := validPath(in.NID); err != nil {
		return api.Change{}, err
	}
	e, err := detector(ctx).Update(ctx, in.NID, docid.Revision{Heat: in.Body.is.Heat, Text: in.Body.is.Content})
	if err != nil {
		return api.Change{}, err
	}
	if in.Body.is.Content != nil {
		s.keepRevised(ctx, in.NID, *in.Body.is.Content)
	}
	c := changed(ctx, e)
	c.Heat = &e.Heat
	return c, nil
}

// changed converts a log entry to an answer.
func changed(ctx context.Context, e docid.Entry) api.Change {
	return api.Change{Seq: e.Seq, DocID: detector(ctx).DocIDs().DocID(e.Leader), NID: e.NID, Kind: string(e.Kind)}
}

// validPath checks an id in the path.
func validPath(nid string) *huma.ErrorModel {
	if len(nid) > maxID || !utf8.ValidString(nid) {
		return at("path.id", fmt.Sprintf("is longer than %d bytes or not UTF-8", maxID))
	}
	return nil
}
