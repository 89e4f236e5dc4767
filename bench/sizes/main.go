// Command sizes measures what an article takes in Redis, by kind of key, and
// computes what that makes of more articles. The Redis is to be an empty one.
//
//	redis-server --port 7001 --save '' & go run ./sizes --redis 127.0.0.1:7001 --articles 20000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/neardup/neardup/bench/load"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/redis"
	"github.com/redis/rueidis"
)

func main() {
	addr := flag.String("redis", "127.0.0.1:6379", "an empty Redis")
	articles := flag.Int("articles", 20_000, "articles of 3 KB to add, every third a near-duplicate")
	left := flag.Bool("texts-left", false, "leave all texts to a library, as --texts-for does with old ones")
	history := flag.String("map", "", "leave the log and its articles to this MySQL, an empty one, as --log-for does with old ones: mysql://USER:PASSWORD@HOST:PORT/DATABASE")
	as := flag.Bool("measure", false, "add nothing: measure the articles that it has")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, *articles, leaving{*left, *history}, *as); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

// leaving is what is left to sinks: texts or not, and the log with its articles to this MySQL.
type leaving struct {
	texts   bool
	history string
}

func run(ctx context.Context, addr string, articles int, left leaving, as bool) error {
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{addr}, DisableCache: true})
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer c.Close()
	n, err := c.Do(ctx, c.B().Dbsize().Build()).AsInt64()
	switch {
	case err != nil:
		return err
	case as:
	case n > 0:
		return fmt.Errorf("it holds %d keys, and is to be empty", n)
	default:
		if err := fill(ctx, addr, articles, left); err != nil {
			return err
		}
	}
	kinds, err := measure(ctx, c)
	if err != nil {
		return err
	}
	return report(kinds, articles)
}

// fill adds the articles.
func fill(ctx context.Context, addr string, articles int, left leaving) error {
	store, err := redis.Open(ctx, redis.Options{Address: "redis://" + addr, AcceptLoss: true})
	if err != nil {
		return err
	}
	defer store.Close()
	d, err := standard.Open(ctx, store, "sizes")
	if err != nil {
		return err
	}
	if err := load.Fill(ctx, d, articles); err != nil {
		return err
	}
	u, ok := d.Index().(docid.Unloader)
	if !ok {
		return errors.New("this index keeps everything")
	}
	if left.texts {
		if err := drain(ctx, d, "articles", &taker{}); err != nil {
			return err
		}
		if err := repeat(func() (int, error) { return u.Unload(ctx, "articles", time.Now(), 1000) }); err != nil {
			return err
		}
	}
	if left.history == "" {
		return nil
	}
	history, err := mysql.Open(ctx, mysql.Options{Address: left.history})
	if err != nil {
		return err
	}
	defer history.Close()
	store.ReadLog(history)
	if err := drain(ctx, d, "map", history); err != nil {
		return err
	}
	return repeat(func() (int, error) { return u.Trim(ctx, "map", d.Seen(), time.Now(), 1000) })
}

// taker is a library that says it has everything.
type taker struct{ at uint64 }

func (t *taker) KeepsLeaders() bool                             { return true }
func (t *taker) Close() error                                   { return nil }
func (t *taker) Cursor(context.Context, string) (uint64, error) { return t.at, nil }
func (t *taker) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	t.at = ds[len(ds)-1].Seq
	return nil
}

// drain gives a sink everything.
func drain(ctx context.Context, d *docid.Detector, name string, sink docid.Sink) error {
	relay, err := d.Relay(ctx, name, sink)
	if err == nil {
		_, err = relay.Drain(ctx)
	}
	return err
}

// repeat does what is done in steps, until a step has nothing to do.
func repeat(step func() (int, error)) error {
	for {
		if n, err := step(); err != nil || n == 0 {
			return err
		}
	}
}

// kind is what the keys of one letter hold.
type kind struct{ keys, bytes int64 }

var names = map[byte]string{
	'k': "postings of keys", 'a': "postings of names", 'q': "idempotency keys", 'f': "articles that were filed", 'h': "postings of hot keys", 'd': "rows of leaders", 't': "texts of leaders, with their keys",
	'n': "articles by nid", 'r': "names of deleted articles", 'm': "members by docId", 'e': "kept copies", 'K': "texts of kept copies",
	'g': "docIds by size", 'x': "docIds by expiry", 'l': "log", 'o': "what waits for the sinks", 's': "counts", 'i': "identity", 'y': "mark of the identity", 'c': "sinks",
	'v': "articles that were moved", 'j': "rules of people", 'w': "what replicas settle", 'u': "identity of an index that is made again",
}

// measure asks Redis for the memory of every key.
func measure(ctx context.Context, c rueidis.Client) (map[byte]kind, error) {
	kinds := map[byte]kind{}
	for cursor := uint64(0); ; {
		page, err := c.Do(ctx, c.B().Scan().Cursor(cursor).Count(1000).Build()).AsScanEntry()
		if err != nil {
			return nil, fmt.Errorf("list the keys: %w", err)
		}
		var asks rueidis.Commands
		var letters []byte
		for _, key := range page.Elements {
			if at := slices.Index([]byte(key), '}'); at > 0 && at+2 < len(key) {
				letters = append(letters, key[at+2])
				asks = append(asks, c.B().MemoryUsage().Key(key).Samples(0).Build())
			}
		}
		for i, r := range c.DoMulti(ctx, asks...) {
			n, err := r.AsInt64()
			if err != nil {
				return nil, fmt.Errorf("measure a key: %w", err)
			}
			k := kinds[letters[i]]
			kinds[letters[i]] = kind{k.keys + 1, k.bytes + n}
		}
		if cursor = page.Cursor; cursor == 0 {
			return kinds, nil
		}
	}
}

func report(kinds map[byte]kind, articles int) error {
	fmt.Printf("%d articles\n%-36s %10s %16s %12s %12s\n", articles, "", "keys", "bytes/article", "GB at 100 M", "GB at 1 G")
	row := func(name string, keys int64, bytes float64) {
		each := bytes / float64(articles)
		fmt.Printf("%-36s %10d %16.1f %12.1f %12.0f\n", name, keys, each, each*.1, each)
	}
	var all, texts kind
	for _, letter := range slices.SortedFunc(maps.Keys(kinds), func(a, b byte) int { return int(kinds[b].bytes - kinds[a].bytes) }) {
		k := kinds[letter]
		row(names[letter], k.keys, float64(k.bytes))
		all = kind{all.keys + k.keys, all.bytes + k.bytes}
		if letter == 't' || letter == 'K' || letter == 'o' {
			texts = kind{texts.keys + k.keys, texts.bytes + k.bytes}
		}
	}
	row("all", all.keys, float64(all.bytes))
	row("all without texts", all.keys-texts.keys, float64(all.bytes-texts.bytes))
	return nil
}
