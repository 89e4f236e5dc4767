package tier_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/derived"
	"github.com/neardup/neardup/store/hbase"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
)

// tenant is that of servers without tokens.
const tenant = "default"

func (l *life) sql() *sql.DB {
	db, err := sql.Open("mysql", "root@tcp("+l.maria.Addr+")/"+l.name)
	if err != nil {
		l.t.Fatal(err)
	}
	return db
}

// database makes the database of a life.
func (l *life) database() {
	l.t.Helper()
	db, err := sql.Open("mysql", "root@tcp("+l.maria.Addr+")/neardup")
	if err == nil {
		_, err = db.Exec("CREATE DATABASE " + l.name)
		db.Close()
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// locked keeps everybody else from the rows of articles for a while.
func (l *life) locked() {
	db := l.sql()
	defer db.Close()
	c, err := db.Conn(l.t.Context())
	if err == nil {
		defer c.Close()
		_, err = c.ExecContext(l.t.Context(), "LOCK TABLES neardup_articles WRITE")
	}
	if err != nil {
		l.t.Error(err)
		return
	}
	l.pause(700)
	if _, err := c.ExecContext(l.t.Context(), "UNLOCK TABLES"); err != nil {
		l.t.Error(err)
	}
}

// bindElsewhere gives nids that clients will send soon to a docId of nobody.
func (l *life) bindElsewhere() {
	db := l.sql()
	defer db.Close()
	for range 20 {
		nid := fmt.Sprintf("c%d-%d", l.r.IntN(clients), 1+l.r.IntN(2000))
		_, err := db.Exec(`INSERT INTO neardup_articles (tenant, nid, docid, leader, seq, decision, stage, leader_nid, similarity, method, basis,
			disagrees, variant_of, time, heat, url, title, category, media) VALUES ((SELECT id FROM neardup_tenants WHERE name = ?), ?, ?, 0, 0, 'new', '', '', 0, '', '', 0, '', NOW(), 0, '', '', '', '')
			ON DUPLICATE KEY UPDATE seq = neardup_articles.seq`, tenant, nid, "elsewhere")
		if err != nil {
			l.t.Error(err)
			return
		}
	}
	l.pause(200)
}

// audit waits until the sinks have everything, and holds log, folders, MySQL and
// HBase to what the clients know and to each other.
func (l *life) audit(total *counts) {
	l.t.Helper()
	l.returning.Wait()
	log, err := l.servers[0].reach().Log(l.t.Context())
	if err != nil {
		l.t.Fatalf("log: %v", err)
	}
	if err := l.journal.Close(); err != nil {
		l.t.Fatal(err)
	}
	records, err := harness.ReadJournal(l.journalPath)
	if err != nil {
		l.t.Fatal(err)
	}
	l.waitSinks(log[len(log)-1].Seq, patience)
	for _, s := range l.servers[1:] {
		if other, err := s.reach().Log(l.t.Context()); err != nil || len(other) < len(log) || !reflect.DeepEqual(other[:len(log)], log) {
			l.t.Errorf("the log of %s has %d changes, that of the first %d: %v", s.data, len(other), len(log), err)
		}
	}
	for _, s := range l.servers {
		if out, err := s.process.Stop(); err != nil {
			l.t.Errorf("stop: %v\n%s", err, out)
		}
	}
	l.alike()
	o := harness.Audit(records, log)
	o.Violations = append(o.Violations, l.rows(&o, total)...)
	o.Violations = append(o.Violations, l.cells(&o, records, log, total)...)
	for i, v := range o.Violations {
		l.t.Errorf("%s: %s", l.name, v)
		if i == 20 {
			break
		}
	}
	for _, r := range records {
		if r.Answer != nil {
			total.answers++
		}
	}
	total.changes += len(log)
}

// waitSinks waits until both sinks have a change, or one after it: what
// expires is a change that nobody asks for.
func (l *life) waitSinks(seq uint64, long time.Duration) {
	l.t.Helper()
	rows, err := mysql.Open(l.t.Context(), mysql.Options{Address: "mysql://root@" + l.maria.Addr + "/" + l.name})
	if err != nil {
		l.t.Fatal(err)
	}
	defer rows.Close()
	cells, err := hbase.Open(l.t.Context(), "hbase+http://"+l.gateways[0].Addr+"/"+l.name)
	if err != nil {
		l.t.Fatal(err)
	}
	defer cells.Close()
	for end := time.Now().Add(long); ; time.Sleep(50 * time.Millisecond) {
		behind := ""
		for name, sink := range map[string]docid.Sink{"map": rows, "articles": cells} {
			if has, err := sink.Cursor(l.t.Context(), tenant); err != nil || has < seq {
				behind = fmt.Sprintf("sink %s has %d of %d changes: %v", name, has, seq, err)
			}
		}
		if behind == "" {
			return
		}
		if time.Now().After(end) {
			l.t.Errorf("I-10: %s after %s", behind, long)
			return
		}
	}
}

// alike checks every folder, and that all are one: nothing waits for a sink that has it (I-10).
func (l *life) alike() {
	l.t.Helper()
	digests := map[string]int{}
	for _, s := range l.servers {
		folder := filepath.Join(s.data, "store")
		report, err := pebble.Check(l.t.Context(), folder, pebble.Options{})
		if err != nil || len(report.Problems) > 0 {
			l.t.Errorf("check: %v %v", report.Problems, err)
		}
		digest, err := derived.Digest(folder)
		if err != nil {
			l.t.Error(err)
		}
		digests[digest]++
	}
	if len(digests) != 1 {
		l.t.Errorf("the folders differ: %v", digests)
	}
}

// rows compares MySQL with what there should be (I-8): one row for each living nid,
// with its docId. An nid that is bound elsewhere, by us, keeps its row and is parked.
func (l *life) rows(o *harness.Outcome, total *counts) []string {
	db := l.sql()
	defer db.Close()
	parked := map[string]bool{}
	rows := l.query(db, `SELECT nid, docid, seq FROM neardup_parked`)
	for _, r := range rows {
		parked[r.nid] = true
	}
	total.parked += len(rows)
	var bad []string
	there := map[string]bool{}
	for _, r := range l.query(db, `SELECT nid, docid, seq FROM neardup_articles`) {
		there[r.nid] = true
		total.rows++
		want, elsewhere := o.Members[r.nid], r.docID == "elsewhere"
		switch {
		case elsewhere && want != "" && !parked[r.nid]:
			bad = append(bad, fmt.Sprintf("I-8: nid %s of docId %s is bound to %s in MySQL, and not parked", r.nid, want, r.docID))
		case !elsewhere && want != r.docID:
			bad = append(bad, fmt.Sprintf("I-8: nid %s of docId %q has docId %s in MySQL (change %d)", r.nid, want, r.docID, r.seq))
		}
	}
	for nid, docID := range o.Members {
		if !there[nid] {
			bad = append(bad, fmt.Sprintf("I-8: nid %s of docId %s has no row in MySQL", nid, docID))
		}
	}
	return bad
}

type row struct {
	nid, docID string
	seq        uint64
}

func (l *life) query(db *sql.DB, q string) []row {
	l.t.Helper()
	rows, err := db.Query(q)
	if err != nil {
		l.t.Fatal(err)
	}
	defer rows.Close()
	var all []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.nid, &r.docID, &r.seq); err != nil {
			l.t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		l.t.Fatal(err)
	}
	return all
}

// cells compares HBase with what there should be (I-9): the kept copy of each
// living docId, whole.
func (l *life) cells(o *harness.Outcome, records []harness.Record, log []harness.Entry, total *counts) []string {
	sent := map[string]map[string]bool{} // contents of each nid
	for _, r := range records {
		if r.Article.NID != "" {
			if sent[r.Article.NID] == nil {
				sent[r.Article.NID] = map[string]bool{}
			}
			sent[r.Article.NID][r.Article.Content] = true
		}
	}
	sink, err := hbase.Open(l.t.Context(), "hbase+http://"+l.gateways[0].Addr+"/"+l.name)
	if err != nil {
		l.t.Fatal(err)
	}
	defer sink.Close()
	var bad []string
	there := map[string]bool{}
	err = sink.Scan(l.t.Context(), func(a hbase.Article) error {
		there[a.DocID] = true
		total.articles++
		want := o.Kept[a.DocID]
		switch {
		case a.NID != want:
			bad = append(bad, fmt.Sprintf("I-9: docId %s has article %q of change %d in HBase, want %q: %s", a.DocID, a.NID, a.Seq, want, l.story(a.DocID, log)))
		case !sent[a.NID][a.Content]:
			bad = append(bad, fmt.Sprintf("I-9: article %s of docId %s is not what was sent", a.NID, a.DocID))
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	for docID, nid := range o.Kept {
		if nid != "" && !there[docID] {
			bad = append(bad, fmt.Sprintf("I-9: docId %s has no article in HBase, want %s", docID, nid))
		}
	}
	return bad
}

// story is what the log says of a docId and what lies in HBase under it, for whoever
// looks for the cause of a violation.
func (l *life) story(docID string, log []harness.Entry) string {
	var all []string
	epochs, nids := 0, map[string]bool{}
	for _, e := range log {
		if e.Kind == "epoch" {
			epochs++
			all = append(all, fmt.Sprintf("%d epoch %d", e.Seq, epochs))
		}
		if e.DocID == docID || (e.Kind == "delete" && nids[e.NID]) {
			nids[e.NID] = true
			all = append(all, fmt.Sprintf("%d %s %s heat %d", e.Seq, e.Kind, e.NID, e.Heat))
		}
	}
	req, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, "http://"+l.gateways[0].Addr+"/"+l.name+"/"+docID, nil)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Accept", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	var row struct {
		Row []struct {
			Cell []struct {
				Column    []byte `json:"column"`
				Timestamp int64  `json:"timestamp"`
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&row); err != nil {
		return err.Error()
	}
	for _, r := range row.Row {
		for _, c := range r.Cell {
			all = append(all, fmt.Sprintf("%s at epoch %d, change %d", c.Column, c.Timestamp>>48, c.Timestamp&(1<<48-1)))
		}
	}
	return strings.Join(all, "; ")
}
