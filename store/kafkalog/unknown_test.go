package kafkalog

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/silence"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// forgetful connects to brokers that do not know the topic: it answers the first requests of each kind with
// err itself.
type forgetful struct {
	net.Dialer
	err *kerr.Error

	mu   sync.Mutex
	left map[kmsg.Key]int // by kind of request
}

func (f *forgetful) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := f.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	own := &forgetfulConn{Conn: c, f: f}
	own.came, own.went = net.Pipe()
	go own.pass()
	return own, nil
}

// forgetfulConn is a connection to a broker. came carries the answers of the broker and those made here.
type forgetfulConn struct {
	net.Conn
	f          *forgetful
	came, went net.Conn
}

// pass hands on the broker's answers.
func (c *forgetfulConn) pass() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.Conn.Read(buffer)
		if n > 0 {
			if _, err := c.went.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			c.went.Close()
			return
		}
	}
}

func (c *forgetfulConn) Read(b []byte) (int, error) { return c.came.Read(b) }

func (c *forgetfulConn) Close() error {
	c.came.Close()
	return c.Conn.Close()
}

// Write sends a request, which the client writes at once, or answers it.
func (c *forgetfulConn) Write(b []byte) (int, error) {
	if answer := c.f.answer(b); answer != nil {
		go c.went.Write(answer)
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// answer returns the answer to a request, or nil if the broker is asked.
func (f *forgetful) answer(request []byte) []byte {
	if len(request) < 14 {
		return nil
	}
	key, version := kmsg.Key(binary.BigEndian.Uint16(request[4:])), int16(binary.BigEndian.Uint16(request[6:]))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left[key] == 0 {
		return nil
	}
	f.left[key]--
	req := kmsg.RequestForKey(int16(key))
	req.SetVersion(version)
	body := request[14+binary.BigEndian.Uint16(request[12:]):] // after the client's id
	if req.IsFlexible() {
		body = body[1:] // no tags
	}
	if err := req.ReadFrom(body); err != nil {
		panic(err)
	}
	resp := f.made(req)
	resp.SetVersion(version)
	answer := append(make([]byte, 4), request[8:12]...) // the size follows
	if resp.IsFlexible() {
		answer = append(answer, 0)
	}
	answer = resp.AppendTo(answer)
	binary.BigEndian.PutUint32(answer, uint32(len(answer)-4))
	return answer
}

// made returns the answer of a broker that does not know the topic.
func (f *forgetful) made(req kmsg.Request) kmsg.Response {
	resp := req.ResponseKind()
	switch resp := resp.(type) {
	case *kmsg.MetadataResponse:
		for _, t := range req.(*kmsg.MetadataRequest).Topics {
			resp.Topics = append(resp.Topics, kmsg.MetadataResponseTopic{Topic: t.Topic, TopicID: t.TopicID, ErrorCode: f.err.Code})
		}
	case *kmsg.DescribeConfigsResponse:
		for _, r := range req.(*kmsg.DescribeConfigsRequest).Resources {
			resp.Resources = append(resp.Resources, kmsg.DescribeConfigsResponseResource{ResourceType: r.ResourceType, ResourceName: r.ResourceName, ErrorCode: f.err.Code})
		}
	case *kmsg.ListOffsetsResponse:
		for _, t := range req.(*kmsg.ListOffsetsRequest).Topics {
			resp.Topics = append(resp.Topics, kmsg.ListOffsetsResponseTopic{Topic: t.Topic, Partitions: []kmsg.ListOffsetsResponseTopicPartition{{ErrorCode: f.err.Code}}})
		}
	case *kmsg.ProduceResponse:
		for _, t := range req.(*kmsg.ProduceRequest).Topics {
			resp.Topics = append(resp.Topics, kmsg.ProduceResponseTopic{Topic: t.Topic, TopicID: t.TopicID, Partitions: []kmsg.ProduceResponseTopicPartition{{ErrorCode: f.err.Code}}})
		}
	case *kmsg.FetchResponse:
		for _, t := range req.(*kmsg.FetchRequest).Topics {
			resp.Topics = append(resp.Topics, kmsg.FetchResponseTopic{Topic: t.Topic, TopicID: t.TopicID, Partitions: []kmsg.FetchResponseTopicPartition{{ErrorCode: f.err.Code}}})
		}
	default:
		panic(fmt.Sprintf("a request of kind %d", req.Key()))
	}
	return resp
}

// TestUnknownTopic checks that a log can be opened, written and read at once though brokers at first answer that
// they do not know its topic or leader.
func TestUnknownTopic(t *testing.T) {
	s := services.Kafka(t, 1)[0]
	for _, code := range unknown {
		for key, times := range map[kmsg.Key]int{
			kmsg.Metadata:        1, // the client itself asks again, ever more slowly
			kmsg.DescribeConfigs: 3, kmsg.ListOffsets: 3, kmsg.Produce: 3, kmsg.Fetch: 3,
		} {
			f := &forgetful{err: code.(*kerr.Error), left: map[kmsg.Key]int{key: times}}
			t.Run(f.err.Message+"/"+key.Name(), func(t *testing.T) {
				address := fmt.Sprintf("kafka://%s/%d-%d", s.Addr, f.err.Code, key)
				l, err := open(t.Context(), address, kgo.Dialer(f.dial))
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				entry := []byte("an entry of more than 16 bytes")
				if _, err := l.Append(t.Context(), docid.Anchor{}, entry); err != nil {
					t.Error(err)
				}
				if got, err := l.Read(t.Context(), docid.Anchor{}); err != nil || len(got) != 1 || !bytes.Equal(got[0], entry) {
					t.Errorf("read %q: %v", got, err)
				}
				if f.left[key] > 0 {
					t.Errorf("%d requests were not made", f.left[key])
				}
			})
		}
	}
}

// TestSlowLink reads the log over a slow link, through which every broker is reached.
func TestSlowLink(t *testing.T) {
	s := services.Kafka(t, 1)[0]
	direct, err := Open(t.Context(), "kafka://"+s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	storetest.RunSlowLink(t, direct, s.Addr, func(t *testing.T, link string) docid.Log {
		slow, err := open(t.Context(), "kafka://"+s.Addr, kgo.Dialer(func(ctx context.Context, network, _ string) (net.Conn, error) {
			return silence.Dialer{Connect: time.Second}.DialContext(ctx, network, link)
		}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = slow.Close() })
		return slow
	})
}
