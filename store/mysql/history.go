package mysql

import (
	"context"
	"database/sql"
	"fmt"

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

// History reads the log of a tenant as docid.History says.
func (s *Sink) History(ctx context.Context, tenant string, after uint64, limit int) ([]docid.Delivery, error) {
	row, err := s.tenant(ctx, tenant)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT l.seq, l.revises, l.keeps, l.names, l.entry, a.url, a.title, a.category, a.media, a.image_count, a.published
		FROM neardup_log l LEFT JOIN neardup_articles a FORCE INDEX (leader) ON a.tenant = l.tenant AND a.leader = l.leader AND a.seq = l.seq
		WHERE l.tenant = ? AND l.seq > ? ORDER BY l.seq LIMIT ?`, row.id, after, limit)
	if err != nil {
		return nil, unavailable(err)
	}
	defer rows.Close()
	var ds []docid.Delivery
	for rows.Next() {
		d, err := scan(rows)
		if err != nil {
			return nil, err
		}
		if d.Seq != after+1 && d.Kind != docid.KindEpoch {
			return nil, fmt.Errorf("%w: change %d of tenant %q is missing in neardup_log", docid.ErrCorrupt, after+1, tenant)
		}
		after = d.Seq // an epoch passes over what was lost
		ds = append(ds, d)
	}
	return ds, unavailable(rows.Err())
}

// scan reads one row of the log with what is left of its article.
func scan(rows *sql.Rows) (docid.Delivery, error) {
	var d docid.Delivery
	var seq uint64
	var revises bool
	var keeps byte
	var names, entry []byte
	var address, title, category, media, images sql.NullString
	var published sql.NullInt64
	if err := rows.Scan(&seq, &revises, &keeps, &names, &entry, &address, &title, &category, &media, &images, &published); err != nil {
		return d, unavailable(err)
	}
	var err error
	if d.Entry, err = ledger.DecodeEntry(entry); err != nil || len(names)%len(docid.Name{}) != 0 {
		return d, fmt.Errorf("%w: change %d in neardup_log: %w", docid.ErrCorrupt, seq, err)
	}
	d.Seq, d.Late = seq, keeps == unknown
	if !d.Late {
		d.Keeps = docid.Keeps(keeps)
	}
	for ; len(names) > 0; names = names[len(docid.Name{}):] {
		d.Names = append(d.Names, docid.Name(names[:len(docid.Name{})]))
	}
	if address.Valid {
		a := &docid.Article{Category: category.String, Media: media.String, ImageCount: images.String, Heat: d.Heat}
		a.ID, a.URL, a.Title, a.Time = d.NID, address.String, title.String, published.Int64
		d.Article = a
	} else if revises {
		d.Article = &docid.Article{}
	}
	return d, nil
}
