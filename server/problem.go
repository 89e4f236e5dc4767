package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/span"
	"github.com/neardup/neardup/server/api"
)

// retryAfter is the wait that the server requests from clients, in seconds.
const retryAfter = "1"

// problem makes an error as in RFC 9457.
func problem(status int, code, detail string, errs ...*huma.ErrorDetail) *huma.ErrorModel {
	return &huma.ErrorModel{
		Type: api.TypePrefix + code, Title: http.StatusText(status), Status: status, Detail: detail, Errors: errs,
	}
}

// at returns a problem with its location in the request.
func at(location, message string) *huma.ErrorModel {
	return problem(http.StatusUnprocessableEntity, api.CodeInvalid, "the request breaks a limit or a rule",
		&huma.ErrorDetail{Message: message, Location: location})
}

// problemOf converts an error of the core to a problem. An unexpected error becomes 503, because the caller
// cannot know whether the change was stored, and may retry.
func problemOf(err error) *huma.ErrorModel {
	var model *huma.ErrorModel
	if errors.As(err, &model) {
		return model
	}
	for _, m := range []struct {
		is     error
		status int
		code   string
		detail string
	}{
		{docid.ErrInvalid, http.StatusUnprocessableEntity, api.CodeInvalid, ""},
		{docid.ErrNotFound, http.StatusNotFound, api.CodeNotFound, ""},
		{docid.ErrEnded, http.StatusGone, api.CodeEnded, "the docId has ended and is never used again"},
		{docid.ErrMismatch, http.StatusConflict, api.CodeIdempotency, "the idempotency key was used with another request"},
		{docid.ErrTaken, http.StatusConflict, api.CodeNIDTaken, "the id belongs to another article; PATCH /v1/articles/{id} changes its heat or text"},
		{docid.ErrLeads, http.StatusConflict, api.CodeLeads, docid.ErrLeads.Error()},
		{docid.ErrTextUnknown, http.StatusUnprocessableEntity, api.CodeInvalid, docid.ErrTextUnknown.Error()},
		{docid.ErrHotBucket, http.StatusUnprocessableEntity, api.CodeCrowded, "more docIds share a key with this article than can be compared; it was not stored"},
		{docid.ErrQuota, http.StatusForbidden, api.CodeQuota, "the quota of articles is exhausted"},
		{docid.ErrContended, http.StatusServiceUnavailable, api.CodeUnavailable, "too many conflicting submissions; the article was not stored"},
		{docid.ErrBehind, http.StatusServiceUnavailable, api.CodeUnavailable, "the store has lost acknowledged changes; the article was not stored"},
		{docid.ErrBacklog, http.StatusServiceUnavailable, api.CodeBacklog, "too many changes are pending for MySQL or HBase; the article was not stored"},
		{docid.ErrFull, http.StatusInsufficientStorage, api.CodeFull, "the disk is full"},
		{docid.ErrUnavailable, http.StatusServiceUnavailable, api.CodeUnavailable, "the store is unreachable or accepts no writes; a change may or may not be stored"},
		{fs.ErrExist, http.StatusConflict, api.CodeExists, "a backup of that name exists already"},
		{context.DeadlineExceeded, http.StatusServiceUnavailable, api.CodeUnavailable, "the request timed out; it may or may not be stored"},
		{context.Canceled, http.StatusServiceUnavailable, api.CodeUnavailable, "the client closed the connection"},
	} {
		if errors.Is(err, m.is) {
			return problem(m.status, m.code, cmp.Or(m.detail, err.Error()))
		}
	}
	return problem(http.StatusServiceUnavailable, api.CodeUnavailable, "the server failed; the request may or may not be stored")
}

// logLimiter limits log lines about requests to one per second for each message and kind. A line has the count of
// requests since the previous line.
type logLimiter struct {
	to *slog.Logger

	mu    sync.Mutex
	lines map[string]*line // there are few lines, because messages and kinds are constants
}

type line struct {
	at    time.Time
	count int
}

func (s *logLimiter) log(ctx context.Context, level slog.Level, message, kind string, args ...any) {
	if count := s.due(message+kind, time.Now()); count > 0 {
		s.to.Log(ctx, level, message, append(args, "count", count)...)
	}
}

// due counts a request and returns the count if a line is due.
func (s *logLimiter) due(what string, now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[what]
	if l == nil {
		l = &line{at: now.Add(-time.Second)}
		s.lines[what] = l
	}
	l.count++
	if now.Sub(l.at) < time.Second {
		return 0
	}
	count := l.count
	l.at, l.count = now, 0
	return count
}

// fail converts an error for a handler. It sets Retry-After if a retry may help.
func (s *Server) fail(ctx context.Context, err error) error {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		s.logLimiter.log(ctx, slog.LevelError, "request failed", p.Type, "status", p.Status, "code", p.Type, "cause", span.Cause(err))
	}
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
		return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {retryAfter}})
	}
	return p
}

// writeProblem writes a problem without huma.
func writeProblem(w http.ResponseWriter, p *huma.ErrorModel) {
	w.Header().Set("Content-Type", "application/problem+json")
	setRetryHeaders(w.Header(), p.Status)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may have disconnected
}

// setRetryHeaders sets the headers of a refusal that tell the client how to succeed.
func setRetryHeaders(h http.Header, status int) {
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h.Set("Retry-After", retryAfter)
	}
}

// wire converts a problem for an entry of a batch.
func wire(m *huma.ErrorModel) *api.Problem {
	p := &api.Problem{Type: m.Type, Title: m.Title, Status: m.Status, Detail: m.Detail}
	for _, e := range m.Errors {
		p.Errors = append(p.Errors, api.Detail{Message: e.Message, Location: e.Location})
	}
	return p
}
