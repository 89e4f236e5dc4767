package server

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server/api"
)

// A classicArticle is an article of the classic interface. Every field is a string, but numbers are accepted.
type classicArticle struct {
	NID         loose `json:"nid"`
	URL         loose `json:"url"`
	Title       loose `json:"title"`
	Content     loose `json:"content"`
	Category    loose `json:"category"`
	Media       loose `json:"media"`
	ImageCount  loose `json:"imageCount"`
	Heat        loose `json:"heat"`
	PublishTime loose `json:"publishTime"`
}

// loose is a string that may have been sent as a number, a boolean or null.
type loose string

// UnmarshalJSONFrom accepts every scalar.
func (l *loose) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case '"':
		v, err = jsontext.AppendUnquote(nil, v)
	case '{', '[':
		return errors.New(misfits)
	case 'n':
		v = nil
	}
	*l = loose(v)
	return err
}

// A classicAnswer is an answer of the classic interface. The order of the fields matters.
type classicAnswer struct {
	FilterReason string `json:"filterReason"`
	DocID        string `json:"docId"`
	FilterStatus string `json:"filterStatus"`
	Status       string `json:"status"`
}

// seqHeader carries the number of the change, because the classic answer has no field for it.
const seqHeader = "Neardup-Seq"

const classicReason = "docId_filter "

// classic registers /docId/getDocId.
func (s *Server) classic(mux *http.ServeMux) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		op := operation(Submit, method, classicPath, "classic"+method[:1]+strings.ToLower(method[1:]),
			"Use the classic interface: json={...} in the query, in a form or as the body")
		op.Description = "Fields: url, title, content, category, media, imageCount, nid, heat, publishTime, as strings. The answer has filterReason, docId, filterStatus and status; its header " + seqHeader + " has the number of the change."
		op.Parameters = []*huma.Param{{Name: "json", In: "query", Schema: &huma.Schema{Type: huma.TypeString}}}
		decided := op.Responses["200"]
		decided.Description = "Decided"
		decided.Content["application/json"].Schema = huma.SchemaFromType(s.api.OpenAPI().Components.Schemas, reflect.TypeFor[classicAnswer]())
		s.api.OpenAPI().AddOperation(&op)
		mux.HandleFunc(method+" "+classicPath, s.getDocID)
	}
}

func (s *Server) getDocID(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // the mux routes HEAD like GET, but HEAD must not store
		w.Header().Set("Allow", "GET, POST")
		writeProblem(w, problem(http.StatusMethodNotAllowed, api.CodeInvalid, "method HEAD: not allowed (want GET or POST)"))
		return
	}
	writes := *r
	writes.Method = http.MethodPost // a GET also writes
	if s.origins.Check(&writes) != nil {
		s.figures.refused("cross_site")
		s.classicFail(w, problem(http.StatusForbidden, api.CodeCrossSite, "cross-site request from a browser"))
		return
	}
	if p := allow(callerOf(r.Context()), Submit); p != nil {
		s.figures.refused("role")
		s.classicFail(w, p)
		return
	}
	sub, err := classicSubmission(r)
	if err != nil {
		s.classicFail(w, problemOf(err))
		return
	}
	a, err := s.decide(r.Context(), sub)
	err = ended(r.Context(), err)
	if err != nil {
		_ = s.fail(r.Context(), err) // fail logs the error
		s.classicFail(w, problemOf(err))
		return
	}
	w.Header().Set(seqHeader, strconv.FormatUint(a.Seq, 10))
	writeClassic(w, http.StatusOK, classicOf(a))
}

// classicOf converts an answer. A new article is "good news", and for a duplicate it names the stage that
// found it.
func classicOf(a docid.Answer) classicAnswer {
	out := classicAnswer{DocID: a.DocID, Status: "success"}
	out.FilterReason, out.FilterStatus = classicReason+"good news", "good"
	if a.Decision.Decision == neardup.Duplicate {
		out.FilterReason, out.FilterStatus = classicReason+"duplicate "+string(a.Stage), "duplicate"
	}
	return out
}

func (s *Server) classicFail(w http.ResponseWriter, p *huma.ErrorModel) {
	setRetryHeaders(w.Header(), p.Status)
	reason := p.Detail
	for _, e := range p.Errors {
		reason = e.Location + ": " + e.Message
	}
	writeClassic(w, p.Status, classicAnswer{FilterReason: classicReason + reason, FilterStatus: "error", Status: "fail"})
}

func writeClassic(w http.ResponseWriter, status int, a classicAnswer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = marshal(w, a) // the client may have disconnected
}

// classicSubmission reads the article from the query, a form or the body.
func classicSubmission(r *http.Request) (docid.Submission, error) {
	raw, err := classicJSON(r)
	if err != nil {
		return docid.Submission{}, err
	}
	var c classicArticle
	if err := json.Unmarshal(raw, &c, asWritten); err != nil {
		return docid.Submission{}, problem(http.StatusBadRequest, api.CodeInvalid, "json: "+classicProblem(err))
	}
	in := api.Submission{Article: api.Article{
		NID: string(c.NID), URL: string(c.URL), Title: string(c.Title), Content: string(c.Content),
		Category: string(c.Category), Media: string(c.Media), ImageCount: string(c.ImageCount),
	}}
	sub, err := toCore(&in, "json")
	if err != nil {
		return sub, err
	}
	if c.Heat != "" {
		sub.Heat, err = strconv.ParseInt(string(c.Heat), 10, 64)
		if err != nil {
			return sub, at("json.heat", "is not an integer")
		}
	}
	if t, ok := classicTime(string(c.PublishTime)); ok {
		sub.Time = t.UnixNano()
	} else if c.PublishTime != "" {
		return sub, at("json.publishTime", "is not a time")
	}
	return sub, nil
}

// classicProblem returns why the classic article cannot be read.
func classicProblem(err error) string {
	var misfit *json.SemanticError
	switch {
	case !errors.As(err, &misfit):
		return syntaxProblem(err)
	case misfit.JSONPointer != "":
		return "a field is neither a string nor a number"
	}
	return "not an object (want one with string fields)"
}

func classicJSON(r *http.Request) ([]byte, error) {
	if r.Method == http.MethodPost {
		t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // checked before
		body, err := io.ReadAll(r.Body)
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			return nil, problem(http.StatusRequestEntityTooLarge, api.CodeTooLarge, "body: too large")
		case err != nil:
			return nil, problem(http.StatusBadRequest, api.CodeInvalid, "body: cannot be read")
		case t == "application/json":
			return body, nil
		}
		if v, ok := formValue(string(body), "json"); ok {
			return v, nil
		}
	}
	if v, ok := formValue(r.URL.RawQuery, "json"); ok {
		return v, nil
	}
	return nil, problem(http.StatusBadRequest, api.CodeInvalid, "json: parameter is missing")
}

// classicTime parses the time formats of news feeds. It accepts RFC 3339 (also with a space instead of the
// T), a date (UTC without a zone), and Unix seconds or milliseconds.
func classicTime(s string) (time.Time, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		t := time.Unix(n, 0)
		if n > 1e11 || n < -1e11 {
			t = time.UnixMilli(n)
		}
		return t, t.Year() >= 1700 && t.Year() <= 2200
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, t.Year() >= 1700 && t.Year() <= 2200
		}
	}
	return time.Time{}, false
}
