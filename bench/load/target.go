package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Request is a call of the service.
type Request struct {
	Method, Path string
	Body         any
}

func (r Request) encode() ([]byte, error) { return json.Marshal(r.Body) }

// Submit returns a function that makes requests to submit articles.
func Submit(article func(n int) Article) func(n int) Request {
	return func(n int) Request { return Request{http.MethodPost, "/v1/articles", article(n)} }
}

// Target is the receiver of requests.
type Target struct {
	URL   string
	Token string // empty means none
	HTTP  *http.Client
	from  *net.TCPAddr // nil means any
	next  []*Target    // other servers, which take turns with this one
}

// Beside makes requests go to other servers as well, in turn.
func (t *Target) Beside(others ...*Target) *Target {
	all := *t
	all.next = others
	return &all
}

// at returns the server that takes the n-th request.
func (t *Target) at(n int) *Target {
	n %= 1 + len(t.next)
	if n > 0 {
		return t.next[n-1]
	}
	return t
}

// NewTarget returns a target with enough connections for the workers.
func NewTarget(url, token string, workers int) *Target {
	return &Target{URL: url, Token: token, HTTP: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{MaxIdleConns: workers, MaxIdleConnsPerHost: workers},
	}}
}

// From makes requests come from another address of this machine, which the service takes for another client.
func (t *Target) From(ip string) *Target {
	other := NewTarget(t.URL, "", 64)
	other.from = &net.TCPAddr{IP: net.ParseIP(ip)}
	d := net.Dialer{LocalAddr: other.from}
	other.HTTP.Transport.(*http.Transport).DialContext = d.DialContext
	return other
}

// send sends a request and returns the status.
func (t *Target) send(ctx context.Context, r Request) (int, error) {
	body, err := r.encode()
	if err != nil {
		return 0, err
	}
	return t.post(ctx, r, body, io.Discard)
}

// post sends a request with its encoded body, and writes the answer to a writer.
func (t *Target) post(ctx context.Context, r Request, body []byte, answer io.Writer) (int, error) {
	req, err := t.request(ctx, r, body)
	if err != nil {
		return 0, err
	}
	resp, err := t.HTTP.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(answer, resp.Body)
	return resp.StatusCode, err
}

func (t *Target) request(ctx context.Context, r Request, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, t.URL+r.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if t.Token != "" {
		req.Header.Set("Authorization", "Bearer "+t.Token)
	}
	return req, nil
}

// Submit submits an article, as the n-th request, and returns its docId.
func (t *Target) Submit(ctx context.Context, n int, a Article) (docID string, err error) {
	t = t.at(n)
	r := Request{http.MethodPost, "/v1/articles", a}
	body, err := r.encode()
	if err != nil {
		return "", err
	}
	var answer bytes.Buffer
	status, err := t.post(ctx, r, body, &answer)
	if err != nil {
		return "", err
	}
	var out struct{ DocID string }
	if status != http.StatusOK {
		return "", fmt.Errorf("article %s: status %d: %s", a.NID, status, answer.Bytes())
	}
	err = json.Unmarshal(answer.Bytes(), &out)
	return out.DocID, err
}

// Fill submits the articles from..to in batches, with the given number of workers. It returns the first error.
func (t *Target) Fill(ctx context.Context, a *Articles, from, to, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	next.Store(int64(from))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(100)) - 100
				if n >= to {
					return
				}
				if err := t.batch(ctx, a, n, min(n+100, to)); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// batch submits the articles from..to in one request, and repeats it while the service is busy.
func (t *Target) batch(ctx context.Context, a *Articles, from, to int) error {
	var b struct {
		Articles []Article `json:"articles"`
	}
	for n := from; n < to; n++ {
		b.Articles = append(b.Articles, a.Make(n))
	}
	for try := 0; ; try++ {
		status, err := t.at(from/100).send(ctx, Request{http.MethodPost, "/v1/batch", b})
		switch {
		case err != nil:
			return fmt.Errorf("batch from %d: %w", from, err)
		case status == http.StatusOK:
			return nil
		case (status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable) || try == 100:
			return fmt.Errorf("batch from %d: status %d", from, status)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Statuses sends the requests from..to, with the given number of workers, and counts the answers by status. Status 0 means
// no answer.
func (t *Target) Statuses(ctx context.Context, request func(int) Request, from, to, workers int) map[int]int {
	var mu sync.Mutex
	counts := map[int]int{}
	var next atomic.Int64
	next.Store(int64(from))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < to && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				status, err := t.send(ctx, request(n))
				if err != nil {
					status = 0
				}
				mu.Lock()
				counts[status]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return counts
}
