//go:build !unix

package harness

import "errors"

// Pause is not to be had here.
func (p *Process) Pause() error { return errors.ErrUnsupported }

// Resume is not to be had here.
func (p *Process) Resume() error { return errors.ErrUnsupported }
