package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/neardup/neardup/server/api"
)

// input decodes the body of a request once.
type input[T any] struct {
	is      T
	refused *refusal
}

// A refusal describes an invalid body.
type refusal struct {
	status int
	detail huma.ErrorDetail
}

// GetStatus returns the status of the answer.
func (r *refusal) GetStatus() int { return r.status }

// ErrorDetail returns the problem and its location.
func (r *refusal) ErrorDetail() *huma.ErrorDetail { return &r.detail }

// Error formats the problem and its location.
func (r *refusal) Error() string { return r.detail.Error() }

// Schema returns the schema of the body.
func (*input[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Resolve reports an invalid body to huma.
func (in *input[T]) Resolve(huma.Context) []error {
	if in.refused == nil {
		return nil
	}
	return []error{in.refused}
}

// unmarshal decodes a body into an input, for huma.
func unmarshal(data []byte, v any) error {
	d, ok := v.(interface{ decode(data []byte) })
	if !ok {
		return fmt.Errorf("no body is a %T", v)
	}
	d.decode(data)
	return nil
}

// decode decodes untrusted JSON strictly: valid UTF-8, no unknown field, and no field twice in an object,
// even in another case.
func (in *input[T]) decode(data []byte) {
	err := in.unmarshal(data)
	if errors.Is(err, json.ErrUnknownName) {
		var other []byte
		other, err = renamed(data)
		if err == nil {
			err = in.unmarshal(other)
		}
	}
	refuse := func(status int, location, message string) {
		in.refused = &refusal{status, huma.ErrorDetail{Location: location, Message: message}}
	}
	var misfit *json.SemanticError
	switch {
	case err == nil && string(bytes.TrimSpace(data)) == "null":
		refuse(http.StatusUnprocessableEntity, "body", "null "+misfits)
	case err == nil:
	case errors.As(err, &misfit):
		refuse(http.StatusUnprocessableEntity, location(misfit.JSONPointer), typeProblem(misfit))
	default:
		refuse(http.StatusBadRequest, "body", syntaxProblem(err))
	}
}

func (in *input[T]) unmarshal(data []byte) error {
	in.is = *new(T)
	if r, ok := any(&in.is).(*api.Ruling); ok {
		r.Link = noLink
	}
	return json.Unmarshal(data, &in.is, json.RejectUnknownMembers(true), asWritten, rated)
}

// renamed returns JSON with the names of the classic interface, nid and content, replaced by those of the API. It returns
// an error for an object that has both.
func renamed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		if kind, n := in.StackIndex(in.StackDepth()); kind == '{' && n%2 == 1 {
			switch name := token.String(); {
			case strings.EqualFold(name, "nid"):
				token = jsontext.String("id")
			case strings.EqualFold(name, "content"):
				token = jsontext.String("text")
			}
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// asWritten matches keys in any case, but requires hyphens and underscores as written.
var asWritten = json.JoinOptions(json.MatchCaseInsensitiveNames(true), jsonv1.MatchCaseSensitiveDelimiter(true))

const misfits, whole = "does not fit", "a whole number"

// typeProblem describes in terms of JSON why a value has the wrong type.
func typeProblem(err *json.SemanticError) string {
	if errors.Is(err.Err, json.ErrUnknownName) {
		return "there is no such field; " + fieldLike(err.JSONPointer.LastToken(), err.GoType)
	}
	is := map[jsontext.Kind]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "a list"}[err.JSONKind]
	switch wanted := kindOf(err.GoType); {
	case wanted == whole && is == "a number":
		return "is not " + whole + " of 64 bits"
	case is != "" && wanted != "" && is != wanted:
		return "is " + is + ", not " + wanted
	}
	return strings.TrimSpace(is + " " + misfits)
}

// fieldLike returns a hint: a field of a type whose name is like a wrong one, or all fields.
func fieldLike(wrong string, t reflect.Type) string {
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return like(wrong, names)
}

// like returns a hint: a name that is like a wrong one, or all names.
func like(wrong string, names []string) string {
	for _, name := range names {
		if len(wrong) <= maxLocation && edits(strings.ToLower(wrong), strings.ToLower(name)) <= 1+len(name)/4 {
			return fmt.Sprintf("did you mean %q?", name)
		}
	}
	if len(names) == 0 {
		return "there is none here"
	}
	return "the names here are " + strings.Join(names, ", ")
}

// edits returns the Levenshtein distance of two names.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				next = min(next, diagonal)
			}
			diagonal, row[j+1] = row[j+1], min(next, diagonal+1)
		}
	}
	return row[len(b)]
}

// kindOf returns the JSON name of a type of the API.
func kindOf(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return ""
	}
	return map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "a boolean", reflect.Int: whole, reflect.Int64: whole,
		reflect.Uint64: whole, reflect.Slice: "a list", reflect.Struct: "an object"}[t.Kind()]
}

// syntaxProblem describes a syntax error without quoting the input.
func syntaxProblem(err error) string {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return "an object has a key twice (nid is the same as id, content the same as text)"
	}
	var bad *jsontext.SyntacticError
	if errors.As(err, &bad) {
		return "invalid JSON near byte " + strconv.FormatInt(bad.ByteOffset, 10)
	}
	return "invalid JSON"
}

// maxLocation bounds how much of a request its answer repeats, in bytes.
const maxLocation = 200

// location converts a pointer into the body to the notation of the API: "body.articles[1].id".
func location(p jsontext.Pointer) string {
	at := "body"
	for token := range p.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			at += "[" + token + "]"
		} else {
			at += "." + token
		}
		if len(at) > maxLocation {
			return strings.ToValidUTF8(at[:maxLocation], "") + "..."
		}
	}
	return at
}
