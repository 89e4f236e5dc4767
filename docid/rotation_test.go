package docid

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// Clients are served in rotation, each in the order in which it came: who has
// five judgements in the line lets everybody else go before his second.
func TestTurnsGoRoundByClient(t *testing.T) {
	turns := NewTurns(1)
	if err := turns.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	served := make(chan string, 16)
	waiting := 0
	for _, name := range []string{"flood1", "flood2", "flood3", "honest1", "flood4", "other1", "honest2"} {
		ctx := WithClient(t.Context(), strings.TrimRight(name, "0123456789"))
		go func() {
			if err := turns.take(ctx); err != nil {
				t.Error(err)
			}
			served <- name
			turns.give()
		}()
		for waiting++; turns.waitingFor() < waiting; {
			runtime.Gosched()
		}
	}
	gone, cancel := context.WithCancel(WithClient(t.Context(), "gone"))
	cancel()
	if err := turns.take(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("who went away got %v", err)
	}
	turns.give()
	var order []string
	for range waiting {
		order = append(order, <-served)
	}
	if got, want := strings.Join(order, " "), "flood1 honest1 other1 flood2 honest2 flood3 flood4"; got != want {
		t.Errorf("served %s, want %s", got, want)
	}
	if err := turns.take(t.Context()); err != nil || len(turns.waits) != 0 {
		t.Errorf("afterwards: %v, %d wait", err, len(turns.waits))
	}
}

func (t *Turns) waitingFor() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range t.waits {
		n += len(queue)
	}
	return n
}
