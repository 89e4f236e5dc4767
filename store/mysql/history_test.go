package mysql

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
)

// story returns a log with one of each kind of change.
func story() []docid.Delivery {
	ds := []docid.Delivery{
		delivery(1, docid.KindNew, "a", 1), delivery(2, docid.KindDuplicate, "b", 1), delivery(3, docid.KindUpdate, "b", 1),
		delivery(4, docid.KindUpdate, "b", 1), delivery(5, docid.KindDelete, "b", 1), delivery(6, docid.KindNew, "b", 6),
		delivery(7, docid.KindForget, "", 3), delivery(100, docid.KindEpoch, "", 1<<64-1), delivery(101, docid.KindNew, "c", 101),
	}
	for i := range ds {
		ds[i].Kept = []docid.KeptEffect{1, 0, 0, 3, 2, 1, 0, 0, 1}[i]
	}
	ds[0].Names, ds[0].Idempotency = []docid.Name{{1}, {2}}, "key"
	ds[0].Article.ImageCount, ds[0].Article.Time = "4", -7
	ds[0].Article.Pictures = []docid.Picture{{Hash: [4]uint64{1, 1 << 63, 0, 7}, Quality: 97}, {}}
	ds[2].Article = &docid.Article{}
	ds[3].Article, ds[3].Heat = &docid.Article{}, 5
	return ds
}

// told returns what must be read of a story, without texts and deleted articles.
func told(ds []docid.Delivery) []docid.Delivery {
	var want []docid.Delivery
	for _, d := range ds {
		d.DocID = ""
		if (d.Kind == docid.KindUpdate && !d.Revises()) || d.Seq == 2 {
			d.Article = nil
		}
		if d.Article != nil && d.Kind != docid.KindUpdate {
			a := *d.Article
			a.ID, a.Heat, d.Article = d.NID, d.Heat, &a
		}
		want = append(want, d)
	}
	return want
}

