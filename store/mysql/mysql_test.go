package mysql

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
)

// delivery returns a change of a kind, nid and docId number.
func delivery(seq uint64, kind docid.Kind, nid string, leader uint64) docid.Delivery {
	d := docid.Delivery{DocID: fmt.Sprintf("%016x-%016x", 0, leader)}
	d.Seq, d.Kind, d.NID, d.Leader, d.Time = seq, kind, nid, leader, int64(seq)
	d.Evidence.Distance = -1
	if kind == docid.KindNew || kind == docid.KindDuplicate {
		d.Article = &docid.Article{}
		d.Article.Title, d.Article.URL = "标题 \x00 "+nid, "http://a.example/"+nid
	}
	return d
}

// rows formats nid -> docId of a tenant.
func rows(t *testing.T, s *Sink, tenant string) string {
	t.Helper()
	r, err := s.db.QueryContext(t.Context(), `SELECT nid, leader, heat FROM neardup_articles JOIN neardup_tenants ON tenant = id
		WHERE name = ? ORDER BY nid`, []byte(tenant))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []string
	for r.Next() {
		var nid []byte
		var leader, heat int64
		if err := r.Scan(&nid, &leader, &heat); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s:%d/%d", nid, leader, heat))
	}
	return strings.Join(all, " ")
}

func TestSink(t *testing.T) {
	m := services.MariaDB(t)
	ctx := t.Context()
	address := "mysql://root@" + m.Addr + "/neardup"
	open := func() *Sink {
		s, err := Open(ctx, Options{Address: address})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open()
	hot := delivery(4, docid.KindUpdate, "a", 1)
	hot.Heat = -1 << 63
	ds := []docid.Delivery{
		delivery(1, docid.KindNew, "a", 1), delivery(2, docid.KindDuplicate, "A", 1), delivery(3, docid.KindNew, "c", 3), hot,
		delivery(5, docid.KindForget, "", 2), delivery(6, docid.KindEnd, "", 3), delivery(7, docid.KindDelete, "A", 1),
		delivery(8, docid.KindNew, "A", 8), delivery(9, docid.KindDuplicate, strings.Repeat("长", 300), 8),
	}
	want := "A:8/0 a:1/-9223372036854775808 " + strings.Repeat("长", 300) + ":8/0"
	for _, part := range [][]docid.Delivery{ds[:2], ds[:5], ds[5:], ds} { // some deliveries repeat
		if err := s.Apply(ctx, "t", part); err != nil {
			t.Fatal(err)
		}
	}
	if got := rows(t, s, "t"); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	if at, err := s.Cursor(ctx, "t"); err != nil || at != 9 {
		t.Errorf("cursor %d, %v", at, err)
	}
	if err := s.Apply(ctx, "t", []docid.Delivery{delivery(11, docid.KindNew, "x", 11)}); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("a gap: %v", err)
	}
	if at, err := s.Cursor(ctx, "nobody"); err != nil || at != 0 {
		t.Errorf("cursor of a tenant that is not there: %d, %v", at, err)
	}

	// An nid that is bound to another article stays bound, and is reported.
	if err := s.Apply(ctx, "t", []docid.Delivery{delivery(10, docid.KindNew, "a", 10), delivery(11, docid.KindNew, "b", 11)}); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, s, "t"); !strings.Contains(got, "a:1/") || !strings.Contains(got, "b:11/") {
		t.Errorf("rows %s", got)
	}
	var reason string
	if err := s.db.QueryRowContext(ctx, `SELECT reason FROM neardup_parked WHERE seq = 10`).Scan(&reason); err != nil || !strings.Contains(reason, "since change 1") {
		t.Errorf("parked because %q, %v", reason, err)
	}

	// An epoch skips lost numbers.
	if err := s.Apply(ctx, "t", []docid.Delivery{delivery(1000, docid.KindEpoch, "", 7), delivery(1001, docid.KindNew, "z", 1001)}); err != nil {
		t.Errorf("an epoch: %v", err)
	}

	m.Kill()
	if err := s.Apply(ctx, "t", []docid.Delivery{delivery(1002, docid.KindNew, "y", 1002)}); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("MySQL is away: %v", err)
	}
	m.Start(t)
	if err := open().Apply(ctx, "t", []docid.Delivery{delivery(1002, docid.KindNew, "y", 1002)}); err != nil {
		t.Errorf("MySQL is back: %v", err)
	}
}

