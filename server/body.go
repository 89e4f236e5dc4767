package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/neardup/neardup/server/api"
)

const (
	// drained bounds the bytes read from a rejected body. Reading them lets a client that is still sending
	// receive the answer. If the client sends more, the connection is reset.
	drained = 4 * maxBody
	// shortBody is the maximal length of a short body, which does not count as a long one. Nearly all bodies are short.
	shortBody = 64 << 10
	// At most one of longBodyPart concurrent requests may have a long body, because long bodies are held in memory. One
	// client may have half of these.
	longBodyPart = 4
	// A body must arrive within bodyPatience, plus one second for every bytesPerSecond bytes.
	bodyPatience   = 5 * time.Second
	bytesPerSecond = 16 << 10
)

// body is a request body of bounded length. Read fails if the client sends too slowly.
type body struct {
	io.ReadCloser
	limit int64
	left  int64
	begun time.Time
	read  int64
	conn  *http.ResponseController
}

func newBody(w http.ResponseWriter, r *http.Request, limit int64) *body {
	return &body{ReadCloser: r.Body, limit: limit, left: limit, begun: time.Now(), conn: http.NewResponseController(w)}
}

// Read returns http.MaxBytesError beyond the limit, after it has read up to drained further bytes.
func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	// SetReadDeadline fails for a writer without a network connection, which needs no deadline.
	_ = b.conn.SetReadDeadline(b.begun.Add(bodyPatience + time.Duration(b.read)*time.Second/bytesPerSecond))
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if int64(n) > b.left {
		n = int(b.left)
		drain(b.ReadCloser)
		err = &http.MaxBytesError{Limit: b.limit}
	}
	b.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF): // the server needs the connection to notice if the client closes it
		_ = b.conn.SetReadDeadline(time.Time{})
	case err != nil && b.left > 0:
		err = brokenBody{err}
	}
	return n, err
}

// Close drains the body if the reader stopped at the limit.
func (b *body) Close() error {
	if b.left <= 0 {
		drain(b.ReadCloser)
	}
	return b.ReadCloser.Close()
}

// brokenBody reports that a body did not arrive completely because of the client.
type brokenBody struct{ error }

// Unwrap returns the wrapped error.
func (b brokenBody) Unwrap() error { return b.error }

// Timeout returns true, so that huma blames the client. For other errors it would blame the server.
func (b brokenBody) Timeout() bool { return true }

// Temporary completes net.Error.
func (b brokenBody) Temporary() bool { return false }

// readAhead reads the first part of a body before its request takes one of the places for work. A client that
// sends slowly therefore blocks no other request. long reports whether more of the body may follow, which is
// rare.
func readAhead(b *body, length int64) (head *bytes.Buffer, long bool, p *huma.ErrorModel) {
	if length < 0 || length > shortBody {
		length = shortBody
	}
	head = &bytes.Buffer{}
	head.Grow(int(length) + bytes.MinRead)
	n, err := head.ReadFrom(io.LimitReader(b, shortBody))
	var slow net.Error
	switch {
	case err == nil:
		return head, n == shortBody, nil
	case errors.As(errors.Unwrap(err), &slow) && slow.Timeout():
		return nil, false, problem(http.StatusRequestTimeout, api.CodeInvalid, "body: timed out")
	}
	return nil, false, problem(http.StatusBadRequest, api.CodeInvalid, fmt.Sprintf("body: incomplete: %v", err))
}

// rest reads the rest of a long body. It returns a problem if the body is too long. The returned reader reports any
// other error.
func (b *body) rest(head *bytes.Buffer) (io.ReadCloser, *huma.ErrorModel) {
	r := io.Reader(head)
	var long *http.MaxBytesError
	switch _, err := head.ReadFrom(b); {
	case errors.As(err, &long):
		return nil, tooLong(b.limit)
	case err != nil:
		r = io.MultiReader(head, failing{err})
	}
	return struct {
		io.Reader
		io.Closer
	}{r, b}, nil
}

func tooLong(limit int64) *huma.ErrorModel {
	return problem(http.StatusRequestEntityTooLarge, api.CodeTooLarge, fmt.Sprintf("body: too large (want at most %d bytes)", limit))
}

// failing is a reader that always fails.
type failing struct{ error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.error }

// drain reads and discards the rest of a body, up to drained bytes.
func drain(r io.Reader) { _, _ = io.CopyN(io.Discard, r, drained) }
