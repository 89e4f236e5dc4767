package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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

// A body has patience to begin, and a second more for each slowest bytes; once
// it is whole, no deadline ends the work on it.
func TestBodyHasToKeepComing(t *testing.T) {
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 3*slowest)))
	b := newBody(w, r)
	piece := make([]byte, slowest)
	for {
		if _, err := io.ReadFull(b, piece); err != nil {
			break
		}
	}
	if len(w.all) != 5 {
		t.Fatalf("%d deadlines", len(w.all))
	}
	for i, at := range w.all[:4] {
		if want := b.begun.Add(patience + time.Duration(i)*time.Second); !at.Equal(want) {
			t.Errorf("deadline %d is %v after the beginning, want %v", i, at.Sub(b.begun), want.Sub(b.begun))
		}
	}
	if !w.all[4].IsZero() {
		t.Error("a whole body has a deadline")
	}
}
