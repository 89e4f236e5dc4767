package docid

import (
	"context"
	"runtime"
)

// Turns bounds how many long judgements are worked on at one moment, so that
// whoever fills one bucket, or several in several tenants, never has all
// processors. A judgement of few candidates needs no turn and waits for nobody;
// a long one does a piece of its work and goes to the end of the line, so among
// the long ones the shorter are done first. It has a turn while it commits, too. One Turns may serve many detectors.
type Turns struct{ seats chan struct{} }

// NewTurns lets n long judgements work at one moment; 0 or less: half as many
// as there are processors, one at least.
func NewTurns(n int) *Turns {
	if n <= 0 {
		n = max(1, runtime.GOMAXPROCS(0)/2)
	}
	return &Turns{seats: make(chan struct{}, n)}
}

// The work of a judgement is counted in comparisons that end early, 0.2 us. A
// leader that has to be read from the store costs as much as readEffort of them.
const (
	readEffort = 64
	freeEffort = 1024 // what takes less needs no turn
	oneTurn    = 256
)

// spend counts work before it is done. After every piece others may go first,
// and from freeEffort on the next piece needs a turn.
func (j *search) spend(ctx context.Context, effort int) error {
	before := j.effort
	j.effort += effort
	if j.effort/oneTurn == before/oneTurn || j.last {
		return nil
	}
	j.rest()
	runtime.Gosched()
	if !j.long() {
		return nil
	}
	return j.turn(ctx)
}

func (j *search) long() bool { return j.effort >= freeEffort }

// turn waits for a turn unless there is one.
func (j *search) turn(ctx context.Context) error {
	if j.seated {
		return nil
	}
	select {
	case j.d.Turns.seats <- struct{}{}:
		j.seated = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// rest gives a turn back.
func (j *search) rest() {
	if j.seated {
		<-j.d.Turns.seats
		j.seated = false
	}
}
