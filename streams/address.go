package streams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// address locates a source or an output.
type address struct {
	*url.URL        // nil for a file
	name     string // the topic, stream or subject, or the path of a file (- means standard output)
}

// A broker is a kind of address. The map brokers lists all kinds.
type broker struct {
	source func(ctx context.Context, from address, beside [outputs]string, o Options) (Source, error)
	sink   func(ctx context.Context, to address) (Sink, error)
	joins  bool // the source can write records to outputs on the same server by itself
}

var brokers = map[string]broker{
	"kafka":         {openKafka, openKafkaSink, true},
	"kafka+tls":     {openKafka, openKafkaSink, true},
	"redis-stream":  {openRedis, openRedisSink, true},
	"rediss-stream": {openRedis, openRedisSink, true},
	"nats":          {openNATS, openNATSSink, false},
	"nats+tls":      {openNATS, openNATSSink, false},
}

// ErrAddress is wrapped by errors about an invalid stream address.
var ErrAddress = errors.New("invalid address of a stream (want kafka://HOST:PORT[,HOST:PORT...]/TOPIC, redis-stream://HOST:PORT/KEY or nats://HOST:PORT/SUBJECT; with TLS kafka+tls, rediss-stream or nats+tls)")

// parse parses an address. Its error omits the address, which may contain a password.
func parse(s string) (address, error) {
	if !strings.Contains(s, "://") {
		return address{name: s}, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return address{}, ErrAddress
	}
	a := address{u, strings.TrimPrefix(u.Path, "/")}
	if _, known := brokers[u.Scheme]; !known || a.name == "" {
		return address{}, ErrAddress
	}
	return a, nil
}

// beside reports whether two addresses have the same server and settings, so that the source can write to both.
func (a address) beside(b address) bool {
	if a.URL == nil || b.URL == nil || !brokers[a.Scheme].joins {
		return false
	}
	x, y := *a.URL, *b.URL
	x.Path, y.Path, x.RawPath, y.RawPath = "", "", "", ""
	return x.String() == y.String()
}

// open opens the source, and the sinks that the source does not write to by itself.
func open(ctx context.Context, o Options) (_ Source, _ [outputs]Sink, err error) {
	var sinks [outputs]Sink
	var beside [outputs]string
	from, err := parse(o.From)
	if err == nil && from.URL == nil {
		err = ErrAddress
	}
	if err != nil {
		return nil, sinks, fmt.Errorf("source: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll(nil, sinks))
		}
	}()
	for n, where := range [outputs]string{o.To, o.Bad} {
		if where == "" {
			continue
		}
		to, err := parse(where)
		if err == nil && from.beside(to) {
			beside[n] = to.name
			continue
		}
		var sink Sink
		if err == nil {
			sink, err = openSink(ctx, to, o.Stdout)
		}
		if err != nil {
			return nil, sinks, fmt.Errorf("output: %w", err)
		}
		sinks[n] = sink
	}
	source, err := brokers[from.Scheme].source(ctx, from, beside, o)
	if err != nil {
		return nil, sinks, fmt.Errorf("source: %w", err)
	}
	return source, sinks, nil
}

func openSink(ctx context.Context, to address, stdout io.Writer) (Sink, error) {
	switch {
	case to.URL != nil:
		return brokers[to.Scheme].sink(ctx, to)
	case to.name == "-":
		return lines{stdout}, nil
	}
	return openFile(to.name)
}

func closeAll(source Source, sinks [outputs]Sink) error {
	var errs []error
	if source != nil {
		errs = append(errs, source.Close())
	}
	for _, s := range sinks {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
