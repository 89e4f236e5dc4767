// Package server provides the docId service over HTTP: the classic route /docId/getDocId, the API /v1,
// tenants with tokens and roles, limits, health and metrics. It uses docid.Detector and depends on no store
// and no method. Package server/api has its client, and docs/http-api.md describes the routes.
package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/internal/span"
	"github.com/neardup/neardup/server/api"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Classic decides on the articles of one tenant like the classic system. It replaces a docid.Detector and
// feeds the sinks itself.
type Classic interface {
	Add(ctx context.Context, sub docid.Submission) (docid.Answer, error)
	// Stats returns the counts and the progress of each sink.
	Stats(ctx context.Context) (docid.Stats, []docid.Attachment, error)
	// Attach makes the store keep articles for a sink. Feed delivers them until ctx ends, and reports failures.
	Attach(ctx context.Context, name string, sink docid.Sink) error
	Feed(ctx context.Context, name string, sink docid.Sink, failed func(error)) error
}

// Config configures a server. It needs Access, and either Classic or Store with Settings.
type Config struct {
	Store docid.Store
	// Classic opens the index of a tenant for the classic system. If set, the server only accepts
	// submissions.
	Classic func(ctx context.Context, tenant string) (Classic, error)
	// Remote checks the systems that the store depends on. The zero value checks nothing.
	Remote Remote
	// Sinks maps the names of sinks in the store to the sinks. Run feeds them.
	Sinks map[string]docid.Sink
	// Detach lists sinks for which the store no longer keeps articles.
	Detach []string
	// Settings returns the settings for the index of a tenant.
	Settings func(tenant string) docid.Settings
	Access   *Access
	Limits   Limits
	// Hosts lists the names that the Host header of a request may have, with or without port. "*" allows all names, and an
	// empty list allows none.
	Hosts []string
	// KeepKeys is the minimal time to keep idempotency keys (default 24 hours).
	KeepKeys time.Duration
	// Snapshot writes a copy of the store under a name, which is a valid plain file name. If nil, the route
	// answers 404.
	Snapshot func(ctx context.Context, name string) error
	// Inspect measures two texts on every scale for the pages, and stops when its context ends. If nil, the
	// route answers 404.
	Inspect func(ctx context.Context, a, b string) (api.Inspection, error)
	// Pictures limits the pictures that are hashed. If nil, the route answers 404.
	Pictures *image.Limits
	// Texts stores all texts for moderators for a limited time. If nil, none are stored.
	Texts Texts
	Telemetry
	Version string
}

// Telemetry configures metrics, log and traces, which contain no texts. Each may be nil.
type Telemetry struct {
	Metrics prometheus.Registerer
	Log     *slog.Logger
	Traces  trace.TracerProvider
}

// Remote checks the systems that a store depends on.
type Remote struct {
	// Reach checks that the dependency answers. While it fails, requests are rejected. If nil, no check is
	// made.
	Reach func(ctx context.Context) error
	// Clock returns the time of a shared clock, if not nil. Timed work must be due by that clock as well as by the server's
	// own. So a server with a wrong clock cannot expire data of the others.
	Clock func(ctx context.Context) (time.Time, error)
}

// Server answers requests. New makes it, and Run does its timed work.
type Server struct {
	cfg     Config
	log     *slog.Logger
	tenants map[string]*tenant
	access  atomic.Pointer[Access]
	clients *clients
	figures *figures
	routes  http.Handler
	origins *http.CrossOriginProtection
	api     huma.API
	load
	semaphore  *docid.Semaphore // shared by all tenants
	draining   atomic.Bool
	reach      reach
	logLimiter *logLimiter
	who        string // name of this server among all
}

// load tracks the running requests.
type load struct {
	inFlight chan struct{}
	long     atomic.Int64 // requests with a long body
}

// A tenant is an open index.
type tenant struct {
	name    string
	decider interface { // detector or classic
		Add(ctx context.Context, sub docid.Submission) (docid.Answer, error)
	}
	detector *docid.Detector // nil with the classic system
	classic  Classic
	quota    int
	forgot   uint64 // the change up to which Run has searched for old idempotency keys
	relays   map[string]*docid.Relay
}

