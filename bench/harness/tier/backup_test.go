package tier_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/hbase"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
)

// three is an index in a folder, MariaDB and HBase, while somebody writes.
type three struct {
	t     *testing.T
	maria *services.Server
	hbase services.HBase

	dir      string
	store    *pebble.Store
	history  *mysql.Sink
	library  *hbase.Sink
	settings docid.Settings
	d        *docid.Detector

	texts    int
	answered map[string]docid.Answer // by nid
	given    map[string]bool         // docIds
}

// open opens the index in a folder over a database and a table.
func (b *three) open(dir, name string) {
	b.t.Helper()
	ctx := b.t.Context()
	var err, err2, err3 error
	b.dir = dir
	b.store, err = pebble.Open(ctx, dir, pebble.Options{})
	b.history, err2 = mysql.Open(ctx, mysql.Options{Address: "mysql://root@" + b.maria.Addr + "/" + name, Seal: &mysql.Seal{}})
	b.library, err3 = hbase.Open(ctx, "hbase+http://"+b.hbase.Gateway.Addr+"/"+name)
	if err := errors.Join(err, err2, err3); err != nil {
		b.t.Fatal(err)
	}
	store, history, library := b.store, b.history, b.library
	b.t.Cleanup(func() { _ = errors.Join(store.Close(), history.Close(), library.Close()) })
}

