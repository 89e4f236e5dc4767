// Package kafkalog implements docid.Log in a Kafka topic with one partition. Entries below its high watermark are durable,
// because all in-sync replicas have them.
package kafkalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/kafkaclient"
	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/store/internal/durability"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// defaultTopic is the topic of an address without one.
const defaultTopic = "neardup-log"

// A page of Read has at most pageBytes, or a single entry. Read waits pageWait for the first entry. maxEntry limits an entry.
const (
	pageBytes = 1 << 20
	pageWait  = 300 * time.Millisecond
	maxEntry  = 64 << 20
)

// provenFor is the time for which an anchor that was found in the topic is not checked again.
const provenFor = time.Second

// Log is a docid.Log in Kafka. The entry at an offset is the record at that offset minus 1.
type Log struct {
	c        *kgo.Client
	pages    *kgo.Client // for fetches: it limits the silence, not the time of a page
	topic    string
	replicas int
	promises durability.Check
	opened   time.Time // the topic exists at least since then

	mu     sync.Mutex // protects the fields below
	leader leader
	known  bool
	proven docid.Anchor
	when   time.Time // when proven was found
}

// leader identifies the leader of the topic.
type leader struct {
	broker int32
	epoch  int32    // increases with each new leader; a replaced leader rejects requests with a newer epoch
	topic  [16]byte // id of the topic, which changes if the topic is created again
}

var _ docid.Log = (*Log)(nil)

// Open connects to kafka://[USER:PASSWORD@]HOST:PORT[,HOST:PORT...][/TOPIC], or kafka+tls:// with TLS. It creates a missing
// topic and checks its settings. With ?replicas=N the topic has N replicas besides the leader, and a majority must have an
// entry. Otherwise a single broker syncs each entry. For &sasl=, &ca=, &cert= and &key= see kafkaclient.Secure. It returns
// ErrUnavailable, or ErrInvalid for an unsafe topic or a refused login.
func Open(ctx context.Context, address string) (*Log, error) { return open(ctx, address) }

// open does the work of Open, with further options of the client.
func open(ctx context.Context, address string, more ...kgo.Opt) (*Log, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "kafka" && u.Scheme != kafkaclient.SchemeTLS) || u.Host == "" { // not printed, because the error may contain the password
		return nil, fmt.Errorf("%w: invalid address of Kafka (want kafka[+tls]://[USER:PASSWORD@]HOST:PORT[,HOST:PORT...][/TOPIC][?replicas=N])", docid.ErrInvalid)
	}
	l := &Log{topic: strings.Trim(u.Path, "/")}
	if l.topic == "" {
		l.topic = defaultTopic
	}
	l.replicas, err = durability.Replicas(u.Query())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", docid.ErrInvalid, err)
	}
	options, err := kafkaclient.Secure(u, time.Second)
	if err != nil {
		return nil, fmt.Errorf("%w: address of Kafka: %w", docid.ErrInvalid, err)
	}
	options = append(append(options, more...),
		kgo.SeedBrokers(strings.Split(u.Host, ",")...), kgo.ClientID("neardup"),
		kgo.MetadataMinAge(metadataAge), kgo.UnknownTopicRetries(int(untilKnown/metadataAge)), kgo.ProducerBatchMaxBytes(maxEntry+1<<20), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.BrokerMaxWriteBytes(2*maxEntry), kgo.BrokerMaxReadBytes(2*maxEntry), kgo.ProducerLinger(0), kgo.RecordPartitioner(kgo.ManualPartitioner()),
	)
	l.c, err = kgo.NewClient(options...)
	if err == nil {
		l.pages, err = kgo.NewClient(append(options, kgo.RequestTimeoutOverhead(durability.Silence-pageWait))...)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: address of Kafka: %w", docid.ErrInvalid, err)
	}
	l.promises = durability.Check{Server: "Kafka", Settings: l.settings(), Read: l.set}
	err = l.create(ctx)
	if err == nil {
		err = l.promises.First(ctx)
	}
	if err == nil {
		_, err = l.Incarnation(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close closes the connections.
func (l *Log) Close() error {
	l.pages.Close()
	l.c.Close()
	return nil
}

// inSync returns the number of replicas that must have an entry, which is a majority.
func (l *Log) inSync() int { return (l.replicas+1)/2 + 1 }

// settings returns the settings of a topic that loses no entries.
func (l *Log) settings() []durability.Setting {
	all := []durability.Setting{
		{Name: "partitions", Values: []string{"1"}, Loss: "entries of several partitions have no common order"},
		{Name: "replication", Values: []string{strconv.Itoa(1 + l.replicas)}, Loss: "the number of brokers with an entry differs from replicas=N"},
		{Name: "cleanup.policy", Values: []string{"delete"}, Loss: "compaction removes entries"},
		{Name: "retention.ms", Values: []string{"-1"}, Loss: "entries are deleted that a server still needs"},
		{Name: "retention.bytes", Values: []string{"-1"}, Loss: "entries are deleted that a server still needs"},
		{Name: "unclean.leader.election.enable", Values: []string{"false"}, Loss: "a broker that lacks entries may become the leader"},
	}
	if l.replicas == 0 {
		return append(all, durability.Setting{Name: "flush.messages", Values: []string{"1"}, Loss: "a power failure loses entries that the broker has not synced"})
	}
	return append(all, durability.Setting{Name: "min.insync.replicas", Values: []string{strconv.Itoa(l.inSync())}, Loss: "an entry needs a majority of the brokers, and no more"})
}

// admin returns a client for requests about the topic itself.
func (l *Log) admin() *kadm.Client {
	a := kadm.NewClient(l.c)
	a.SetTimeoutMillis(5000)
	return a
}

// create creates the topic unless it exists.
func (l *Log) create(ctx context.Context) error {
	values := map[string]*string{"max.message.bytes": kadm.StringPtr(strconv.Itoa(maxEntry + 1<<20))}
	for _, s := range l.promises.Settings[2:] {
		values[s.Name] = &s.Values[0]
	}
	_, err := l.admin().CreateTopic(ctx, 1, int16(1+l.replicas), values, l.topic)
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return failed("make the topic", err)
	}
	l.opened = time.Now()
	return nil // later requests report other errors
}

// metadata requests the metadata of the topic.
func (l *Log) metadata(ctx context.Context) (*kmsg.MetadataResponseTopic, error) {
	req := kmsg.NewPtrMetadataRequest()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = kmsg.StringPtr(l.topic)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, l.c)
	if err != nil {
		return nil, err
	}
	if len(resp.Topics) != 1 {
		return nil, fmt.Errorf("%d topics (want 1)", len(resp.Topics))
	}
	return &resp.Topics[0], kerr.ErrorForCode(resp.Topics[0].ErrorCode)
}

