package classic

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/redisclient"
)

// rebuilding is the field of INDEX that marks an unfinished rebuild.
const rebuilding = "rebuilding"

// Restorer rebuilds lost indexes from MySQL and HBase, with docid.Rebuild and AsStored. If it is stopped, another call
// starts from the beginning. Until it is done, no server opens the index.
type Restorer struct {
	*Service
	Library docid.Library
}

type restoration struct {
	*Index
	has, last uint64           // the last change of the library and of the index
	hottest   map[uint64]int64 // docId -> heat of its kept article
}

// Restore begins to rebuild the index of a tenant. Errors: neardup.ErrUnlike, docid.ErrOccupied, ErrUnavailable.
func (s Restorer) Restore(ctx context.Context, tenant string, id docid.Identity) (docid.Restoration, error) {
	r := &restoration{Index: &Index{s: s.Service, tenant: tenant, identity: id}, hottest: map[uint64]int64{}}
	r.identity.Epochs = nil
	err := r.sign()
	if err == nil {
		r.has, err = s.Library.Cursor(ctx, tenant)
	}
	if err == nil {
		err = r.empty(ctx)
	}
	return r, err
}

// empty returns an error if the tenant has an index.
func (x *Index) empty(ctx context.Context) error {
	there, err := redis.Strings(x.s.c.Do(ctx, "HMGET", x.key("INDEX"), "seq", rebuilding))
	if err != nil {
		return failed(err)
	}
	if there[0] != "" && there[1] == "" {
		return fmt.Errorf("tenant %q: %w", x.tenant, docid.ErrOccupied)
	}
	return x.all(ctx, []redis.Args{
		{"HSET", x.key("INDEX"), rebuilding, "1"},
		{"DEL", x.key("OUTBOX")}, // left by a run that was stopped
	})
}

// Catalog returns nil, because the index has no log.
func (r *restoration) Catalog() docid.Catalog { return nil }

// Append repeats changes. It queues those that the library lacks, without their texts.
func (r *restoration) Append(ctx context.Context, cs []*docid.Change) error {
	var puts []redis.Args
	for _, c := range cs {
		said, name := r.said(c)
		r.last = c.Seq
		if c.Kind == docid.KindEpoch {
			r.identity.Epochs = append(r.identity.Epochs, docid.Epoch{First: c.Seq, Number: c.Leader})
		} else {
			if !strings.HasPrefix(c.NID, docid.AnonymousPrefix) {
				_, answer, _ := strings.Cut(said, " ")
				puts = append(puts, redis.Args{"SET", r.key("NID_INDEX", c.NID), hex.EncodeToString(c.Request[:]) + answer})
			}
			if r.keeps(c) {
				r.hottest[c.Leader] = c.Heat
				puts = append(puts, redis.Args{"HSET", r.key("DOCIDS"), c.Leader, sortable(c.Heat) + " " + name})
			}
			leads, err := r.leads(ctx, c)
			if err != nil {
				return err
			}
			puts = append(puts, leads...)
		}
		if c.Seq > r.has {
			put, err := r.waits(c, said)
			if err != nil {
				return err
			}
			puts = append(puts, put)
		}
	}
	return r.all(ctx, puts)
}

// keeps reports whether the article of a change is the hottest of its docId so far.
func (r *restoration) keeps(c *docid.Change) bool {
	heat, there := r.hottest[c.Leader]
	return c.Kind != docid.KindEpoch && (!there || c.Heat > heat)
}

// leads returns the writes that make a new docId searchable.
func (x *Index) leads(ctx context.Context, c *docid.Change) (puts []redis.Args, err error) {
	if c.NewLeader == nil {
		return nil, nil
	}
	of, err := x.signatures(ctx, c.NewLeader.Material.Title, c.NewLeader.Material.Text)
	if err != nil {
		return nil, err
	}
	entry := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, of[1].fp), c.Leader)
	for i, key := range x.keys(c.Article, of[0], of[1])[5:] {
		switch {
		case key == "":
		case i < 2:
			puts = append(puts, redis.Args{"SET", key, c.Leader})
		default:
			puts = append(puts, redis.Args{"APPEND", key, entry})
		}
	}
	return puts, nil
}

// said returns the answer of decide.lua to a change, and the nid of the docId's first article.
func (r *restoration) said(d *docid.Change) (said, name string) {
	keeps, stage, name := "same", string(d.Evidence.Stage), d.Evidence.LeaderNID
	if r.keeps(d) {
		keeps = "this"
	}
	switch d.Kind {
	case docid.KindNew:
		stage, name = "new", d.NID
	case docid.KindEpoch:
		stage = "epoch"
	}
	return fmt.Sprintf("%s %d %d %s %d %s", keeps, d.Seq, d.Leader, stage, d.Evidence.Distance, name), name
}

// waits returns the command that puts a change into the outbox.
func (x *Index) waits(d *docid.Change, said string) (redis.Args, error) {
	a := article{Received: d.Time, Request: d.Request}
	if d.Article != nil {
		a.Article = *d.Article
		a.ID, a.Heat = d.NID, d.Heat
	}
	b, err := json.Marshal(a)
	return redis.Args{"XADD", x.key("OUTBOX"), "0-" + number(d.Seq), "answer", said, "article", b}, err
}

// Finish makes the index available to servers. If past is not 0, an epoch begins with the next change.
func (r *restoration) Finish(ctx context.Context, past uint64) error {
	sinks := redis.Args{"HSET", r.key("SINKS"), "map", r.last, "articles", min(r.has, r.last)}
	if past > 0 {
		drawn, err := docid.NewIdentity("", nil)
		if err != nil {
			return err
		}
		c := &docid.Change{Entry: docid.Entry{Seq: r.last + 1, Kind: docid.KindEpoch, Leader: drawn.Seed | 1}}
		r.has = min(r.has, r.last)
		if err := r.Append(ctx, []*docid.Change{c}); err != nil {
			return err
		}
	}
	id, err := json.Marshal(r.identity)
	if err != nil {
		return err
	}
	return r.all(ctx, []redis.Args{sinks,
		{"HSET", r.key("INDEX"), "identity", id, "seq", r.last, "docids", len(r.hottest)},
		{"HDEL", r.key("INDEX"), rebuilding}})
}

func (x *Index) all(ctx context.Context, puts []redis.Args) error {
	return failed(redisclient.FirstError(x.s.c.Pipe(ctx, puts...)))
}
