package streams

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// natsWait bounds how long Poll waits for messages. natsFlush bounds how long Commit waits for the server.
const (
	natsWait  = time.Second
	natsFlush = 10 * time.Second
)

// natsSource reads a subject of a stream through a durable consumer.
type natsSource struct {
	c        *nats.Conn
	consumer jetstream.Consumer
	every    time.Duration // interval of the progress messages to the server
	working  []jetstream.Msg
	told     func() // stops the progress messages; nil if none are sent
}

// connect connects to a server. ?creds=FILE holds the credentials and ?ca=FILE the trusted certificates in PEM.
func connect(a address) (*nats.Conn, jetstream.JetStream, error) {
	u, query := url.URL{Scheme: "nats", Host: a.Host, User: a.User}, a.Query()
	options := []nats.Option{nats.Name("neardup"), nats.MaxReconnects(-1)}
	if strings.HasSuffix(a.Scheme, "+tls") {
		options = append(options, nats.Secure())
	}
	if file := query.Get("ca"); file != "" {
		options = append(options, nats.RootCAs(file))
	}
	if file := query.Get("creds"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	c, err := nats.Connect(u.String(), options...)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to NATS: %w", err)
	}
	js, err := jetstream.New(c)
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return c, js, nil
}

func openNATS(ctx context.Context, from address, _ [outputs]string, o Options) (Source, error) {
	c, js, err := connect(from)
	if err != nil {
		return nil, err
	}
	in, err := js.StreamNameBySubject(ctx, from.name)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("stream of the subject %s: %w", from.name, err)
	}
	consumer, err := js.CreateOrUpdateConsumer(ctx, in, jetstream.ConsumerConfig{
		Durable: o.Group, FilterSubject: from.name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: o.ClaimAfter, MaxAckPending: 10 * page,
	})
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("consumer %s of the stream %s: %w", o.Group, in, err)
	}
	return &natsSource{c: c, consumer: consumer, every: max(o.ClaimAfter/3, time.Millisecond)}, nil
}

// Poll waits for a message. It also returns further messages that are available at once.
func (n *natsSource) Poll(ctx context.Context) (messages []Message, err error) {
	n.rest()
	n.working = n.working[:0]
	waiting, cancel := context.WithTimeout(ctx, natsWait)
	defer cancel()
	first, err := n.consumer.Next(jetstream.FetchContext(waiting))
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read from NATS: %w", err)
	}
	n.working = append(n.working, first)
	more, err := n.consumer.FetchNoWait(page - 1)
	if err != nil {
		return nil, fmt.Errorf("read from NATS: %w", err)
	}
	for m := range more.Messages() {
		n.working = append(n.working, m)
	}
	if err := more.Error(); err != nil {
		return nil, fmt.Errorf("read from NATS: %w", err)
	}
	for _, m := range n.working {
		is, err := m.Metadata()
		if err != nil {
			return nil, fmt.Errorf("read from NATS: %w", err)
		}
		messages = append(messages, Message{Position: Position{is.Stream, 0, strconv.FormatUint(is.Sequence.Stream, 10)}, Value: m.Data()})
	}
	n.tell()
	return messages, nil
}

// tell starts sending progress messages to the server. rest stops them.
func (n *natsSource) tell() {
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		for tick := time.NewTicker(n.every); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				for _, m := range n.working {
					_ = m.InProgress() // if it fails, the messages are delivered again
				}
			}
		}
	})
	n.told = func() { close(done); telling.Wait() }
}

func (n *natsSource) rest() {
	if n.told != nil {
		n.told()
		n.told = nil
	}
}

// Commit acknowledges the messages. It has no records to write, because sinks write them.
func (n *natsSource) Commit(ctx context.Context, _ []Message, _ []Record) error {
	n.rest()
	for _, m := range n.working {
		if err := m.Ack(); err != nil {
			return fmt.Errorf("acknowledge to NATS: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, natsFlush)
	defer cancel()
	if err := n.c.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("acknowledge to NATS: %w", err)
	}
	return nil
}

// Lag returns the lag of the consumer, including unacknowledged messages.
func (n *natsSource) Lag(ctx context.Context) (int64, error) {
	is, err := n.consumer.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("lag of NATS: %w", err)
	}
	return int64(is.NumPending) + int64(is.NumAckPending), nil
}

// Close closes the connection.
func (n *natsSource) Close() error {
	n.rest()
	n.c.Close()
	return nil
}

// natsSink publishes to a subject of a stream.
type natsSink struct {
	c       *nats.Conn
	js      jetstream.JetStream
	subject string
}

func openNATSSink(ctx context.Context, to address) (Sink, error) {
	c, js, err := connect(to)
	if err != nil {
		return nil, err
	}
	if _, err := js.StreamNameBySubject(ctx, to.name); err != nil {
		c.Close()
		return nil, fmt.Errorf("stream of the subject %s: %w", to.name, err)
	}
	return &natsSink{c, js, to.name}, nil
}

// Write returns once the stream has stored the records. The stream drops duplicates within its window.
func (n *natsSink) Write(ctx context.Context, records []Record) error {
	waiting := make([]jetstream.PubAckFuture, len(records))
	for i, r := range records {
		var err error
		id := fmt.Sprintf("%s/%d/%s", r.Topic, r.Partition, r.Offset)
		waiting[i], err = n.js.PublishMsgAsync(&nats.Msg{Subject: n.subject, Data: r.Value}, jetstream.WithMsgID(id))
		if err != nil {
			return err
		}
	}
	for _, w := range waiting {
		select {
		case <-w.Ok():
		case err := <-w.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Close closes the connection.
func (n *natsSink) Close() error {
	n.c.Close()
	return nil
}