// unknown lists the errors of brokers that do not know a new topic or its leader yet.
var unknown = []error{
	kerr.UnknownTopicOrPartition, kerr.UnknownTopicID, kerr.LeaderNotAvailable, kerr.NotLeaderForPartition, kerr.UnknownLeaderEpoch,
}

// A broker may not know a topic that was created within untilKnown. Requests are then repeated after knownPause.
const (
	untilKnown  = 15 * time.Second
	knownPause  = 20 * time.Millisecond
	metadataAge = 100 * time.Millisecond
)

// whenKnown makes a request, and repeats it while the topic is new and its error is one of unknown.
func (l *Log) whenKnown(ctx context.Context, request func() error) error {
	for {
		err := request()
		isUnknown := slices.ContainsFunc(unknown, func(u error) bool { return errors.Is(err, u) })
		if !isUnknown || time.Since(l.opened) > untilKnown || pause.For(ctx, knownPause) != nil {
			return err
		}
	}
}

// set reads the settings of the topic.
func (l *Log) set(ctx context.Context) (values map[string]string, err error) {
	err = l.whenKnown(ctx, func() (err error) {
		values, err = l.requestSettings(ctx)
		return err
	})
	return values, err
}

// requestSettings asks a broker for the settings of the topic.
func (l *Log) requestSettings(ctx context.Context) (map[string]string, error) {
	topic, err := l.metadata(ctx)
	if err != nil {
		return nil, err
	}
	values := map[string]string{"partitions": strconv.Itoa(len(topic.Partitions)), "replication": "0"}
	if len(topic.Partitions) > 0 {
		values["replication"] = strconv.Itoa(len(topic.Partitions[0].Replicas))
	}
	all, err := l.admin().DescribeTopicConfigs(ctx, l.topic)
	if err != nil {
		return nil, err
	}
	configs, err := all.On(l.topic, nil)
	for _, c := range configs.Configs {
		values[c.Key] = c.MaybeValue()
	}
	return values, cmp.Or(err, configs.Err)
}

