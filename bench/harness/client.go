package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// text returns an article of a planted group. Two articles of a group differ in at most two of 200 words. Two of different
// groups share words only by chance. The differing words carry no facts, because another name or number would make the text
// a variant.
func text(r *rand.Rand, group, size int) string {
	base := rand.New(rand.NewPCG(uint64(group), 77))
	words := make([]string, size)
	for i := range words {
		words[i] = Word(uint64(base.Uint32()))
	}
	for range r.IntN(2) {
		words[r.IntN(len(words))] += " also"
	}
	return strings.Join(words, " ")
}

// Word converts a number to a word of letters.
func Word(n uint64) string {
	b := []byte{'w'}
	for ; n > 0; n /= 26 {
		b = append(b, 'a'+byte(n%26))
	}
	return string(b)
}

// Client sends requests one after another and records what it knows. After a restart it repeats requests that got no
// answer.
type Client struct {
	id      int
	r       *rand.Rand
	groups  int
	journal *Journal
	pending *Record
	sent    int
	mine    []Record // submissions with an answer
	// Lossy states that the service is made to lose answers, so an answered request may be sent again.
	Lossy bool
	// Keyless makes the client send no idempotency keys, for a service that keeps keys only briefly.
	Keyless bool
	// Long makes articles of 1 MB, in separate groups.
	Long bool
}

// Groups and numbers of words of long articles.
const (
	longGroups = 1 << 20
	longWords  = 100_000
)

// NewClient returns a client that draws its articles from n groups.
func NewClient(id int, seed uint64, groups int, j *Journal) *Client {
	return &Client{id: id, r: rand.New(rand.NewPCG(seed, uint64(id))), groups: groups, journal: j}
}

// Run sends requests until the service ends or ctx ends. An error is a violation.
func (c *Client) Run(ctx context.Context, s *Service) error {
	for ctx.Err() == nil {
		if err := c.Once(ctx, s); err != nil {
			if errors.Is(err, ErrUnknown) {
				return nil
			}
			return err
		}
	}
	return nil
}

// Once sends the pending request, or the next one if none is pending. It returns ErrUnknown if there was no answer.
func (c *Client) Once(ctx context.Context, s *Service) error {
	if c.pending == nil {
		if err := c.choose(); err != nil {
			return err
		}
	}
	if err := c.try(ctx, s); err != nil {
		return fmt.Errorf("%s of %s%s by client %d: %w", c.pending.Op, c.pending.NID, c.pending.DocID, c.id, err)
	}
	c.pending = nil
	return nil
}

// choose makes the next request and records that it will be sent.
func (c *Client) choose() error {
	c.pending = &Record{From: c.journal.Now()}
	p := c.pending
	n := c.r.IntN(100)
	if len(c.mine) == 0 {
		n = 0
	}
	switch {
	case n < 74:
		c.sent++
		p.Op, p.Group, p.NID = "add", c.r.IntN(c.groups), fmt.Sprintf("c%d-%d", c.id, c.sent)
		size := 200
		if c.Long {
			p.Group, size = p.Group+longGroups, longWords
		}
		p.Article = Article{NID: p.NID, Content: text(c.r, p.Group, size), Heat: int64(c.r.IntN(9))}
		if c.r.IntN(8) == 0 {
			p.Article.TTLSeconds = 1
		}
		if c.r.IntN(2) == 0 && !c.Keyless {
			p.Key = "k" + p.NID
		}
	case n < 82: // repeats a request
		*p = c.one()
		p.Op, p.Answer, p.From = "again", nil, c.journal.Now()
	case n < 86: // a used key or nid with another article
		*p = c.one()
		p.Op, p.Answer, p.From = "clash", nil, c.journal.Now()
		p.Article.Content += " and more"
	case n < 92:
		p.Op, p.NID = "delete", c.one().NID
	case n < 96:
		p.Op, p.DocID = "end", c.one().Answer.DocID
	default:
		p.Op, p.NID, p.Article.Heat = "heat", c.one().NID, int64(c.r.IntN(9))
	}
	return c.journal.Write(*p)
}

func (c *Client) one() Record { return c.mine[c.r.IntN(len(c.mine))] }

// try sends the pending request and records the answer.
func (c *Client) try(ctx context.Context, s *Service) error {
	p := c.pending
	var a Answer
	var err error
	switch p.Op {
	case "add", "again", "clash":
		a, err = s.Submit(ctx, p.Article, p.Key)
	case "delete":
		a, err = s.Delete(ctx, p.NID)
	case "end":
		a, err = s.End(ctx, p.DocID)
	case "heat":
		a, err = s.Heat(ctx, p.NID, p.Article.Heat)
	}
	p.To = c.journal.Now()
	if err != nil {
		return c.refused(err)
	}
	if p.Op == "clash" && p.Key != "" && !c.Lossy {
		return errors.New("a key was taken with another article")
	}
	p.Answer = &a
	if p.Op == "add" {
		c.mine = append(c.mine, *p)
	}
	return c.journal.Write(*p)
}

// refused returns an error if a refusal is wrong, as far as one client can know. Other clients may end docIds with all
// their articles.
func (c *Client) refused(err error) error {
	var r *Refused
	if !errors.As(err, &r) {
		return err
	}
	switch c.pending.Op {
	case "clash":
		if r.Status == http.StatusConflict {
			return nil
		}
	case "again": // its docId ended, or was lost, and a clash took the nid
		if r.Status == http.StatusConflict && (c.pending.Key == "" || c.Lossy) {
			return nil
		}
	case "delete", "heat":
		if r.Status == http.StatusNotFound {
			return nil
		}
	case "end":
		if r.Status == http.StatusGone || (c.Lossy && r.Status == http.StatusNotFound) {
			return nil
		}
	}
	return err
}
