package kafkalog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/kafkalog"
	"github.com/neardup/neardup/store/pebble"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func open(t *testing.T, s *services.Server, topic string) *kafkalog.Log {
	t.Helper()
	l, err := kafkalog.Open(t.Context(), "kafka://"+s.Addr+"/"+topic)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// admin sends an administrator's request.
func admin(t *testing.T, s *services.Server, req kmsg.Request) {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(s.Addr))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Request(t.Context(), req); err != nil {
		t.Fatal(err)
	}
}

func set(t *testing.T, s *services.Server, topic, name, value string) {
	t.Helper()
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = name, kmsg.StringPtr(value)
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, topic
	resource.Configs = append(resource.Configs, config)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, resource)
	admin(t, s, req)
}

// TestKafka runs the contracts of logs and stores on a log in Kafka, and checks Kafka's settings.
func TestKafka(t *testing.T) {
	s, topics := services.Kafka(t, 1)[0], 0
	topic := func() string { topics++; return fmt.Sprint("log", topics) }
	t.Run("Contract", func(t *testing.T) {
		storetest.RunLog(t, func(t *testing.T) docid.Log { return open(t, s, topic()) })
	})
	t.Run("Store", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Backend {
			log, dir := storetest.Begin(t, storetest.Patient{Log: open(t, s, topic())}), t.TempDir()
			return storetest.Backend{Lasting: true, Follows: true, Open: func(ctx context.Context) (docid.Store, error) {
				return pebble.Open(ctx, dir, pebble.Options{Log: log})
			}}
		})
	})
	t.Run("Proof", func(t *testing.T) {
		dir := t.TempDir()
		storetest.RunProof(t, func(t *testing.T) docid.Log { return storetest.Patient{Log: open(t, s, topic())} }, func(log docid.Log) (docid.Store, error) {
			return pebble.Open(t.Context(), dir, pebble.Options{Log: log})
		}, func(log docid.Log) (int, error) {
			p, err := pebble.Prove(t.Context(), dir, pebble.Options{Log: log}, t.TempDir())
			return len(p.Problems), err
		})
	})
	t.Run("Incarnation", func(t *testing.T) {
		l, other := open(t, s, topic()), open(t, s, fmt.Sprint("log", topics))
		mine, err := l.Incarnation(t.Context())
		theirs, failed := other.Incarnation(t.Context())
		if mine == "" || mine != theirs || err != nil || failed != nil {
			t.Errorf("%q and %q, %v, %v", mine, theirs, err, failed)
		}
	})
	t.Run("Promises", func(t *testing.T) { promises(t, s) })
	t.Run("MadeAnew", func(t *testing.T) { madeAnew(t, s) })
}

// promises checks that a topic that may lose entries is refused with the setting, even while it is read.
func promises(t *testing.T, s *services.Server) {
	l := open(t, s, "promises")
	for _, c := range []struct{ name, value, good, loss string }{
		{"cleanup.policy", "compact", "delete", "compaction removes entries"},
		{"retention.ms", "1000", "-1", "entries are deleted that a server still needs"},
		{"unclean.leader.election.enable", "true", "false", "a broker that lacks entries may become the leader"},
		{"flush.messages", "1000", "1", "a power failure loses"},
	} {
		set(t, s, "promises", c.name, c.value)
		if _, err := kafkalog.Open(t.Context(), "kafka://"+s.Addr+"/promises"); !errors.Is(err, docid.ErrInvalid) || !strings.Contains(err.Error(), c.loss) {
			t.Errorf("%s %s: %v", c.name, c.value, err)
		}
		var err error
		for end := time.Now().Add(time.Minute); time.Now().Before(end); { // checked every second, and a read takes a third of one
			_, err = l.Read(t.Context(), docid.Anchor{})
			if err != nil && strings.Contains(err.Error(), c.loss) {
				break
			}
		}
		if !errors.Is(err, docid.ErrUnavailable) || !strings.Contains(err.Error(), c.loss) {
			t.Errorf("%s %s, while it is read: %v", c.name, c.value, err)
		}
		set(t, s, "promises", c.name, c.good)
	}
	for _, address := range []string{"kafka://" + s.Addr + "/promises?replicas=1", "kafka://" + s.Addr + "/promises?replicas=some", "kafka://user:secret@%zz" + s.Addr, "kafka:topic"} {
		if _, err := kafkalog.Open(t.Context(), address); !errors.Is(err, docid.ErrInvalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// madeAnew checks that a topic that was deleted and created again is another log, even with as many entries.
func madeAnew(t *testing.T, s *services.Server) {
	write := func(l docid.Log) (at docid.Anchor) {
		t.Helper()
		for n := range 3 {
			entry := fmt.Appendf(nil, "%016d", n)
			if _, err := l.Append(t.Context(), at, entry); err != nil {
				t.Fatal(err)
			}
			at = at.Next(entry)
		}
		return at
	}
	l := open(t, s, "anew")
	at := write(l)
	req := kmsg.NewPtrDeleteTopicsRequest()
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = kmsg.StringPtr("anew")
	req.Topics, req.TopicNames, req.TimeoutMillis = append(req.Topics, topic), []string{"anew"}, 5000
	admin(t, s, req)
	write(open(t, s, "anew")) // the same entries
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		_, err = l.Read(t.Context(), at)
		if errors.Is(err, docid.ErrLogLost) {
			return
		}
	}
	t.Errorf("read: %v", err)
}