// TestHistory checks that the log is read as it was written.
func TestHistory(t *testing.T) {
	m := services.MariaDB(t)
	ctx := t.Context()
	o := Options{Address: "mysql://root@" + m.Addr + "/neardup"}
	s, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if again, err := Open(ctx, o); err != nil || again.Close() != nil {
		t.Fatal("opened again:", err)
	}
	if at, err := s.Cursor(ctx, "t"); err != nil || at != 0 {
		t.Errorf("empty tables are at %d, %v", at, err)
	}
	ds := story()
	for _, part := range [][]docid.Delivery{ds[:3], ds[:5], ds} {
		if err := s.Apply(ctx, "t", part); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := rows(t, s, "t"), "a:1/0 b:6/0 c:101/0"; got != want {
		t.Errorf("rows are %s, want %s", got, want)
	}
	var got []docid.Delivery
	for len(got) < len(ds) {
		after := uint64(0)
		if len(got) > 0 {
			after = got[len(got)-1].Seq
		}
		page, err := s.History(ctx, "t", after, 3)
		if err != nil || len(page) == 0 {
			t.Fatal("page after ", after, ": ", err)
		}
		got = append(got, page...)
	}
	for i, want := range told(ds) {
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("change %d\n got %+v\nwant %+v", want.Seq, got[i], want)
		}
	}
	// The history skips what the index has lost and continues after change 6.
	lost := delivery(200, docid.KindEpoch, "", 5)
	lost.Before = ds[5].Entry
	if err := s.Apply(ctx, "t", []docid.Delivery{lost}); err != nil {
		t.Fatal(err)
	}
	if page, err := s.History(ctx, "t", 5, 9); err != nil || len(page) != 2 || page[0].Seq != 6 || page[1].Seq != 200 {
		t.Errorf("after a loss: %+v, %v", page, err)
	}
	// An index with another history is refused.
	other := delivery(300, docid.KindEpoch, "", 6)
	other.Before = delivery(6, docid.KindNew, "another", 6).Entry
	if err := s.Apply(ctx, "t", []docid.Delivery{other}); !errors.Is(err, docid.ErrOther) {
		t.Errorf("an index of another history: %v", err)
	}
	if names, err := s.Tenants(ctx); err != nil || fmt.Sprint(names) != "[t]" {
		t.Errorf("tenants %q, %v", names, err)
	}
	if _, err := s.db.ExecContext(ctx, `DELETE FROM neardup_log WHERE seq = 4`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.History(ctx, "t", 0, 9); !errors.Is(err, docid.ErrCorrupt) {
		t.Errorf("a log with a gap: %v", err)
	}
}

// TestIdentity checks that only the seal opens a stored identity, and that no other index is taken for it.
func TestIdentity(t *testing.T) {
	m := services.MariaDB(t)
	ctx := t.Context()
	open := func(seal *Seal) *Sink {
		s, err := Open(ctx, Options{Address: "mysql://root@" + m.Addr + "/neardup", Seal: seal})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	id, err := docid.NewIdentity("spec", []byte("table"))
	if err != nil {
		t.Fatal(err)
	}
	id.Created = 5
	other := id
	other.Key[0]++
	none, sealed, wrong := open(nil), open(&Seal{1}), open(&Seal{2})
	keep := func(s *Sink, id docid.Identity, want error) {
		t.Helper()
		if err := s.KeepIdentity(ctx, "t", id); !errors.Is(err, want) {
			t.Errorf("keep: %v, want %v", err, want)
		}
	}
	read := func(s *Sink, tenant string, want error) {
		t.Helper()
		got, err := s.Identity(ctx, tenant)
		if !errors.Is(err, want) || (want == nil && !reflect.DeepEqual(got, id)) {
			t.Errorf("identity %+v, %v, want %v", got, err, want)
		}
	}
	read(sealed, "t", docid.ErrNotFound)
	keep(none, id, nil)
	keep(none, other, docid.ErrOther)
	read(sealed, "t", docid.ErrNotFound) // known but not stored
	keep(sealed, id, nil)
	keep(sealed, id, nil)
	keep(none, id, nil) // the stored identity stays
	read(sealed, "t", nil)
	id.Spec = "made anew by another method"
	keep(sealed, id, nil)
	read(sealed, "t", nil)
	read(none, "t", docid.ErrInvalid)
	read(wrong, "t", ErrSeal)
	keep(wrong, id, ErrSeal)
	keep(sealed, other, docid.ErrOther)
	// It does not open after a move to another tenant.
	if err := errors.Join(sealed.make(ctx, "u")); err != nil {
		t.Fatal(err)
	}
	if _, err := sealed.db.ExecContext(ctx, `UPDATE neardup_tenants u, neardup_tenants t SET u.identity = t.identity WHERE u.name = 'u' AND t.name = 't'`); err != nil {
		t.Fatal(err)
	}
	read(sealed, "u", ErrSeal)
	for _, s := range []string{"", "00", "zz", fmt.Sprintf("%066x", 1)} {
		if _, err := ParseSeal(s); !errors.Is(err, docid.ErrInvalid) {
			t.Errorf("seal %q: %v", s, err)
		}
	}
}

// TestExchanged replaces a tenant's row with that of another index while an index feeds it. The sink must
// refuse reads and writes with that reason. If the row is removed, the identity must be stored again.
func TestExchanged(t *testing.T) {
	m := services.MariaDB(t)
	ctx := t.Context()
	s, err := Open(ctx, Options{Address: "mysql://root@" + m.Addr + "/neardup", Seal: &Seal{1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, err := docid.NewIdentity("spec", nil)
	if err != nil {
		t.Fatal(err)
	}
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := s.db.ExecContext(ctx, query, args...); err != nil {
			t.Fatal(err)
		}
	}
	feed := func() error { return s.Apply(ctx, "t", story()) }
	if err := errors.Join(s.KeepIdentity(ctx, "t", id), feed()); err != nil {
		t.Fatal(err)
	}
	all := rows(t, s, "t")
	for _, statement := range []string{`DELETE FROM neardup_tenants`, `DELETE FROM neardup_articles`, `DELETE FROM neardup_log`} {
		exec(statement)
	}
	if at, err := s.Cursor(ctx, "t"); err != nil || at != 0 {
		t.Errorf("emptied tables are at %d, %v", at, err)
	}
	if got, err := s.Identity(ctx, "t"); err != nil || !reflect.DeepEqual(got, id) {
		t.Errorf("the identity after its row was removed: %+v, %v", got, err)
	}
	if err := feed(); err != nil || rows(t, s, "t") != all {
		t.Errorf("fed again: %v, rows %s, want %s", err, rows(t, s, "t"), all)
	}
	exec(`TRUNCATE neardup_articles`)
	exec(`UPDATE neardup_tenants SET logged = 0`)
	if err := feed(); err != nil || rows(t, s, "t") != all {
		t.Errorf("fed again from a cursor that was set back: %v, rows %s, want %s", err, rows(t, s, "t"), all)
	}
	exec(`UPDATE neardup_tenants SET mark = ?`, "of another index")
	_, cursor := s.Cursor(ctx, "t")
	_, history := s.History(ctx, "t", 0, 9)
	for what, err := range map[string]error{"the cursor": cursor, "the log": history, "feeding it": feed()} {
		if !errors.Is(err, docid.ErrOther) || !errors.Is(err, docid.ErrUnavailable) {
			t.Errorf("%s of another index: %v", what, err)
		}
	}
}
