// Package load sends articles to a running docId service as an open loop does:
// at the times of a schedule, whether earlier ones were answered or not. The
// latency of a request counts from the moment it was due, so a service that
// stalls cannot hide it (no coordinated omission).
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Articles makes 3 KB articles by number, the same for ever: words of
// a vocabulary of 20,000, in sentences; every third is an earlier one as another site
// has it: in a frame of its own, a word of 150 set twice, and half of them under a title that is cut.
type Articles struct{ vocabulary []string }

// NewArticles draws the vocabulary.
func NewArticles() *Articles {
	r := rand.New(rand.NewPCG(1, 2))
	a := &Articles{vocabulary: make([]string, 20_000)}
	for i := range a.vocabulary {
		word := make([]byte, 3+r.IntN(9))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		a.vocabulary[i] = string(word)
	}
	return a
}

// Article is one request body.
type Article struct {
	NID     string `json:"nid"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

// Make returns article n.
func (a *Articles) Make(n int) Article {
	family, copied := n, n%3 == 2
	if copied {
		family = n - 2 - 3*(n%1000)
		if family < 0 {
			family = n - 2
		}
	}
	title, text := a.original(family)
	if copied {
		title, text = reprint(n, title, text)
	}
	return Article{NID: fmt.Sprintf("n%d", n), URL: fmt.Sprintf("https://news.example/%d", n), Title: title, Content: text}
}

// Copy returns what one of several sites makes of an original, article n of Make
// where n is a multiple of 3.
func (a *Articles) Copy(n, site int) Article {
	title, text := a.original(n)
	title, text = reprint(n+site, title, text)
	name := fmt.Sprintf("%d-%d", n, site)
	return Article{NID: "c" + name, URL: "https://site.example/" + name, Title: title, Content: text}
}

// original draws the text of a family: sentences of a dozen words, the first of
// which are the title.
func (a *Articles) original(family int) (title, text string) {
	r := rand.New(rand.NewPCG(uint64(family), 11))
	b := make([]byte, 0, 3100)
	for length := 0; len(b) < 3000; length++ {
		start := len(b)
		b = append(b, a.vocabulary[r.IntN(len(a.vocabulary))]...)
		if length%12 == 0 {
			b[start] -= 'a' - 'A'
		}
		if length%12 == 11 {
			b = append(b, '.')
		}
		b = append(b, ' ')
	}
	return string(b[:bytes.LastIndexByte(b[:60], ' ')]), string(b)
}

// reprint is what another site makes of a text: its own frame around it, a few
// words set twice, and of every second one a title that is cut.
func reprint(n int, title, text string) (string, string) {
	r := rand.New(rand.NewPCG(uint64(n), 12))
	b := make([]byte, 0, len(text)+200)
	b = append(b, "Home | News | Weather | Sport\n"...)
	for word := range strings.FieldsSeq(text) {
		b = append(append(b, word...), ' ')
		if r.IntN(150) == 0 && !strings.HasSuffix(word, ".") {
			b = append(append(b, word...), ' ')
		}
	}
	if n%2 == 0 {
		title = title[:strings.LastIndexByte(title, ' ')]
	}
	return title, string(b) + "\nRead more of this on our pages. Share this article."
}

// CrowdSize is how many articles a flood has before the next one begins.
const CrowdSize = 100_000

// Crowd returns article n of a flood into one bucket: two thirds of the words
// are the same in all of a flood, a similarity of about .5, so that they share
// keys and are no duplicates of each other at .6, which is where auto decides.
func (a *Articles) Crowd(n int) Article {
	r := rand.New(rand.NewPCG(uint64(n), 13))
	text := make([]byte, 0, 3100)
	for i := 500 * (n / CrowdSize); len(text) < 2000; i++ {
		text = append(append(text, a.vocabulary[i%len(a.vocabulary)]...), ' ')
	}
	for len(text) < 3000 {
		text = append(append(text, a.vocabulary[r.IntN(len(a.vocabulary))]...), ' ')
	}
	return Article{NID: fmt.Sprintf("flood%d", n), URL: fmt.Sprintf("https://flood.example/%d", n), Title: fmt.Sprintf("Flood %d", n), Content: string(text)}
}

// Topic returns article n of honest ones about what the first flood is about:
// half of its words are those of the flood's template, in their order.
func (a *Articles) Topic(n int) Article {
	r := rand.New(rand.NewPCG(uint64(n), 29))
	text := make([]byte, 0, 3100)
	for i := 100 + r.IntN(50); len(text) < 1500; i++ {
		text = append(append(text, a.vocabulary[i]...), ' ')
	}
	for len(text) < 3000 {
		text = append(append(text, a.vocabulary[r.IntN(len(a.vocabulary))]...), ' ')
	}
	return Article{NID: fmt.Sprintf("topic%d", n), Title: string(text[2000:2060]), Content: string(text)}
}

// Copy returns what another site makes of an article: one word more.
func Copy(of Article, n int) Article {
	return Article{NID: fmt.Sprintf("copy%d", n), Title: of.Title + " copied", Content: of.Content + "copied"}
}

// Request is one call of the service.
type Request struct {
	Method, Path string
	Body         any
}

func (r Request) encode() ([]byte, error) { return json.Marshal(r.Body) }

// Submit makes requests that submit articles.
func Submit(article func(n int) Article) func(n int) Request {
	return func(n int) Request { return Request{http.MethodPost, "/v1/articles", article(n)} }
}

// Flood is a kind of requests that one client may send without end.
type Flood struct {
	Name    string
	Request func(n int) Request
}

// Floods are the kinds: each article is new, and each is meant to be dear for
// a reason of its own.
func (a *Articles) Floods() []Flood {
	common := a.vocabulary[:100]
	draw := func(n, words int) string {
		r := rand.New(rand.NewPCG(uint64(n), 19))
		var text []byte
		for range words {
			text = append(append(text, common[min(r.IntN(100), r.IntN(100))]...), ' ')
		}
		return string(text)
	}
	han := func(n, runes int) string {
		r := rand.New(rand.NewPCG(uint64(n), 23))
		text := make([]rune, runes)
		for i := range text {
			text[i] = rune(0x4e00 + min(r.IntN(300), r.IntN(300)))
		}
		return string(text)
	}
	name := func(n int, article Article) Article {
		article.NID = fmt.Sprintf("flood%d", n)
		return article
	}
	return []Flood{
		{"long, one template", Submit(a.Crowd)},
		{"short English", Submit(func(n int) Article { return name(n, Article{Content: draw(n, 18)}) })},
		{"short Chinese", Submit(func(n int) Article { return name(n, Article{Content: han(n, 60)}) })},
		{"one title", Submit(func(n int) Article { return name(n, Article{Title: "Weather", Content: draw(n, 400)}) })},
		{"one url", Submit(func(n int) Article { return name(n, Article{URL: "https://flood.example/", Content: draw(n, 400)}) })},
		{"churn", a.churn},
	}
}

// churn submits an article and then changes its heat and text, nine times.
func (a *Articles) churn(n int) Request {
	first := n - n%10
	article := a.Make(1_000_000_000 + 3*first)
	article.NID = fmt.Sprintf("churn%d", first)
	if n == first {
		return Request{http.MethodPost, "/v1/articles", article}
	}
	return Request{http.MethodPatch, "/v1/articles/" + article.NID, map[string]any{"heat": n, "content": a.Make(1_000_000_000 + 3*n).Content}}
}

// Target is where requests go.
type Target struct {
	URL   string
	Token string // empty: none
	HTTP  *http.Client
	from  *net.TCPAddr // nil: any
}

// NewTarget returns a target with connections enough for workers.
func NewTarget(url, token string, workers int) *Target {
	return &Target{URL: url, Token: token, HTTP: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{MaxIdleConns: workers, MaxIdleConnsPerHost: workers},
	}}
}

// From makes requests come from another address of this machine: to the
// service that is another client.
func (t *Target) From(ip string) *Target {
	other := NewTarget(t.URL, "", 64)
	other.from = &net.TCPAddr{IP: net.ParseIP(ip)}
	d := net.Dialer{LocalAddr: other.from}
	other.HTTP.Transport.(*http.Transport).DialContext = d.DialContext
	return other
}

// send sends a request and returns the status.
func (t *Target) send(ctx context.Context, r Request) (int, error) {
	body, err := r.encode()
	if err != nil {
		return 0, err
	}
	return t.post(ctx, r, body, io.Discard)
}

// post sends a request with its encoded body, and writes the answer to a writer.
func (t *Target) post(ctx context.Context, r Request, body []byte, answer io.Writer) (int, error) {
	req, err := t.request(ctx, r, body)
	if err != nil {
		return 0, err
	}
	resp, err := t.HTTP.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(answer, resp.Body)
	return resp.StatusCode, err
}

func (t *Target) request(ctx context.Context, r Request, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, t.URL+r.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if t.Token != "" {
		req.Header.Set("Authorization", "Bearer "+t.Token)
	}
	return req, nil
}

// Submit submits an article by itself and returns its docId.
func (t *Target) Submit(ctx context.Context, a Article) (docID string, err error) {
	r := Request{http.MethodPost, "/v1/articles", a}
	body, err := r.encode()
	if err != nil {
		return "", err
	}
	var answer bytes.Buffer
	status, err := t.post(ctx, r, body, &answer)
	if err != nil {
		return "", err
	}
	var out struct{ DocID string }
	if status != http.StatusOK {
		return "", fmt.Errorf("article %s: status %d: %s", a.NID, status, answer.Bytes())
	}
	err = json.Unmarshal(answer.Bytes(), &out)
	return out.DocID, err
}

// Fill submits articles from..to by the batch route, workers at a time, and
// returns the first error.
func (t *Target) Fill(ctx context.Context, a *Articles, from, to, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	next.Store(int64(from))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(100)) - 100
				if n >= to {
					return
				}
				if err := t.batch(ctx, a, n, min(n+100, to)); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// batch submits articles from..to in one request, again while the service is busy.
func (t *Target) batch(ctx context.Context, a *Articles, from, to int) error {
	var b struct {
		Articles []Article `json:"articles"`
	}
	for n := from; n < to; n++ {
		b.Articles = append(b.Articles, a.Make(n))
	}
	for try := 0; ; try++ {
		status, err := t.send(ctx, Request{http.MethodPost, "/v1/batch", b})
		switch {
		case err != nil:
			return fmt.Errorf("batch from %d: %w", from, err)
		case status == http.StatusOK:
			return nil
		case status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable || try == 100:
			return fmt.Errorf("batch from %d: status %d", from, status)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Result is what an open loop measured.
type Result struct {
	Sent, Failed         int
	Rate                 float64 // answered requests a second
	P50, P99, P999, Most time.Duration
}

// String is one line for a report.
func (r Result) String() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
	return fmt.Sprintf("%d sent, %d failed, %.0f/s answered, p50 %s, p99 %s, p99.9 %s, longest %s",
		r.Sent, r.Failed, r.Rate, ms(r.P50), ms(r.P99), ms(r.P999), ms(r.Most))
}

// Statuses sends requests from..to, workers at a time, and counts what is
// answered by status; 0: no answer.
func (t *Target) Statuses(ctx context.Context, request func(int) Request, from, to, workers int) map[int]int {
	var mu sync.Mutex
	counts := map[int]int{}
	var next atomic.Int64
	next.Store(int64(from))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < to && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				status, err := t.send(ctx, request(n))
				if err != nil {
					status = 0
				}
				mu.Lock()
				counts[status]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return counts
}

// Open sends requests made by number, first and on, at rate a second for a
// time, with at most workers open at one moment; what is due while all
// workers are busy waits, and its latency grows. Arrivals are a Poisson
// process.
func (t *Target) Open(ctx context.Context, request func(int) Request, first int, rate float64, d time.Duration, workers int) Result {
	return t.Prepare(request, first, rate, d).Run(ctx, workers)
}

// Schedule is an open loop that is made ready: all that is sent, and when.
type Schedule struct {
	target   *Target
	due      []time.Duration
	requests [][]byte
}

// Prepare makes the requests of an open loop, so that making them is no part of
// what is measured. It holds them all.
func (t *Target) Prepare(request func(int) Request, first int, rate float64, d time.Duration) *Schedule {
	due := make([]time.Duration, 0, int(rate*d.Seconds()*1.1))
	r := rand.New(rand.NewPCG(uint64(first), 17))
	for at := time.Duration(0); at < d; {
		due = append(due, at)
		at += time.Duration(r.ExpFloat64() / rate * float64(time.Second))
	}
	return &Schedule{t, due, t.made(request, first, len(due))}
}

// Run sends them, once.
func (s *Schedule) Run(ctx context.Context, workers int) Result {
	took := make([]time.Duration, len(s.due))
	var next, failed atomic.Int64
	var group sync.WaitGroup
	begin := time.Now()
	for range workers {
		group.Go(func() {
			c := s.target.dial()
			defer c.close()
			for {
				n := int(next.Add(1)) - 1
				if n >= len(s.due) || ctx.Err() != nil {
					return
				}
				time.Sleep(time.Until(begin.Add(s.due[n])))
				status, err := c.do(s.requests[n])
				s.requests[n] = nil
				if took[n] = time.Since(begin) - s.due[n]; err != nil || status != http.StatusOK {
					failed.Add(1)
				}
			}
		})
	}
	group.Wait()
	return summary(took, int(failed.Load()), time.Since(begin))
}

func summary(took []time.Duration, failed int, total time.Duration) Result {
	slices.Sort(took)
	at := func(share float64) time.Duration { return took[min(len(took)-1, int(share*float64(len(took))))] }
	if len(took) == 0 {
		return Result{}
	}
	return Result{
		Sent: len(took), Failed: failed, Rate: float64(len(took)-failed) / total.Seconds(),
		P50: at(.5), P99: at(.99), P999: at(.999), Most: took[len(took)-1],
	}
}
