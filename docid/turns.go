package docid

import (
	"context"
	"runtime"

	"github.com/neardup/neardup"
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
func (j *judge) spend(ctx context.Context, effort int) error {
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

func (j *judge) long() bool { return j.effort >= freeEffort }

// turn waits for a turn unless there is one.
func (j *judge) turn(ctx context.Context) error {
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
func (j *judge) rest() {
	if j.seated {
		<-j.d.Turns.seats
		j.seated = false
	}
}

// decide looks until there is something to commit. A long judgement looks once
// more when it has its turn, and keeps that for the commit: what shares its
// bucket is long too and waits, instead of all committing at once, of which one
// would be accepted and the others had to look again.
func (j *judge) decide(ctx context.Context) error {
	if err := j.look(ctx); err != nil || !j.long() {
		return err
	}
	if err := j.turn(ctx); err != nil {
		return err
	}
	j.last = true
	defer func() { j.last = false }()
	return j.look(ctx)
}

// viewOf returns the view of a leader, from the cache or from the store.
func (j *judge) viewOf(ctx context.Context, leader uint64, kind viewKind, m neardup.Method) (*leaderView, error) {
	k := keyOfView(leader, kind)
	if v := j.d.views.get(k); v != nil {
		return v, nil
	}
	mat, err := j.material(ctx, leader)
	if err != nil {
		return nil, err
	}
	text := kind.text(mat.Title, mat.Text)
	v := newLeaderView(mat.NID, text, m.View(text))
	j.d.views.put(k, v)
	return &v, nil
}

func (j *judge) material(ctx context.Context, leader uint64) (Material, error) {
	if err := j.spend(ctx, readEffort); err != nil {
		return Material{}, err
	}
	return j.d.index.Material(ctx, leader)
}

// remember caches the views of an article that has become a leader. It has
// some if it had candidates, and then it is likely to be one.
func (j *judge) remember(e Entry) {
	for kind, v := range j.views {
		if v != nil {
			text := viewKind(kind).text(j.title, j.text)
			j.d.views.put(keyOfView(e.Leader, viewKind(kind)), newLeaderView(e.NID, text, v))
		}
	}
}
