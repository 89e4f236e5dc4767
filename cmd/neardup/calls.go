package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/store/memory"
	"github.com/neardup/neardup/text"
	"github.com/spf13/cobra"
)

type workerCalls struct{ *app }

func (v *workerCalls) do(ctx context.Context, _ []string) error {
	debug.SetGCPercent(400) // by default, Go would collect garbage every hundred calls
	c := calls{out: v.stdout, methods: map[string]calledMethod{}, indexes: map[uint64]*memories{}}
	return c.serve(ctx, v.stdin)
}

// Limits for a program's calls: the size of a call in bytes, and the number of methods kept.
const (
	maxCall        = 1 << 30
	maxCallMethods = 64
)

// A call is a request from a program.
type call struct {
	ID    uint64   `json:"id"` // the answer repeats it
	Do    string   `json:"do"`
	Flags []string `json:"flags"` // flags of the method
	Index uint64   `json:"index"`
	Name  string   `json:"name"` // name of a text in the index
	Text  string   `json:"text"`
	Known []string `json:"known"`
	Top   int      `json:"top"`
	Drop  []uint64 `json:"drop"` // indexes that the program has closed
}

// called is the answer to a call.
type called struct {
	ID    uint64 `json:"id"`
	Code  int    `json:"code,omitempty"` // the exit code of a command with this error
	Error string `json:"error,omitempty"`
	Out   any    `json:"out,omitempty"`
}

type calledMethod struct {
	neardup.Method // not embedded, because a struct would hide that it is a TwoStage
	clean          text.Normalizer
	choice         methods.Choice
}

// calls answers the calls of one program. Calls run in parallel.
type calls struct {
	mu      sync.Mutex
	methods map[string]calledMethod // keyed by their flags
	indexes map[uint64]*memories
	opened  uint64

	writing sync.Mutex
	out     io.Writer
}

var errNoIndex = errors.New("the index is not open")

type doing func(c *calls, ctx context.Context, m calledMethod, asked *call) (any, error)

// doings lists the functions that a program can call.
var doings = map[string]doing{
	"compare": (*calls).compare, "check": (*calls).check, "dedup": (*calls).dedup, "open": (*calls).open,
	"add": onCalled(func(x *memories, ctx context.Context, asked *call) (any, error) {
		return x.add(ctx, namedMemory{memoryText{asked.Text}, asked.Name})
	}),
	"look up": onCalled(func(x *memories, ctx context.Context, asked *call) (any, error) {
		return x.check(ctx, memoryText{asked.Text})
	}),
	"near": onCalled(func(x *memories, ctx context.Context, asked *call) (any, error) {
		return x.d.Near(ctx, docid.Submission{Text: asked.Text}, asked.Top)
	}),
	"remove": onCalled((*memories).remove),
}

// onCalled returns a function that calls do with the index of a call.
func onCalled(do func(*memories, context.Context, *call) (any, error)) doing {
	return func(c *calls, ctx context.Context, _ calledMethod, asked *call) (any, error) {
		c.mu.Lock()
		x := c.indexes[asked.Index]
		c.mu.Unlock()
		if x == nil {
			return nil, errNoIndex
		}
		return do(x, ctx, asked)
	}
}

// serve reads frames, each of a length of 4 bytes (big endian) and a call in JSON, until the input ends.
func (c *calls) serve(ctx context.Context, stdin io.Reader) error {
	in := bufio.NewReaderSize(stdin, 64<<10)
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	for {
		frame, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		var asked call
		if err == nil {
			err = json.Unmarshal(frame, &asked)
		}
		if err != nil {
			return fmt.Errorf("worker calls: %w", err)
		}
		places <- struct{}{}
		running.Go(func() {
			c.answer(ctx, &asked)
			<-places
		})
	}
}

func readFrame(in io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxCall {
		return nil, fmt.Errorf("call of %d bytes (want at most %d)", n, maxCall)
	}
	frame := make([]byte, n)
	if _, err := io.ReadFull(in, frame); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return frame, nil
}