// TestLongNames checks that articles with names of maximum length, all quoted, do not make a statement that the
// server refuses. No later change would be stored.
func TestLongNames(t *testing.T) {
	m := services.MariaDB(t)
	s, err := Open(t.Context(), Options{Address: "mysql://root@" + m.Addr + "/neardup"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.db.ExecContext(t.Context(), `SET GLOBAL max_allowed_packet = 4 << 20`); err != nil {
		t.Fatal(err)
	}
	s.db.SetMaxIdleConns(0) // open connections have the old limit
	long := strings.Repeat("'", 16<<10)
	var ds []docid.Delivery
	for n := range uint64(2*batchRows + 10) {
		d := delivery(n+1, docid.KindNew, fmt.Sprint(n), n+1)
		d.Article.URL, d.Article.Title, d.Article.Category, d.Article.Media, d.Article.ImageCount = long, long, long, long, long
		ds = append(ds, d)
	}
	if err := s.Apply(t.Context(), "t", ds); err != nil {
		t.Fatal(err)
	}
	var n, bytes int
	if err := s.db.QueryRowContext(t.Context(), `SELECT COUNT(*), SUM(LENGTH(url) + LENGTH(image_count)) FROM neardup_articles`).Scan(&n, &bytes); err != nil || n != len(ds) || bytes != 2*n*len(long) {
		t.Errorf("%d rows with %d bytes, %v", n, bytes, err)
	}
}

// TestOddNIDs checks that nids are compared by bytes, whatever a collation, trailing blank or quote would make
// equal.
func TestOddNIDs(t *testing.T) {
	m := services.MariaDB(t)
	s, err := Open(t.Context(), Options{Address: "mysql://root@" + m.Addr + "/neardup"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	nids := []string{
		"a", "A", "a ", " a", "à", "a\u0300", "á", "ａ", "a\t", "a\n", "a\r\n", "a\x00", "a\x00b", "'", "\"", "\\", "\\'", "%", "_", "?", "😀", "😁",
		"'; DROP TABLE neardup_log; -- ", "{}", "../..", "\u202e", "ß", "ss", "K", "\u212a", strings.Repeat("n", 256), strings.Repeat("n", 255),
	}
	var ds []docid.Delivery
	for i, nid := range nids {
		ds = append(ds, delivery(uint64(i+1), docid.KindNew, nid, uint64(i+1)))
	}
	if err := s.Apply(t.Context(), "t", ds); err != nil {
		t.Fatal(err)
	}
	for i, nid := range nids {
		var seq uint64
		var title string
		err := s.db.QueryRowContext(t.Context(), `SELECT seq, title FROM neardup_articles WHERE nid = ?`, []byte(nid)).Scan(&seq, &title)
		if err != nil || seq != uint64(i+1) || title != ds[i].Article.Title {
			t.Errorf("nid %q is of change %d with title %q, %v; want %d", nid, seq, title, err, i+1)
		}
	}
}

func TestParse(t *testing.T) {
	for address, want := range map[string]string{
		"mysql://u:p%40@h:1/db": "u:p@@tcp(h:1)/db",
		"mysql://u@h/db":        "u@tcp(h:3306)/db",
		"mysql://h/db/x":        "",
		"mysql://u@h/":          "",
		"postgres://u@h/db":     "",
	} {
		c, err := parse(address)
		switch {
		case want == "" && errors.Is(err, docid.ErrInvalid):
		case want == "" || err != nil || !strings.HasPrefix(c.FormatDSN(), want+"?"):
			t.Errorf("%q: %v, %v, want %q", address, c, err, want)
		}
	}
}

// TestCorrectionMovesARow checks that a person's correction gives a row another docId, and that the old docId
// may then end.
func TestCorrectionMovesARow(t *testing.T) {
	m := services.MariaDB(t)
	s, err := Open(t.Context(), Options{Address: "mysql://root@" + m.Addr + "/neardup"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	moved := delivery(4, docid.KindCorrect, "b", 3)
	moved.Ruling = &docid.Ruling{Who: "李", Why: "another story", Before: 1}
	moved.Left, moved.Kept = delivery(0, "", "", 1).DocID, docid.KeptLeft
	moved.Article = &docid.Article{}
	ds := []docid.Delivery{
		delivery(1, docid.KindNew, "a", 1), delivery(2, docid.KindDuplicate, "b", 1), delivery(3, docid.KindNew, "c", 3), moved,
		delivery(5, docid.KindRule, "b", 0),
	}
	ds[4].Ruling = &docid.Ruling{Who: "李", Other: "a", Link: "cannot"}
	for range 2 { // a repeated delivery changes nothing
		if err := s.Apply(t.Context(), "t", ds); err != nil {
			t.Fatal(err)
		}
	}
	if got := rows(t, s, "t"); got != "a:1/0 b:3/0 c:3/0" {
		t.Errorf("rows %s", got)
	}
	var docID, who, before string
	if err := s.db.QueryRowContext(t.Context(), `SELECT docid, corrected_by, docid_before FROM neardup_articles WHERE nid = 'b' AND corrected = 4`).Scan(&docID, &who, &before); err != nil || docID != moved.DocID || who != "李" || before != moved.Left {
		t.Errorf("row of what was moved: %s by %q from %s, %v", docID, who, before, err)
	}
	told, err := s.History(t.Context(), "t", 0, 100)
	if err != nil || len(told) != len(ds) {
		t.Fatalf("%d changes, %v", len(told), err)
	}
	if a := told[1].Article; a == nil || a.URL != ds[1].Article.URL || a.Title != ds[1].Article.Title {
		t.Errorf("the article of a submission that was moved since: %+v", a)
	}
	if r := told[3].Ruling; r == nil || *r != *moved.Ruling || told[3].Kept != docid.KeptLeft || *told[4].Ruling != *ds[4].Ruling {
		t.Errorf("the correction reads %+v, the rule %+v", told[3], told[4])
	}
	if err := s.Apply(t.Context(), "t", []docid.Delivery{delivery(6, docid.KindEnd, "", 1)}); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, s, "t"); got != "b:3/0 c:3/0" {
		t.Errorf("rows after the docId ended: %s", got)
	}
}