// Incarnation returns the topic's id and leader epoch. Each start of a broker makes a new leader.
func (l *Log) Incarnation(ctx context.Context) (string, error) {
	var now leader
	err := l.whenKnown(ctx, func() (err error) {
		now, err = l.find(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leader, l.known = now, true
	return fmt.Sprintf("%x/%d", now.topic, now.epoch), nil
}

// leads returns the leader. It returns ErrLogLost for a recreated topic, and ErrUnavailable if the leader has changed.
func (l *Log) leads(ctx context.Context) (leader, error) {
	l.mu.Lock()
	was, known := l.leader, l.known
	l.mu.Unlock()
	if known {
		return was, nil
	}
	now, err := l.find(ctx)
	if err == nil && now != was {
		err = failed("find the leader", errors.New("the topic was replaced"))
	}
	if err != nil {
		return leader{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = l.leader == was
	return now, nil
}

// find asks the brokers for the leader.
func (l *Log) find(ctx context.Context) (leader, error) {
	topic, err := l.metadata(ctx)
	if err == nil && len(topic.Partitions) != 1 {
		err = fmt.Errorf("%d partitions (want 1)", len(topic.Partitions))
	}
	if err == nil {
		err = kerr.ErrorForCode(topic.Partitions[0].ErrorCode)
	}
	if err != nil {
		return leader{}, failed("find the leader", err)
	}
	l.mu.Lock()
	was := l.leader
	l.mu.Unlock()
	now := leader{topic.Partitions[0].Leader, topic.Partitions[0].LeaderEpoch, topic.TopicID}
	switch {
	case was.topic != [16]byte{} && now.topic != was.topic:
		return leader{}, fmt.Errorf("%w: the topic %s was created again", docid.ErrLogLost, l.topic)
	case now.epoch < was.epoch:
		return leader{}, failed("find the leader", errors.New("a broker names an earlier leader"))
	}
	return now, nil
}

// ask sends a request to the leader, and repeats it once because the leader may have changed.
func (l *Log) ask(ctx context.Context, c *kgo.Client, what string, request func(leader) (kmsg.Request, func(kmsg.Response) error)) error {
	return l.whenKnown(ctx, func() error {
		for try := 1; ; try++ {
			at, err := l.leads(ctx)
			if err != nil {
				return err
			}
			req, read := request(at)
			answer, err := c.Broker(int(at.broker)).Request(ctx, req)
			if err == nil {
				err = read(answer)
			}
			if err == nil || errors.Is(err, kerr.OffsetOutOfRange) {
				return err
			}
			l.mu.Lock()
			l.known = false
			l.mu.Unlock()
			if try == 2 || ctx.Err() != nil {
				return failed(what, err)
			}
		}
	})
}

var errOthers = errors.New("the answer is about other topics")

// fetch returns records from an offset on. It waits for the first, at most wait.
func (l *Log) fetch(ctx context.Context, from uint64, most int32, wait time.Duration) (found []*kgo.Record, err error) {
	err = l.ask(ctx, l.pages, "read", func(at leader) (kmsg.Request, func(kmsg.Response) error) {
		partition := kmsg.NewFetchRequestTopicPartition()
		partition.FetchOffset, partition.PartitionMaxBytes, partition.CurrentLeaderEpoch = int64(from), most, at.epoch
		topic := kmsg.NewFetchRequestTopic()
		topic.Topic, topic.TopicID = l.topic, at.topic
		topic.Partitions = append(topic.Partitions, partition)
		req := kmsg.NewPtrFetchRequest()
		req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.SessionEpoch = int32(wait.Milliseconds()), 1, maxEntry+1<<20, -1
		req.Topics = append(req.Topics, topic)
		return req, func(answer kmsg.Response) error {
			resp := answer.(*kmsg.FetchResponse)
			if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
				return err
			}
			if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
				return errOthers
			}
			page, _ := kgo.ProcessFetchPartition(
				kgo.ProcessFetchPartitionOpts{Offset: int64(from), Topic: l.topic, KeepControlRecords: true}, &resp.Topics[0].Partitions[0], kgo.DefaultDecompressor(), nil,
			)
			found = page.Records
			return page.Err
		}
	})
	if errors.Is(err, kerr.OffsetOutOfRange) {
		err = fmt.Errorf("%w: entry %d does not exist", docid.ErrLogLost, from+1)
	}
	return found, err
}

// has returns an error unless the topic has the entry at an anchor.
func (l *Log) has(ctx context.Context, anchor docid.Anchor) error {
	if anchor.Offset == 0 {
		return nil
	}
	found, err := l.fetch(ctx, anchor.Offset-1, 1, 0)
	if err != nil {
		return err
	}
	if len(found) == 0 { // the offset is beyond the end, or a new leader does not know the end
		brief, cancel := context.WithTimeout(ctx, durability.Silence)
		defer cancel()
		end, err := l.Durable(brief)
		if err == nil && end < anchor.Offset {
			err = fmt.Errorf("%w: the log ends at entry %d", docid.ErrLogLost, end)
		} else if err == nil {
			err = fmt.Errorf("%w: the leader does not know the end yet", docid.ErrUnavailable)
		}
		return err
	}
	if found[0].Offset != int64(anchor.Offset-1) || (docid.Anchor{Offset: anchor.Offset - 1}).Next(found[0].Value) != anchor {
		return fmt.Errorf("%w: entry %d is a different one", docid.ErrLogLost, anchor.Offset)
	}
	l.prove(anchor)
	return nil
}

// prove records that an anchor is in the topic.
func (l *Log) prove(anchor docid.Anchor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proven, l.when = anchor, time.Now()
}

func (l *Log) isProven(anchor docid.Anchor) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return anchor == l.proven && time.Since(l.when) < provenFor
}

// Append adds an entry. Read checks the anchor of every page, so Append checks it only if no recent read did. If two
// servers begin an empty log at once, both succeed, but readers reject the second entry.
func (l *Log) Append(ctx context.Context, anchor docid.Anchor, entry []byte) (uint64, error) {
	if len(entry) > maxEntry {
		return 0, fmt.Errorf("%w: entry of %d bytes: too large", docid.ErrInvalid, len(entry))
	}
	if anchor.Offset == 0 {
		if end, err := l.Durable(ctx); err != nil {
			return 0, err
		} else if end > 0 {
			return 0, fmt.Errorf("%w: the log has %d entries (want none)", docid.ErrLogLost, end)
		}
	} else if !l.isProven(anchor) {
		if err := l.has(ctx, anchor); err != nil {
			return 0, err
		}
	}
	type outcome struct {
		offset int64
		err    error
	}
	done := make(chan outcome, 1)
	l.c.Produce(ctx, &kgo.Record{Topic: l.topic, Value: entry}, func(r *kgo.Record, err error) { done <- outcome{r.Offset, err} })
	select {
	case o := <-done:
		if o.err != nil {
			return 0, failed("append", o.err)
		}
		if uint64(o.offset) < anchor.Offset {
			return 0, fmt.Errorf("%w: entry %[3]d follows entry %[2]d", docid.ErrLogLost, anchor.Offset, o.offset+1)
		}
		return uint64(o.offset) + 1, nil
	case <-ctx.Done():
		return 0, failed("append", context.Cause(ctx))
	}
}

// Read reads a page of entries, and then checks that they follow the anchor.
func (l *Log) Read(ctx context.Context, anchor docid.Anchor) ([][]byte, error) {
	brief, cancel := context.WithTimeout(ctx, durability.Silence)
	defer cancel()
	if err := l.promises.Again(brief); err != nil {
		return nil, err
	}
	found, err := l.fetch(ctx, anchor.Offset, pageBytes, pageWait)
	if err != nil {
		return nil, err
	}
	if err := l.has(ctx, anchor); err != nil {
		return nil, err
	}
	entries := make([][]byte, len(found))
	for n, r := range found {
		if r.Offset != int64(anchor.Offset) {
			return nil, fmt.Errorf("%w: entry %d follows entry %d", docid.ErrLogLost, r.Offset+1, anchor.Offset)
		}
		entries[n], anchor = r.Value, anchor.Next(r.Value)
	}
	l.prove(anchor)
	return entries, nil
}

// Durable returns the last offset below the high watermark.
func (l *Log) Durable(ctx context.Context) (end uint64, err error) {
	err = l.ask(ctx, l.c, "ask for the end", func(at leader) (kmsg.Request, func(kmsg.Response) error) {
		partition := kmsg.NewListOffsetsRequestTopicPartition()
		partition.Timestamp, partition.CurrentLeaderEpoch = -1, at.epoch // asks for the end
		topic := kmsg.NewListOffsetsRequestTopic()
		topic.Topic = l.topic
		topic.Partitions = append(topic.Partitions, partition)
		req := kmsg.NewPtrListOffsetsRequest()
		req.Topics = append(req.Topics, topic)
		return req, func(answer kmsg.Response) error {
			resp := answer.(*kmsg.ListOffsetsResponse)
			if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
				return errOthers
			}
			end = uint64(resp.Topics[0].Partitions[0].Offset)
			return kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
		}
	})
	return end, err
}

// Trim deletes the entries before an offset.
func (l *Log) Trim(ctx context.Context, before uint64) error {
	if before == 0 {
		return nil
	}
	offsets := kadm.Offsets{}
	offsets.AddOffset(l.topic, 0, int64(before-1), -1)
	trimmed, err := l.admin().DeleteRecords(ctx, offsets)
	if err := cmp.Or(err, trimmed.Error()); err != nil {
		return failed("trim", err)
	}
	return nil
}

func failed(what string, err error) error {
	if errors.Is(err, kerr.MessageTooLarge) || kafkaclient.Refused(err) {
		return fmt.Errorf("%w: %s: %w", docid.ErrInvalid, what, err)
	}
	return fmt.Errorf("%w: %s: %w", docid.ErrUnavailable, what, err)
}
