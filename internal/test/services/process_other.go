//go:build !linux

package services

import (
	"errors"
	"syscall"
)

// The servers are those of Debian, so none is started on other systems.
const pause, resume = syscall.Signal(0), syscall.Signal(0)

func ours() *syscall.SysProcAttr { return nil }

func signal(int, syscall.Signal) error { return errors.ErrUnsupported }
