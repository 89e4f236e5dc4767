package classic

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/redisclient"
)

// rebuilding is the field of INDEX that marks an unfinished rebuild.
const rebuilding = "rebuilding"

// Rebuild rebuilds the lost index of a tenant from MySQL and HBase, with its original docIds. Unless both had
// everything an epoch begins. It can be stopped and called again; until it is done no server opens the index.
// Errors: neardup.ErrUnlike, docid.ErrOccupied, ErrUndrained, ErrUnavailable.
func (s *Service) Rebuild(ctx context.Context, tenant string, history docid.History, library docid.Library, drained bool) (docid.Rebuilt, error) {
	var sum docid.Rebuilt
	id, err := history.Identity(ctx, tenant)
	if err != nil {
		return sum, err
	}
	x := &Index{s: s, tenant: tenant, identity: id}
	if x.signer, err = newSigner(s.o.Clean, id.Seed); err == nil && x.spec != id.Spec {
		err = fmt.Errorf("%w: the index of tenant %q was %q, settings are %q", neardup.ErrUnlike, tenant, id.Spec, x.spec)
	}
	if err != nil {
		return sum, err
	}
	if sum.Seq, err = history.Cursor(ctx, tenant); err != nil {
		return sum, err
	}
	has, err := library.Cursor(ctx, tenant)
	if err == nil && drained && has != sum.Seq {
		err = fmt.Errorf("%w: one has changes of tenant %q up to %d, the other up to %d", docid.ErrUndrained, tenant, sum.Seq, has)
	}
	if err == nil {
		err = x.empty(ctx)
	}
	if err != nil {
		return sum, err
	}
	for at := uint64(0); at < sum.Seq; {
		ds, err := history.History(ctx, tenant, at, feedPage)
		if err != nil {
			return sum, err
		}
		if len(ds) == 0 {
			return sum, fmt.Errorf("%w: the history ends with change %d of %d", docid.ErrCorrupt, at, sum.Seq)
		}
		if err := x.again(ctx, ds, library, has, &sum); err != nil {
			return sum, err
		}
		at = ds[len(ds)-1].Seq
	}
	sum.Epoch = !drained
	return sum, x.finish(ctx, sum, has)
}

// empty refuses to make an index again over one that is there.
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
		{"DEL", x.key("OUTBOX")}, // of a run that was stopped
	})
}

// again repeats a page of changes. What the library lacks is queued for it, without its text.
func (x *Index) again(ctx context.Context, ds []docid.Delivery, library docid.Library, has uint64, sum *docid.Rebuilt) error {
	var leaders []string
	for i := range ds {
		d := &ds[i]
		if d.Kind == docid.KindEpoch {
			x.identity.Epochs = append(x.identity.Epochs, docid.Epoch{First: d.Seq, Number: d.Leader})
			continue
		}
		var err error
		if d.DocID, err = x.identity.DocID(x.tenant, d.Leader); err != nil {
			return err
		}
		if d.Kind == docid.KindNew {
			leaders = append(leaders, d.DocID)
		}
	}
	texts, err := library.Texts(ctx, leaders)
	if err != nil {
		return err
	}
	var puts []redis.Args
	for i := range ds {
		d := &ds[i]
		said, name := x.said(d)
		if d.Kind == docid.KindNew || d.Kind == docid.KindDuplicate {
			sum.Members++
			if d.Article == nil {
				sum.Rowless++
				d.Article = &docid.Article{Heat: d.Heat}
				d.Article.ID = d.NID
			}
			if !strings.HasPrefix(d.NID, docid.AnonymousPrefix) {
				_, answer, _ := strings.Cut(said, " ")
				puts = append(puts, redis.Args{"SET", x.key("NID_INDEX", d.NID), hex.EncodeToString(d.Request[:]) + answer})
			}
			if d.Kept.Replaces() || d.Kind == docid.KindNew {
				puts = append(puts, redis.Args{"HSET", x.key("DOCIDS"), d.Leader, sortable(d.Heat) + " " + name})
			}
		}
		if d.Kind == docid.KindNew {
			sum.Leaders++
			more, err := x.leads(ctx, d, texts[d.DocID], sum)
			if err != nil {
				return err
			}
			puts = append(puts, more...)
		}
		if d.Seq > has {
			put, err := x.waits(d, said)
			if err != nil {
				return err
			}
			puts = append(puts, put)
		}
	}
	return x.all(ctx, puts)
}

// leads returns the writes under which a docId is found.
func (x *Index) leads(ctx context.Context, d *docid.Delivery, t docid.Texts, sum *docid.Rebuilt) (puts []redis.Args, err error) {
	if t.Ended {
		return nil, nil
	}
	m := docid.Material{Title: x.clean(d.Article.Title)}
	if t.Material != nil {
		m = *t.Material
	} else {
		sum.Textless++
	}
	of, err := x.signatures(ctx, m.Title, m.Text)
	if err != nil {
		return nil, err
	}
	sub := docid.Submission{Article: *d.Article}
	entry := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, of[1].fp), d.Leader)
	for i, key := range x.keys(&sub, of[0], of[1])[5:] {
		switch {
		case key == "":
		case i < 2:
			puts = append(puts, redis.Args{"SET", key, d.Leader})
		default:
			puts = append(puts, redis.Args{"APPEND", key, entry})
		}
	}
	return puts, nil
}

// said returns the answer of decide.lua to a change, and the nid of the first of its docId.
func (x *Index) said(d *docid.Delivery) (said, name string) {
	keeps, stage, name := "same", string(d.Evidence.Stage), d.Evidence.LeaderNID
	if d.Kept.Replaces() {
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

// waits puts a change into the outbox.
func (x *Index) waits(d *docid.Delivery, said string) (redis.Args, error) {
	a := article{Received: d.Time, Request: d.Request}
	if d.Article != nil {
		a.Article = *d.Article
	}
	b, err := json.Marshal(a)
	return redis.Args{"XADD", x.key("OUTBOX"), "0-" + number(d.Seq), "answer", said, "article", b}, err
}

// finish makes the index available to servers.
func (x *Index) finish(ctx context.Context, sum docid.Rebuilt, has uint64) error {
	var puts []redis.Args
	last := sum.Seq
	if sum.Epoch {
		drawn, err := docid.NewIdentity("", nil)
		if err != nil {
			return err
		}
		last++
		d := docid.Delivery{Entry: docid.Entry{Seq: last, Kind: docid.KindEpoch, Leader: drawn.Seed | 1}}
		x.identity.Epochs = append(x.identity.Epochs, docid.Epoch{First: last, Number: d.Leader})
		said, _ := x.said(&d)
		put, err := x.waits(&d, said)
		if err != nil {
			return err
		}
		puts = append(puts, put)
	}
	id, err := json.Marshal(x.identity)
	if err != nil {
		return err
	}
	puts = append(puts,
		redis.Args{"HSET", x.key("SINKS"), "map", sum.Seq, "articles", min(has, sum.Seq)},
		redis.Args{"HSET", x.key("INDEX"), "identity", id, "seq", last, "docids", sum.Leaders},
		redis.Args{"HDEL", x.key("INDEX"), rebuilding})
	return x.all(ctx, puts)
}

func (x *Index) all(ctx context.Context, puts []redis.Args) error {
	return failed(redisclient.FirstError(x.s.c.Pipe(ctx, puts...)))
}