// New opens the indexes of all tenants and makes the handler. It returns neardup.ErrUnlike for an index made
// with other settings.
func New(ctx context.Context, cfg Config) (*Server, error) {
	if (cfg.Classic == nil && (cfg.Store == nil || cfg.Settings == nil)) || cfg.Access == nil {
		return nil, errors.New("server: store, settings or access is missing (want all three, or the classic system and access)")
	}
	cfg.Limits = cfg.Limits.orDefault()
	if cfg.KeepKeys == 0 {
		cfg.KeepKeys = 24 * time.Hour
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Traces == nil {
		cfg.Traces = noop.NewTracerProvider()
	}
	s := &Server{
		cfg: cfg, log: cfg.Log, tenants: map[string]*tenant{},
		clients: &clients{limits: cfg.Limits, known: map[string]*client{}}, load: load{inFlight: make(chan struct{}, cfg.Limits.InFlight)}, who: rand.Text(),
		semaphore: docid.NewSemaphore(0), logLimiter: &logLimiter{to: cfg.Log, lines: map[string]*line{}},
	}
	s.access.Store(cfg.Access)
	s.reach.back()
	s.figures = newFigures(s)
	for _, name := range cfg.Access.Tenants() {
		t, err := s.open(ctx, name)
		if err != nil {
			return nil, err
		}
		s.tenants[name] = t
	}
	if cfg.Metrics != nil {
		if err := cfg.Metrics.Register(s.figures.live); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
	}
	s.origins = http.NewCrossOriginProtection()
	var err error
	s.routes, err = s.route()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open opens the index of a tenant.
func (s *Server) open(ctx context.Context, name string) (*tenant, error) {
	t := &tenant{name: name, relays: map[string]*docid.Relay{}}
	if s.cfg.Classic != nil {
		var err error
		t.classic, err = s.cfg.Classic(ctx, name)
		if err != nil {
			return nil, err
		}
		t.decider = t.classic
		for _, sink := range s.sinks() {
			if err := t.classic.Attach(ctx, sink, s.cfg.Sinks[sink]); err != nil {
				return nil, fmt.Errorf("tenant %q: %w", name, err)
			}
		}
		return t, nil
	}
	settings := s.cfg.Settings(name)
	settings.Semaphore = cmp.Or(settings.Semaphore, s.semaphore)
	settings.Lost = func(has, seen uint64) {
		s.log.Error("the index has lost changes that were acknowledged; an epoch was begun", "tenant", name, "has", has, "seen", seen)
		s.figures.lost.WithLabelValues(name).Add(float64(seen - has))
	}
	d, err := docid.NewDetector(ctx, s.cfg.Store, name, settings)
	if err != nil {
		return nil, err
	}
	t.decider, t.detector, t.quota = d, d, settings.MaxMembers
	return t, s.attach(ctx, t)
}

// sinks returns the names of the sinks. Sinks that check the identity of an index come first, because their
// errors are the most precise.
func (s *Server) sinks() []string {
	return slices.SortedFunc(maps.Keys(s.cfg.Sinks), func(a, b string) int {
		_, first := s.cfg.Sinks[a].(docid.History)
		_, second := s.cfg.Sinks[b].(docid.History)
		switch {
		case first == second:
			return strings.Compare(a, b)
		case first:
			return -1
		}
		return 1
	})
}

// SetAccess replaces the access rules from the next request on. It returns the tenants that this server has
// not opened. Their tokens do not work until a server starts with them.
func (s *Server) SetAccess(a *Access) (closed []string) {
	s.access.Store(a)
	return slices.DeleteFunc(a.Tenants(), func(name string) bool { return s.tenants[name] != nil })
}

// Drain makes /readyz answer 503 from now on. Requests are still answered.
func (s *Server) Drain() { s.draining.Store(true) }

// OpenAPI returns the description of all routes.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }

// NewHTTP returns an http.Server with the timeouts and the header limit that a
// handler of this package relies on.
func NewHTTP(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           Streams(h, MaxConnections),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    maxClassicURL + maxHeaders,
		HTTP2:             &http.HTTP2Config{MaxReceiveBufferPerConnection: maxReceived, MaxReceiveBufferPerStream: maxReceived},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Gate answers while a server starts: alive but not ready. The caller opens it with the started server.
type Gate struct {
	started atomic.Pointer[Server]
	why     atomic.Pointer[string]
}

// Wait sets the reason for waiting, which /readyz reports.
func (g *Gate) Wait(why string) { g.why.Store(&why) }

// Open lets requests through to s.
func (g *Gate) Open(s *Server) { g.started.Store(s) }

// ServeHTTP passes requests to the server, or answers for it while it starts.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s := g.started.Load(); s != nil {
		s.ServeHTTP(w, r)
		return
	}
	keepPrivate(w.Header())
	if r.URL.Path == "/healthz" {
		plain(w, http.StatusOK, "alive")
		return
	}
	w.Header().Set("Retry-After", retryAfter)
	state := "starting"
	if why := g.why.Load(); why != nil {
		state += ": " + *why
	}
	plain(w, http.StatusServiceUnavailable, state)
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "alive") }

// readyz answers 200 while the server decides. It answers 503 while the server drains, or while its store takes no writes
// or is unreachable.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	reason := ""
	if s.draining.Load() {
		reason = "draining"
	} else if p, ok := s.cfg.Store.(interface{ Poisoned() error }); ok && p.Poisoned() != nil {
		reason = "the store accepts no writes"
		if !s.reach.logged.Swap(true) {
			s.log.Error("the store accepts no writes", "cause", span.Cause(p.Poisoned()))
		}
	} else if s.reach.away() != nil {
		reason = "the index does not answer"
	}
	if reason != "" {
		w.Header().Set("Retry-After", retryAfter)
		plain(w, http.StatusServiceUnavailable, reason)
		return
	}
	if s.reach.logged.Swap(false) { // the log had been unreachable
		s.log.Info("the store accepts writes again")
	}
	plain(w, http.StatusOK, "ready")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
