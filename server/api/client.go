package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup/internal/pause"
)

// Options configures a client. The zero value works for a server that needs no token.
type Options struct {
	Token string
	// HTTP sends the requests. If nil, the Client uses its own with a timeout of 30 s. It follows no
	// redirects, because they would leak the token.
	HTTP *http.Client
	// Attempts is the number of attempts before the Client returns an error. The default is 13, which take
	// about half a minute.
	Attempts int
	// Wait is the pause before the second attempt. It doubles with each attempt up to 5 s, and is at least
	// what the server requests. The default is 100 ms.
	Wait time.Duration
	// Waits is called with the error of a request that failed four times, unless it is nil. Several goroutines may call it
	// at once.
	Waits func(error)
}

// late is the number of attempts after which the Client calls Waits.
const late = 4

// Client talks to a server. It repeats requests that fail for a temporary reason (a lost connection, 429,
// 502, 503, 504). Each submission carries an idempotency key or a nid, so it counts only once. A Client is
// safe for concurrent use. Errors of the server are *Problem.
type Client struct {
	base string
	o    Options
	own  bool
}

const mimeJSON = "application/json"

// maxAnswer bounds the size of an answer.
const maxAnswer = 64 << 20

// NewClient returns a client of the server at a URL such as
// http://127.0.0.1:8080.
func NewClient(server string, o Options) (*Client, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("invalid URL %q (want for example http://127.0.0.1:8080)", server)
	}
	c := &Client{base: strings.TrimRight(server, "/"), o: o}
	var own http.Client
	if c.o.HTTP != nil {
		own = *c.o.HTTP
	} else {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64
		own, c.own = http.Client{Transport: transport, Timeout: 30 * time.Second}, true
	}
	// net/http would send the token to any port of a host after a redirect.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.o.HTTP = &own
	if c.o.Attempts <= 0 {
		c.o.Attempts = 13
	}
	if c.o.Wait <= 0 {
		c.o.Wait = 100 * time.Millisecond
	}
	return c, nil
}

// Close closes connections that are not in use.
func (c *Client) Close() {
	if c.own {
		c.o.HTTP.CloseIdleConnections()
	}
}

// A call is one request with the place for its answer.
type call struct {
	method, path string
	query        url.Values
	key          string
	body, out    any
	raw          []byte // replaces body
	mime         string // media type of raw
}

// do sends a call until it gets an answer.
func (c *Client) do(ctx context.Context, k call) error {
	body := k.raw
	if k.body != nil {
		var err error
		body, err = json.Marshal(k.body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", k.method, k.path, err)
		}
	}
	wait := c.o.Wait
	for attempt := 1; ; attempt++ {
		after, err := c.once(ctx, k, body)
		if err == nil || !Passing(err) || attempt == c.o.Attempts || ctx.Err() != nil {
			return err
		}
		if attempt == late && c.o.Waits != nil {
			c.o.Waits(err)
		}
		if err := pause.For(ctx, max(after, wait/2+mathrand.N(wait/2+1))); err != nil {
			return err
		}
		wait = min(2*wait, 5*time.Second)
	}
}

// lost marks the error of a request without an answer.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// Passing reports whether an error of a client is temporary: the server is busy or does not answer.
func Passing(err error) bool {
	var p *Problem
	if errors.As(err, &p) {
		switch p.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	return errors.As(err, new(lost))
}

// once sends a call once. It returns the wait that the server requests.
func (c *Client) once(ctx context.Context, k call, body []byte) (time.Duration, error) {
	target := c.base + k.path
	if len(k.query) > 0 {
		target += "?" + k.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, k.method, target, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", k.method, k.path, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", cmp.Or(k.mime, mimeJSON))
	} else {
		r.Body, r.ContentLength = nil, 0
	}
	if c.o.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	if k.key != "" {
		r.Header.Set("Idempotency-Key", k.key)
	}
	resp, err := c.o.HTTP.Do(r)
	if err != nil {
		return 0, lost{err}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, lost{err}
	}
	if resp.StatusCode/100 == 2 {
		if err := json.Unmarshal(answer, k.out); err != nil {
			return 0, fmt.Errorf("%s %s: answer: %w", k.method, k.path, err)
		}
		return 0, nil
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	p := problemOf(resp.StatusCode, answer, target)
	if to := resp.Header.Get("Location"); resp.StatusCode/100 == 3 && to != "" {
		p.Detail = fmt.Sprintf("%s redirects to %q, which is not followed (want the address of neardup serve itself)", target, to)
	}
	return time.Duration(min(max(seconds, 0), 60)) * time.Second, p
}

// problemOf reads a problem. It makes one if the answer is not a problem, for example from a proxy.
func problemOf(status int, answer []byte, target string) *Problem {
	var p Problem
	if json.Unmarshal(answer, &p) != nil || p.Status == 0 {
		p = Problem{Title: http.StatusText(status), Detail: target + " was not answered by neardup serve"}
	}
	p.Status = status
	return &p
}
