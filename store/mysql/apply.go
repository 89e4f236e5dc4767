package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Cursor returns the last change of a tenant in the log of the database.
func (s *Sink) Cursor(ctx context.Context, tenant string) (uint64, error) {
	row, err := s.tenant(ctx, tenant)
	if err == nil && row.mark != nil {
		return row.logged, nil
	}
	if errors.Is(err, docid.ErrNotFound) || err == nil {
		err = s.keepAgain(ctx, tenant)
	}
	return row.logged, err
}

func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: MySQL: %w", docid.ErrUnavailable, err)
}

// Apply writes deliveries and the cursor in one transaction. It skips changes that are already stored, so deliveries may be
// repeated.
func (s *Sink) Apply(ctx context.Context, tenant string, ds []docid.Delivery) error {
	if len(ds) == 0 {
		return nil
	}
	if err := s.make(ctx, tenant); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return unavailable(err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	a := apply{ctx: ctx, tx: tx}
	if err := a.all(tenant, ds, s.mine); err != nil {
		return err
	}
	return unavailable(tx.Commit())
}

// apply is a transaction of Apply.
type apply struct {
	ctx    context.Context
	tx     *sql.Tx
	tenant uint32
	batch  []*docid.Delivery // submissions to insert
	bytes  int               // total size of their fields
	log    []any             // columns of log entries that will be inserted
	rows   int               // number of these entries
	logged int               // bytes of these entries
}

// all applies deliveries to a tenant's row, unless mine returns an error for it.
func (a *apply) all(tenant string, ds []docid.Delivery, mine func(string, *tenantRow) error) error {
	var row tenantRow
	err := a.tx.QueryRowContext(a.ctx, `SELECT id, logged, mark FROM neardup_tenants WHERE name = ? FOR UPDATE`, []byte(tenant)).
		Scan(&row.id, &row.logged, &row.mark)
	if err != nil {
		return unavailable(err)
	}
	if err := mine(tenant, &row); err != nil {
		return err
	}
	a.tenant = row.id
	last := row.logged
	for i := range ds {
		d := &ds[i]
		switch {
		case d.Seq <= row.logged:
			continue
		case d.Seq != last+1 && d.Kind != docid.KindEpoch:
			return fmt.Errorf("%w: change %d follows change %d", docid.ErrInvalid, d.Seq, last)
		}
		if d.Kind == docid.KindEpoch && d.Before.Seq > 0 {
			if err := a.forget(&d.Before, d.Seq); err != nil {
				return err
			}
		}
		last = d.Seq
		if err := a.record(d); err != nil {
			return err
		}
		if err := a.one(d); err != nil {
			return err
		}
	}
	if err := errors.Join(a.flush(), a.flushLog()); err != nil {
		return err
	}
	return a.exec(`UPDATE neardup_tenants SET logged = ? WHERE id = ?`, last, a.tenant)
}

// unknown is the effect on the kept copy of a change that was delivered too late. By then the index no longer stored it.
const unknown = 255

// record buffers the log entry of a change.
func (a *apply) record(d *docid.Delivery) error {
	keeps := byte(d.Kept)
	if d.Backfilled {
		keeps = unknown
	}
	names := []byte{}
	for _, n := range d.Names {
		names = append(names, n[:]...)
	}
	entry := ledger.EncodeEntry(&d.Entry)
	a.log = append(a.log, a.tenant, d.Seq, d.Leader, d.Revises(), keeps, names, entry)
	a.rows, a.logged = a.rows+1, a.logged+len(entry)+len(names)
	if a.rows < batchRows && a.logged < batchBytes {
		return nil
	}
	return a.flushLog()
}

// flushLog inserts the buffered entries. Entries after the cursor that exist already stay, because a number is never
// reused. An operator may have set the cursor back.
func (a *apply) flushLog() error {
	if a.rows == 0 {
		return nil
	}
	query := `INSERT INTO neardup_log (tenant, seq, leader, revises, keeps, names, entry) VALUES (?,?,?,?,?,?,?)` +
		strings.Repeat(",(?,?,?,?,?,?,?)", a.rows-1) + ` ON DUPLICATE KEY UPDATE seq = neardup_log.seq`
	args := a.log
	a.log, a.rows, a.logged = nil, 0, 0
	return a.exec(query, args...)
}

// forget deletes the entries between two changes, which the index has lost. The rows of the articles stay for the clients
// that got their answers. It returns docid.ErrOther if the first change differs from the index, because all earlier ones
// may then differ as well.
func (a *apply) forget(after *docid.Entry, before uint64) error {
	if err := a.flushLog(); err != nil {
		return err
	}
	var b []byte
	err := a.tx.QueryRowContext(a.ctx, `SELECT entry FROM neardup_log WHERE tenant = ? AND seq = ?`, a.tenant, after.Seq).Scan(&b)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return unavailable(err)
	}
	was, err := entryOf(after.Seq, b)
	if err != nil || was.Kind != after.Kind || was.NID != after.NID || was.Leader != after.Leader || was.Time != after.Time {
		return fmt.Errorf("%w: change %d in neardup_log differs from that of the index, which lost changes that MySQL has and then reused their numbers (want an empty database, "+
			"or the index rebuilt with neardup rebuild)", docid.ErrOther, after.Seq)
	}
	return a.exec(`DELETE FROM neardup_log WHERE tenant = ? AND seq > ? AND seq < ?`, a.tenant, after.Seq, before)
}

