package server

import (
	"net/http"
	"sync"
)

// Streams bounds the open requests of HTTP/2 to n, half of them from one client's address, as Bound does for
// connections. An HTTP/2 connection carries up to 250 requests. Each holds its headers until its answer is
// sent, and a client that grants no window can delay that for half a minute. Further requests get status 429.
func Streams(h http.Handler, n int) http.Handler {
	s := &streams{most: n, each: max(1, n/2), from: map[string]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			h.ServeHTTP(w, r)
			return
		}
		from := address(r.RemoteAddr)
		if !s.enter(from) {
			keepPrivate(w.Header())
			w.Header().Set("Retry-After", retryAfter)
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(http.StatusTooManyRequests) // without a body, because a body would wait for a window
			return
		}
		defer s.leave(from)
		h.ServeHTTP(w, r)
		// The request counts as open until its answer is sent.
		_ = http.NewResponseController(w).Flush()
	})
}

type streams struct {
	most, each int

	mu   sync.Mutex
	held int
	from map[string]int
}

func (s *streams) enter(from string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held >= s.most || s.from[from] >= s.each {
		return false
	}
	s.held++
	s.from[from]++
	return true
}

func (s *streams) leave(from string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held--
	s.from[from]--
	if s.from[from] == 0 {
		delete(s.from, from)
	}
}
