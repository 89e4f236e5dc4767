package streams

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup/internal/kafkaclient"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// kafkaWait is how long Poll waits for messages.
const kafkaWait = time.Second

// fetchBytes bounds what the client reads ahead.
const fetchBytes = 16 << 20

// kafkaSource reads a topic as a member of a group. Records that go to the same Kafka, and the offsets, are one transaction.
type kafkaSource struct {
	s           *kgo.GroupTransactSession
	options     []kgo.Opt // of a client that is in no group
	topic       string
	group, name string
	beside      [outputs]string
}

func kafkaOptions(a address) ([]kgo.Opt, error) {
	options, err := kafkaclient.Secure(a.URL)
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
	// A name of its own ends what one of before has left open, and takes over its partitions, at once.
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

// hasTopics is an error unless all topics are there.
func hasTopics(ctx context.Context, c *kgo.Client, names ...string) error {
	for _, name := range names {
		if name == "" {
			continue
		}
		if _, err := partitions(ctx, c, name); err != nil {
			return err
		}
	}
	return nil
}

// partitions are the numbers of those of a topic.
func partitions(ctx context.Context, c *kgo.Client, name string) ([]int32, error) {
	req := kmsg.NewPtrMetadataRequest()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = kmsg.StringPtr(name)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, c)
	if err == nil && len(resp.Topics) != 1 {
		err = fmt.Errorf("%d topics", len(resp.Topics))
	}
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	}
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", name, err)
	}
	var all []int32
	for _, p := range resp.Topics[0].Partitions {
		all = append(all, p.Partition)
	}
	return all, nil
}

// Poll returns messages that are committed.
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
			continue // the end of a transaction: it has an offset
		}
		m := Message{Position: Position{r.Topic, r.Partition, strconv.FormatInt(r.Offset, 10)}, Value: r.Value}
		if r.Value == nil {
			m.Flaw = "a tombstone"
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

// Commit commits a transaction of records and offsets, unless partitions went to others meanwhile.
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

// kafkaRecords makes records for the topics of outputs; those of an article go to one partition.
func kafkaRecords(records []Record, topics [outputs]string) []*kgo.Record {
	all := make([]*kgo.Record, len(records))
	for i, r := range records {
		all[i] = &kgo.Record{Topic: topics[r.To], Key: []byte(r.NID), Value: r.Value}
	}
	return all
}

// Lag is that of the group, over all partitions.
func (k *kafkaSource) Lag(ctx context.Context) (lag int64, err error) {
	all, err := partitions(ctx, k.s.Client(), k.topic)
	if err != nil {
		return 0, err
	}
	begins, err := k.offsets(ctx, all, -2)
	if err != nil {
		return 0, err
	}
	ends, err := k.offsets(ctx, all, -1)
	if err != nil {
		return 0, err
	}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = k.group
	topic := kmsg.NewOffsetFetchRequestTopic()
	topic.Topic, topic.Partitions = k.topic, all
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, k.s.Client())
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		return 0, fmt.Errorf("lag of %s: %w", k.topic, err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return 0, fmt.Errorf("lag of %s: %w", k.topic, err)
			}
			lag += max(0, ends[p.Partition]-max(p.Offset, begins[p.Partition]))
		}
	}
	return lag, nil
}

// offsets are those where partitions end (at -1), for who reads what is committed, or begin (at -2).
func (k *kafkaSource) offsets(ctx context.Context, partitions []int32, at int64) (map[int32]int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.IsolationLevel = 1
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic = k.topic
	for _, n := range partitions {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = n, at
		topic.Partitions = append(topic.Partitions, p)
	}
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, k.s.Client())
	if err != nil {
		return nil, fmt.Errorf("offsets of %s: %w", k.topic, err)
	}
	all := map[int32]int64{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, fmt.Errorf("offsets of %s: %w", k.topic, err)
			}
			all[p.Partition] = p.Offset
		}
	}
	return all, nil
}

// leaveTime is how long Close may take to leave the group.
const leaveTime = 5 * time.Second

// Close leaves the group, so that others get the partitions at once and not when the session has ended: a member with a
// name is waited for.
func (k *kafkaSource) Close() error {
	k.s.Close()
	c, err := kgo.NewClient(k.options...)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = k.group
	member := kmsg.NewLeaveGroupRequestMember()
	member.InstanceID = &k.name
	req.Members = append(req.Members, member)
	if _, err := req.RequestWith(ctx, c); err != nil {
		return fmt.Errorf("leave the group %s: %w", k.group, err)
	}
	return nil
}

// kafkaSink writes to a topic of another Kafka than that of the source.
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
		if err = hasTopics(ctx, c, to.name); err != nil {
			c.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return &kafkaSink{c, to.name}, nil
}

// Write returns once all replicas in sync have the records.
func (k *kafkaSink) Write(ctx context.Context, records []Record) error {
	return k.c.ProduceSync(ctx, kafkaRecords(records, [outputs]string{k.topic, k.topic})...).FirstErr()
}

// Close closes the connections.
func (k *kafkaSink) Close() error {
	k.c.Close()
	return nil
}