// answer runs a call and writes its answer. A write error is reported when the process ends.
func (c *calls) answer(ctx context.Context, asked *call) {
	a := called{ID: asked.ID}
	c.drop(asked.Drop)
	m, err := c.method(asked.Flags)
	do := doings[asked.Do]
	switch {
	case err != nil:
	case do == nil:
		err = usage("unknown call %q", asked.Do)
	default:
		a.Out, err = do(c, ctx, m, asked)
	}
	if err != nil {
		a.Out, a.Code, a.Error = nil, exitFailed, plainly(err)
		if errors.Is(err, errUsage) {
			a.Code = exitUsage
		}
	}
	body, _ := json.Marshal(a) // strings and finite numbers always marshal
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.out.Write(frame)
}

// method returns the method that the flags select. It keeps methods for later calls.
func (c *calls) method(flags []string) (m calledMethod, err error) {
	key := strings.Join(flags, "\x00")
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, ok := c.methods[key]; ok {
		return m, nil
	}
	var f methodFlags
	cmd := &cobra.Command{Use: "compare"}
	f.add(cmd.Flags())
	if err := cmd.ParseFlags(flags); err != nil {
		return m, flagError(cmd, err)
	}
	m.choice, err = f.choice()
	m.Method, m.clean, err = f.made(m.choice, err)
	if err != nil || m.choice.ReadsFiles() { // files may change between calls
		return m, err
	}
	if len(c.methods) >= maxCallMethods {
		clear(c.methods)
	}
	c.methods[key] = m
	return m, nil
}

func (c *calls) compare(ctx context.Context, m calledMethod, asked *call) (any, error) {
	if len(asked.Known) != 1 {
		return nil, usage("compare: %d known texts (want 1)", len(asked.Known))
	}
	return compareClean(ctx, m.Method, m.clean.Clean(asked.Text), m.clean.Clean(asked.Known[0]))
}

func (c *calls) check(ctx context.Context, m calledMethod, asked *call) (any, error) {
	if neardup.Blank(asked.Text) {
		return nil, errNoMemory
	}
	found, err := batch.Check(ctx, asked.Text, asked.Known, batch.Config{Method: m.Method, Clean: m.clean})
	return struct {
		batch.Checked
		Evidence []neardup.Conflict `json:"evidence"`
	}{found, found.Evidence}, err
}

// dedup decides on the known texts. Their ids are their indexes.
func (c *calls) dedup(ctx context.Context, m calledMethod, asked *call) (any, error) {
	docs, decisions := make([]neardup.Document, len(asked.Known)), []neardup.Decision{}
	for i, s := range asked.Known {
		docs[i] = neardup.Document{ID: strconv.Itoa(i), Text: s}
	}
	_, err := batch.Dedup(ctx, batch.Documents(docs), batch.Config{Method: m.Method, Clean: m.clean, Keep: usualKeep(m.Method)}, func(o batch.Outcome) error {
		decisions = append(decisions, o.Decision)
		return nil
	})
	return decisions, err
}

// open opens an empty index and returns its number.
func (c *calls) open(ctx context.Context, m calledMethod, asked *call) (any, error) {
	store, err := memory.New(ctx)
	if err != nil {
		return nil, err
	}
	s := standard.Settings()
	s.Clean, s.ContentMethod = m.clean, standard.Method(m.choice.String())
	x, err := openMemories(ctx, store, s)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened++
	c.indexes[c.opened] = x
	return c.opened, nil
}

// drop closes indexes.
func (c *calls) drop(numbers []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range numbers {
		if x := c.indexes[n]; x != nil {
			_ = x.store.Close()
		}
		delete(c.indexes, n)
	}
}

// remove removes a text. If the text is a leader, its duplicates are removed with it.
func (x *memories) remove(ctx context.Context, asked *call) (any, error) {
	m, docID, err := x.d.Member(ctx, asked.Name)
	switch {
	case err != nil:
	case m.Own() == m.Leader:
		_, err = x.d.End(ctx, docID)
	default:
		_, err = x.d.Delete(ctx, asked.Name)
	}
	return nil, err
}
