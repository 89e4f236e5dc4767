// Package streams feeds a docId service from Kafka, Redis streams or NATS JetStream: a Consumer reads articles, asks the
// service about each, and writes the decisions to another stream or a file. A message is acknowledged once its answer is
// durable and its decision written, so one that was not comes again, gets the same answer by its key, and is written with
// the same position. Where source and output lie on one Kafka or Redis both happen in one step.
package streams

import (
	"context"
	"errors"
)

// Position is where a message lies in its source: a reader of decisions drops those whose position it has seen.
type Position struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    string `json:"offset"`
}

// Message is one of a source: an article as POST /v1/articles takes it.
type Message struct {
	Position
	Value []byte
	Flaw  string // why it has no value; else empty
}

// Output is one of those that a Consumer writes to.
type Output int

// The outputs.
const (
	Decisions Output = iota // of articles that were answered
	Refusals                // of messages that no service would answer
	outputs
)

// Record is what is written about a message: a line of JSON.
type Record struct {
	Position
	To    Output
	NID   string
	Value []byte
}

// Source is where messages come from. One goroutine uses it; Lag any.
type Source interface {
	// Poll returns up to a page of messages, those of a partition in its order, or none within a second or so.
	Poll(ctx context.Context) ([]Message, error)
	// Commit writes the records, all for outputs that the source was told it has beside it, and acknowledges the messages
	// that Poll returned last: both or neither. errAgain: neither, and the messages come again, here or elsewhere.
	Commit(ctx context.Context, done []Message, records []Record) error
	// Lag is how many messages are not acknowledged.
	Lag(ctx context.Context) (int64, error)
	Close() error
}

// Sink is where records go that no source writes.
type Sink interface {
	// Write returns once the records are as durable as they get there.
	Write(ctx context.Context, records []Record) error
	Close() error
}

// errAgain is what Commit returns where the messages belong to another consumer by now.
var errAgain = errors.New("the messages come again")

// page is how many messages are worked on at most.
const page = 100
