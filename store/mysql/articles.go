package mysql

import (
	"context"
	"errors"
	"strings"

	"github.com/neardup/neardup/docid"
)

// filed selects articles with their names, but for those that a person has moved, whom an
// index does not leave: it may only have lost that it moved one.
const filed = `SELECT a.nid, a.leader, a.seq, a.disagrees, a.heat, l.names, a.url, a.title, a.category, a.media, a.image_count, a.published
	FROM neardup_articles a JOIN neardup_log l ON l.tenant = a.tenant AND l.seq = a.seq WHERE a.tenant = ? AND a.corrected = 0 AND `

// Articles reads articles by nid, as docid.History says.
func (s *Sink) Articles(ctx context.Context, tenant string, nids []string) ([]docid.Filed, uint64, error) {
	if len(nids) == 0 {
		return nil, 0, nil
	}
	args := make([]any, 0, len(nids))
	for _, nid := range nids {
		args = append(args, []byte(nid))
	}
	return s.articles(ctx, tenant, `a.nid IN (?`+strings.Repeat(",?", len(nids)-1)+`)`, args...)
}

// ArticlesOf reads a page of a docId, as docid.History says.
func (s *Sink) ArticlesOf(ctx context.Context, tenant string, leader, after uint64, limit int) ([]docid.Filed, uint64, error) {
	return s.articles(ctx, tenant, `a.leader = ? AND a.seq > ? ORDER BY a.seq LIMIT ?`, leader, after, limit)
}

// articles reads articles as of the last change that was here before, or a later one.
func (s *Sink) articles(ctx context.Context, tenant, which string, args ...any) ([]docid.Filed, uint64, error) {
	t, err := s.tenant(ctx, tenant)
	if errors.Is(err, docid.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	rows, err := s.db.QueryContext(ctx, filed+which, append([]any{t.id}, args...)...)
	if err != nil {
		return nil, 0, unavailable(err)
	}
	defer rows.Close()
	var found []docid.Filed
	for rows.Next() {
		var nid, names []byte
		var f docid.Filed
		var a article
		if err := rows.Scan(append([]any{&nid, &f.Leader, &f.Seq, &f.Disagrees, &f.Heat, &names}, a.columns()...)...); err != nil {
			return nil, 0, unavailable(err)
		}
		f.Article, f.Names = a.named(string(nid), f.Heat), namesOf(names)
		found = append(found, f)
	}
	return found, t.logged, unavailable(rows.Err())
}

// ChangesOf reads entries of a docId, as docid.History says.
func (s *Sink) ChangesOf(ctx context.Context, tenant string, leader, after uint64, limit int) ([]docid.Delivery, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT l.seq, l.entry, l.names FROM neardup_tenants t JOIN neardup_log l ON l.tenant = t.id
		WHERE t.name = ? AND l.leader = ? AND l.seq > ? ORDER BY l.seq LIMIT ?`, []byte(tenant), leader, after, limit)
	if err != nil {
		return nil, unavailable(err)
	}
	defer rows.Close()
	var ds []docid.Delivery
	for rows.Next() {
		var seq uint64
		var entry, names []byte
		if err := rows.Scan(&seq, &entry, &names); err != nil {
			return nil, unavailable(err)
		}
		e, err := entryOf(seq, entry)
		if err != nil {
			return nil, err
		}
		ds = append(ds, docid.Delivery{Entry: e, Names: namesOf(names)})
	}
	return ds, unavailable(rows.Err())
}
