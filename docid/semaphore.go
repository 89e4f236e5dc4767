package docid

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// Semaphore limits the number of long judgements at one time. So a client that fills one bucket, or several in several
// tenants, never occupies all processors. A judgement with few candidates and a short text needs no slot. A long one does a
// piece of its work, then rejoins its client's queue. Clients (see [WithClient]) are served in rotation, so the requests of
// one client only delay each other. A very long judgement also keeps its slot while it commits. Several detectors may share
// one Semaphore.
type Semaphore struct {
	mu    sync.Mutex
	free  int
	line  []string                   // waiting clients, the next one first
	waits map[string][]chan struct{} // client -> its waiting requests, the oldest first
}

// NewSemaphore returns a Semaphore for n long judgements at one time. If n <= 0, it is half the number of processors, and
// at least one.
func NewSemaphore(n int) *Semaphore {
	if n <= 0 {
		n = max(1, runtime.GOMAXPROCS(0)/2)
	}
	return &Semaphore{free: n, waits: map[string][]chan struct{}{}}
}

type clientKey struct{}

// WithClient returns a context whose work is for the named client. All work without a name counts as that of one client.
func WithClient(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, name)
}

// Acquire waits for a slot in the queue of the client of ctx.
func (s *Semaphore) Acquire(ctx context.Context) error {
	client, _ := ctx.Value(clientKey{}).(string)
	s.mu.Lock()
	if s.free > 0 {
		s.free--
		s.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	if len(s.waits[client]) == 0 {
		s.line = append(s.line, client)
	}
	s.waits[client] = append(s.waits[client], mine)
	s.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
		s.leave(client, mine)
		return ctx.Err()
	}
}

// leave removes a request from the queue. If it got a slot meanwhile, the slot goes to the next request.
func (s *Semaphore) leave(client string, mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.waits[client]
	i := slices.Index(queue, mine)
	if i < 0 {
		s.pass()
		return
	}
	s.keep(client, slices.Delete(queue, i, i+1))
	if len(queue) == 1 {
		s.line = slices.DeleteFunc(s.line, func(c string) bool { return c == client })
	}
}

// Release gives a slot back.
func (s *Semaphore) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
}

// pass gives a slot to the oldest request of the next client, which then moves to the end of the queue.
func (s *Semaphore) pass() {
	if len(s.line) == 0 {
		s.free++
		return
	}
	client := s.line[0]
	queue := s.waits[client]
	s.line = s.line[1:]
	if len(queue) > 1 {
		s.line = append(s.line, client)
	}
	s.keep(client, queue[1:])
	close(queue[0])
}

func (s *Semaphore) keep(client string, queue []chan struct{}) {
	if len(queue) == 0 {
		delete(s.waits, client)
		return
	}
	s.waits[client] = queue
}

// The effort of a judgement is counted in comparisons that end early, which take 0.2 us. Reading a leader from the store
// counts as readEffort comparisons.
const (
	readEffort  = 64
	freeEffort  = 1024 // a judgement with less effort needs no slot
	pieceEffort = 256

	// A pair of short texts is compared by its edits, which takes about 4 us.
	shortText   = 1024 // in bytes
	shortEffort = 16

	// A long text takes milliseconds to prepare, to compare and to commit, so each of these needs a slot. Changes that are
	// committed together wait for the longest text.
	longText = 64 << 10 // in bytes
)

// compareEffort returns the effort of one comparison of the subject.
func (j *search) compareEffort() int {
	switch n := len(j.s.content); {
	case n <= shortText:
		return shortEffort
	case n >= longText:
		return freeEffort
	}
	return 1
}

// spend counts effort before the work is done. After every piece it lets other judgements run. From freeEffort on, the next
// piece needs a slot.
func (j *search) spend(ctx context.Context, effort int) error {
	before := j.effort
	j.effort += effort
	if j.effort/pieceEffort == before/pieceEffort || j.last {
		return nil
	}
	j.release()
	runtime.Gosched()
	if j.effort < freeEffort {
		return nil
	}
	return j.acquire(ctx)
}

// inSlot calls work on a text, with a slot if the text is long.
func (d *Detector) inSlot(ctx context.Context, text string, work func()) error {
	if len(text) >= longText {
		if err := d.Semaphore.Acquire(ctx); err != nil {
			return err
		}
		defer d.Semaphore.Release()
	}
	work()
	return nil
}

// long reports whether simultaneous commits would conflict, because the bucket has many leaders.
func (j *search) long() bool { return j.compared >= freeEffort }

// acquire waits for a slot, unless the search holds one.
func (j *search) acquire(ctx context.Context) error {
	if j.holds {
		return nil
	}
	if err := j.d.Semaphore.Acquire(ctx); err != nil {
		return err
	}
	j.holds = true
	return nil
}

// release gives the slot back.
func (j *search) release() {
	if j.holds {
		j.d.Semaphore.Release()
		j.holds = false
	}
}
