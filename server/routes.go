package server

import (
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/neardup/neardup/server/api"
)

// out is an answer with a body.
type out[T any] struct{ Body T }

// bearer is the name of the only security scheme. In an operation, its list names the role.
const bearer = "bearer"

// route registers all routes.
func (s *Server) route() (http.Handler, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	s.api = humago.New(mux, s.describe())
	s.api.UseMiddleware(s.authorize)
	s.routesForSubmit()
	s.classic(mux)
	if s.cfg.Classic != nil {
		return problems(mux), nil
	}
	register(s, with(operation(Submit, http.MethodPatch, "/v1/articles/{id}", "revise", "Change heat or text of an article"), http.StatusNotFound), s.revise)
	s.routesForPictures()
	s.routesForRead()
	s.routesForModerators()
	s.routesForAdmin()
	if err := s.routesForPages(mux); err != nil {
		return nil, err
	}
	return problems(mux), nil
}

// problems converts errors of the mux (unknown route or method) to problems.
func problems(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		status := bufferedAnswer{ResponseWriter: w} // records the status and the headers
		refusal.ServeHTTP(&status, r)
		if status.status/100 == 3 {
			w.WriteHeader(status.status) // a redirect to the canonical spelling of the path
			return
		}
		detail := "there is no such route"
		if takes := w.Header().Get("Allow"); takes != "" {
			detail = "this route takes " + takes
		}
		writeProblem(w, problem(status.status, api.CodeNotFound, detail))
	})
}

// describe returns the configuration of the OpenAPI document. It disables the documentation page because that
// page would load scripts from other sites.
func (s *Server) describe() huma.Config {
	cfg := huma.DefaultConfig("neardup docId service", s.cfg.Version)
	cfg.Info.Description = "Is this article new, or which one is it? Every answer has its evidence and the number of its change."
	cfg.Servers = []*huma.Server{{URL: "/", Description: "The server of this description"}}
	cfg.DocsPath, cfg.SchemasPath, cfg.CreateHooks = "", "", nil
	cfg.RejectUnknownQueryParameters = true
	format := huma.Format{Marshal: marshal, Unmarshal: unmarshal}
	cfg.Formats = map[string]huma.Format{"application/json": format, "json": format} // "json" is the suffix of problem+json
	cfg.Transformers = []huma.Transformer{finish}
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		bearer: {Type: "http", Scheme: "bearer", Description: "A token of at least 128 bits. It decides the tenant and the roles: submit, read, moderate, admin (which includes these), operator."},
	}
	return cfg
}

func marshal(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// finish sets neardup's type in errors that huma found, and hints for wrong names. It removes the values that the client
// sent, which may be whole articles.
func finish(ctx huma.Context, _ string, v any) (any, error) {
	e, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	if e.Status == http.StatusRequestTimeout {
		e.Detail = "body: incomplete"
	}
	if e.Type == "" {
		e.Type = api.TypePrefix + api.CodeInvalid
		if e.Status == http.StatusRequestEntityTooLarge {
			e.Type = api.TypePrefix + api.CodeTooLarge
		}
	}
	for _, d := range e.Errors {
		d.Value = nil
		if wrong, is := strings.CutPrefix(d.Location, "query."); is && d.Message == "unknown query parameter" {
			d.Message = "there is no such parameter; " + like(wrong, parameters(ctx.Operation()))
		}
	}
	return v, nil
}

// parameters returns the names of the query parameters of an operation.
func parameters(op *huma.Operation) (names []string) {
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}

// authorize admits callers with the role of the operation. An operation without a role admits no caller.
func (s *Server) authorize(ctx huma.Context, next func(huma.Context)) {
	if p := allow(callerOf(ctx.Context()), roleOf(ctx.Operation())); p != nil {
		s.figures.refused("role")
		_, w := humago.Unwrap(ctx)
		writeProblem(w, p)
		return
	}
	next(ctx)
}

func roleOf(op *huma.Operation) Role {
	for _, scheme := range op.Security {
		if roles := scheme[bearer]; len(roles) == 1 {
			return Role(roles[0])
		}
	}
	return ""
}

//go:embed examples.json
var examplesJSON []byte

// examples returns an example of the answer of each operation, by the id of the operation.
var examples = sync.OnceValue(func() (all map[string]json.RawMessage) {
	_ = json.Unmarshal(examplesJSON, &all) // a test reads all
	return all
})

// operation returns an operation with the settings that all routes share.
func operation(role Role, method, path, id, summary string) huma.Operation {
	return huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		Tags:            []string{string(role)},
		Security:        []map[string][]string{{bearer: {string(role)}}},
		Responses:       map[string]*huma.Response{"200": {Content: map[string]*huma.MediaType{"application/json": {Example: examples()[id]}}}},
		MaxBodyBytes:    maxBody,
		BodyReadTimeout: -1, // body sets its own deadline
		// The body is decoded once, strictly, and the handlers check the limits.
		SkipValidateBody: true,
		Errors: []int{
			http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
			http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusInsufficientStorage,
		},
	}
}

// with adds further statuses to an operation.
func with(op huma.Operation, statuses ...int) huma.Operation {
	op.Errors = append(op.Errors, statuses...)
	return op
}

// register adds a route. Its handler returns a body or an error of the core.
func register[I, T any](s *Server, op huma.Operation, handle func(context.Context, *I) (T, error)) {
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*out[T], error) {
		v, err := handle(ctx, in)
		if err != nil {
			return nil, s.fail(ctx, ended(ctx, err))
		}
		return &out[T]{v}, nil
	})
}

// look registers a route. It reads the last change of the caller's tenant first and passes it to the handler, as a lower
// bound of what the answer shows.
func look[I, T any](s *Server, op huma.Operation, handle func(ctx context.Context, in *I, seq uint64) (T, error)) {
	register(s, op, func(ctx context.Context, in *I) (T, error) {
		st, err := detector(ctx).Stats(ctx)
		if err != nil {
			return *new(T), err
		}
		return handle(ctx, in, st.Seq)
	})
}

// bodyOf is the input of a route that only has a body.
type bodyOf[T any] struct{ Body input[T] }
