package classic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/classic"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func open(t *testing.T, s *services.Server, o classic.Options) *classic.Service {
	t.Helper()
	o.Address = "redis://" + s.Addr
	if o.Clean == nil {
		o.Clean = text.Default()
	}
	service, err := classic.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close() })
	return service
}

func index(t *testing.T, s *classic.Service) *classic.Index {
	t.Helper()
	x, err := s.Index(t.Context(), "news")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// client sends a command and returns its answer.
func client(t *testing.T, s *services.Server, command string, args ...any) (any, error) {
	t.Helper()
	c, err := redis.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.Do(command, args...)
}

func article(nid, url, title, content string) docid.Submission {
	var sub docid.Submission
	sub.ID, sub.URL, sub.Title, sub.Text = nid, url, title, content
	return sub
}

// sentence returns words from a seed, each three times: of weight 5, so that a further word of weight 1 turns no bit.
func sentence(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var words []string
	for range 29 {
		w := fmt.Sprintf("w%x", rng.Uint32())
		words = append(words, w, w, w)
	}
	return strings.Join(words, " ")
}

func TestRedis(t *testing.T)  { contract(t, services.Redis(t)) }
func TestValkey(t *testing.T) { contract(t, services.Valkey(t)) }

func contract(t *testing.T, s *services.Server) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s *services.Server)
	}{
		{"Classic", testClassic}, {"Oracle", testOracle}, {"Moment", testMoment}, {"Again", testAgain}, {"Layout", testLayout},
		{"Words", testWords}, {"Sinks", testSinks}, {"Lost", testLost}, {"Rebuild", testRebuild}, {"Unlike", testUnlike},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := client(t, s, "FLUSHALL"); err != nil {
				t.Fatal(err)
			}
			test.run(t, s)
		})
	}
}

// testClassic: the url decides, then the signature of the title, then that of the content. Only the first match
// counts.
func testClassic(t *testing.T, s *services.Server) {
	x := index(t, open(t, s, classic.Options{}))
	content := sentence(1)
	for _, c := range []struct {
		name, url, title, content string
		stage                     docid.Stage // "": new
	}{
		{"the first", "http://a.example/1", "Wind farm off the coast", content, ""},
		{"its url, all else another", "http://a.example/1", "Rain in the valleys", "Snow and rain are expected in all northern valleys.", docid.StageURL},
		{"its title in another order, another content", "http://b.example/2", "Coast off the farm, wind", "Snow and ice are expected tonight on northern roads.", docid.StageTitle},
		{"its content with another word", "http://c.example/3", "Harbour news", content + " yesterday", docid.StageContent},
		{"nothing of it", "http://d.example/4", "Election results", "Votes were counted all night, and the parties will meet on Thursday to talk.", ""},
		{"the url of a duplicate leads nowhere", "http://b.example/2", "Weather", "It will be dry until the weekend in the south.", ""},
		{"nothing at all", "", "", "", ""},
		{"nothing at all again", "", "", "", ""},
	} {
		a, err := x.Add(t.Context(), article("", c.url, c.title, c.content))
		if err != nil || a.Stage != c.stage || (a.Decision.Decision == neardup.New) != (c.stage == "") {
			t.Errorf("%s: %+v, %v; want stage %q", c.name, a, err, c.stage)
		}
	}
}

