package pebble

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// logger hears what Pebble says. Its chatter is dropped. Fatalf, which must
// not return, ends the goroutine that called it and not the process: the
// writer then refuses everything, readers go on.
type logger struct {
	first atomic.Pointer[error] // why the engine gave up
	tell  atomic.Pointer[func(error)]
}

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
	l.first.CompareAndSwap(nil, &err)
	if tell := l.tell.Load(); tell != nil {
		(*tell)(err)
	}
	runtime.Goexit()
}

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
