package api

import "fmt"

// Codes of problems: the last part of the type of a [Problem].
const (
	CodeInvalid     = "invalid"      // the request cannot be understood or breaks a limit
	CodeTooLarge    = "too-large"    // the request is larger than the server takes
	CodeToken       = "unauthorized" // no token, or none that the server knows
	CodeForbidden   = "forbidden"    // the token has another role
	CodeCrossSite   = "cross-site"   // a browser sent it from another site
	CodeHost        = "host"         // the Host header names another server
	CodeNotFound    = "not-found"
	CodeEnded       = "ended"       // the docId has ended
	CodeIdempotency = "idempotency" // the key was used with another request
	CodeNIDTaken    = "nid-taken"   // the nid belongs to another article
	CodeLeads       = "leads"       // the article leads its docId and cannot be moved to one of its own
	CodeCrowded     = "crowded"     // too many candidates to compare
	CodeQuota       = "quota"       // the tenant's quota of articles is used up
	CodeBusy        = "busy"        // too many requests; wait before the next
	CodeUnavailable = "unavailable" // temporary; the change may have been stored
	CodeBacklog     = "backlog"     // temporary; too many changes wait for the sinks of the index
	CodeExists      = "exists"      // a backup of that name exists
	CodeFull        = "full"        // the disk is full
	CodeInternal    = "internal"    // a defect of the server; a repeated request fails again
)

// TypePrefix begins the type of every problem.
const TypePrefix = "urn:neardup:"

// Problem is an error as RFC 9457 describes it.
type Problem struct {
	Type   string   `json:"type,omitempty"`
	Title  string   `json:"title,omitempty"`
	Status int      `json:"status,omitempty"`
	Detail string   `json:"detail,omitempty"`
	Errors []Detail `json:"errors,omitempty"`
}

// A Detail locates an error in a request, for example at "body.articles[3].content".
type Detail struct {
	Message  string `json:"message,omitempty"`
	Location string `json:"location,omitempty"`
}

// Error formats the status, the detail and the first location.
func (p *Problem) Error() string {
	s := fmt.Sprintf("%d %s", p.Status, p.Title)
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	if len(p.Errors) > 0 {
		s += fmt.Sprintf(" (%s: %s)", p.Errors[0].Location, p.Errors[0].Message)
	}
	return s
}

// Code returns the last part of the type, or "" if the type is not one of neardup's.
func (p *Problem) Code() string {
	if len(p.Type) > len(TypePrefix) && p.Type[:len(TypePrefix)] == TypePrefix {
		return p.Type[len(TypePrefix):]
	}
	return ""
}
