package redisclient

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// A Conn is one connection of a Client, for commands that must reach the same server.
type Conn struct {
	c    *Client
	conn redis.Conn
}

// Close returns the connection to the pool.
func (c *Conn) Close() {
	_ = c.conn.Close() // nothing depends on the error
}

// Do sends a command and returns its answer.
func (c *Conn) Do(ctx context.Context, command string, args ...any) (any, error) {
	answer, err := redis.DoContext(c.conn, ctx, command, args...)
	if c.conn.Err() != nil {
		c.c.broke(ctx)
	}
	return answer, bare(err)
}

// Pipe sends several commands at once. Each is a name with its arguments. The answer to a rejected command is a redis.Error,
// which the conversions of redigo return. If Pipe returns an error, the connection failed and no answer is valid.
func (c *Conn) Pipe(ctx context.Context, commands ...redis.Args) ([]any, error) {
	if len(commands) == 0 {
		return nil, nil
	}
	for _, command := range commands {
		if err := c.conn.Send(fmt.Sprint(command[0]), command[1:]...); err != nil {
			return nil, err
		}
	}
	answers, err := redis.Values(c.Do(ctx, "")) // sends the commands and reads an answer to each
	for i, a := range answers {
		if refused, is := a.(redis.Error); is {
			answers[i] = bare(refused)
		}
	}
	return answers, err
}

// FirstError returns the first error of answers.
func FirstError(answers []any, err error) error {
	for _, a := range answers {
		if refused, is := a.(redis.Error); is && err == nil {
			err = refused
		}
	}
	return err
}

// bare removes the code ERR from an error, because scripts answer with their own words.
func bare(err error) error {
	if said, is := errors.AsType[redis.Error](err); is {
		return redis.Error(strings.TrimPrefix(string(said), "ERR "))
	}
	return err
}

// An Entry is an entry of a stream.
type Entry struct {
	ID     string
	Fields map[string]string // nil if the entry was deleted
}

// Entries parses an answer to XRANGE, or a part of an answer to XREADGROUP and XAUTOCLAIM.
func Entries(answer any, err error) ([]Entry, error) {
	all, err := redis.Values(answer, err)
	entries := make([]Entry, 0, len(all))
	for _, a := range all {
		parts, notOne := redis.Values(a, nil)
		if notOne != nil || len(parts) != 2 {
			return nil, fmt.Errorf("entry of %d parts: %w", len(parts), notOne)
		}
		id, notID := redis.String(parts[0], nil)
		fields, notFields := redis.StringMap(parts[1], nil)
		if errors.Is(notFields, redis.ErrNil) {
			notFields = nil
		}
		if err := errors.Join(notID, notFields); err != nil {
			return nil, err
		}
		entries = append(entries, Entry{id, fields})
	}
	return entries, err
}
