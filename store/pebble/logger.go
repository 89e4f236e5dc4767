package pebble

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
)

// logger hears what Pebble says. Its chatter is dropped. Fatalf, which must
// not return, ends the goroutine that called it and not the process; see
// guarded for those that wait for it. The writer then refuses everything,
// readers go on.
type logger struct {
	first atomic.Pointer[error] // why the engine gave up
	gone  chan struct{}         // closed then
	tell  atomic.Pointer[func(error)]
}

func newLogger() *logger { return &logger{gone: make(chan struct{})} }

// Infof, Errorf and Eventf are chatter: what matters is returned as an error.
func (*logger) Infof(string, ...any) {}

// Errorf is chatter too.
func (*logger) Errorf(string, ...any) {}

// Fatalf records why the engine gave up and ends the calling goroutine.
func (l *logger) Fatalf(format string, args ...any) {
	err := fmt.Errorf("storage engine: "+format, args...)
	for _, a := range args {
		if cause, ok := a.(error); ok {
			err = wrap(errors.Join(err, cause))
		}
	}
	if l.first.CompareAndSwap(nil, &err) {
		close(l.gone)
	}
	if tell := l.tell.Load(); tell != nil {
		(*tell)(err)
	}
	runtime.Goexit()
}

// background stops the engine when a flush or a compaction fails: Pebble would
// try again without pause and without end.
func (l *logger) background(err error) { l.Fatalf("in the background: %v", err) }

// onFatal has Fatalf call tell; at once if it was called before.
func (l *logger) onFatal(tell func(error)) {
	l.tell.Store(&tell)
	if err := l.fatal(); err != nil {
		tell(err)
	}
}

// fatal is why the engine gave up; nil while it works.
func (l *logger) fatal() error {
	if err := l.first.Load(); err != nil {
		return *err
	}
	return nil
}

// guarded runs a call into the engine and returns without it when the engine
// gives up, here or in the background: the call may then wait for ever.
func guarded[T any](log *logger, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		r.value, r.err = call()
		done <- r
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-log.gone:
		var none T
		return none, errors.Join(docid.ErrUnavailable, log.fatal())
	}
}
