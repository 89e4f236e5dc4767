//go:build !unix

package harness

import "errors"

// Pause returns an error on this system.
func (p *Process) Pause() error { return errors.ErrUnsupported }

// Resume returns an error on this system.
func (p *Process) Resume() error { return errors.ErrUnsupported }
