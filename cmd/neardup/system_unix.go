//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// resources returns the CPU time used so far and the peak resident set in
// bytes.
func resources() (cpu time.Duration, peak int64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	peak = int64(u.Maxrss)
	if runtime.GOOS != "darwin" {
		peak <<= 10 // KiB elsewhere
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), peak
}

// openFiles returns the limit of open files of the process, or 0 if unknown.
func openFiles() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil || l.Cur > 1<<30 {
		return 0
	}
	return int(l.Cur)
}

// freeDisk returns the bytes that may still be written in a folder.
func freeDisk(dir string) (int64, bool) {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return 0, false
	}
	return int64(fs.Bavail) * int64(fs.Bsize), true
}

// interruptible returns a reader of r that fails with the error of ctx as soon as ctx ends, even while r is
// silent. A read of a pipe or terminal cannot be cancelled, so the reader waits for data or for ctx before it
// reads.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok && ctx.Done() != nil {
		return &waiting{ctx, f}
	}
	return r
}

type waiting struct {
	ctx context.Context
	f   *os.File
}

func (w *waiting) Read(p []byte) (int, error) {
	if err := w.wait(); err != nil {
		return 0, err
	}
	return w.f.Read(p)
}

// wait returns when something can be read, or with the error of the context.
func (w *waiting) wait() error {
	fds := []unix.PollFd{{Fd: int32(w.f.Fd()), Events: unix.POLLIN}, {Events: unix.POLLIN}}
	if n, err := poll(fds[:1], 0); n > 0 || err != nil {
		return errors.Join(w.ctx.Err(), err)
	}
	wake, waker, err := os.Pipe()
	if err != nil {
		return err
	}
	defer wake.Close()
	stop := context.AfterFunc(w.ctx, func() { waker.Close() })
	defer func() {
		if stop() {
			waker.Close()
		}
	}()
	fds[1].Fd = int32(wake.Fd())
	if _, err := poll(fds, -1); err != nil {
		return err
	}
	return w.ctx.Err()
}

// poll repeats the wait after a signal.
func poll(fds []unix.PollFd, milliseconds int) (int, error) {
	for {
		n, err := unix.Poll(fds, milliseconds)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
