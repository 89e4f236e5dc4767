package group_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/neardup/neardup/internal/group"
)

// TestCalls checks that all requests during a call share the next call, which begins after they arrived.
func TestCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type ask struct{ answer int }
		var sizes []int
		begun, goOn := make(chan bool), make(chan bool)
		c := group.New(func(all []*ask) {
			begun <- true
			<-goOn
			sizes = append(sizes, len(all))
			for _, a := range all {
				a.answer = len(sizes)
			}
		})
		var waiting sync.WaitGroup
		do := func(want int) {
			waiting.Go(func() {
				var a ask
				if err := c.Do(t.Context(), &a); err != nil || a.answer != want {
					t.Errorf("answered by call %d, not %d: %v", a.answer, want, err)
				}
			})
		}
		do(1)
		<-begun
		for range 5 {
			do(2)
		}
		synctest.Wait()
		goOn <- true
		<-begun
		given, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Do(given, &ask{}); !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
		goOn <- true
		<-begun
		goOn <- true
		waiting.Wait()
		c.Close()
		if len(sizes) != 3 || sizes[0] != 1 || sizes[1] != 5 || sizes[2] != 1 {
			t.Errorf("calls of %v", sizes)
		}
		if err := c.Do(t.Context(), &ask{}); !errors.Is(err, context.Canceled) {
			t.Errorf("after Close: %v", err)
		}
	})
}
