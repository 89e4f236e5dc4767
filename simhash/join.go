package simhash
import "context"
type Pair struct{ A, B int; Distance int }
type JoinOptions struct{ Workers int; Layout string}
func SelfJoin(ctx context.Context, fps []uint64, k int, o JoinOptions, emit func(Pair) error) error { return nil }
