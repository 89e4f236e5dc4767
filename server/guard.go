package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server/api"
)

// caller describes the sender of a request.
type caller struct {
	grant  *Grant // nil without a token and without anonymous access
	tenant *tenant
	client *client
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// detector returns the detector of the caller's tenant. Only routes with a role call it, and a role comes
// with a tenant.
func detector(ctx context.Context) *docid.Detector { return callerOf(ctx).tenant.detector }

const classicPath = "/docId/getDocId"

// probePath reports whether load balancers probe the path. Probes may use any host name and have no rate
// limit.
func probePath(path string) bool { return path == "/healthz" || path == "/readyz" }

// keepPrivate sets the headers of every answer. Browsers must not guess the type, and caches must not store
// the answer.
func keepPrivate(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
}

// ServeHTTP checks a request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	keepPrivate(w.Header())
	if probePath(r.URL.Path) {
		s.routes.ServeHTTP(w, r)
		return
	}
	start := time.Now()
	ctx, root := s.root(r)
	r = r.WithContext(ctx)
	rec := &recorder{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		if p := recover(); p != nil {
			s.logLimiter.log(ctx, slog.LevelError, "a handler panicked", fmt.Sprintf("%T", p), "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			if !rec.wrote {
				writeProblem(rec, problem(http.StatusInternalServerError, api.CodeInternal,
					"a defect of the server ended this request; it may or may not be stored (the log has the details)"))
			}
		}
		s.figures.request(r.Pattern, rec.status, time.Since(start))
		answered(root, r, rec.status)
		s.log.DebugContext(ctx, "request", "route", r.Pattern, "method", r.Method, "status", rec.status, "ms", time.Since(start).Milliseconds())
	}()
	p := s.refuse(r)
	if p == nil {
		if err := s.origins.Check(r); err != nil {
			p = problem(http.StatusForbidden, api.CodeCrossSite, "cross-site request from a browser")
		}
	}
	if p != nil {
		refuseUnread(rec, r, p)
		return
	}
	r = s.admitted(rec, r)
}

// refuse returns a problem if the headers are invalid.
func (s *Server) refuse(r *http.Request) *huma.ErrorModel {
	switch {
	case !s.knowsHost(r.Host):
		return problem(http.StatusMisdirectedRequest, api.CodeHost, "the name in the Host header is not allowed (see --host)")
	case headerBytes(r.Header) > maxHeaders:
		return problem(http.StatusRequestHeaderFieldsTooLarge, api.CodeTooLarge, fmt.Sprintf("headers: too large (want at most %d bytes)", maxHeaders))
	case len(r.RequestURI) > urlLimit(r.URL.Path):
		return problem(http.StatusRequestURITooLong, api.CodeTooLarge, "request target: too long (want POST with the article in the body)")
	case r.Header.Get("Content-Encoding") != "" && !strings.EqualFold(r.Header.Get("Content-Encoding"), "identity"):
		return problem(http.StatusUnsupportedMediaType, api.CodeInvalid, "compressed bodies are not supported")
	case r.ContentLength > s.bodyLimit(r.URL.Path):
		return tooLong(s.bodyLimit(r.URL.Path))
	case !rightType(r):
		words, _ := typesOf(r.URL.Path)
		return problem(http.StatusUnsupportedMediaType, api.CodeInvalid, "Content-Type: invalid (want "+words+")")
	}
	return nil
}

// admitted identifies the caller, applies its limits and handles the request.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request) *http.Request {
	b := newBody(w, r, s.bodyLimit(r.URL.Path))
	r.Body = b
	c, name, ok := s.identify(r)
	if !ok {
		if !s.allowGuess(r) {
			s.busy(w, r, "client")
			return r
		}
		s.figures.refused("token")
		refuseUnread(w, r, problem(http.StatusUnauthorized, api.CodeToken, "unknown token"))
		return r
	}
	c.client, ok = s.clients.enter(name)
	if ok {
		defer c.client.inFlight.Add(-1)
	}
	if !ok || !c.client.spend(1) {
		s.busy(w, r, "client")
		return r
	}
	if c.tenant != nil && r.ContentLength != 0 {
		head, long, p := readAhead(b, r.ContentLength)
		switch {
		case p != nil:
			s.figures.refused("body")
			writeProblem(w, p)
			return r
		case long:
			leave, ok := s.enterLong(c.client, s.weight(r))
			if !ok {
				s.busy(w, r, "client")
				return r
			}
			defer leave()
		}
		r.Body, p = b.rest(head)
		if p != nil {
			writeProblem(w, p)
			return r
		}
	}
	return s.handle(w, r, c, name)
}

// enterLong counts a request with a long body as weight long bodies. It returns false if there are too many.
func (s *Server) enterLong(c *client, weight int64) (leave func(), ok bool) {
	most := int64(max(1, s.cfg.Limits.InFlight/longBodyPart))
	own := max(1, most/2)
	weight = min(weight, own)
	leave = func() {
		s.long.Add(-weight)
		c.long.Add(-weight)
	}
	if all, mine := s.long.Add(weight), c.long.Add(weight); all <= most && mine <= own {
		return leave, true
	}
	leave()
	return nil, false
}

