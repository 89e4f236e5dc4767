package docid

import (
	"context"
	"errors"
	"fmt"
)

// Restoration is an index that is being rebuilt.
type Restoration interface {
	// Append repeats changes in order. The first follows the last change of the index. If one fails, the earlier ones
	// remain. A change has its whole entry, including the numbers and nids of the original commit. Query is ignored, and an
	// article may lack its text. It returns ErrInvalid for a change that does not follow.
	Append(ctx context.Context, cs []*Change) error
	// Catalog reads the changes so far. It returns nil if the index has no log; then every change is repeated.
	Catalog() Catalog
	// Finish makes the index available. If past is not 0, an epoch begins first, with the change past+1: see
	// Index.BeginEpoch.
	Finish(ctx context.Context, past uint64) error
}

// Errors of an index that is being rebuilt, and of its sources.
var (
	// ErrUnfinished also matches ErrUnavailable.
	ErrUnfinished = fmt.Errorf("%w: the rebuild of the index is unfinished (neardup rebuild continues it)", ErrUnavailable)
	ErrOccupied   = errors.New("an index exists already")
	// ErrOther means that another index of the tenant feeds the sink.
	ErrOther = errors.New("fed by another index")
	// ErrUndrained means that at least one sink lacks changes.
	ErrUndrained = errors.New("the sinks are not at the same change")
	// ErrLogLost also matches ErrUnavailable.
	ErrLogLost = fmt.Errorf("%w: the log lacks entries that the store has applied or needs next: it was emptied, truncated, trimmed or replaced", ErrUnavailable)
)
