package pebble

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
)

// logger receives Pebble's messages and drops all but fatal ones. Fatalf must not return, so it ends the calling goroutine
// instead of the process. The callers that wait for that goroutine use guarded. After a fatal error the writer refuses all
// requests, and readers continue.
type logger struct {
	first atomic.Pointer[error] // the first fatal error
	gone  chan struct{}         // closed at the first fatal error
	tell  atomic.Pointer[func(error)]
}

func newLogger() *logger { return &logger{gone: make(chan struct{})} }

// Infof drops a message. Important errors are also returned.
func (*logger) Infof(string, ...any) {}

// Errorf drops a message.
func (*logger) Errorf(string, ...any) {}

// Fatalf records a fatal error and ends the calling goroutine.
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

// background stops the engine when a flush or a compaction fails, because Pebble would retry forever without a
// pause.
func (l *logger) background(err error) { l.Fatalf("in the background: %v", err) }

// onFatal makes Fatalf call tell. If the engine has already failed, it calls tell now.
func (l *logger) onFatal(tell func(error)) {
	l.tell.Store(&tell)
	if err := l.fatal(); err != nil {
		tell(err)
	}
}

// fatal returns the first fatal error, or nil.
func (l *logger) fatal() error {
	if err := l.first.Load(); err != nil {
		return *err
	}
	return nil
}

// guarded runs a call into the engine. It returns early if the engine fails, because the call may then wait
// forever.
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
