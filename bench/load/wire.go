package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// wire is a connection of the open loop. http.Client would use two more goroutines per connection and three times the CPU,
// which the measured server needs.
type wire struct {
	addr string
	from *net.TCPAddr
	c    net.Conn
	r    *bufio.Reader
}

// dial returns a connection, which is opened on first use.
func (t *Target) dial() *wire {
	w := &wire{from: t.from}
	if u, err := url.Parse(t.URL); err == nil {
		w.addr = u.Host
	}
	return w
}

func (w *wire) close() {
	if w.c != nil {
		_ = w.c.Close() // no answer is pending
		w.c = nil
	}
}

// do sends a request and reads the answer. After an error, the next request uses a new connection.
func (w *wire) do(request []byte) (status int, err error) {
	if request == nil {
		return 0, errors.New("a request that cannot be encoded")
	}
	if w.c == nil {
		d := net.Dialer{Timeout: 10 * time.Second}
		if w.from != nil {
			d.LocalAddr = w.from
		}
		w.c, err = d.Dial("tcp", w.addr)
		if err != nil {
			w.c = nil
			return 0, fmt.Errorf("connect: %w", err)
		}
		w.r = bufio.NewReader(w.c)
	}
	status, err = w.exchange(request)
	if err != nil {
		w.close()
	}
	return status, err
}

func (w *wire) exchange(request []byte) (int, error) {
	if err := w.c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return 0, err
	}
	if _, err := w.c.Write(request); err != nil {
		return 0, err
	}
	resp, err := http.ReadResponse(w.r, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err
	}
	if resp.Close {
		w.close()
	}
	return resp.StatusCode, nil
}

// made encodes count requests from first on as they are sent. A request that cannot be encoded is nil.
func (t *Target) made(request func(int) Request, first, count int) [][]byte {
	all := make([][]byte, count)
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < count; n = int(next.Add(1)) - 1 {
				r := request(first + n)
				body, err := r.encode()
				if err != nil {
					continue
				}
				req, err := t.at(n).request(context.Background(), r, body)
				if err != nil {
					continue
				}
				var b bytes.Buffer
				b.Grow(len(body) + 300)
				if req.Write(&b) == nil {
					all[n] = b.Bytes()
				}
			}
		})
	}
	group.Wait()
	return all
}
