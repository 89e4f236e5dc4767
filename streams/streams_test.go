package streams_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/streamtest"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/streams"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clerk is a service: the same key gets the same answer.
type clerk struct {
	mu      sync.Mutex
	answers map[string]api.Answer
	asked   []string               // nids of first answers, in order
	fails   func(nid string) error // nil: nothing does
}

func (c *clerk) SubmitJSON(ctx context.Context, article []byte, key string) (api.Answer, error) {
	var in struct{ NID string }
	if err := json.Unmarshal(article, &in); err != nil {
		return api.Answer{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, known := c.answers[key]; known {
		a.Replayed = true
		return a, nil
	}
	if c.fails != nil {
		if err := c.fails(in.NID); err != nil {
			return api.Answer{}, err
		}
	}
	a := api.Answer{Decision: neardup.Decision{ID: in.NID, Decision: neardup.New, Method: "auto"}, DocID: "doc" + in.NID, Seq: uint64(len(c.asked) + 1)}
	if c.answers == nil {
		c.answers = map[string]api.Answer{}
	}
	c.answers[key], c.asked = a, append(c.asked, in.NID)
	return a, nil
}

// line is a record, of a decision or of a refused message.
type line struct {
	Topic     string
	Partition int
	Offset    string
	ID, DocID string
	Replayed  bool
	Status    int
	Reason    string
}

func read(t *testing.T, values [][]byte) (lines []line) {
	t.Helper()
	for _, v := range values {
		var l line
		if err := json.Unmarshal(v, &l); err != nil || l.Topic == "" || l.Offset == "" {
			t.Fatalf("record %s: %v", v, err)
		}
		lines = append(lines, l)
	}
	return lines
}

// options claims no messages during a test. impatient claims messages that were idle for a second.
func options(s streamtest.Streams) streams.Options {
	return streams.Options{
		From: s.From, To: s.To, Bad: s.Bad, Group: "g", Instance: "one", ClaimAfter: time.Minute, InFlight: 1, ToEnd: true,
		Drain: 10 * time.Second, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

func impatient(s streamtest.Streams) streams.Options {
	o := options(s)
	o.ClaimAfter = time.Second
	return o
}

// consume runs a consumer until it ends.
func consume(t *testing.T, service streams.Service, o streams.Options) (streams.Counts, error) {
	t.Helper()
	c := open(t, service, o)
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	err := c.Run(t.Context())
	if lag, failed := c.Lag(t.Context()); err == nil && (lag != 0 || failed != nil) {
		t.Errorf("it ended with a lag of %d, %v", lag, failed)
	}
	return c.Counts(), err
}

func open(t *testing.T, service streams.Service, o streams.Options) *streams.Consumer {
	t.Helper()
	c, err := streams.Open(t.Context(), service, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func article(nid string) []byte {
	return fmt.Appendf(nil, `{"nid":%q,"content":"the text of %s"}`, nid, nid)
}

// sendArticles sends n articles and returns their nids in order.
func sendArticles(t *testing.T, s streamtest.Streams, n int) (nids []string) {
	for i := range n {
		nids = append(nids, fmt.Sprint("n", i))
		s.Send(t, i, article(nids[i]))
	}
	return nids
}

// TestBrokers holds each broker to the contract.
func TestBrokers(t *testing.T) {
	for name, start := range streamtest.Brokers {
		t.Run(name, func(t *testing.T) {
			if name != "redis" {
			}
			if name == "kafka" && testing.Short() {
				t.Skip("it takes longest to start, and the goroutines are those of its client")
			}
			t.Parallel()
			fresh := start(t)
			for _, test := range []struct {
				name string
				run  func(*testing.T, streamtest.Streams)
			}{
				{"every message is answered once, in order", answered},
				{"what is refused is named, and why", refusals},
				{"a service that is busy is waited for", busy},
				{"what ends a consumer leaves its messages to the next", failing},
				{"consumers of a group share", shared},
				{"the end of the context ends a consumer", ended},
				{"decisions go to a file", toFile},
			} {
				t.Run(test.name, func(t *testing.T) { test.run(t, fresh(t)) })
			}
			if name == "kafka" {
				t.Run("a topic that was written in transactions has an end", func(t *testing.T) { transactions(t, fresh(t)) })
				t.Run("decisions come from another broker", func(t *testing.T) { between(t, streamtest.Redis(t)(t), fresh(t)) })
			}
			if name == "redis" {
				t.Run("entries that hold no message are refused", func(t *testing.T) { entries(t, fresh(t)) })
			}
			if name == "redis" { // Kafka reassigns partitions when a session ends, NATS messages without progress reports
				t.Run("messages of one who stands still are claimed", func(t *testing.T) { claimed(t, fresh(t)) })
			}
			if name != "kafka" { // whose client waits by itself
				t.Run("a broker that is killed is opened again", func(t *testing.T) { reopened(t, fresh(t)) })
			}
		})
	}
}

// decidedOnce: each article has one decision, of the partition it was sent to.
func decidedOnce(t *testing.T, s streamtest.Streams, nids []string) {
	t.Helper()
	decisions := read(t, s.Read(t, s.To))
	var got []string
	for _, d := range decisions {
		got = append(got, d.ID)
		if i := slices.Index(nids, d.ID); d.DocID != "doc"+d.ID || d.Replayed || (i >= 0 && d.Partition != i%s.Partitions) {
			t.Errorf("decision %+v", d)
		}
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(nids))
	if !slices.Equal(got, want) {
		t.Errorf("decided are %v, sent were %v", got, want)
	}
}

func answered(t *testing.T, s streamtest.Streams) {
	service := &clerk{}
	nids := sendArticles(t, s, 250) // more than a page
	n, err := consume(t, service, options(s))
	if err != nil || n.Read != 250 || n.Decided != 250 || n.Refused+n.Again+n.InFlight+n.Waiting != 0 {
		t.Errorf("%+v, %v", n, err)
	}
	decidedOnce(t, s, nids)
	for p := range s.Partitions {
		var want, got []string
		for i, nid := range nids {
			if i%s.Partitions == p {
				want = append(want, nid)
			}
		}
		for _, nid := range service.asked {
			if slices.Contains(want, nid) {
				got = append(got, nid)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("partition %d was asked in the order %v", p, got)
		}
	}
	if n, err := consume(t, service, options(s)); err != nil || n.Read != 0 {
		t.Errorf("afterwards: %+v, %v", n, err)
	}
}

func refusals(t *testing.T, s streamtest.Streams) {
	taken := &api.Problem{Type: api.TypePrefix + api.CodeNIDTaken, Title: "Conflict", Status: 409, Detail: "another article"}
	service := &clerk{fails: func(nid string) error {
		if nid == "taken" {
			return taken
		}
		return nil
	}}
	bad := []struct{ message, nid, reason string }{
		{"no JSON", "", "invalid JSON"},
		{`{"nid":"x"} {}`, "", "invalid JSON"},
		{`{"content":"anonymous"}`, "", "id is missing"},
		{`{"nid":""}`, "", "id is missing"},
		{`{"nid":7}`, "", "not an object with an id (want a string)"},
		{`["nid"]`, "", "not an object with an id (want a string)"},
		{`{"nid":"taken"}`, "taken", "409 Conflict: another article"},
	}
	s.Send(t, 0, article("first"))
	for i, b := range bad {
		s.Send(t, 2*i, []byte(b.message))
	}
	s.Send(t, 1, article("last"))
	n, err := consume(t, service, options(s))
	if err != nil || n.Decided != 2 || n.Refused != int64(len(bad)) {
		t.Errorf("%+v, %v", n, err)
	}
	decidedOnce(t, s, []string{"first", "last"})
	lines := read(t, s.Read(t, s.Bad))
	for i, b := range bad {
		if i >= len(lines) || lines[i].ID != b.nid || lines[i].Reason != b.reason {
			t.Errorf("refused: %+v, of %+v", lines, b)
		}
	}
	o := options(s)
	o.Group, o.Bad = "another", ""
	if _, err := consume(t, service, o); err == nil || !strings.Contains(err.Error(), "no output for refused messages is given: invalid JSON") {
		t.Errorf("without an output for them: %v", err)
	}
}

func busy(t *testing.T, s streamtest.Streams) {
	tries := 0
	service := &clerk{fails: func(string) error {
		tries++
		if tries == 1 {
			return &api.Problem{Type: api.TypePrefix + api.CodeBusy, Status: 429}
		}
		return nil
	}}
	nids := sendArticles(t, s, 3)
	if n, err := consume(t, service, options(s)); err != nil || n.Decided != 3 || n.Waiting != 0 {
		t.Errorf("%+v, %v", n, err)
	}
	decidedOnce(t, s, nids)
}

func failing(t *testing.T, s streamtest.Streams) {
	service := &clerk{}
	service.fails = func(nid string) error {
		if nid == "n120" {
			return &api.Problem{Type: api.TypePrefix + api.CodeToken, Status: 401}
		}
		return nil
	}
	nids := sendArticles(t, s, 150)
	var p *api.Problem
	if _, err := consume(t, service, impatient(s)); !errors.As(err, &p) || p.Status != 401 {
		t.Errorf("%v", err)
	}
	service.fails = nil
	o := impatient(s)
	if !strings.HasPrefix(s.From, "nats") {
		o.ClaimAfter = time.Hour // its own it gets at once
	}
	if _, err := consume(t, service, o); err != nil {
		t.Error(err)
	}
	decidedOnce(t, s, nids)
	if len(service.asked) != len(nids) {
		t.Errorf("%d articles were stored as %d", len(nids), len(service.asked))
	}
}

func shared(t *testing.T, s streamtest.Streams) {
	service := &clerk{}
	nids := sendArticles(t, s, 300)
	var both sync.WaitGroup
	for _, instance := range []string{"one", "two"} {
		both.Go(func() {
			o := options(s)
			o.Instance, o.InFlight = instance, 4
			if _, err := consume(t, service, o); err != nil {
				t.Errorf("%s: %v", instance, err)
			}
		})
	}
	both.Wait()
	decidedOnce(t, s, nids)
}

// ended: what was read is settled first, unless the service is away for longer than that may take.
func ended(t *testing.T, s streamtest.Streams) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan bool, 1)
	service := &clerk{fails: func(nid string) error {
		if nid == "n5" {
			cancel()
		}
		if nid == "n9" {
			select {
			case asked <- true:
			default:
			}
			return &api.Problem{Status: 503}
		}
		return nil
	}}
	nids := sendArticles(t, s, 8)
	o := impatient(s)
	o.ToEnd = false
	c := open(t, service, o)
	if err := c.Run(ctx); err != nil || c.Counts().Decided != c.Counts().Read || c.Counts().Decided == 0 {
		t.Errorf("%+v, %v", c.Counts(), err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for i := range 2 { // to both partitions
		s.Send(t, i, article(fmt.Sprint("n", 8+i)))
		nids = append(nids, fmt.Sprint("n", 8+i))
	}
	ctx, cancel = context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	o.Drain = time.Millisecond
	c = open(t, service, o)
	if err := c.Run(ctx); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	service.fails = nil
	if _, err := consume(t, service, impatient(s)); err != nil {
		t.Error(err)
	}
	decidedOnce(t, s, nids)
}

// toFile checks that a partial line is removed, and that the file has each position.
func toFile(t *testing.T, s streamtest.Streams) {
	o := options(s)
	o.To = filepath.Join(t.TempDir(), "decisions.jsonl")
	nids := sendArticles(t, s, 20)
	whole := `{"topic":"t","offset":"1","id":"before","docId":"docbefore"}` + "\n"
	if err := os.WriteFile(o.To, []byte(whole+`{"topic":"t","off`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, &clerk{}, o)
	if _, err := streams.Open(t.Context(), &clerk{}, o); err == nil || !strings.Contains(err.Error(), "another process writes to") {
		t.Errorf("a second one opens the file: %v", err)
	}
	if err := errors.Join(c.Run(t.Context()), c.Close()); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	again := o
	again.Group, again.To, again.Stdout = "another", "-", &out
	if _, err := consume(t, &clerk{}, again); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(o.To)
	if err != nil {
		t.Fatal(err)
	}
	rest, kept := strings.CutPrefix(string(b), whole)
	for _, said := range []string{rest, out.String()} {
		s.Read = func(testing.TB, string) (values [][]byte) {
			for l := range strings.Lines(said) {
				values = append(values, []byte(l))
			}
			return values
		}
		decidedOnce(t, s, nids)
	}
	if !kept {
		t.Errorf("what was there is gone: %s", b)
	}
}

// slow is a service that answers once it is let.
type slow struct {
	clerk
	asked, answer chan bool
}

func (s *slow) SubmitJSON(ctx context.Context, article []byte, key string) (api.Answer, error) {
	select {
	case s.asked <- true:
	default:
	}
	<-s.answer
	return s.clerk.SubmitJSON(ctx, article, key)
}

// claimed checks that a consumer that stalls and then continues writes nothing that another one has written meanwhile.
func claimed(t *testing.T, s streamtest.Streams) {
	nids := sendArticles(t, s, 5)
	held := &slow{asked: make(chan bool, 1), answer: make(chan bool)}
	c := open(t, held, options(s))
	var standing sync.WaitGroup
	standing.Go(func() {
		if err := c.Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	<-held.asked
	o := impatient(s)
	o.Instance = "two"
	if _, err := consume(t, &held.clerk, o); err != nil {
		t.Error(err)
	}
	decidedOnce(t, s, nids)
	close(held.answer)
	standing.Wait()
	decidedOnce(t, s, nids)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// entries checks that malformed entries in a stream of Redis are distinguished.
func entries(t *testing.T, s streamtest.Streams) {
	addr, key, _ := strings.Cut(strings.TrimPrefix(s.From, "redis-stream://"), "/")
	service := &clerk{fails: func(string) error { return &api.Problem{Status: 401} }}
	s.Send(t, 0, article("deleted"))
	if _, err := consume(t, service, options(s)); err == nil {
		t.Error("a service that refuses everybody is no error")
	}
	services.Ask(addr, "XTRIM", key, "MAXLEN", "0")
	services.Ask(addr, "XADD", key, "*", "another", "field")
	s.Send(t, 0, fmt.Appendf(nil, `{"nid":"long","content":%q}`, strings.Repeat("x", 4<<20)))
	if n, err := consume(t, service, options(s)); err != nil || n.Refused != 3 {
		t.Errorf("%+v, %v", n, err)
	}
	var reasons []string
	for _, l := range read(t, s.Read(t, s.Bad)) {
		reasons = append(reasons, l.Reason)
	}
	if want := []string{"deleted from the stream before it was read", "no field json", "too large (want at most 4194304 bytes)"}; !slices.Equal(reasons, want) {
		t.Errorf("refused for %q, want %q", reasons, want)
	}
}

// transactions checks that markers in a topic, which have offsets, are not read as messages.
func transactions(t *testing.T, s streamtest.Streams) {
	sendArticles(t, s, 3)
	if _, err := consume(t, &clerk{}, options(s)); err != nil {
		t.Fatal(err)
	}
	o := options(s)
	o.From, o.To, o.Group = s.To, filepath.Join(t.TempDir(), "to"), "another" // decisions have an id, as articles do
	if n, err := consume(t, &clerk{}, o); err != nil || n.Read != 3 {
		t.Errorf("%+v, %v", n, err)
	}
}

// TestBetweenBrokers copies from one broker to another.
func TestBetweenBrokers(t *testing.T) {
	redis, nats := streamtest.Redis(t)(t), streamtest.NATS(t)(t)
	t.Run("redis to nats", func(t *testing.T) { between(t, redis, nats) })
	t.Run("nats to redis", func(t *testing.T) { between(t, nats, redis) })
}

func between(t *testing.T, s, to streamtest.Streams) {
	s.To, s.Read = to.To, to.Read
	nids := sendArticles(t, s, 120)
	if n, err := consume(t, &clerk{}, options(s)); err != nil || n.Decided != 120 {
		t.Errorf("%+v, %v", n, err)
	}
	decidedOnce(t, s, nids)
}