// testOracle: answers for articles that share urls, titles and contents at random equal those of three tables
// and a comparison of all signatures.
func testOracle(t *testing.T, s *services.Server) {
	x := index(t, open(t, s, classic.Options{}))
	var id docid.Identity
	identity, err := redis.Bytes(client(t, s, "HGET", "INDEX:{news}", "identity"))
	if err == nil {
		err = json.Unmarshal(identity, &id)
	}
	if err != nil {
		t.Fatal(err)
	}
	sign := oracleSignature(t, id.Seed)
	type entry struct {
		fp  uint64
		seq uint64
	}
	urls, titles, contents := map[string]uint64{}, map[uint64]uint64{}, []entry(nil)
	rng := rand.New(rand.NewPCG(7, 7))
	stages := map[docid.Stage]int{}
	for seq := uint64(1); seq <= 600; seq++ {
		url := fmt.Sprintf("https://a.example/%d", rng.IntN(400))
		title := fmt.Sprintf("title %d", rng.IntN(400))
		content := sentence(rng.Uint64N(300))
		for range rng.IntN(3) {
			content += fmt.Sprintf(" extra%d", rng.IntN(50))
		}
		wantStage, want := docid.Stage(""), seq
		titleFP, contentFP := sign(title), sign(content)
		if of, ok := urls[url]; ok {
			wantStage, want = docid.StageURL, of
		} else if of, ok := titles[titleFP]; ok {
			wantStage, want = docid.StageTitle, of
		} else {
			best := 4
			for _, e := range contents {
				if d := bits.OnesCount64(e.fp ^ contentFP); d < best {
					wantStage, want, best = docid.StageContent, e.seq, d
				}
			}
		}
		if want == seq {
			urls[url], titles[titleFP], contents = seq, seq, append(contents, entry{contentFP, seq})
		}
		a, err := x.Add(t.Context(), article("", url, title, content))
		docID, _ := id.DocID("news", want)
		if err != nil || a.Seq != seq || a.LeaderSeq != want || a.Stage != wantStage || a.DocID != docID {
			t.Fatalf("%d: %+v, %v; want stage %q of %d", seq, a, err, wantStage, want)
		}
		stages[wantStage]++
	}
	for _, stage := range []docid.Stage{"", docid.StageURL, docid.StageTitle, docid.StageContent} {
		if stages[stage] < 20 {
			t.Errorf("stage %q decided %d times: the test says little of it", stage, stages[stage])
		}
	}
}

// oracleSignature returns the signature function of the method by that name.
func oracleSignature(t *testing.T, seed uint64) func(string) uint64 {
	t.Helper()
	m, err := methods.New(fmt.Sprint("simhash features=levels:5 verify=off min-features=1 seed=", seed))
	if err != nil {
		t.Fatal(err)
	}
	return func(s string) uint64 {
		var rec neardup.Record
		m.Record(text.Default().Clean(s), &rec)
		return rec.Sketch
	}
}

// testMoment: of articles that are one by url, title or content and come at one moment to two servers, all get one docId.
func testMoment(t *testing.T, s *services.Server) {
	two := []*classic.Index{index(t, open(t, s, classic.Options{})), index(t, open(t, s, classic.Options{}))}
	for round := range uint64(20) {
		got := make([]string, 16)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				a, err := two[i%2].Add(t.Context(), article("", "", "", sentence(1000+round)+strings.Repeat(" more", i%2)))
				if err != nil {
					t.Error(err)
				}
				got[i] = a.DocID
			})
		}
		all.Wait()
		if len(slices.Compact(got)) != 1 {
			t.Errorf("round %d: %q", round, got)
		}
	}
}