// one applies a change. It buffers submissions, up to batchRows.
func (a *apply) one(d *docid.Delivery) error {
	if d.Kind == docid.KindNew || d.Kind == docid.KindDuplicate {
		if w := d.Article; w != nil {
			a.bytes += len(w.URL) + len(w.Title) + len(w.Category) + len(w.Media) + len(w.ImageCount) + len(w.Extras.Encode())
		}
		a.batch = append(a.batch, d)
		if len(a.batch) < batchRows && a.bytes < batchBytes {
			return nil
		}
		return a.flush()
	}
	if err := a.flush(); err != nil {
		return err
	}
	switch d.Kind {
	case docid.KindUpdate:
		if d.Revises() { // the new text may contradict the leader's, or may no longer do so
			return a.exec(`UPDATE neardup_articles SET heat = ?, disagrees = ? WHERE tenant = ? AND nid = ? AND leader = ?`,
				d.Heat, d.Evidence.Disagrees, a.tenant, []byte(d.NID), d.Leader)
		}
		return a.exec(`UPDATE neardup_articles SET heat = ? WHERE tenant = ? AND nid = ? AND leader = ?`, d.Heat, a.tenant, []byte(d.NID), d.Leader)
	case docid.KindCorrect: // no other change moves a row
		return a.exec(`UPDATE neardup_articles SET docid = ?, leader = ?, disagrees = FALSE, corrected = ?, corrected_by = ?, docid_before = ?
			WHERE tenant = ? AND nid = ? AND leader = ?`,
			d.DocID, d.Leader, d.Seq, []byte(d.Ruling.Who), d.Left, a.tenant, []byte(d.NID), d.Ruling.Before)
	case docid.KindDelete:
		return a.exec(`DELETE FROM neardup_articles WHERE tenant = ? AND nid = ? AND leader = ?`, a.tenant, []byte(d.NID), d.Leader)
	case docid.KindEnd, docid.KindExpire:
		return a.exec(`DELETE FROM neardup_articles WHERE tenant = ? AND leader = ?`, a.tenant, d.Leader)
	}
	return nil // only the index uses forgotten keys, epochs and rulings
}

func (a *apply) exec(query string, args ...any) error {
	_, err := a.tx.ExecContext(a.ctx, query, args...)
	return unavailable(err)
}

