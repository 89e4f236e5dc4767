package services

import "syscall"

const pause, resume = syscall.SIGSTOP, syscall.SIGCONT

// ours puts a process and its children into a group that ends with this process.
func ours() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// signal sends a signal to a group.
func signal(pid int, sig syscall.Signal) error { return syscall.Kill(-pid, sig) }
