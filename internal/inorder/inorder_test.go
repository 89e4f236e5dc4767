package inorder_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/neardup/neardup/internal/inorder"
)

// upTo counts from 0 to n-1, and ends with an error.
func upTo(n int, end error) func() (int, error) {
	i := -1
	return func() (int, error) {
		i++
		if i == n {
			return 0, end
		}
		return i, nil
	}
}

func TestResultsComeInTheOrderOfTheStream(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		want := 0
		err := inorder.Map(context.Background(), workers, upTo(1000, io.EOF),
			func(i int) int { return i * i },
			func(square int) error {
				if square != want*want {
					t.Fatalf("result %d is %d", want, square)
				}
				want++
				return nil
			})
		if err != nil || want != 1000 {
			t.Errorf("%d workers: %d results, %v", workers, want, err)
		}
	}
}

func TestTheFirstErrorEndsIt(t *testing.T) {
	broken := errors.New("broken")
	same := func(i int) int { return i }
	tests := []struct {
		name string
		next func() (int, error)
		emit func(int) error
	}{
		{"of the stream", upTo(5, broken), func(int) error { return nil }},
		{"of a result", upTo(1<<20, io.EOF), func(i int) error {
			if i == 5 {
				return broken
			}
			return nil
		}},
	}
	for _, test := range tests {
		if err := inorder.Map(context.Background(), 3, test.next, same, test.emit); !errors.Is(err, broken) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := inorder.Map(ctx, 3, upTo(1<<20, io.EOF), same, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
