package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
)

// deadlines notes the read deadlines of a connection.
type deadlines struct {
	*httptest.ResponseRecorder
	all []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.all = append(d.all, t)
	return nil
}

// A body has bodyPatience to begin, and a second more for each bytesPerSecond bytes; once
// it is whole, no deadline ends the work on it.
func TestBodyHasToKeepComing(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 3*bytesPerSecond)))
	b := newBody(w, r, maxBody)
	piece := make([]byte, bytesPerSecond)
	for {
		if _, err := io.ReadFull(b, piece); err != nil {
			break
		}
	}
	if len(w.all) != 5 {
		t.Fatalf("%d deadlines", len(w.all))
	}
	for i, at := range w.all[:4] {
		if want := b.begun.Add(bodyPatience + time.Duration(i)*time.Second); !at.Equal(want) {
			t.Errorf("deadline %d is %v after the beginning, want %v", i, at.Sub(b.begun), want.Sub(b.begun))
		}
	}
	if !w.all[4].IsZero() {
		t.Error("a whole body has a deadline")
	}
}

// A long body counts for as many as lie in memory with it, for its client and for all, and for no more than a client
// may have: else one could never be sent.
func TestLongBodiesHaveWeights(t *testing.T) {
	for _, c := range []struct {
		inFlight int
		weight   int64
		own, all int // how many get in: of one client, and of many
	}{{256, 1, 32, 64}, {256, 5, 6, 12}, {8, 5, 1, 2}, {4, 5, 1, 1}} {
		s := &Server{cfg: Config{Limits: Limits{InFlight: c.inFlight}}}
		enter := func(of func(n int) *client) (n int, leaves []func()) {
			for {
				leave, ok := s.enterLong(of(n), c.weight)
				if !ok {
					return n, leaves
				}
				n, leaves = n+1, append(leaves, leave)
			}
		}
		one := &client{}
		for range 2 { // also once they have left
			n, leaves := enter(func(int) *client { return one })
			if n != c.own {
				t.Errorf("%+v: %d of one client", c, n)
			}
			for _, leave := range leaves {
				leave()
			}
		}
		if n, _ := enter(func(int) *client { return &client{} }); n != c.all {
			t.Errorf("%+v: %d of many", c, n)
		}
	}
}

// A picture is decoded in a place among the long judgements, and gives it back.
func TestADecodeTakesAPlace(t *testing.T) {
	s := &Server{cfg: Config{Pictures: &image.Limits{}}, semaphore: docid.NewSemaphore(1)}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.semaphore.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.image(ended, &pictureInput{}); !errors.Is(err, context.Canceled) {
		t.Errorf("while the place is taken: %v", err)
	}
	s.semaphore.Release()
	for range 2 {
		if _, err := s.image(ended, &pictureInput{RawBody: []byte("no picture")}); problemOf(err).Status != http.StatusUnprocessableEntity {
			t.Errorf("once it is free: %v", err)
		}
	}
}
