package redis

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/storetest"
)

// future is later than all that the tests do.
var future = time.Unix(1<<33, 0)

// trim leaves all that can be left to a history.
func trim(ctx context.Context, d *docid.Detector, history docid.History) error {
	relay, err := d.Relay(ctx, "map", history)
	if err == nil {
		_, err = relay.Drain(ctx)
	}
	u := d.Index().(docid.Unloader)
	for n := 1; err == nil && n > 0; {
		n, err = u.Trim(ctx, "map", 1<<47, future, 5)
	}
	return err
}

// TestTrimmed runs random histories over Redis and MariaDB, to which the log is left
// at random moments.
func TestTrimmed(t *testing.T) {
	server, maria := services.Redis(t), services.MariaDB(t)
	db, err := sql.Open("mysql", "root@tcp("+maria.Addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	empty, n := place(server), 0
	storetest.RunTrimmed(t, func(t *testing.T) storetest.Place {
		p := empty(t)
		n++
		name := fmt.Sprint("neardup", n)
		if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		history, err := mysql.Open(t.Context(), mysql.Options{Address: "mysql://root@" + maria.Addr + "/" + name})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { history.Close() })
		open := p.Open
		p.Open = func(ctx context.Context) (docid.Store, error) {
			s, err := open(ctx)
			if err == nil {
				s.(*Store).ReadLog(history)
			}
			return s, err
		}
		p.Trim = func(t *testing.T, d *docid.Detector) {
			t.Helper()
			if err := trim(t.Context(), d, history); err != nil {
				t.Fatalf("trim: %v", err)
			}
		}
		return p
	})
}

// past is another name for a history, which has a method of that name.
type past = docid.History

// forgetful is a history that may be away, or lack what it had.
type forgetful struct {
	past
	gone bool
	upTo uint64 // the last change that it still has; 0: all
	// between, where not nil, is called once, after article "b" was read and before it
	// is handed over.
	between func()
}

func (f *forgetful) Cursor(ctx context.Context, tenant string) (uint64, error) {
	at, err := f.past.Cursor(ctx, tenant)
	return f.reach(at), err
}

func (f *forgetful) Log(ctx context.Context, tenant string, after uint64, limit int) ([]docid.Entry, error) {
	if f.gone {
		return nil, docid.ErrUnavailable
	}
	es, err := f.past.Log(ctx, tenant, after, limit)
	for i, e := range es {
		if f.upTo > 0 && e.Seq > f.upTo {
			return es[:i], err
		}
	}
	return es, err
}

func (f *forgetful) Articles(ctx context.Context, tenant string, nids []string) ([]docid.Filed, uint64, error) {
	if f.gone {
		return nil, 0, docid.ErrUnavailable
	}
	found, at, err := f.past.Articles(ctx, tenant, nids)
	if between := f.between; between != nil && slices.Contains(nids, "b") {
		f.between = nil
		between()
	}
	return f.older(found), f.reach(at), err
}

func (f *forgetful) ArticlesOf(ctx context.Context, tenant string, leader, after uint64, limit int) ([]docid.Filed, uint64, error) {
	if f.gone {
		return nil, 0, docid.ErrUnavailable
	}
	found, at, err := f.past.ArticlesOf(ctx, tenant, leader, after, limit)
	return f.older(found), f.reach(at), err
}

func (f *forgetful) ChangesOf(ctx context.Context, tenant string, leader, after uint64, limit int) ([]docid.Delivery, error) {
	if f.gone {
		return nil, docid.ErrUnavailable
	}
	ds, err := f.past.ChangesOf(ctx, tenant, leader, after, limit)
	return slices.DeleteFunc(ds, func(d docid.Delivery) bool { return d.Seq > f.reach(d.Seq) }), err
}

// older are the articles that it still has.
func (f *forgetful) older(found []docid.Filed) []docid.Filed {
	return slices.DeleteFunc(found, func(a docid.Filed) bool { return a.Seq > f.reach(a.Seq) })
}

// reach is a change, or the last that it still has.
func (f *forgetful) reach(at uint64) uint64 {
	if f.upTo > 0 {
		at = min(at, f.upTo)
	}
	return at
}

