package ledger

import (
	"context"

	"github.com/neardup/neardup/docid"
)

// SetMaxLeaders bounds the docIds of an index; the function returned undoes it.
func SetMaxLeaders(n int) func() {
	old := maxLeaders
	maxLeaders = n
	return func() { maxLeaders = old }
}

// MakeSure has a store that follows no log make sure of one.
func MakeSure(ctx context.Context, s *Store, log docid.Log) error {
	f, _, err := newFollower(s, log, 0)
	if err != nil {
		return err
	}
	defer f.questions.Close()
	return f.makeSure(ctx)
}
