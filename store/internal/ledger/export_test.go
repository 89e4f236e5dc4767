package ledger

import (
	"context"

	"github.com/neardup/neardup/docid"
)

// SetMaxLeaders limits the docIds of an index. The returned function restores the limit.
func SetMaxLeaders(n int) func() {
	old := maxLeaders
	maxLeaders = n
	return func() { maxLeaders = old }
}

// MakeSure makes a store without a log check the incarnation of one.
func MakeSure(ctx context.Context, s *Store, log docid.Log) error {
	f, _, err := newFollower(s, log, 0)
	if err != nil {
		return err
	}
	defer f.questions.Close()
	return f.makeSure(ctx)
}
