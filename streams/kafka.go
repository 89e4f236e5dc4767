package streams

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup/internal/kafkaclient"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// kafkaWait bounds how long Poll waits for messages.
const kafkaWait = time.Second

// fetchBytes bounds the data that the client reads ahead.
const fetchBytes = 16 << 20

// kafkaSource reads a topic as a member of a group. With an output in the same Kafka, a transaction covers offsets and records.
type kafkaSource struct {
	s           *kgo.GroupTransactSession
	options     []kgo.Opt // options of a client that is not in a group
	topic       string
	group, name string
	beside      [outputs]string
}

func kafkaOptions(a address) ([]kgo.Opt, error) {
	options, err := kafkaclient.Secure(a.URL, 10*time.Second)
	if err != nil {
		return nil, fmt.Errorf("address of Kafka: %w", err)
	}
	return append(options, kgo.SeedBrokers(strings.Split(a.Host, ",")...), kgo.ClientID("neardup"), kgo.ProducerLinger(0)), nil
}

func openKafka(ctx context.Context, from address, beside [outputs]string, o Options) (Source, error) {
	options, err := kafkaOptions(from)
	if err != nil {
		return nil, err
	}
	// With a fixed name, a restarted consumer aborts its open transaction and takes over its partitions at once.
	name := o.Group + "." + o.Instance + "." + from.name
	s, err := kgo.NewGroupTransactSession(append(
		slices.Clip(options), kgo.ConsumerGroup(o.Group), kgo.InstanceID(name), kgo.TransactionalID(name),
		kgo.ConsumeTopics(from.name), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxBytes(fetchBytes), kgo.MaxConcurrentFetches(1),
	)...)
	if err != nil {
		return nil, err
	}
	k := &kafkaSource{s, options, from.name, o.Group, name, beside}
	err = hasTopics(ctx, s.Client(), from.name, beside[Decisions], beside[Refusals])
	if err == nil {
		_, _, err = s.Client().ProducerID(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// hasTopics returns an error unless all topics exist. It ignores empty names.
func hasTopics(ctx context.Context, c *kgo.Client, names ...string) error {
	found, err := kadm.NewClient(c).ListTopics(ctx, slices.DeleteFunc(names, func(name string) bool { return name == "" })...)
	if err != nil {
		return err
	}
	for _, topic := range found.Sorted() {
		if topic.Err != nil {
			return fmt.Errorf("topic %s: %w", topic.Topic, topic.Err)
		}
	}
	return nil
}

// Poll returns committed messages.
func (k *kafkaSource) Poll(ctx context.Context) ([]Message, error) {
	ctx, cancel := context.WithTimeout(ctx, kafkaWait)
	defer cancel()
	fetches := k.s.PollRecords(ctx, page)
	for _, e := range fetches.Errors() {
		if ctx.Err() == nil || !errors.Is(e.Err, ctx.Err()) {
			return nil, fmt.Errorf("read %s/%d: %w", e.Topic, e.Partition, e.Err)
		}
	}
	var messages []Message
	for _, r := range fetches.Records() {
		if r.Attrs.IsControl() {
			continue // a transaction marker also takes an offset
		}
		m := Message{Position: Position{r.Topic, r.Partition, strconv.FormatInt(r.Offset, 10)}, Value: r.Value}
		if r.Value == nil {
			m.Flaw = "tombstone (want a message with a value)"
		}
		messages = append(messages, m)
	}
	if len(messages) == 0 && fetches.NumRecords() > 0 {
		if err := k.Commit(ctx, nil, nil); err != nil && !errors.Is(err, errAgain) {
			return nil, err
		}
	}
	return messages, nil
}

// Commit commits a transaction of records and offsets, unless the partitions were reassigned meanwhile.
func (k *kafkaSource) Commit(ctx context.Context, _ []Message, records []Record) error {
	if err := k.s.Begin(); err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	wrote := k.s.ProduceSync(ctx, kafkaRecords(records, k.beside)...).FirstErr()
	committed, err := k.s.End(ctx, kgo.TransactionEndTry(wrote == nil))
	switch err := errors.Join(wrote, err); {
	case err != nil:
		return fmt.Errorf("commit to Kafka: %w", err)
	case !committed:
		return errAgain
	}
	return nil
}

// kafkaRecords makes records for the topics of outputs. The key puts all records of an article into one partition.
func kafkaRecords(records []Record, topics [outputs]string) []*kgo.Record {
	all := make([]*kgo.Record, len(records))
	for i, r := range records {
		all[i] = &kgo.Record{Topic: topics[r.To], Key: []byte(r.NID), Value: r.Value}
	}
	return all
}

// Lag returns the lag of the group over all partitions. It counts committed messages only.
func (k *kafkaSource) Lag(ctx context.Context) (lag int64, err error) {
	adm := kadm.NewClient(k.s.Client())
	begins, err := adm.ListStartOffsets(ctx, k.topic)
	if err := cmp.Or(err, begins.Error()); err != nil {
		return 0, fmt.Errorf("first offset of %s: %w", k.topic, err)
	}
	ends, err := adm.ListCommittedOffsets(ctx, k.topic)
	if err := cmp.Or(err, ends.Error()); err != nil {
		return 0, fmt.Errorf("last offset of %s: %w", k.topic, err)
	}
	has, err := adm.FetchOffsetsForTopics(ctx, k.group, k.topic)
	if err != nil {
		return 0, fmt.Errorf("lag of %s: %w", k.topic, err)
	}
	ends.Each(func(end kadm.ListedOffset) {
		begin, _ := begins.Lookup(k.topic, end.Partition)
		at, _ := has.Lookup(k.topic, end.Partition) // the offset is -1 if nothing was acknowledged
		lag += max(0, end.Offset-max(at.At, begin.Offset))
	})
	return lag, nil
}

// leaveTime is the timeout for leaving the group in Close.
const leaveTime = 5 * time.Second

// Close leaves the group, so that other members get the partitions at once. Otherwise the brokers would wait
// for a named member until its session ends.
func (k *kafkaSource) Close() error {
	k.s.Close()
	c, err := kgo.NewClient(k.options...)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	var refused *kerr.Error // the group has already removed this member
	if _, err := kadm.NewClient(c).LeaveGroup(ctx, kadm.LeaveGroup(k.group).InstanceIDs(k.name)); err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("leave the group %s: %w", k.group, err)
	}
	return nil
}

// kafkaSink writes to a topic of a different Kafka from that of the source.
type kafkaSink struct {
	c     *kgo.Client
	topic string
}

func openKafkaSink(ctx context.Context, to address) (Sink, error) {
	options, err := kafkaOptions(to)
	if err != nil {
		return nil, err
	}
	c, err := kgo.NewClient(options...)
	if err == nil {
		err = hasTopics(ctx, c, to.name)
		if err != nil {
			c.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return &kafkaSink{c, to.name}, nil
}

// Write returns once all in-sync replicas have the records.
func (k *kafkaSink) Write(ctx context.Context, records []Record) error {
	return k.c.ProduceSync(ctx, kafkaRecords(records, [outputs]string{k.topic, k.topic})...).FirstErr()
}

// Close closes the connections.
func (k *kafkaSink) Close() error {
	k.c.Close()
	return nil
}
