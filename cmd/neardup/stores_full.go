//go:build full

package main

import (
	"context"

	"github.com/neardup/neardup/store/kafkalog"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/store/s3"
)

// full reports whether this build has the clients of Kafka, NATS and S3.
const full = true

func openKafkaLog(ctx context.Context, address string) (closingLog, error) {
	return kafkalog.Open(ctx, address)
}

func openBucket(ctx context.Context, address, scratch string) (pebble.SnapshotStore, error) {
	return s3.Open(ctx, address, scratch)
}
