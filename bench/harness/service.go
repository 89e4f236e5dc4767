package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// Article is a submitted article.
type Article struct {
	NID        string `json:"nid,omitempty"`
	Content    string `json:"content,omitempty"`
	Heat       int64  `json:"heat,omitempty"`
	TTLSeconds int64  `json:"ttlSeconds,omitempty"`
}

// Answer is the answer to a submission, or to a change. The answer to a change has a kind and fewer fields.
type Answer struct {
	ID         string  `json:"id,omitempty"`
	Decision   string  `json:"decision,omitempty"`
	Kind       string  `json:"change,omitempty"`
	DocID      string  `json:"docId"`
	Leader     string  `json:"leader,omitempty"`
	Stage      string  `json:"stage,omitempty"`
	Similarity float64 `json:"similarity,omitempty"`
	Seq        uint64  `json:"seq"`
	Replayed   bool    `json:"replayed,omitempty"`
}

// Entry is a change in the log of the service.
type Entry struct {
	Seq      uint64  `json:"seq"`
	Kind     string  `json:"change"`
	DocID    string  `json:"docId"`
	NID      string  `json:"id"`
	Heat     int64   `json:"heat"`
	Evidence *Answer `json:"evidence"`
}

// ErrUnknown means that a request may or may not have been carried out.
var ErrUnknown = errors.New("no answer")

// Refused is an answer with a status of 400 or more.
type Refused struct {
	Status int
	Detail string
}

// Error returns the status.
func (r *Refused) Error() string { return fmt.Sprintf("refused with %d: %s", r.Status, r.Detail) }

// Service is a client of a running service. It never repeats a request by itself.
type Service struct {
	URL   string
	Token string
	HTTP  *http.Client
}

// Submit submits an article, with an idempotency key unless key is "".
func (s *Service) Submit(ctx context.Context, a Article, key string) (Answer, error) {
	var out Answer
	return out, s.do(ctx, http.MethodPost, "/v1/articles", key, a, &out)
}

// Delete deletes an article.
func (s *Service) Delete(ctx context.Context, nid string) (Answer, error) {
	var out Answer
	return out, s.do(ctx, http.MethodDelete, "/v1/articles/"+url.PathEscape(nid), "", nil, &out)
}

// End ends a docId.
func (s *Service) End(ctx context.Context, docID string) (Answer, error) {
	var out Answer
	return out, s.do(ctx, http.MethodDelete, "/v1/docids/"+docID, "", nil, &out)
}

// Heat changes the heat of an article.
func (s *Service) Heat(ctx context.Context, nid string, heat int64) (Answer, error) {
	var out Answer
	return out, s.do(ctx, http.MethodPatch, "/v1/articles/"+url.PathEscape(nid), "", map[string]int64{"heat": heat}, &out)
}

// Log reads the whole log.
func (s *Service) Log(ctx context.Context) ([]Entry, error) {
	var all []Entry
	for last := uint64(0); ; last = all[len(all)-1].Seq {
		var page struct{ Entries []Entry }
		path := "/v1/log?limit=1000&after=" + strconv.FormatUint(last, 10)
		if err := s.do(ctx, http.MethodGet, path, "", nil, &page); err != nil {
			return nil, err
		}
		if len(page.Entries) == 0 {
			return all, nil
		}
		all = append(all, page.Entries...)
	}
}

// do sends a request once. It returns ErrUnknown if there was no answer, or if the answer says that the outcome is unknown.
func (s *Service) do(ctx context.Context, method, path, key string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	case resp.StatusCode == http.StatusServiceUnavailable, resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusInsufficientStorage:
		return fmt.Errorf("%w: status %d", ErrUnknown, resp.StatusCode)
	case resp.StatusCode >= 400:
		return &Refused{resp.StatusCode, string(answer)}
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	return nil
}
