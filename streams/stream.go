// Package streams feeds a docId service from Kafka, Redis streams or NATS JetStream. A Consumer reads articles, submits each
// to the service, and writes the decisions to another stream or a file. It acknowledges a message after its answer is durable
// and its decision written. Any other message is delivered again. It gets the same answer because of its key, and is written
// with the same position. If source and output are on the same Kafka or Redis, writing and acknowledging are one atomic step.
package streams

import (
	"context"
	"errors"
)

// A Position locates a message in its source. A reader of decisions must drop repeated positions.
type Position struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    string `json:"offset"`
}

// A Message is an article in a source, in the format of POST /v1/articles.
type Message struct {
	Position
	Value []byte
	Flaw  string // the reason why it has no value, or empty
}

// Output is one of the outputs of a Consumer.
type Output int

// The outputs.
const (
	Decisions Output = iota // for articles that were decided
	Refusals                // for messages that the service rejects
	outputs
)

// A Record is a JSON line about a message.
type Record struct {
	Position
	To    Output
	NID   string
	Value []byte
}

// A Source delivers messages. Only one goroutine may use it, but any may call Lag.
type Source interface {
	// Poll returns up to a page of messages, or none after about a second. It keeps the order in a partition.
	Poll(ctx context.Context) ([]Message, error)
	// Commit atomically writes the records to the outputs that the source joins, and acknowledges the messages of
	// the last Poll. After errAgain it has done neither, and some consumer gets the messages again.
	Commit(ctx context.Context, done []Message, records []Record) error
	// Lag returns the number of unacknowledged messages.
	Lag(ctx context.Context) (int64, error)
	Close() error
}

// A Sink receives the records that the source does not write.
type Sink interface {
	// Write returns once the records are durable at the destination.
	Write(ctx context.Context, records []Record) error
	Close() error
}

// errAgain is the error of Commit if another consumer has taken over the messages.
var errAgain = errors.New("the messages will be delivered again")

// page limits the number of messages in progress.
const page = 100