// TestTrim: entries go once every sink has them, they are old enough and the history gives
// them back; where that cannot, what needs one is refused and nothing else.
func TestTrim(t *testing.T) {
	ctx := t.Context()
	_, s := opened(t)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	if err != nil {
		t.Fatal(err)
	}
	add := func(nid string, text int, want error) {
		t.Helper()
		var sub docid.Submission
		sub.ID, sub.Text = nid, storetest.Base(text)
		if _, err := d.Add(ctx, sub); !errors.Is(err, want) {
			t.Errorf("add %s: %v, want %v", nid, err, want)
		}
	}
	cut := func(most uint64, before time.Time, want int, wrong error) {
		t.Helper()
		if n, err := d.Index().(docid.Unloader).Trim(ctx, "map", most, before, 100); n != want || !errors.Is(err, wrong) {
			t.Errorf("%d entries up to %d went (%v), want %d (%v)", n, most, err, want, wrong)
		}
	}
	logged := func(want error) {
		t.Helper()
		if es, err := d.Index().Catalog().Log(ctx, 0, 9); !errors.Is(err, want) || want == nil && len(es) != 6 {
			t.Errorf("%d entries, %v, want %v", len(es), err, want)
		}
	}
	for n := range 6 {
		add(fmt.Sprint("a", n), n, nil)
	}
	cut(6, future, 0, docid.ErrNotFound)
	kept, _ := storetest.KeptSinks()
	history := &forgetful{past: kept}
	relay, err := d.Relay(ctx, "map", history)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Index().Outbox().Attach(ctx, "slow"); err != nil {
		t.Fatal(err)
	}
	cut(6, future, 0, nil)
	if _, err := relay.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	cut(6, future, 0, nil) // one of the sinks has nothing
	if err := d.Index().Outbox().Acknowledge(ctx, "slow", 5); err != nil {
		t.Fatal(err)
	}
	cut(6, time.Unix(1, 0), 0, nil)
	cut(6, future, 0, docid.ErrUnavailable) // the store knows of no history
	s.ReadLog(history)
	history.upTo = 4
	cut(6, future, 0, docid.ErrUntold)
	history.upTo = 0
	cut(4, future, 4, nil)
	cut(6, future, 1, nil)
	cut(6, future, 0, nil)
	if n, err := s.c.Do(ctx, s.c.B().Xlen().Key(prefix("tenant")+"l").Build()).AsInt64(); n != 1 || err != nil {
		t.Errorf("%d entries are left in Redis, %v, want 1", n, err)
	}
	for key, want := range map[string]int64{"na0": 0, "m1": 0, "na4": 0, "na5": 1, "m6": 1} {
		if n, err := s.c.Do(ctx, s.c.B().Exists().Key(prefix("tenant")+key).Build()).AsInt64(); n != want || err != nil {
			t.Errorf("%d keys %s, %v, want %d", n, key, err, want)
		}
	}
	logged(nil)
	add("a0", 0, nil) // a retry
	if err := d.Index().Outbox().Detach(ctx, "map"); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("detach what the index needs: %v", err)
	}

	history.gone = true
	logged(docid.ErrUnavailable)
	add("a0", 0, docid.ErrUnavailable)
	add("b0", 0, nil)
	add("b9", 9, nil)
	about := func(nid string, group uint64, want error) {
		t.Helper()
		heat := int64(7)
		_, _, read := d.Member(ctx, nid)
		_, changed := d.Update(ctx, nid, docid.Revision{Heat: &heat})
		_, deleted := d.Delete(ctx, nid)
		_, grouped := d.Group(ctx, d.DocIDs().DocID(group), 0, 9)
		_, ended := d.End(ctx, d.DocIDs().DocID(group))
		for what, err := range map[string]error{"read": read, "change": changed, "delete": deleted, "group": grouped, "end": ended} {
			if !errors.Is(err, want) {
				t.Errorf("%s what was left: %v, want %v", what, err, want)
			}
		}
	}
	about("a1", 3, docid.ErrUnavailable)
	history.gone, history.upTo = false, 4 // an older backup
	logged(docid.ErrUntold)
	add("a4", 4, docid.ErrUntold)
	about("a4", 5, docid.ErrUntold)
	add("a3", 3, nil)
	add("b8", 8, nil)
	if _, err := d.Relay(ctx, "map", history); !errors.Is(err, docid.ErrUntold) {
		t.Errorf("a server that starts over it: %v", err)
	}
	if _, err := relay.Drain(ctx); !errors.Is(err, docid.ErrUntold) {
		t.Errorf("a server that feeds it: %v", err)
	}
	history.upTo = 0
	if _, err := relay.Drain(ctx); err != nil {
		t.Errorf("it is as it was: %v", err)
	}
	about("a1", 3, nil)
}