// Limits for the rows and bytes of a statement. Quoting may double the bytes, and a server rejects a statement above
// max_allowed_packet (16 MB, or 4 MB for older servers).
const (
	batchRows  = 200
	batchBytes = 1 << 20
)

// flush inserts the buffered submissions. Existing rows stay, because an nid keeps its docId until it is deleted or a
// person moves it.
func (a *apply) flush() error {
	if len(a.batch) == 0 {
		return nil
	}
	var args []any
	for _, d := range a.batch {
		args = append(args, a.columnsOf(d)...)
	}
	one := "(?" + strings.Repeat(",?", len(args)/len(a.batch)-1) + ")"
	query := `INSERT INTO neardup_articles (tenant, nid, docid, leader, seq, decision, stage, leader_nid, similarity, distance, method, basis,
		disagrees, variant_of, time, heat, ` + articleColumns + `) VALUES ` + one + strings.Repeat(","+one, len(a.batch)-1) +
		` ON DUPLICATE KEY UPDATE seq = neardup_articles.seq`
	if err := a.exec(query, args...); err != nil {
		return err
	}
	err := a.park()
	a.batch, a.bytes = a.batch[:0], 0
	return err
}

func (a *apply) columnsOf(d *docid.Delivery) []any {
	e := &d.Evidence
	var distance sql.NullInt32
	if e.Distance >= 0 {
		distance = sql.NullInt32{Int32: int32(e.Distance), Valid: true}
	}
	return append([]any{
		a.tenant, []byte(d.NID), d.DocID, d.Leader, d.Seq, string(d.Kind), string(e.Stage), []byte(e.LeaderNID), e.Similarity, distance,
		e.Method, e.Basis, e.Disagrees, []byte(e.VariantNID), stamp(d.Time), d.Heat,
	}, valuesOf(d.Article)...)
}

// stamp returns a time within the range of a TIMESTAMP: 1970-01-01 00:00:01 to 2038-01-19.
func stamp(ns int64) string {
	t := time.Unix(0, ns).UTC()
	low, high := time.Unix(1, 0).UTC(), time.Unix(1<<31-1, 0).UTC()
	if t.Before(low) {
		t = low
	} else if t.After(high) {
		t = high
	}
	return t.Format("2006-01-02 15:04:05.000000")
}

// park stores the submissions whose nid is bound to another article.
func (a *apply) park() error {
	args := []any{a.tenant}
	byNID := map[string]*docid.Delivery{}
	for _, d := range a.batch {
		args = append(args, []byte(d.NID))
		byNID[d.NID] = d
	}
	rows, err := a.tx.QueryContext(a.ctx, `SELECT nid, docid, seq FROM neardup_articles WHERE tenant = ? AND nid IN (?`+
		strings.Repeat(",?", len(a.batch)-1)+`)`, args...)
	if err != nil {
		return unavailable(err)
	}
	defer rows.Close()
	var elsewhere []*docid.Delivery
	var reasons []string
	for rows.Next() {
		var nid []byte
		var id string
		var seq uint64
		if err := rows.Scan(&nid, &id, &seq); err != nil {
			return unavailable(err)
		}
		if d := byNID[string(nid)]; d != nil && d.Seq != seq {
			elsewhere = append(elsewhere, d)
			reasons = append(reasons, fmt.Sprintf("the nid has docId %s since change %d", id, seq))
		}
	}
	if err := rows.Err(); err != nil {
		return unavailable(err)
	}
	rows.Close()
	for i, d := range elsewhere {
		err := a.exec(`INSERT INTO neardup_parked (tenant, seq, nid, docid, reason) VALUES (?,?,?,?,?)
			ON DUPLICATE KEY UPDATE seq = neardup_parked.seq`, a.tenant, d.Seq, []byte(d.NID), d.DocID, reasons[i])
		if err != nil {
			return err
		}
	}
	return nil
}
