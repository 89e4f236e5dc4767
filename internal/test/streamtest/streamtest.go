// Package streamtest starts real brokers and creates streams in them, for tests of consumers.
package streamtest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/neardup/neardup/internal/redisclient"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Broker creates streams in a server.
type Broker func(t testing.TB) Streams

// Streams are three new streams: articles, decisions and rejected messages.
type Streams struct {
	From, To, Bad string // their addresses
	Server        *services.Server
	// Send adds a message to the stream of articles. Its number n determines topic and partition.
	Send func(t testing.TB, n int, message []byte)
	// Read returns the messages of the stream at To or Bad, like a consumer of the broker.
	Read func(t testing.TB, address string) [][]byte
	// Partitions is the number of partitions of the stream of articles.
	Partitions int
}

// Brokers are the brokers that can be started, by name.
var Brokers = map[string]func(t testing.TB) Broker{"kafka": Kafka, "redis": Redis, "nats": NATS}

// number makes the names of streams unique.
var number atomic.Int64

func names() (name [3]string) {
	n := number.Add(1)
	for i, what := range []string{"articles", "decisions", "refused"} {
		name[i] = fmt.Sprint(what, n)
	}
	return name
}

func addresses(scheme string, server *services.Server, name [3]string) (s Streams) {
	at := func(n string) string { return scheme + "://" + server.Addr + "/" + n }
	s.From, s.To, s.Bad, s.Server, s.Partitions = at(name[0]), at(name[1]), at(name[2]), server, 1
	return s
}

// Kafka starts a Kafka broker. Its topics of articles have two partitions.
func Kafka(t testing.TB) Broker {
	s := services.Kafka(t, 1)[0]
	return func(t testing.TB) Streams {
		name := names()
		c, err := kgo.NewClient(kgo.SeedBrokers(s.Addr), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
		must(t, err)
		t.Cleanup(c.Close)
		req := kmsg.NewPtrCreateTopicsRequest()
		req.TimeoutMillis = 10_000
		for i, n := range name {
			topic := kmsg.NewCreateTopicsRequestTopic()
			topic.Topic, topic.NumPartitions, topic.ReplicationFactor = n, int32(2-min(i, 1)), 1
			req.Topics = append(req.Topics, topic)
		}
		resp, err := req.RequestWith(t.Context(), c)
		must(t, err)
		for _, topic := range resp.Topics {
			must(t, kerr.ErrorForCode(topic.ErrorCode))
		}
		all := addresses("kafka", s, name)
		all.Partitions = 2
		all.Send = func(t testing.TB, n int, message []byte) {
			must(t, c.ProduceSync(t.Context(), &kgo.Record{Topic: name[0], Partition: int32(n % 2), Value: message}).FirstErr())
		}
		all.Read = func(t testing.TB, address string) [][]byte {
			return readKafka(t, s.Addr, address[len("kafka://"+s.Addr+"/"):])
		}
		return all
	}
}

// readKafka reads the committed messages of a topic with one partition.
func readKafka(t testing.TB, addr, topic string) (values [][]byte) {
	t.Helper()
	c, err := kgo.NewClient(
		kgo.SeedBrokers(addr), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}),
	)
	must(t, err)
	defer c.Close()
	req := kmsg.NewPtrListOffsetsRequest()
	req.IsolationLevel = 1
	partition := kmsg.NewListOffsetsRequestTopicPartition()
	partition.Timestamp = -1
	of := kmsg.NewListOffsetsRequestTopic()
	of.Topic, of.Partitions = topic, append(of.Partitions, partition)
	req.Topics = append(req.Topics, of)
	resp, err := req.RequestWith(t.Context(), c)
	must(t, err)
	for at, end := int64(0), resp.Topics[0].Partitions[0].Offset; at < end; {
		fetches := c.PollFetches(t.Context())
		must(t, fetches.Err())
		for _, r := range fetches.Records() {
			at = r.Offset + 1
			if !r.Attrs.IsControl() {
				values = append(values, r.Value)
			}
		}
	}
	return values
}

// Redis starts a Redis server.
func Redis(t testing.TB) Broker {
	s := services.Redis(t)
	return func(t testing.TB) Streams {
		name := names()
		o, err := redisclient.ParseURL("redis://" + s.Addr)
		must(t, err)
		c, err := redisclient.Connect(t.Context(), o)
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		all := addresses("redis-stream", s, name)
		all.Send = func(t testing.TB, _ int, message []byte) {
			_, err := c.Do(t.Context(), "XADD", name[0], "*", "json", message)
			must(t, err)
		}
		all.Read = func(t testing.TB, address string) (values [][]byte) {
			entries, err := redisclient.Entries(c.Do(t.Context(), "XRANGE", address[len("redis-stream://"+s.Addr+"/"):], "-", "+"))
			must(t, err)
			for _, e := range entries {
				values = append(values, []byte(e.Fields["json"]))
			}
			return values
		}
		return all
	}
}

// NATS starts a NATS server.
func NATS(t testing.TB) Broker {
	s := services.NATS(t)
	return func(t testing.TB) Streams {
		name := names()
		c, err := nats.Connect("nats://" + s.Addr)
		must(t, err)
		t.Cleanup(c.Close)
		js, err := jetstream.New(c)
		must(t, err)
		for _, n := range name {
			_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: n, Subjects: []string{n}})
			must(t, err)
		}
		all := addresses("nats", s, name)
		all.Send = func(t testing.TB, _ int, message []byte) {
			_, err := js.Publish(t.Context(), name[0], message)
			must(t, err)
		}
		all.Read = func(t testing.TB, address string) (values [][]byte) {
			stream, err := js.Stream(t.Context(), address[len("nats://"+s.Addr+"/"):])
			must(t, err)
			for n := range stream.CachedInfo().State.LastSeq {
				m, err := stream.GetMsg(t.Context(), n+1)
				must(t, err)
				values = append(values, m.Data)
			}
			return values
		}
		return all
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
