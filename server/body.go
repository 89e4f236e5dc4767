package server

import (
	"io"
	"net/http"
)

// drained is how much of a body that is refused is read, so that the caller,
// who may still be sending, gets the answer; of more the connection is reset.
const drained = 4 * maxBody

// body is a request body of maxBody at most.
type body struct {
	io.ReadCloser
	left int64
}

// Read ends with http.MaxBytesError, after what is over the limit was read.
func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n = int(b.left)
		drain(b.ReadCloser)
		err = &http.MaxBytesError{Limit: maxBody}
	}
	b.left -= int64(n)
	return n, err
}

// Close reads on if the reader stopped at the limit.
func (b *body) Close() error {
	if b.left <= 0 {
		drain(b.ReadCloser)
	}
	return b.ReadCloser.Close()
}

// drain reads what a client sends in vain.
func drain(r io.Reader) { _, _ = io.CopyN(io.Discard, r, drained) }