// TestTrimBetween: between reading what the history has of an article and the commit that
// brings it, another server may bring, change and leave the article again. What was read is
// not taken then, though it is of the same article and that is left as it was.
func TestTrimBetween(t *testing.T) {
	ctx := t.Context()
	_, s := opened(t)
	kept, _ := storetest.KeptSinks()
	history := &forgetful{past: kept}
	s.ReadLog(history)
	var servers [2]*docid.Detector
	for i := range servers {
		var err error
		if servers[i], err = docid.NewDetector(ctx, s, "tenant", storetest.Settings()); err != nil {
			t.Fatal(err)
		}
	}
	var sub docid.Submission
	sub.ID, sub.Text = "a", storetest.Base(1)
	if _, err := servers[0].Add(ctx, sub); err != nil {
		t.Fatal(err)
	}
	heat := int64(9)
	for _, change := range []struct {
		what string
		do   func() error
		want error
	}{
		{"correct", func() error {
			_, err := servers[0].Correct(ctx, docid.Correcting{NID: "b", DocID: servers[0].DocIDs().DocID(1), Who: "w"})
			return err
		}, nil},
		{"delete", func() error { _, err := servers[0].Delete(ctx, "b"); return err }, nil},
		{"heat of what is deleted", func() error {
			_, err := servers[0].Update(ctx, "b", docid.Revision{Heat: &heat})
			return err
		}, docid.ErrNotFound},
	} {
		sub.ID, sub.Text = "b", storetest.Base(2)
		if _, err := servers[0].Add(ctx, sub); err != nil {
			t.Fatal(err)
		}
		if err := trim(ctx, servers[0], history); err != nil {
			t.Fatal(err)
		}
		asked := func() {
			var err error
			if change.want != nil {
				_, err = servers[1].Delete(ctx, "b")
			} else {
				_, err = servers[1].Update(ctx, "b", docid.Revision{Heat: &heat})
			}
			if err == nil {
				err = trim(ctx, servers[1], history)
			}
			if err != nil {
				t.Errorf("meanwhile: %v", err)
			}
		}
		if history.between = asked; change.what == "correct" { // it reads the article twice before it asks for it
			history.between = func() { history.between = func() { history.between = asked } }
		}
		if err := change.do(); !errors.Is(err, change.want) {
			t.Errorf("%s: %v, want %v", change.what, err, change.want)
		}
		if history.between != nil {
			t.Errorf("%s: the history was not asked", change.what)
		}
		m, _, err := servers[0].Member(ctx, "b")
		if change.what == "correct" {
			if err != nil || m.Heat != heat || m.Leader != 1 {
				t.Errorf("what was corrected is %+v, %v, want heat %d", m, err, heat)
			}
			if _, err := servers[0].Delete(ctx, "b"); err != nil {
				t.Error(err)
			}
		} else if !errors.Is(err, docid.ErrNotFound) {
			t.Errorf("%s: it is %+v, %v", change.what, m, err)
		}
	}
}

// TestTrimMeanwhile: while the log is trimmed over and over, clients of two servers change
// articles, of which each has its own; what one wrote it reads, and no retry is answered anew.
func TestTrimMeanwhile(t *testing.T) {
	server, maria := services.Redis(t), services.MariaDB(t)
	history, err := mysql.Open(t.Context(), mysql.Options{Address: "mysql://root@" + maria.Addr + "/neardup"})
	if err != nil {
		t.Fatal(err)
	}
	defer history.Close()
	var servers [2]*docid.Detector
	for i := range servers {
		s, err := Open(t.Context(), Options{Address: "redis://" + server.Addr})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.ReadLog(history)
		if servers[i], err = docid.NewDetector(t.Context(), s, "tenant", storetest.Settings()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var trimmer, clients sync.WaitGroup
	trimmer.Go(func() {
		for ctx.Err() == nil {
			if err := trim(t.Context(), servers[0], history); err != nil {
				t.Errorf("trim: %v", err)
				return
			}
		}
	})
	for c := range 4 {
		clients.Go(func() { (&client{t: t, servers: servers, name: fmt.Sprint("c", c)}).work(c) })
	}
	clients.Wait()
	stop()
	trimmer.Wait()
}

// client has articles of its own.
type client struct {
	t       *testing.T
	servers [2]*docid.Detector
	name    string
}

// work adds some articles near those of the others, and changes them.
func (c *client) work(seed int) {
	ctx, r := c.t.Context(), rand.New(rand.NewPCG(uint64(seed), 1))
	type article struct {
		heat    int64
		deleted bool
		docID   string
	}
	mine := map[string]*article{}
	var nids []string
	for n := range 120 {
		d := c.servers[r.IntN(2)]
		if n%10 == 0 {
			nids = append(nids, fmt.Sprint(c.name, "-", n))
		}
		nid := nids[r.IntN(len(nids))]
		a := mine[nid]
		var sub docid.Submission
		sub.ID, sub.Text = nid, storetest.Base(len(nid)+int(nid[len(nid)-1]))
		var err error
		switch k := r.IntN(4); {
		case a == nil || a.deleted:
			var got docid.Answer
			got, err = d.Add(ctx, sub)
			if got.Replayed {
				c.t.Errorf("%s is answered as if it had not been deleted: %+v", nid, got)
			}
			mine[nid] = &article{docID: got.DocID}
		case k == 0:
			var got docid.Answer
			if got, err = d.Add(ctx, sub); err == nil && (!got.Replayed || got.DocID != a.docID) {
				c.t.Errorf("retry of %s: %+v, want docId %s", nid, got, a.docID)
			}
		case k == 1:
			_, err = d.Delete(ctx, nid)
			a.deleted = true
		default:
			a.heat = int64(r.IntN(100))
			_, err = d.Update(ctx, nid, docid.Revision{Heat: &a.heat})
		}
		if err != nil {
			c.t.Errorf("%s: %v", nid, err)
			return
		}
		m, docID, err := c.servers[r.IntN(2)].Member(ctx, nid)
		if a = mine[nid]; a.deleted && !errors.Is(err, docid.ErrNotFound) || !a.deleted && (err != nil || m.Heat != a.heat || docID != a.docID) {
			c.t.Errorf("%s reads %+v of docId %s, %v, want %+v", nid, m, docID, err, a)
		}
	}
}
