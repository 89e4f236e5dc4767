//go:build !full

package streams

import (
	"context"
	"fmt"
)

var (
	kafka      = absent("Kafka")
	natsServer = absent("NATS")
)

// absent returns a broker that cannot be opened.
func absent(name string) broker {
	err := fmt.Errorf("%s: %w", name, ErrAbsent)
	return broker{
		source: func(context.Context, address, [outputs]string, Options) (Source, error) { return nil, err },
		sink:   func(context.Context, address) (Sink, error) { return nil, err },
	}
}