// testAgain: a repeated nid gets its answer, but not for another article.
func testAgain(t *testing.T, s *services.Server) {
	x := index(t, open(t, s, classic.Options{}))
	add := func(nid, content string) (docid.Answer, error) {
		return x.Add(t.Context(), article(nid, "", "", content))
	}
	first, err := add("a b", sentence(1))
	if err != nil {
		t.Fatal(err)
	}
	second, err := add("2", sentence(1))
	if err != nil || second.DocID != first.DocID || second.Leader != "a b" || second.Seq != 2 {
		t.Fatalf("%+v, %v", second, err)
	}
	for nid, want := range map[string]docid.Answer{"a b": first, "2": second} {
		again, err := add(nid, sentence(1))
		if err != nil || !again.Replayed || again.Seq != want.Seq || again.DocID != want.DocID || again.Stage != want.Stage {
			t.Errorf("%+v, %v; want %+v", again, err, want)
		}
	}
	if _, err := add("2", sentence(2)); !errors.Is(err, docid.ErrTaken) {
		t.Errorf("another article under the nid: %v", err)
	}
	for name, sub := range map[string]docid.Submission{
		"an nid of the index": article("~1", "", "", ""),
		"an idempotency key":  {Idempotency: "k"},
		"a window":            {Window: time.Hour},
		"a time to live":      {TTL: time.Hour},
	} {
		if _, err := x.Add(t.Context(), sub); !errors.Is(err, docid.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	st, sinks, err := x.Stats(t.Context())
	if err != nil || st.Seq != 2 || st.Leaders != 1 || st.Members != 2 || len(sinks) != 0 {
		t.Errorf("%+v, %v, %v", st, sinks, err)
	}
}

// testLayout: the keys are the ones in the article.
func testLayout(t *testing.T, s *services.Server) {
	x := index(t, open(t, s, classic.Options{}))
	if _, err := x.Add(t.Context(), article("n1", "http://a.example/1/", "Wind farm", sentence(1))); err != nil {
		t.Fatal(err)
	}
	all, err := redis.Strings(client(t, s, "KEYS", "*"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, key := range all {
		prefix, rest, _ := strings.Cut(key, ":")
		kinds[prefix]++
		if !strings.HasPrefix(rest, "{news}") {
			t.Errorf("key %q has no tenant", key)
		}
	}
	if want := "map[CONTENT_INDEX:4 DOCIDS:1 INDEX:1 NID_INDEX:1 TITLE_INDEX:1 URL_INDEX:1]"; fmt.Sprint(kinds) != want {
		t.Errorf("keys %v, want %s", kinds, want)
	}
	if of, err := redis.String(client(t, s, "GET", "URL_INDEX:{news}:https://a.example/1")); of != "1" {
		t.Errorf("the url leads to %q, %v", of, err)
	}
}

// testWords: words that Redis caches for the configured time give the same signatures.
func testWords(t *testing.T, s *services.Server) {
	const title, content = "计算机应用与软件", "海量网络文本去重系统实验测试，这是一段测试文本的内容。"
	cached := index(t, open(t, s, classic.Options{Words: 7 * 24 * time.Hour}))
	cut := index(t, open(t, s, classic.Options{}))
	for i, c := range []struct {
		name, title, content string
		x                    *classic.Index
		stage                docid.Stage
	}{
		{"cut and kept", title, content, cached, ""},
		{"kept", title, "", cached, docid.StageTitle},
		{"kept", "", content, cached, docid.StageContent},
		{"cut", "", content, cut, docid.StageContent},
	} {
		if a, err := c.x.Add(t.Context(), article(fmt.Sprint(i), "", c.title, c.content)); err != nil || a.Stage != c.stage || (c.stage != "" && *a.Distance != 0) {
			t.Errorf("%s: %+v, %v; want stage %q", c.name, a, err, c.stage)
		}
	}
	keys, err := redis.Strings(client(t, s, "KEYS", "WORDS:*"))
	if err != nil || len(keys) != 3 { // title, content, no text
		t.Fatalf("%q, %v", keys, err)
	}
	for _, key := range keys {
		if left, err := redis.Int64(client(t, s, "TTL", key)); err != nil || left < 7*24*3600-60 || left > 7*24*3600 {
			t.Errorf("%s ends in %d s, %v", key, left, err)
		}
	}
}

// sink notes what it gets.
type sink struct {
	mu  sync.Mutex
	got []docid.Delivery
	err error // of Apply
}

func (s *sink) Cursor(context.Context, string) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uint64(len(s.got)), nil
}

func (s *sink) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range ds {
		if s.err == nil && d.Seq == uint64(len(s.got))+1 {
			s.got = append(s.got, d)
		}
	}
	return s.err
}

func (s *sink) Close() error { return nil }

// fed waits until a sink has n changes.
func (s *sink) fed(t *testing.T, n uint64) []docid.Delivery {
	t.Helper()
	for {
		if at, _ := s.Cursor(t.Context(), ""); at >= n {
			s.mu.Lock()
			defer s.mu.Unlock()
			return slices.Clone(s.got)
		}
		if t.Context().Err() != nil {
			t.Fatal("the sink was not fed")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// testSinks: sinks get all articles in order from two servers, through errors of their own; the hottest is kept, and
// what all have is dropped.
func testSinks(t *testing.T, s *services.Server) {
	ctx, stop := context.WithCancel(t.Context())
	a, b := &sink{}, &sink{err: errors.New("away")}
	failed := make(chan error, 1000)
	var feeding sync.WaitGroup
	defer feeding.Wait()
	defer stop()
	service := open(t, s, classic.Options{Backlog: 30})
	var two []*classic.Index
	for range 2 {
		x := index(t, service)
		two = append(two, x)
		for name, to := range map[string]*sink{"a": a, "b": b} {
			if err := x.Attach(ctx, name, to); err != nil {
				t.Fatal(err)
			}
			feeding.Go(func() { _ = x.Feed(ctx, name, to, func(err error) { failed <- err }) })
		}
	}
	heats := []int64{5, -3, 7, 7, 6, 1 << 62, 8}
	for i, heat := range heats {
		sub := article(fmt.Sprint(i+1), "http://a.example/1", "Wind farm", sentence(1))
		sub.Heat = heat
		if _, err := two[i%2].Add(ctx, sub); err != nil {
			t.Fatal(err)
		}
	}
	a.fed(t, 7)
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "away") {
		t.Errorf("of the sink that is away: %v", err)
	}
	for i := 0; ; i++ { // until the backlog of b is full
		if _, err := two[0].Add(ctx, article("", "", "", sentence(uint64(100+i)))); err != nil {
			if !errors.Is(err, docid.ErrBacklog) || i != 30-7 {
				t.Errorf("article %d: %v", i, err)
			}
			break
		}
	}
	_, sinks, err := two[0].Stats(ctx)
	if err != nil || len(sinks) != 2 {
		t.Errorf("%v, %v", sinks, err)
	}
	b.mu.Lock()
	b.err = nil
	b.mu.Unlock()
	for i, d := range b.fed(t, 30) {
		if d.Seq != uint64(i+1) || d.DocID == "" || (d.Kind == docid.KindNew) != (d.Material != nil) || d.Article == nil || d.Time == 0 {
			t.Errorf("delivery %d: %+v", i, d)
		}
		if i < len(heats) {
			if kept := i == 0 || i == 2 || i == 5; d.Kept.Replaces() != kept || d.Heat != heats[i] || d.NID != fmt.Sprint(i+1) {
				t.Errorf("heat %d: %+v", heats[i], d)
			}
		}
	}
	for {
		if n, err := redis.Int64(client(t, s, "XLEN", "OUTBOX:{news}")); err != nil || n == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := two[0].Attach(ctx, "late", &sink{}); !errors.Is(err, docid.ErrUndrained) {
		t.Errorf("a sink that comes late: %v", err)
	}
}

// testLost: a server or a sink that has seen lost articles detects the loss. Then nothing new is decided.
func testLost(t *testing.T, s *services.Server) {
	service := open(t, s, classic.Options{})
	x, to := index(t, service), &sink{got: make([]docid.Delivery, 1)}
	if err := x.Attach(t.Context(), "map", to); !errors.Is(err, docid.ErrBehind) {
		t.Errorf("a sink that has more: %v", err)
	}
	for i := range uint64(3) {
		if _, err := x.Add(t.Context(), article("", "", "", sentence(i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client(t, s, "HSET", "INDEX:{news}", "seq", "2"); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Add(t.Context(), article("", "", "", sentence(9))); !errors.Is(err, docid.ErrBehind) {
		t.Errorf("from a Redis that is behind: %v", err)
	}
	s.Kill()
	defer s.Start(t)
	if _, err := x.Add(t.Context(), article("", "", "", sentence(9))); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("from a Redis that is away: %v", err)
	}
	if err := service.Reach(t.Context()); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("reach: %v", err)
	}
}

// testRebuild: a lost index is rebuilt from its sinks, of which one may be behind, and gives the same answers.
// What had reached neither sink gets another docId.
func testRebuild(t *testing.T, s *services.Server) {
	ctx := t.Context()
	service := open(t, s, classic.Options{})
	history, library := storetest.KeptSinks()
	feed := func(x *classic.Index, upTo uint64, sinks ...docid.Sink) {
		t.Helper()
		ctx, stop := context.WithCancel(ctx)
		var feeding sync.WaitGroup
		for _, sink := range sinks {
			name := map[bool]string{true: "map", false: "articles"}[sink == docid.Sink(history)]
			if err := x.Attach(ctx, name, sink); err != nil {
				t.Fatal(err)
			}
			feeding.Go(func() { _ = x.Feed(ctx, name, sink, func(err error) { t.Error(err) }) })
		}
		for { // Stats has what they acknowledged
			_, has, err := x.Stats(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(has, func(a docid.Attachment) bool {
				return (len(sinks) == 2 && a.Seq < upTo) || (a.Sink == "map" && a.Seq < upTo)
			}) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		stop()
		feeding.Wait()
	}
	x := index(t, service)
	feed(x, 0, history, library)
	subs := []docid.Submission{
		article("a", "http://a.example/1", "Wind farm", sentence(1)), article("b b", "http://a.example/1", "", ""),
		article("c", "", "Harbour news", sentence(2)), article("", "", "", sentence(2)),
	}
	answers := map[string]docid.Answer{}
	add := func(x *classic.Index, sub docid.Submission) docid.Answer {
		t.Helper()
		a, err := x.Add(ctx, sub)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, sub := range subs {
		answers[sub.ID] = add(x, sub)
	}
	feed(x, 4, history, library)
	late := add(x, article("late", "http://late.example/", "Late", sentence(3)))
	feed(x, 5, history)
	lost := add(x, article("lost", "", "", sentence(4)))
	if _, err := client(t, s, "FLUSHALL"); err != nil {
		t.Fatal(err)
	}
	rebuild := func(drained bool) (docid.Rebuilt, error) {
		b := docid.Rebuild{
			Store: classic.Restorer{Service: service, Library: library}, Source: docid.SourceOf(history, library), Tenant: "news",
			AsStored: true, Drained: drained, Page: 2,
		}
		return b.Run(ctx)
	}
	if _, err := rebuild(true); !errors.Is(err, docid.ErrUndrained) {
		t.Errorf("sinks that are not equally far: %v", err)
	}
	if _, err := client(t, s, "HSET", "INDEX:{news}", "rebuilding", "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Index(ctx, "news"); !errors.Is(err, docid.ErrUnfinished) {
		t.Errorf("half made: %v", err)
	}
	sum, err := rebuild(false)
	if err != nil || sum.Seq != 5 || sum.Leaders != 3 || sum.Members != 5 || sum.Textless != 1 || sum.Rowless != 0 || !sum.Epoch {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := rebuild(false); !errors.Is(err, docid.ErrOccupied) {
		t.Errorf("over an index: %v", err)
	}
	x = index(t, service)
	for _, sub := range append(subs[:3:3], article("late", "http://late.example/", "Late", sentence(3))) {
		want := answers[sub.ID]
		if sub.ID == "late" {
			want = late
		}
		if a := add(x, sub); !a.Replayed || a.DocID != want.DocID || a.Stage != want.Stage || a.Leader != want.Leader || a.Seq != want.Seq {
			t.Errorf("%s: %+v, was %+v", sub.ID, a, want)
		}
	}
	for what, sub := range map[string]docid.Submission{
		"url": article("", "http://a.example/1", "", ""), "title": article("", "", "news harbour", ""), "content": article("", "", "", sentence(2)+" more"),
	} {
		want := answers["c"]
		if what == "url" {
			want = answers["a"]
		}
		if a := add(x, sub); string(a.Stage) != what || a.DocID != want.DocID {
			t.Errorf("by its %s: %+v, want %s", what, a, want.DocID)
		}
	}
	if a := add(x, article("again", "http://late.example/", "", "")); a.DocID != late.DocID {
		t.Errorf("by the url of one whose text was lost: %+v, want %s", a, late.DocID)
	}
	if a := add(x, article("lost", "", "", sentence(4))); a.Decision.Decision != neardup.New || a.DocID == lost.DocID {
		t.Errorf("what was lost: %+v, was %+v", a, lost)
	}
	feed(x, 11, history, library)
	for _, sink := range []docid.Sink{history, library} {
		if at, err := sink.Cursor(ctx, "news"); err != nil || at != 11 {
			t.Errorf("a sink has %d changes, %v", at, err)
		}
	}
}

// testUnlike: an index only opens under its original settings, and Losses reports what Redis may lose.
func testUnlike(t *testing.T, s *services.Server) {
	index(t, open(t, s, classic.Options{}))
	none, err := text.ParseNormalizer("none")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, s, classic.Options{Clean: none}).Index(t.Context(), "news"); !errors.Is(err, neardup.ErrUnlike) {
		t.Errorf("under another normalisation: %v", err)
	}
	service := open(t, s, classic.Options{})
	for _, set := range []struct{ name, value, loss string }{
		{"appendfsync", "everysec", "a power failure loses"}, {"appendfsync", "always", ""},
		{"maxmemory-policy", "allkeys-lru", "evicts docIds"}, {"maxmemory-policy", "noeviction", ""},
	} {
		if _, err := client(t, s, "CONFIG", "SET", set.name, set.value); err != nil {
			t.Fatal(err)
		}
		losses, err := service.Losses(t.Context())
		if err != nil || !strings.Contains(strings.Join(losses, " "), set.loss) || (set.loss == "") != (len(losses) == 0) {
			t.Errorf("%s %s: %q, %v", set.name, set.value, losses, err)
		}
	}
	if _, err := classic.Open(t.Context(), classic.Options{Address: "redis://u:hidden@[::1"}); !errors.Is(err, docid.ErrInvalid) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("an invalid address: %v", err)
	}
}
