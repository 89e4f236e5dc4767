//go:build linux || darwin

package main

import (
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
		peak <<= 10 // other systems report KiB
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

// polled returns a file of the same input that accepts deadlines. If there is none, it returns f.
func polled(f *os.File) *os.File {
	info, err := f.Stat()
	if err != nil || info.Mode().IsRegular() || f.SetReadDeadline(time.Time{}) == nil || runtime.GOOS != "linux" {
		return f
	}
	if own, err := os.OpenFile(f.Name(), os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		return own
	}
	_ = syscall.SetNonblock(int(f.Fd()), true) // a socket, or a pipe of another user
	return os.NewFile(f.Fd(), f.Name())
}
