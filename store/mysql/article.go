package mysql

import (
	"database/sql"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// articleColumns are the columns that hold the fields of an article.
const articleColumns = `url, title, category, media, image_count, published, images`

// valuesOf returns the values of articleColumns. A nil article has none.
func valuesOf(a *docid.Article) []any {
	if a == nil {
		a = &docid.Article{}
	}
	images := a.Extras.Encode()
	return []any{a.URL, a.Title, a.Category, a.Media, a.ImageCount, a.Time, sql.NullString{String: images, Valid: images != ""}}
}

// article holds the columns of a row in the table of articles. They are null without a row.
type article struct {
	address, title, category, media, imageCount, images sql.NullString
	published                                           sql.NullInt64
}

func (a *article) columns() []any {
	return []any{&a.address, &a.title, &a.category, &a.media, &a.imageCount, &a.published, &a.images}
}

// of returns the article of a delivery without its text, or nil without a row.
func (a *article) of(d *docid.Delivery) (*docid.Article, error) {
	if !a.address.Valid {
		return nil, nil
	}
	out := &docid.Article{Category: a.category.String, Media: a.media.String, ImageCount: a.imageCount.String, Heat: d.Heat}
	out.ID, out.URL, out.Title, out.Time = d.NID, a.address.String, a.title.String, a.published.Int64
	if err := out.Extras.Decode(a.images.String); err != nil {
		return nil, fmt.Errorf("%w: images of nid %q in neardup_articles: %w", docid.ErrCorrupt, d.NID, err)
	}
	return out, nil
}
