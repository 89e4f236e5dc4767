package tier_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
)

// TestMapAhead: a folder that is restored under a MySQL that is ahead of it goes on, and MySQL ends with the log of the
// folder and nothing else, however long it was away meanwhile. The lost changes are told once.
func TestMapAhead(t *testing.T) {
	if testing.Short() {
		t.Skip("the server is a process of its own")
	}
	maria := services.MariaDB(t)
	for _, meanwhile := range []int{0, 3, 20} {
		t.Run(fmt.Sprintf("%d answers while MySQL is away", meanwhile), func(t *testing.T) {
			ctx := t.Context()
			tenant := fmt.Sprint("after", meanwhile)
			history, err := mysql.Open(ctx, mysql.Options{Address: "mysql://root@" + maria.Addr + "/neardup", Seal: &mysql.Seal{}})
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			check(err)
			defer history.Close()
			var told []string
			settings := storetest.Settings()
			settings.Lost = func(has, seen uint64) { told = append(told, fmt.Sprint(has, " of ", seen)) }
			open := func(dir string) (*pebble.Store, *docid.Detector) {
				s, err := pebble.Open(ctx, dir, pebble.Options{})
				check(err)
				t.Cleanup(func() { _ = s.Close() })
				d, err := docid.NewDetector(ctx, s, tenant, settings)
				check(err)
				return s, d
			}
			add := func(d *docid.Detector, name string, n int) {
				for i := range n {
					var sub docid.Submission
					sub.ID, sub.Text = fmt.Sprint(name, i), storetest.Base(1000*len(name)+i)
					_, err := d.Add(ctx, sub)
					check(err)
				}
			}
			drain := func(d *docid.Detector) {
				relay, err := d.Relay(ctx, "map", history)
				check(err)
				_, err = relay.Drain(ctx)
				check(err)
			}
			original, d := open(t.TempDir())
			drain(d)
			add(d, "kept", 5)
			backup := filepath.Join(t.TempDir(), "backup")
			check(original.Snapshot(ctx, backup))
			add(d, "lost", 7)
			drain(d)
			_, d = open(backup)
			add(d, "meanwhile", meanwhile)
			drain(d)
			add(d, "thereafter", 4)
			drain(d)
			want, err := d.Index().Catalog().Log(ctx, 0, 1000)
			check(err)
			got, err := history.History(ctx, tenant, 0, 1000)
			check(err)
			if len(got) != len(want) {
				t.Errorf("MySQL has %d changes, the index %d", len(got), len(want))
			}
			for i := range want[:min(len(got), len(want))] {
				if !reflect.DeepEqual(got[i].Entry, want[i]) {
					t.Errorf("change %d of MySQL is %+v, of the index %+v", i+1, got[i].Entry, want[i])
				}
			}
			if fmt.Sprint(told) != "[5 of 12]" {
				t.Errorf("told of losses %v", told)
			}
		})
	}
}