func (b *three) last() uint64 {
	b.t.Helper()
	st, err := b.d.Stats(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return st.Seq
}

func (b *three) detect() {
	b.t.Helper()
	var err error
	b.d, err = docid.NewDetector(b.t.Context(), b.store, "tenant", b.settings)
	if err != nil {
		b.t.Fatal(err)
	}
}

// feed feeds both sinks once.
func (b *three) feed(ctx context.Context) error {
	for name, sink := range map[string]docid.Sink{"map": b.history, "articles": b.library} {
		relay, err := b.d.Relay(ctx, name, sink)
		if err == nil {
			_, err = relay.Drain(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write adds articles, every third of them near an earlier one, and makes some hotter.
func (b *three) write(articles int) {
	b.t.Helper()
	for range articles {
		b.texts++
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint("a", b.texts), storetest.Base(b.texts)
		if b.texts%3 == 0 {
			sub.Text = storetest.Base(b.texts-2) + "!"
		}
		a, err := b.d.Add(b.t.Context(), sub)
		if err != nil {
			b.t.Fatalf("add %s: %v", sub.ID, err)
		}
		b.answered[sub.ID], b.given[a.DocID] = a, true
		earlier, heat := fmt.Sprint("a", b.texts-4), int64(b.texts)
		if _, there := b.answered[earlier]; there && b.texts%5 == 0 {
			if _, err := b.d.Update(b.t.Context(), earlier, docid.Revision{Heat: &heat}); err != nil {
				b.t.Fatalf("heat: %v", err)
			}
		}
	}
}

// meanwhile runs work, which writes too, while the sinks are fed.
func (b *three) meanwhile(work func()) {
	b.t.Helper()
	ctx, stop := context.WithCancel(b.t.Context())
	var feeding sync.WaitGroup
	defer feeding.Wait()
	defer stop()
	feeding.Go(func() {
		for ctx.Err() == nil {
			if err := b.feed(ctx); err != nil && ctx.Err() == nil {
				b.t.Errorf("feed: %v", err)
				return
			}
		}
	})
	b.write(60)
	work()
}

// copySQL makes a copy of the database in one transaction, as mariadb-dump
// --single-transaction reads it, and returns the last change that is in it.
func (b *three) copySQL(to string) (at uint64) {
	b.t.Helper()
	ctx := b.t.Context()
	db, err := sql.Open("mysql", "root@tcp("+b.maria.Addr+")/?interpolateParams=true")
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	must := func(err error) {
		b.t.Helper()
		if err != nil {
			b.t.Fatal(err)
		}
	}
	_, err = db.ExecContext(ctx, "CREATE DATABASE "+to)
	must(err)
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	must(err)
	defer tx.Rollback() //nolint:errcheck // it only reads
	for _, table := range []string{"neardup_tenants", "neardup_articles", "neardup_log", "neardup_parked", "neardup_schema"} {
		_, err := db.ExecContext(ctx, "CREATE TABLE "+to+"."+table+" LIKE neardup."+table)
		must(err)
		rows, err := tx.QueryContext(ctx, "SELECT * FROM neardup."+table)
		must(err)
		columns, err := rows.Columns()
		must(err)
		insert := "INSERT INTO " + to + "." + table + " VALUES (?" + strings.Repeat(",?", len(columns)-1) + ")"
		for rows.Next() {
			values, places := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				places[i] = &values[i]
			}
			must(rows.Scan(places...))
			_, err := db.ExecContext(ctx, insert, values...)
			must(err)
		}
		must(errors.Join(rows.Err(), rows.Close()))
	}
	must(db.QueryRowContext(ctx, "SELECT logged FROM "+to+".neardup_tenants").Scan(&at))
	return at
}

// copyHBase makes a copy of the table, cell by cell with their timestamps.
func (b *three) copyHBase(to string) {
	b.t.Helper()
	table, err := hbase.Open(b.t.Context(), "hbase+http://"+b.hbase.Gateway.Addr+"/"+to) // makes it
	if err == nil {
		err = table.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	ask := func(method, url, body string) (int, string, []byte) {
		b.t.Helper()
		req, err := http.NewRequestWithContext(b.t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			b.t.Fatal(err)
		}
		req.Header.Set("Accept", "application/json")
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			b.t.Fatal(err)
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= http.StatusBadRequest {
			b.t.Fatalf("%s %s: %s %s, %v", method, url, resp.Status, got, err)
		}
		return resp.StatusCode, resp.Header.Get("Location"), got
	}
	_, scanner, _ := ask(http.MethodPut, b.hbase.URL()+"/neardup/scanner", `{"batch":50}`)
	for {
		code, _, cells := ask(http.MethodGet, scanner, "")
		if code == http.StatusNoContent {
			break
		}
		ask(http.MethodPut, b.hbase.URL()+"/"+to+"/rows", string(bytes.TrimSpace(cells)))
	}
	ask(http.MethodDelete, scanner, "")
}

// holds checks that every answer up to a change is what the index says, retries and
// articles, and that what is given from now on was not given before.
func (b *three) holds(upTo uint64) {
	b.t.Helper()
	ctx, n := b.t.Context(), 0
	for nid, a := range b.answered {
		_, docID, err := b.d.Member(ctx, nid)
		switch {
		case a.Seq <= upTo:
			n++
			if err != nil || docID != a.DocID {
				b.t.Errorf("%s is of docId %s, %v, and was answered %+v", nid, docID, err, a)
			}
		case err == nil && docID != a.DocID, err != nil && !errors.Is(err, docid.ErrNotFound):
			b.t.Errorf("%s, which was lost, is of docId %s, %v", nid, docID, err)
		case err != nil:
			delete(b.answered, nid)
		}
	}
	if n == 0 {
		b.t.Errorf("no answer up to change %d", upTo)
	}
	for range 9 {
		b.texts++
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint("after", b.texts), storetest.Base(100_000+b.texts)
		if a, err := b.d.Add(ctx, sub); err != nil || b.given[a.DocID] || a.Seq <= upTo {
			b.t.Errorf("a new article after a loss is %+v, %v", a, err)
		}
	}
}

// TestBackup copies MariaDB and HBase one after the other, and later the folder, while articles are
// written, and goes back: to the copies of the two without a folder, and to the copy of the folder beside the two
// as they are then.
func TestBackup(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	ctx := t.Context()
	b := &three{t: t, settings: storetest.Settings(), answered: map[string]docid.Answer{}, given: map[string]bool{}}
	b.settings.Now = nil
	b.hbase, b.maria = services.StartHBase(t), services.MariaDB(t)
	b.open(t.TempDir(), "neardup")
	b.detect()
	b.write(5)
	if err := b.feed(ctx); err != nil { // a database in which these are: else nothing is there to copy
		t.Fatal(err)
	}

	var dumped uint64
	b.meanwhile(func() {
		dumped = b.copySQL("copied")
		for has := uint64(0); has < dumped && !t.Failed(); time.Sleep(10 * time.Millisecond) { // HBase must not be behind
			var err error
			has, err = b.library.Cursor(ctx, "tenant")
			if err != nil {
				t.Errorf("cursor of HBase: %v", err)
			}
		}
		b.write(20)
		b.copyHBase("copied")
		b.write(20)
	})
	want, err := b.d.LogDigest(ctx, dumped)
	if err != nil {
		t.Fatal(err)
	}
	fresh := t.TempDir()
	b.open(fresh, "copied")
	again := docid.Rebuild{Store: b.store, Source: docid.SourceOf(b.history, b.library), Tenant: "tenant", Settings: b.settings}
	sum, err := again.Run(ctx)
	if err != nil || sum.Digest != want || sum.Seq != dumped || sum.Textless != 0 || sum.Rowless != 0 || !sum.Epoch {
		t.Fatalf("made again: %+v, %v, want digest %s of %d changes", sum, err, want, dumped)
	}
	if err := b.store.Close(); err != nil { // as neardup rebuild does
		t.Fatal(err)
	}
	b.open(fresh, "copied")
	b.detect()
	b.holds(dumped)
	if err := b.feed(ctx); err != nil {
		t.Errorf("feed what was restored: %v", err)
	}
	b.holds(dumped)

	copied, at := filepath.Join(t.TempDir(), "copy"), uint64(0)
	b.meanwhile(func() {
		at = b.last()
		if err := b.store.Snapshot(ctx, copied); err != nil {
			t.Errorf("copy the folder: %v", err)
		}
		b.write(40)
	})
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	b.open(copied, "copied")
	b.detect()
	if err := b.feed(ctx); err != nil { // the sinks have seen more
		t.Fatalf("feed after a loss: %v", err)
	}
	b.holds(at)
}
