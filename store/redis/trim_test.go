package redis

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
func trim(t *testing.T, d *docid.Detector, history docid.History) {
	t.Helper()
	relay, err := d.Relay(t.Context(), "map", history)
	if err == nil {
		_, err = relay.Drain(t.Context())
	}
	u := d.Index().(docid.Unloader)
	for n := 1; err == nil && n > 0; {
		n, err = u.Trim(t.Context(), "map", 1<<47, future, 5)
	}
	if err != nil {
		t.Fatalf("trim: %v", err)
	}
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
		p.Trim = func(t *testing.T, d *docid.Detector) { trim(t, d, history) }
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
}

func (f *forgetful) Cursor(ctx context.Context, tenant string) (uint64, error) {
	at, err := f.past.Cursor(ctx, tenant)
	if f.upTo > 0 {
		at = min(at, f.upTo)
	}
	return at, err
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
	history.gone, history.upTo = false, 4 // an older backup
	logged(docid.ErrUntold)
	add("a4", 4, docid.ErrUntold)
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
}