// handle processes a request. It frees the request's place before it sends the answer, so that a client that
// reads slowly blocks no other request.
func (s *Server) handle(w http.ResponseWriter, r *http.Request, c caller, name string) *http.Request {
	if err := s.reach.away(); err != nil {
		s.figures.refused("away")
		writeProblem(w, problemOf(err))
		return r
	}
	select {
	case s.inFlight <- struct{}{}:
	default:
		s.busy(w, r, "server")
		return r
	}
	answer := &bufferedAnswer{ResponseWriter: w}
	func() {
		defer func() { <-s.inFlight }()
		ctx, cancel := context.WithTimeout(r.Context(), s.cfg.Limits.Deadline)
		defer cancel()
		ctx, leave := s.reach.within(ctx)
		defer leave()
		inner := r.WithContext(context.WithValue(docid.WithClient(ctx, name), callerKey{}, c))
		s.routes.ServeHTTP(answer, inner)
		r.Pattern = inner.Pattern // the metrics need it
	}()
	answer.send()
	return r
}

// bufferedAnswer buffers an answer until it is complete. The longest answer is a page or the text of an article.
type bufferedAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader records the status.
func (l *bufferedAnswer) WriteHeader(status int) {
	if l.status == 0 {
		l.status = status
	}
}

// Write sets the status 200 if none is set.
func (l *bufferedAnswer) Write(b []byte) (int, error) {
	l.WriteHeader(http.StatusOK)
	return l.body.Write(b)
}

// Unwrap serves http.ResponseController.
func (l *bufferedAnswer) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func (l *bufferedAnswer) send() {
	if l.body.Len() > 0 {
		l.Header().Set("Content-Length", strconv.Itoa(l.body.Len()))
	}
	if l.status != 0 {
		l.ResponseWriter.WriteHeader(l.status)
	}
	_, _ = l.ResponseWriter.Write(l.body.Bytes()) // the client may have disconnected
}

// allowGuess counts an unknown token as a request of its address, so that guessing has the rate limit of one
// client. Clients with a valid token are not affected.
func (s *Server) allowGuess(r *http.Request) bool {
	guesser, ok := s.clients.enter("address " + address(r.RemoteAddr))
	if !ok {
		return false
	}
	defer guesser.inFlight.Add(-1)
	return guesser.spend(1)
}

func (s *Server) busy(w http.ResponseWriter, r *http.Request, who string) {
	s.figures.refused("busy_" + who)
	refuseUnread(w, r, problem(http.StatusTooManyRequests, api.CodeBusy, "too many requests; slow down"))
}

// refuseUnread rejects a request and drains its unread body.
func refuseUnread(w http.ResponseWriter, r *http.Request, p *huma.ErrorModel) {
	if r.Header.Get("Expect") == "" { // a client that sends this header waits before it sends the body
		drain(r.Body)
	}
	writeProblem(w, p)
}

// identify reads the token. A request without a token gets the Anonymous grant, if any. It returns false for
// an unknown token.
func (s *Server) identify(r *http.Request) (caller, string, bool) {
	header := r.Header.Get("Authorization")
	if header == "" {
		c := caller{grant: s.access.Load().Anonymous}
		if c.grant != nil {
			c.tenant = s.tenants[c.grant.Tenant]
		}
		return c, "address " + address(r.RemoteAddr), true
	}
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	g, ok := s.access.Load().Find(token)
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return caller{}, "", false
	}
	h := HashOf(token)
	if g.Name == "" {
		g.Name = fmt.Sprintf("token %x", h[:4])
	}
	return caller{grant: &g, tenant: s.tenants[g.Tenant]}, "token " + string(h[:]), true
}

// allow returns a problem unless a caller may use a route for role. The empty role allows no caller.
func allow(c caller, role Role) *huma.ErrorModel {
	switch {
	case c.grant == nil:
		return problem(http.StatusUnauthorized, api.CodeToken, "token: missing")
	case c.tenant == nil:
		return problem(http.StatusUnauthorized, api.CodeToken, "the tenant of this token is new (restart the server to serve it)")
	case role == "" || !c.grant.Has(role):
		return problem(http.StatusForbidden, api.CodeForbidden, fmt.Sprintf("token: no permission (want the role %q)", role))
	}
	return nil
}

// knowsHost compares the host with and without the port.
func (s *Server) knowsHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	for _, allowed := range s.cfg.Hosts {
		if allowed == "*" || strings.EqualFold(allowed, host) || strings.EqualFold(strings.Trim(allowed, "[]"), name) {
			return true
		}
	}
	return false
}

func headerBytes(h http.Header) int {
	n := 0
	for k, vs := range h {
		for _, v := range vs {
			n += len(k) + len(v) + len(": \r\n")
		}
	}
	return n
}

func urlLimit(path string) int {
	if path == classicPath {
		return maxClassicURL
	}
	return maxURL
}

// rightType requires JSON for every request that writes, and sets the type in lower case. The classic route
// also accepts a form.
func rightType(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodDelete:
		return r.ContentLength == 0
	}
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return false
	}
	if _, is := typesOf(r.URL.Path); is(t) {
		r.Header.Set("Content-Type", t) // the case of a type does not matter
		return true
	}
	return r.URL.Path == classicPath && t == "application/x-www-form-urlencoded"
}

// recorder records the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	wrote  bool
}

// WriteHeader records the status.
func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write records the status 200 if there is none.
func (r *recorder) Write(b []byte) (int, error) {
	r.wrote = true
	return r.ResponseWriter.Write(b)
}

// Unwrap serves http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
