package mysql

import (
	"context"
	"strings"

	"github.com/neardup/neardup/docid"
)

// filed selects articles with their names and the last change that is here, all of
// one moment: a statement sees one.
const filed = `SELECT t.logged, a.nid, a.leader, a.seq, a.disagrees, a.heat, l.names, a.url, a.title, a.category, a.media, a.image_count, a.published
	FROM neardup_tenants t LEFT JOIN (neardup_articles a JOIN neardup_log l ON l.tenant = a.tenant AND l.seq = a.seq) ON a.tenant = t.id AND `

// Articles reads articles by nid, as docid.History says.
func (s *Sink) Articles(ctx context.Context, tenant string, nids []string) ([]docid.Filed, uint64, error) {
	if len(nids) == 0 {
		return nil, 0, nil
	}
	args := make([]any, 0, len(nids)+1)
	for _, nid := range nids {
		args = append(args, []byte(nid))
	}
	return s.articles(ctx, filed+`a.nid IN (?`+strings.Repeat(",?", len(nids)-1)+`) WHERE t.name = ?`, append(args, []byte(tenant))...)
}

// ArticlesOf reads a page of a docId, as docid.History says.
func (s *Sink) ArticlesOf(ctx context.Context, tenant string, leader, after uint64, limit int) ([]docid.Filed, uint64, error) {
	return s.articles(ctx, filed+`a.leader = ? AND a.seq > ? WHERE t.name = ? ORDER BY a.seq LIMIT ?`, leader, after, []byte(tenant), limit)
}

func (s *Sink) articles(ctx context.Context, query string, args ...any) (found []docid.Filed, at uint64, err error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, 0, unavailable(err)
	}
	defer rows.Close()
	for rows.Next() {
		var nid, names []byte
		var leader, seq *uint64
		var disagrees *bool
		var heat *int64
		var a article
		if err := rows.Scan(append([]any{&at, &nid, &leader, &seq, &disagrees, &heat, &names}, a.columns()...)...); err != nil {
			return nil, 0, unavailable(err)
		}
		if seq == nil { // the tenant is there, and no article
			continue
		}
		found = append(found, docid.Filed{
			Member: docid.Member{Article: a.named(string(nid), *heat), Leader: *leader, Seq: *seq, Disagrees: *disagrees},
			Names:  namesOf(names),
		})
	}
	return found, at, unavailable(rows.Err())
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
