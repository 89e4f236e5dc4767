//go:build full

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
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
)

type mcpVerb struct {
	*app
	data string
}

func (v *mcpVerb) do(ctx context.Context, _ []string) (err error) {
	stores, settings := storeFlags{cache: 16 << 20}, standard.Settings()
	settings.CacheBytes = int(stores.cache)
	store, err := stores.open(ctx, storeDir(v.data))
	if err != nil {
		return err
	}
	m, err := openMemories(ctx, store, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.store.Close()) }()
	s := mcp.NewServer(&mcp.Implementation{Name: "neardup", Version: version()}, &mcp.ServerOptions{
		Instructions: memoryInstructions, Capabilities: &mcp.ServerCapabilities{},
	})
	m.register(s)
	l := &rpcLines{in: bufio.NewReaderSize(v.stdin, 64<<10), out: v.stdout}
	return s.Run(ctx, &mcp.IOTransport{Reader: l, Writer: l})
}

// rpcLines is the stream that the MCP library reads and writes. The library ends the session at the first
// line that is not a JSON-RPC message. Therefore rpcLines passes on messages only and answers every other
// line itself.
type rpcLines struct {
	in   *bufio.Reader
	rest []byte // rest of the current line

	mu  sync.Mutex
	out io.Writer
}

// Read returns the bytes of the next valid line.
func (l *rpcLines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, err := l.line()
		if len(line) == 0 && err != nil {
			return 0, err
		}
		var refused error
		line = bytes.TrimSpace(line)
		_, bad := jsonrpc.DecodeMessage(line)
		switch {
		case long:
			refused = l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("a line is longer than %d bytes", mcp.DefaultMaxLineLength))
		case len(line) == 0:
		case !json.Valid(line):
			refused = l.refuse(jsonrpc.CodeParseError, "a line is not JSON")
		case bad != nil:
			refused = l.refuse(jsonrpc.CodeInvalidRequest, "a line is not a JSON-RPC message: "+bad.Error())
		default:
			l.rest = append(line, '\n')
		}
		if refused != nil {
			return 0, refused
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads one line. It drops the part of a long line after the limit.
func (l *rpcLines) line() (line []byte, long bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		long = long || len(line)+len(part) > mcp.DefaultMaxLineLength
		if !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// refuse answers a line that has no valid id.
func (l *rpcLines) refuse(code int, message string) error {
	data, err := jsonLine(map[string]any{"jsonrpc": "2.0", "id": nil, "error": jsonrpc.Error{Code: int64(code), Message: message}})
	if err == nil {
		_, err = l.Write(data)
	}
	return err
}

// Write writes a whole message.
func (l *rpcLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// Close does nothing because the caller closes both streams.
func (l *rpcLines) Close() error { return nil }

const memoryInstructions = `Call "add" with whatever you want to remember, and follow the answer: "duplicate" means that you know it already, ` +
	`"new" that it is kept. A new memory can be like one that you have and differ in a number, a name, a date or a negation: ` +
	`both are kept, and the answer names the other. If the new one replaces it, "forget" the old one.`

// The arguments of the tools.
type (
	memoryPair struct {
		Text  string `json:"text" jsonschema:"the new text"`
		Known string `json:"known" jsonschema:"the earlier text"`
	}
	memoryMove struct {
		ID   string `json:"id" jsonschema:"the memory that was wrongly merged or wrongly kept"`
		With string `json:"with,omitempty" jsonschema:"the memory that says the same; without one it becomes a separate memory"`
		Text string `json:"text,omitempty" jsonschema:"its text, for a separate memory"`
		Why  string `json:"why,omitempty" jsonschema:"the reason, for the record"`
	}
	memoryName struct {
		ID string `json:"id" jsonschema:"the memory"`
	}
)

func (m *memories) register(s *mcp.Server) {
	closed := false
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}
	adds := &mcp.ToolAnnotations{DestructiveHint: &closed, OpenWorldHint: &closed}
	register(s, &mcp.Tool{Name: "check", Annotations: reads, Description: "Is this known? Returns what add would answer, and stores nothing."}, m.check)
	register(s, &mcp.Tool{Name: "add", Annotations: adds, Description: "Remember a text, unless a memory says the same. The answer is on disk before it is returned."}, m.add)
	register(s, &mcp.Tool{Name: "compare", Annotations: reads, Description: "Do two texts say the same? Needs no memory and stores nothing."}, m.compare)
	register(s, &mcp.Tool{Name: "correct", Annotations: adds, Description: "Correct a memory that was merged with the wrong one, or not merged with the right one."}, m.correct)
	register(s, &mcp.Tool{Name: "forget", Annotations: &mcp.ToolAnnotations{OpenWorldHint: &closed},
		Description: "Forget a memory and all that were merged with it. It can be learned again."}, m.forget)
}

// register adds a tool. Clients that show text only show the words of its answer.
func register[In any](s *mcp.Server, t *mcp.Tool, tool func(context.Context, In) (memoryAnswer, error)) {
	mcp.AddTool(s, t, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, memoryAnswer, error) {
		out, err := tool(ctx, in)
		if err != nil {
			return nil, out, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out.Says}}}, out, nil
	})
}

func (m *memories) compare(ctx context.Context, in memoryPair) (out memoryAnswer, err error) {
	c, err := m.d.Compare(ctx, docid.Submission{Text: in.Text}, docid.Submission{Text: in.Known})
	if err != nil {
		return out, err
	}
	out = memoryAnswer{Decision: string(neardup.New), Probability: c.Content.Similarity, Basis: c.Content.Basis, Evidence: c.Content.Evidence}
	verdict := "Not the same: both would be kept"
	if c.Content.Near {
		out.Decision, verdict = string(neardup.Duplicate), "The same: the first would be merged with the second"
	}
	out.Says = fmt.Sprintf("%s (probability %.2f, by %s).%s", verdict, out.Probability, out.Basis, inBits(out.Evidence))
	return out, nil
}

func (m *memories) correct(ctx context.Context, in memoryMove) (out memoryAnswer, err error) {
	c := docid.Correcting{NID: in.ID, With: in.With, Who: "agent", Why: in.Why}
	if in.Text != "" {
		c.Text = &in.Text
	}
	moved, err := m.d.Correct(ctx, c)
	if err != nil {
		return out, err
	}
	out = memoryAnswer{Decision: "corrected", ID: in.ID, SameAs: in.With}
	switch {
	case moved.Unchanged:
		out.Says = fmt.Sprintf("No change: %s already had this state.", in.ID)
	case in.With == "":
		out.Says = fmt.Sprintf("%s is now a separate memory.", in.ID)
	default:
		out.Says = fmt.Sprintf("%s says the same as %s from now on.", in.ID, in.With)
	}
	return out, nil
}

// forget ends the docId. If it only deleted the text, later texts would still be compared with it and could
// not be stored again.
func (m *memories) forget(ctx context.Context, in memoryName) (out memoryAnswer, err error) {
	_, docID, err := m.d.Member(ctx, in.ID)
	if err != nil {
		return out, err
	}
	g, err := m.d.Group(ctx, docID, 0, 0)
	if err != nil {
		return out, err
	}
	if _, err := m.d.End(ctx, docID); err != nil {
		return out, err
	}
	out = memoryAnswer{Decision: "forgotten", ID: in.ID, Says: fmt.Sprintf("Forgotten: %s.", in.ID)}
	if others := g.Size - 1; others > 0 {
		out.Says = fmt.Sprintf("Forgotten: %s, and %d that said the same.", in.ID, others)
	}
	return out, nil
}
