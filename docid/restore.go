package docid

import (
	"context"
	"errors"
	"fmt"
)

// Restoration is an index that is being rebuilt.
type Restoration interface {
	// Append repeats changes in order, beginning right after the last one of the index. If one fails, the earlier ones
	// stay. A change has its whole entry, including the numbers and nids that the commit gave it.
	// Query is not read, and an article may lack its text. ErrInvalid for a change that does not follow.
	Append(ctx context.Context, cs []*Change) error
	// Catalog reads the changes so far. If it is nil, the index has no log, and every change is repeated.
	Catalog() Catalog
	// Finish makes the index available. If past is not 0, an epoch begins first, with the change past+1: see
	// Index.BeginEpoch.
	Finish(ctx context.Context, past uint64) error
}

// Errors of an index that is being rebuilt, and of its sources.
var (
	// ErrUnfinished also matches ErrUnavailable.
	ErrUnfinished = fmt.Errorf("%w: the index is half rebuilt, and neardup rebuild continues it", ErrUnavailable)
	ErrOccupied   = errors.New("there is an index already")
	// ErrOther reports that another index of the tenant fed a sink.
	ErrOther = errors.New("fed by another index")
	// ErrUndrained reports that at least one sink lacks changes.
	ErrUndrained = errors.New("the sinks are not equally far")
	// ErrLogLost also matches ErrUnavailable.
	ErrLogLost = fmt.Errorf("%w: the log does not have what was applied of it, or not all after that: it was emptied, cut short, trimmed, or is another", ErrUnavailable)
)
