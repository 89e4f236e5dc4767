package docid

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// Clients are served in rotation, each in order of arrival. A client with five waiting judgements lets all
// other clients go before its second.
func TestSemaphoreGoesRoundByClient(t *testing.T) {
	sem := NewSemaphore(1)
	if err := sem.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	served := make(chan string, 16)
	waiting := 0
	for _, name := range []string{"flood1", "flood2", "flood3", "honest1", "flood4", "other1", "honest2"} {
		ctx := WithClient(t.Context(), strings.TrimRight(name, "0123456789"))
		go func() {
			if err := sem.Acquire(ctx); err != nil {
				t.Error(err)
			}
			served <- name
			sem.Release()
		}()
		for waiting++; sem.waitingFor() < waiting; {
			runtime.Gosched()
		}
	}
	gone, cancel := context.WithCancel(WithClient(t.Context(), "gone"))
	cancel()
	if err := sem.Acquire(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("who went away got %v", err)
	}
	sem.Release()
	var order []string
	for range waiting {
		order = append(order, <-served)
	}
	if got, want := strings.Join(order, " "), "flood1 honest1 other1 flood2 honest2 flood3 flood4"; got != want {
		t.Errorf("served %s, want %s", got, want)
	}
	if err := sem.Acquire(t.Context()); err != nil || len(sem.waits) != 0 {
		t.Errorf("afterwards: %v, %d wait", err, len(sem.waits))
	}
}

func (s *Semaphore) waitingFor() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, queue := range s.waits {
		n += len(queue)
	}
	return n
}
