package inorder_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/neardup/neardup/internal/inorder"
)

func TestEachNumberOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 1000} {
			seen := make([]atomic.Int32, n)
			var begun atomic.Int32
			err := inorder.EachWith(context.Background(), workers, n, func() func(int) error {
				begun.Add(1)
				return func(i int) error { seen[i].Add(1); return nil }
			})
			if err != nil || (workers > 0 && int(begun.Load()) != min(workers, n)) {
				t.Errorf("%d workers for %d: %d begun, %v", workers, n, begun.Load(), err)
			}
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Fatalf("%d workers: number %d of %d came %d times", workers, i, n, seen[i].Load())
				}
			}
		}
	}
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	want := errors.New("no")
	var calls atomic.Int32
	err := inorder.Each(context.Background(), 2, 1_000_000, func(i int) error {
		if calls.Add(1) == 10 {
			return want
		}
		return nil
	})
	if !errors.Is(err, want) || calls.Load() == 1_000_000 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := inorder.Each(ctx, 2, 10, func(int) error { t.Error("called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
