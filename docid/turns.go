package docid

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// Turns bounds how many long judgements are worked on at one moment, so that
// whoever fills one bucket, or several in several tenants, never has all
// processors. A judgement of few candidates needs no turn and waits for nobody;
// a long one does a piece of its work and goes to the end of the line of its
// client, and the clients, see [WithClient], are served in rotation: who sends
// much waits for himself. A very long one has a turn while it commits, too.
// One Turns may serve many detectors.
type Turns struct {
	mu    sync.Mutex
	free  int
	line  []string                   // clients that wait, the next first
	waits map[string][]chan struct{} // of each, the oldest first
}

// NewTurns lets n long judgements work at one moment; 0 or less: half as many
// as there are processors, one at least.
func NewTurns(n int) *Turns {
	if n <= 0 {
		n = max(1, runtime.GOMAXPROCS(0)/2)
	}
	return &Turns{free: n, waits: map[string][]chan struct{}{}}
}

type clientKey struct{}

// WithClient names whom the work under a context is for. Work for nobody by
// name counts as one client's.
func WithClient(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, name)
}

// take waits for a turn.
func (t *Turns) take(ctx context.Context) error {
	client, _ := ctx.Value(clientKey{}).(string)
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	if len(t.waits[client]) == 0 {
		t.line = append(t.line, client)
	}
	t.waits[client] = append(t.waits[client], mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
		t.leave(client, mine)
		return ctx.Err()
	}
}

// leave takes one out of the line; if its turn came meanwhile, it passes on.
func (t *Turns) leave(client string, mine chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue := t.waits[client]
	i := slices.Index(queue, mine)
	if i < 0 {
		t.pass()
		return
	}
	t.keep(client, slices.Delete(queue, i, i+1))
	if len(queue) == 1 {
		t.line = slices.DeleteFunc(t.line, func(c string) bool { return c == client })
	}
}

// give ends a turn.
func (t *Turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass hands a turn to the oldest of the next client, who then goes to the
// end of the line.
func (t *Turns) pass() {
	if len(t.line) == 0 {
		t.free++
		return
	}
	client := t.line[0]
	queue := t.waits[client]
	t.line = t.line[1:]
	if len(queue) > 1 {
		t.line = append(t.line, client)
	}
	t.keep(client, queue[1:])
	close(queue[0])
}

func (t *Turns) keep(client string, queue []chan struct{}) {
	if len(queue) == 0 {
		delete(t.waits, client)
		return
	}
	t.waits[client] = queue
}

// The work of a judgement is counted in comparisons that end early, 0.2 us. A
// leader that has to be read from the store costs as much as readEffort of them.
const (
	readEffort = 64
	freeEffort = 1024 // what takes less needs no turn
	oneTurn    = 256

	// A pair of short texts is compared by its edits, some 4 us.
	shortText   = 1024 // bytes
	shortEffort = 16
)

// compareEffort is what a comparison of the subject is counted as.
func (j *search) compareEffort() int {
	if len(j.s.text) <= shortText {
		return shortEffort
	}
	return 1
}

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
	if j.effort < freeEffort {
		return nil
	}
	return j.turn(ctx)
}

// long is true of a judgement whose bucket is so full that others would be
// refused at the commit if all committed at once.
func (j *search) long() bool { return j.compared >= freeEffort }

// turn waits for a turn unless there is one.
func (j *search) turn(ctx context.Context) error {
	if j.seated {
		return nil
	}
	if err := j.d.Turns.take(ctx); err != nil {
		return err
	}
	j.seated = true
	return nil
}

// rest gives a turn back.
func (j *search) rest() {
	if j.seated {
		j.d.Turns.give()
		j.seated = false
	}
}
