// Package server is the docId service over HTTP: the classic route
// /docId/getDocId, the API /v1, tenants with tokens and roles, limits, health
// and metrics. It stands on docid.Detector and knows no store and no method.
// Its client is in package server/api; docs/http-api.md describes the routes.
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

// Classic decides on the articles of one tenant as the classic system does, in the place of a docid.Detector, and feeds
// sinks itself.
type Classic interface {
	Add(ctx context.Context, sub docid.Submission) (docid.Answer, error)
	// Stats counts, and says how far each sink is.
	Stats(ctx context.Context) (docid.Stats, []docid.Attachment, error)
	// Attach has articles kept for a sink, Feed brings them until ctx ends and says why it waits.
	Attach(ctx context.Context, name string, sink docid.Sink) error
	Feed(ctx context.Context, name string, sink docid.Sink, failed func(error)) error
}

// Config is what a server is made of. Access is needed, and Store with Settings, or Classic.
type Config struct {
	Store docid.Store
	// Classic opens the index of a tenant where all are of the classic system: then articles are
	// submitted, and there are no other routes.
	Classic func(ctx context.Context, tenant string) (Classic, error)
	// Remote asks what the store depends on elsewhere; its zero value: nothing.
	Remote Remote
	// Sinks are fed by Run, by the names under which the store knows them.
	Sinks map[string]docid.Sink
	// Detach are sinks that nothing is kept for any more.
	Detach []string
	// Settings of the index of a tenant.
	Settings func(tenant string) docid.Settings
	Access   *Access
	Limits   Limits
	// Hosts are the names, with or without port, that the Host header of a
	// request may have; "*" allows all, none allows none.
	Hosts []string
	// KeepKeys is how long idempotency keys are kept at least; 0: 24 hours.
	KeepKeys time.Duration
	// Snapshot writes a copy of the store under a name that was checked to
	// be a plain file name; nil: the route answers 404.
	Snapshot func(ctx context.Context, name string) error
	// Inspect measures two texts on every scale, for the pages, and ends with its
	// context; nil: the route answers 404.
	Inspect func(ctx context.Context, a, b string) (api.Inspection, error)
	// Pictures bound those that are hashed; nil: the route answers 404.
	Pictures *image.Limits
	// Texts keep all texts for a time, for those who moderate; nil: none are kept.
	Texts Texts
	Telemetry
	Version string
}

// Telemetry is where a server tells what it does, without texts; each may be nil.
type Telemetry struct {
	Metrics prometheus.Registerer
	Log     *slog.Logger
	Traces  trace.TracerProvider
}

// Remote asks what a store depends on elsewhere.
type Remote struct {
	// Reach asks whether it is there; while it does not answer requests are
	// refused. nil: it is.
	Reach func(ctx context.Context) error
	// Clock is that of what several servers share: what is done by time waits
	// until it is due by it, too, so that one server with a wrong clock ends nothing of
	// the others. nil: there is none.
	Clock func(ctx context.Context) (time.Time, error)
}

// Server answers requests. Make it with New; Run it for what is done by time.
type Server struct {
	cfg     Config
	log     *slog.Logger
	tenants map[string]*tenant
	access  atomic.Pointer[Access]
	clients *clients
	figures *figures
	live    *prometheus.Registry // the same figures, for the pages
	routes  http.Handler
	origins *http.CrossOriginProtection
	api     huma.API
	load
	semaphore *docid.Semaphore // one for all tenants
	draining  atomic.Bool
	reach     reach
	seldom    *seldom
	who       string // of all servers
}

// load is what is being answered.
type load struct {
	inFlight chan struct{}
	long     atomic.Int64 // requests with a long body
}

// tenant is an index that is open.
type tenant struct {
	name    string
	decider interface { // detector, or classic
		Add(ctx context.Context, sub docid.Submission) (docid.Answer, error)
	}
	detector *docid.Detector // nil: classic decides
	classic  Classic
	quota    int
	forgot   uint64 // how far idempotency keys were looked through; Run's own
	relays   map[string]*docid.Relay
}

// New opens the indexes of all tenants and makes the handler. An index made
// under other settings is neardup.ErrUnlike.
func New(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Classic == nil && (cfg.Store == nil || cfg.Settings == nil) || cfg.Access == nil {
		return nil, errors.New("server: a store and settings, or the classic system, and access are needed")
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
		semaphore: docid.NewSemaphore(0), seldom: &seldom{to: cfg.Log, lines: map[string]*line{}},
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
		if err := cfg.Metrics.Register(s.figures); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
	}
	s.origins = http.NewCrossOriginProtection()
	var err error
	if s.routes, err = s.route(); err != nil {
		return nil, err
	}
	return s, nil
}

// open opens the index of a tenant.
func (s *Server) open(ctx context.Context, name string) (*tenant, error) {
	t := &tenant{name: name, relays: map[string]*docid.Relay{}}
	if s.cfg.Classic != nil {
		var err error
		if t.classic, err = s.cfg.Classic(ctx, name); err != nil {
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

// sinks names the sinks, those first that know an index by its identity: of what may be
// wrong with an index they say the most.
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

// SetAccess says anew who may do what, from the next request on. It returns the tenants
// that were not open when the server was made: nobody can use them until another is.
func (s *Server) SetAccess(a *Access) (closed []string) {
	s.access.Store(a)
	return slices.DeleteFunc(a.Tenants(), func(name string) bool { return s.tenants[name] != nil })
}

// Drain makes /readyz say 503 from now on. Requests are still answered.
func (s *Server) Drain() { s.draining.Store(true) }

// OpenAPI is the description of all routes.
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

// Gate answers while a server starts: alive but not ready. Open it once the
// server is there.
type Gate struct {
	behind atomic.Pointer[Server]
	why    atomic.Pointer[string]
}

// Wait names what the server waits for. /readyz says it.
func (g *Gate) Wait(why string) { g.why.Store(&why) }

// Open lets requests through to s.
func (g *Gate) Open(s *Server) { g.behind.Store(s) }

// ServeHTTP answers for the server, or for its absence.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s := g.behind.Load(); s != nil {
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

// readyz says 200 while the server decides: not when it drains, and not when
// its store takes no more writes or is away.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	reason := ""
	if s.draining.Load() {
		reason = "draining"
	} else if p, ok := s.cfg.Store.(interface{ Poisoned() error }); ok && p.Poisoned() != nil {
		reason = "the store takes no writes"
		if !s.reach.told.Swap(true) {
			s.log.Error("the store takes no writes", "cause", span.Cause(p.Poisoned()))
		}
	} else if s.reach.away() != nil {
		reason = "the index does not answer"
	}
	if reason != "" {
		w.Header().Set("Retry-After", retryAfter)
		plain(w, http.StatusServiceUnavailable, reason)
		return
	}
	if s.reach.told.Swap(false) { // its log was away
		s.log.Info("the store takes writes again")
	}
	plain(w, http.StatusOK, "ready")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
