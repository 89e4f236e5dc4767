// Package durability checks whether the server of a log is configured to keep acknowledged entries.
package durability

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/docid"
)

// Silence is the longest time for which a log may send nothing while it is read.
const Silence = 900 * time.Millisecond

// Setting is a setting of a server, with its safe values. Any other value may cause Loss.
type Setting struct {
	Name, Loss string
	Values     []string
}

// every is the interval between the checks of a running server.
const every = time.Second

// Check checks the settings of a server. Server is the kind of server, and Read returns its settings.
type Check struct {
	Server   string
	Settings []Setting
	Read     func(ctx context.Context) (map[string]string, error)

	checked atomic.Int64 // time of the last check, in Unix nanoseconds
}

// First returns ErrInvalid if a server may lose acknowledged data.
func (c *Check) First(ctx context.Context) error {
	losses, err := c.losses(ctx)
	if err == nil && losses != "" {
		err = fmt.Errorf("%w: %s may lose acknowledged answers: %s", docid.ErrInvalid, c.Server, losses)
	}
	return err
}

// Again checks at most once a second. It returns ErrUnavailable if a setting has become unsafe.
func (c *Check) Again(ctx context.Context) error {
	if time.Since(time.Unix(0, c.checked.Load())) < every {
		return nil
	}
	losses, err := c.losses(ctx)
	if err == nil && losses != "" {
		c.checked.Store(0)
		err = fmt.Errorf("%w: the settings of %s were changed, so it may lose acknowledged answers: %s", docid.ErrUnavailable, c.Server, losses)
	}
	return err
}

// losses describes which acknowledged data may be lost, or returns "".
func (c *Check) losses(ctx context.Context) (string, error) {
	set, err := c.Read(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: read the settings of %s: %w", docid.ErrUnavailable, c.Server, err)
	}
	var all []string
	for _, want := range c.Settings {
		if !slices.Contains(want.Values, set[want.Name]) {
			all = append(all, fmt.Sprintf("%s is %s: %s (set %s)", want.Name, set[want.Name], want.Loss, strings.Join(want.Values, " or ")))
		}
	}
	c.checked.Store(time.Now().UnixNano())
	return strings.Join(all, "; "), nil
}

// Replicas returns N from replicas=N in an address, or 0.
func Replicas(query url.Values) (int, error) {
	s := query.Get("replicas")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("replicas=%s: invalid (want a number)", s)
	}
	return n, nil
}
