package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Tenants lists the tenants that have a log here, by name.
func (s *Sink) Tenants(ctx context.Context) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT name FROM neardup_tenants WHERE logged > 0 ORDER BY name`)
	if err != nil {
		return nil, unavailable(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name []byte
		if err := rows.Scan(&name); err != nil {
			return nil, unavailable(err)
		}
		names = append(names, string(name))
	}
	return names, unavailable(rows.Err())
}

// History reads the log of a tenant as docid.History requires.
func (s *Sink) History(ctx context.Context, tenant string, after uint64, limit int) ([]docid.Delivery, error) {
	row, err := s.tenant(ctx, tenant)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT l.seq, l.revises, l.keeps, l.names, l.entry, `+articleColumns+`
		FROM neardup_log l LEFT JOIN neardup_articles a FORCE INDEX (leader) ON a.tenant = l.tenant AND a.leader = l.leader AND a.seq = l.seq
		WHERE l.tenant = ? AND l.seq > ? ORDER BY l.seq LIMIT ?`, row.id, after, limit)
	if err != nil {
		return nil, unavailable(err)
	}
	defer rows.Close()
	var ds []docid.Delivery
	for rows.Next() {
		d, err := scan(rows)
		if err == nil {
			err = follows(&d.Entry, after, tenant)
		}
		if err != nil {
			return nil, err
		}
		after = d.Seq
		ds = append(ds, d)
	}
	if err := rows.Err(); err != nil {
		return nil, unavailable(err)
	}
	return ds, s.moved(ctx, row.id, ds)
}

// namesOf decodes names of 16 bytes each.
func namesOf(b []byte) (names []docid.Name) {
	for ; len(b) >= len(docid.Name{}); b = b[len(docid.Name{}):] {
		names = append(names, docid.Name(b[:len(docid.Name{})]))
	}
	return names
}

// entryOf reads an entry of the log.
func entryOf(seq uint64, b []byte) (docid.Entry, error) {
	e, err := ledger.DecodeEntry(b)
	if err != nil {
		return e, fmt.Errorf("%w: change %d in neardup_log: %w", docid.ErrCorrupt, seq, err)
	}
	e.Seq = seq
	return e, nil
}

// follows returns ErrCorrupt for a gap before an entry. Only an epoch may skip lost numbers.
func follows(e *docid.Entry, after uint64, tenant string) error {
	if e.Seq != after+1 && e.Kind != docid.KindEpoch {
		return fmt.Errorf("%w: change %d of tenant %q: missing in neardup_log", docid.ErrCorrupt, after+1, tenant)
	}
	return nil
}

// moved finds the articles of submissions that a person has moved to another docId.
func (s *Sink) moved(ctx context.Context, tenant uint32, ds []docid.Delivery) error {
	args := []any{tenant}
	without := map[uint64]*docid.Delivery{}
	for i := range ds {
		if d := &ds[i]; d.Article == nil && (d.Kind == docid.KindNew || d.Kind == docid.KindDuplicate) {
			args = append(args, []byte(d.NID))
			without[d.Seq] = d
		}
	}
	if len(without) == 0 {
		return nil
	}
	rows, err := s.db.QueryContext(ctx, `SELECT seq, `+articleColumns+` FROM neardup_articles
		WHERE tenant = ? AND corrected > 0 AND nid IN (?`+strings.Repeat(",?", len(args)-2)+`)`, args...)
	if err != nil {
		return unavailable(err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq uint64
		var a article
		if err := rows.Scan(append([]any{&seq}, a.columns()...)...); err != nil {
			return unavailable(err)
		}
		if d := without[seq]; d != nil {
			d.Article, err = a.of(d)
			if err != nil {
				return err
			}
		}
	}
	return unavailable(rows.Err())
}

// scan reads a row of the log with the stored fields of its article.
func scan(rows *sql.Rows) (docid.Delivery, error) {
	var d docid.Delivery
	var seq uint64
	var revises bool
	var keeps byte
	var names, entry []byte
	var a article
	if err := rows.Scan(append([]any{&seq, &revises, &keeps, &names, &entry}, a.columns()...)...); err != nil {
		return d, unavailable(err)
	}
	var err error
	d.Entry, err = entryOf(seq, entry)
	if err != nil {
		return d, err
	}
	d.Backfilled = keeps == unknown
	if !d.Backfilled {
		d.Kept = docid.KeptEffect(keeps)
	}
	d.Names = namesOf(names)
	d.Article, err = a.of(&d)
	if d.Article == nil && revises {
		d.Article = &docid.Article{}
	}
	return d, err
}
