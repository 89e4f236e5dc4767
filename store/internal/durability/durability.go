// Package durability looks whether the server of a log is set up to keep what it is given.
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

// Setting is one that must have one of some values: else there is a loss.
type Setting struct {
	Name, Loss string
	Values     []string
}

// every is how often a running server is looked at.
const every = time.Second

// Check is that of one server. Server names its kind, Read its settings.
type Check struct {
	Server   string
	Settings []Setting
	Read     func(ctx context.Context) (map[string]string, error)

	checked atomic.Int64 // Unix nanoseconds
}

// First is ErrInvalid where a server may lose what it acknowledges.
func (c *Check) First(ctx context.Context) error {
	losses, err := c.losses(ctx)
	if err == nil && losses != "" {
		err = fmt.Errorf("%w: %s may lose acknowledged answers: %s", docid.ErrInvalid, c.Server, losses)
	}
	return err
}

// Again looks once a second, whoever asks: ErrUnavailable where the settings have changed.
func (c *Check) Again(ctx context.Context) error {
	if time.Since(time.Unix(0, c.checked.Load())) < every {
		return nil
	}
	losses, err := c.losses(ctx)
	if err == nil && losses != "" {
		c.checked.Store(0)
		err = fmt.Errorf("%w: %s may lose acknowledged answers since its settings were changed: %s", docid.ErrUnavailable, c.Server, losses)
	}
	return err
}

// losses says what may be lost that was acknowledged; "" if nothing.
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

// Replicas is how many replicas an address asks to have an entry too: replicas=N, 0 without.
func Replicas(query url.Values) (int, error) {
	s := query.Get("replicas")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("replicas=%s is no number of replicas", s)
	}
	return n, nil
}
