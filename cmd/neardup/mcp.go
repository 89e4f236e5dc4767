package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
)

type mcpVerb struct {
	*app
	data string
}

// do serves until the input or ctx ends.
func (v *mcpVerb) do(ctx context.Context, _ []string) (err error) {
	if v.data == "" {
		return usage("--data is missing")
	}
	stores := storeFlags{cache: 16 << 20}
	store, err := stores.open(ctx, storeDir(v.data))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	settings := standard.Settings()
	settings.CacheBytes = int(stores.cache)
	d, err := docid.NewDetector(ctx, store, defaultTenant, settings)
	if err != nil {
		return err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "neardup", Version: version()}, &mcp.ServerOptions{
		Instructions: memoryInstructions, Capabilities: &mcp.ServerCapabilities{},
	})
	(&memories{d}).register(s)
	l := &rpcLines{in: bufio.NewReaderSize(v.stdin, 64<<10), out: v.stdout}
	return s.Run(ctx, &mcp.IOTransport{Reader: l, Writer: l})
}

// rpcLines is the stream that the MCP library reads and writes. The library ends the
// session at the first line that is not a JSON-RPC message, so rpcLines passes on
// messages only and answers every other line itself.
type rpcLines struct {
	in   *bufio.Reader
	rest []byte // of the current line

	mu  sync.Mutex
	out io.Writer
}

// Read returns the bytes of the next valid line.
func (l *rpcLines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, err := l.line()
		switch {
		case len(line) == 0 && err != nil:
			return 0, err
		case long:
			err = l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("a line is over %d bytes", mcp.DefaultMaxLineLength))
		case len(bytes.TrimSpace(line)) == 0:
			err = nil
		case !json.Valid(line):
			err = l.refuse(jsonrpc.CodeParseError, "a line is not JSON")
		default:
			err = nil
			if _, bad := jsonrpc.DecodeMessage(line); bad != nil {
				err = l.refuse(jsonrpc.CodeInvalidRequest, "a line is not a JSON-RPC message: "+bad.Error())
			} else {
				l.rest = append(bytes.TrimSpace(line), '\n')
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads one line. It drops the bytes of a long one after the limit.
func (l *rpcLines) line() (line []byte, long bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > mcp.DefaultMaxLineLength; !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// refuse answers a line that has no valid id.
func (l *rpcLines) refuse(code int, message string) error {
	type answer struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}
	data, err := json.Marshal(answer{Version: "2.0", Error: &jsonrpc.Error{Code: int64(code), Message: message}})
	if err != nil {
		return err
	}
	_, err = l.Write(append(data, '\n'))
	return err
}

// Write writes a whole message.
func (l *rpcLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// Close does nothing: the caller closes both streams.
func (l *rpcLines) Close() error { return nil }
