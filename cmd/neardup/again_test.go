//go:build full

package main

import (
	"context"
	"database/sql"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/derived"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/hbase"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
)

// TestMadeAgain loses indexes of random histories and makes them again from the
// real MySQL and HBase in a folder, with which a log begins then.
func TestMadeAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	maria, hb := services.MariaDB(t), services.StartHBase(t)
	db, err := sql.Open("mysql", "root@tcp("+maria.Addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE folder"); err != nil {
		t.Fatal(err)
	}
	sinks := func(t *testing.T, database, table string) storetest.Sinks {
		return storetest.Sinks{Histories: 3, Open: func() (docid.History, docid.Library) {
			seal := mysql.Seal{1, 2, 3}
			history, err := mysql.Open(t.Context(), mysql.Options{Address: "mysql://root@" + maria.Addr + "/" + database, Seal: &seal})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { history.Close() })
			library, err := hbase.Open(t.Context(), "hbase+http://"+hb.Gateway.Addr+"/"+table)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { library.Close() })
			return history, library
		}}
	}
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		open := func(ctx context.Context) (docid.Store, error) { return pebble.Open(ctx, dir, pebble.Options{}) }
		t.Run("again", func(t *testing.T) {
			storetest.Restore(t, storetest.Backend{Open: open, Lasting: true}, sinks(t, "folder", "folder"))
		})
		t.Run("pictures", func(t *testing.T) {
			storetest.RestorePictures(t, storetest.Backend{Open: open, Lasting: true}, sinks(t, "folder", "folder"))
		})
		report, err := pebble.Check(t.Context(), dir, pebble.Options{})
		if err != nil || len(report.Problems) > 0 {
			t.Errorf("check of a folder that was made again: %+v, %v", report.Problems, err)
		}
		alone, err := derived.Digest(dir)
		if err != nil {
			t.Fatal(err)
		}
		log := storetest.NewLog()
		if err := pebble.Lead(t.Context(), dir, log, pebble.Options{}); err != nil {
			t.Fatal(err)
		}
		shared, err := pebble.Open(t.Context(), dir, pebble.Options{Log: log})
		if err != nil {
			t.Fatal(err)
		}
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
		if digest, err := derived.Digest(dir); err != nil || digest != alone {
			t.Errorf("the digest of a folder with which a log began is %s, %v, was %s", digest, err, alone)
		}
	})
}
