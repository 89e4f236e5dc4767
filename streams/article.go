package streams

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/server/api"
)

// maxArticle limits an article in bytes. The service accepts no longer body.
const maxArticle = 4 << 20

// article is a message with the fields that the consumer can check before it calls the service.
type article struct {
	Message
	nid  string
	flaw string // the reason to reject it before it is sent
}

func readArticle(m Message) article {
	a := article{Message: m, flaw: m.Flaw}
	if a.flaw != "" {
		return a
	}
	var in struct {
		ID  string `json:"id"`
		NID string `json:"nid"` // the name of ID in the classic interface
	}
	switch {
	case len(m.Value) > maxArticle:
		a.flaw = fmt.Sprintf("too large (want at most %d bytes)", maxArticle)
	case !json.Valid(m.Value):
		a.flaw = "invalid JSON"
	case json.Unmarshal(m.Value, &in) != nil:
		a.flaw = "not an object with an id (want a string)"
	case in.ID == "" && in.NID == "":
		a.flaw = "id is missing"
	}
	a.nid = cmp.Or(in.ID, in.NID)
	return a
}

// key returns the idempotency key of a message, so that a repeated message counts once even after its article
// was deleted. It includes the text because a recreated topic reuses positions.
func (a *article) key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %q ", a.Topic, a.Partition, a.Offset)
	h.Write(a.Value)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// The records that a Consumer writes.
type (
	decided struct {
		Position
		api.Answer
	}
	refused struct {
		Position
		NID    string `json:"id,omitempty"`
		Status int    `json:"status,omitempty"`
		Reason string `json:"reason"`
	}
)

// ask submits an article to the service. It retries while the service is busy or unreachable.
func (c *Consumer) ask(ctx context.Context, a article) (Record, error) {
	if a.flaw != "" {
		return c.refuse(a, 0, a.flaw)
	}
	key, waiting := a.key(), false
	defer func() {
		if waiting {
			c.waiting.Add(-1)
		}
	}()
	for {
		answer, err := c.service.SubmitJSON(ctx, a.Value, key)
		if err == nil {
			answer.Replayed = false // so that a repeated record is equal to the first
			return record(a, Decisions, decided{a.Position, answer})
		}
		var p *api.Problem
		errors.As(err, &p)
		switch {
		case ctx.Err() != nil:
			return Record{}, ctx.Err()
		case p != nil && refuses(p.Status):
			return c.refuse(a, p.Status, p.Error())
		case !api.Passing(err) && (p == nil || !mends(p.Status)):
			return Record{}, fmt.Errorf("%s: %w", a.place(), err)
		}
		if !waiting {
			waiting = true
			if c.waiting.Add(1) == 1 {
				c.o.Log.Warn("the service refuses articles; trying again", "cause", err.Error())
			}
		}
		if err := pause.For(ctx, awayPause); err != nil {
			return Record{}, err
		}
	}
}

// awayPause is the pause after all attempts of the client have failed.
const awayPause = time.Second

// refuses reports whether a status rejects the article itself, so that a retry would fail again.
func refuses(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// mends reports whether a status is temporary and the client does not retry on it.
func mends(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusInsufficientStorage
}

// refuse returns the record of a message that the service rejects.
func (c *Consumer) refuse(a article, status int, reason string) (Record, error) {
	if c.o.Bad == "" {
		return Record{}, fmt.Errorf("%s is refused, and no output for refused messages is given: %s", a.place(), reason)
	}
	return record(a, Refusals, refused{a.Position, a.nid, status, reason})
}

func (p Position) place() string {
	return fmt.Sprintf("message %s/%d/%s", p.Topic, p.Partition, p.Offset)
}

func record(a article, to Output, value any) (Record, error) {
	b, err := json.Marshal(value)
	if err != nil {
		return Record{}, fmt.Errorf("%s: %w", a.place(), err)
	}
	return Record{a.Position, to, a.nid, b}, nil
}
