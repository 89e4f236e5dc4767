//go:build !full

package main

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/streams"
)

// full reports whether this build has the clients of Kafka, NATS and S3.
const full = false

func openKafkaLog(context.Context, string) (closingLog, error) {
	return nil, fmt.Errorf("%w: Kafka: %w", docid.ErrInvalid, streams.ErrAbsent)
}

func openBucket(context.Context, string, string) (pebble.SnapshotStore, error) {
	return nil, fmt.Errorf("%w: S3: %w", docid.ErrInvalid, streams.ErrAbsent)
}
