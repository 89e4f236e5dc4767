package redis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// A Redis may be emptied, restored, or given another index by somebody while servers
// run. One that went on would read and write the keys of an index whose seed, docIds
// and numbers are not its own: an article that was answered would not be there, or
// have another docId. So what a function is asked for holds only for the index that
// the server has opened.

// errAnother says that the index which was opened is not there any more.
var errAnother = fmt.Errorf("%w: Redis has lost this index, or has another in its place; stop the servers, empty it and make the index again with neardup rebuild", docid.ErrBehind)

// markOf tells one identity, as it lies in Redis, from others.
func markOf(identity []byte) string {
	sum := sha256.Sum256(identity)
	return hex.EncodeToString(sum[:8])
}

// call runs a function on this index. Redis may lack the mark alone: a replica may not
// have got it before it was made the primary. errAnother.
func (ix *index) call(ctx context.Context, write bool, function string, args ...string) ([]rueidis.RedisMessage, error) {
	if write {
		if err := ix.s.watch.kept(); err != nil {
			return nil, err
		}
	}
	if ix.mark == "" {
		return ix.s.call(ctx, write, function, []string{ix.p}, args...)
	}
	answer, err := ix.s.call(ctx, write, function, []string{ix.p, ix.mark}, args...)
	if err != nil || !another(answer) {
		return answer, err
	}
	if err := ix.recognize(ctx); err != nil {
		return nil, err
	}
	return ix.s.call(ctx, write, function, []string{ix.p, ix.mark}, args...)
}

func another(answer []rueidis.RedisMessage) bool {
	word, _ := status(answer)
	return word == "another"
}

// recognize writes the mark where the identity is that of this index.
func (ix *index) recognize(ctx context.Context) error {
	value, err := ix.s.c.Do(ctx, ix.s.c.B().Get().Key(ix.p+"i").Build()).AsBytes()
	switch {
	case rueidis.IsRedisNil(err):
		if err := ix.s.absent(ctx, ix.p); !errors.Is(err, docid.ErrNotFound) {
			return err // it is being made again
		}
		return errAnother
	case err != nil:
		return ix.s.fail(err)
	case ix.p+"y"+markOf(value) != ix.mark:
		return errAnother
	}
	answer, err := ix.s.call(ctx, true, "mine", []string{ix.p}, string(value), ix.mark)
	if err == nil {
		_, err = status(answer)
	}
	return err
}

// there asks whether what was read before by a command was this index. errAnother.
func (ix *index) there(ctx context.Context) error {
	return ix.has(ctx, ix.s.c.Do(ctx, ix.markNow()))
}

// markNow reads the mark that is there, for has.
func (ix *index) markNow() rueidis.Completed { return ix.s.c.B().Get().Key(ix.p + "y").Build() }

// has judges what markNow read.
func (ix *index) has(ctx context.Context, r rueidis.RedisResult) error {
	mark, err := r.ToString()
	if err != nil && !rueidis.IsRedisNil(err) {
		return ix.s.fail(err)
	}
	if mark == ix.mark || ix.mark == "" {
		return nil
	}
	return ix.recognize(ctx)
}
